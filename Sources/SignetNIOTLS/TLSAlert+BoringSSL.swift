import NIOSSL
import SignetTLS

extension TLSAlert {
    /// BoringSSL numbers the errors that stand for a received alert from 1000 on (`SSL_AD_REASON_OFFSET`). The packed
    /// number is the only part of the error that NIOSSL shows, at the beginning of its description.
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
    /// The BoringSSL errors inside.
    var stack: NIOBoringSSLErrorStack {
        switch self {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack), .failedToSetALPN(let stack):
            stack
        default: []
        }
    }

    /// BoringSSL's own name of the reason, for example `WRONG_VERSION_NUMBER`, without file and line.
    var reasonName: String {
        guard let text = stack.first?.description else { return "\(self)" }
        let parts = text.split(separator: ":")
        guard let routine = parts.firstIndex(where: { $0.hasPrefix("OPENSSL_internal") }), routine + 1 < parts.endIndex
        else { return text }
        return parts[routine + 1].split(separator: " ").first.map(String.init) ?? text
    }
}
