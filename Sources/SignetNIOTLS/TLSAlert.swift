import NIOSSL

/// An alert of the peer (RFC 8446 §6), found in what BoringSSL reports.
struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    let code: Int

    /// The IANA name.
    var description: String { Self.names[code] ?? "alert \(code)" }

    /// Whether a server says with it that it does not like the client's certificate, or the lack of one.
    ///
    /// `handshake_failure` and `access_denied` are not so clear by themselves: they count only when a certificate was asked for.
    var concernsCertificate: Bool { [40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 116].contains(code) }

    /// Whether nothing but a certificate can be meant.
    var namesCertificate: Bool { [42, 43, 44, 45, 46, 48, 116].contains(code) }

    static let certificateRequired = TLSAlert(code: 116)

    private static let names: [Int: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 22: "record_overflow",
        40: "handshake_failure", 41: "no_certificate", 42: "bad_certificate", 43: "unsupported_certificate",
        44: "certificate_revoked", 45: "certificate_expired", 46: "certificate_unknown", 47: "illegal_parameter",
        48: "unknown_ca", 49: "access_denied", 50: "decode_error", 51: "decrypt_error", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
        109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol",
    ]

    /// BoringSSL numbers the reasons of errors that stand for a received alert from 1000 on (`SSL_AD_REASON_OFFSET`). The
    /// packed number is the only part of the error that NIOSSL shows, at the beginning of its description.
    static func received(in error: BoringSSLInternalError) -> TLSAlert? {
        guard let packed = packedCode(of: error), packed >> 24 & 0xFF == 16 else { return nil }
        let reason = packed & 0xFFF
        return reason >= 1000 && reason < 1256 ? TLSAlert(code: reason - 1000) : nil
    }

    private static func packedCode(of error: BoringSSLInternalError) -> Int? {
        let prefix = "Error: "
        let text = error.description
        guard text.hasPrefix(prefix) else { return nil }
        return Int(text.dropFirst(prefix.count).prefix { $0.isNumber })
    }
}

extension BoringSSLError {
    /// The errors of BoringSSL inside.
    var stack: NIOBoringSSLErrorStack {
        switch self {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack), .failedToSetALPN(let stack):
            stack
        default: []
        }
    }

    /// BoringSSL's own name of the reason, for example `WRONG_VERSION_NUMBER`, without its file and line.
    var reasonName: String {
        guard let text = stack.first?.description else { return "\(self)" }
        let parts = text.split(separator: ":")
        guard let routine = parts.firstIndex(where: { $0.hasPrefix("OPENSSL_internal") }), routine + 1 < parts.endIndex
        else { return text }
        return parts[routine + 1].split(separator: " ").first.map(String.init) ?? text
    }
}
