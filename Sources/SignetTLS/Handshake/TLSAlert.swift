/// An alert (RFC 8446 §6): why a peer ends a TLS connection.
package struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The number in the registry of IANA.
    package let code: Int

    package init(code: Int) { self.code = code }

    /// The IANA name.
    package var description: String { Self.known[code]?.name ?? "alert \(code)" }

    /// What the peer means by it, as a sentence about “it”.
    package var meaning: String { Self.known[code]?.meaning ?? "it gives a reason that no standard defines" }

    /// Whether a server uses it to refuse the client's certificate, or the lack of one.
    ///
    /// `handshake_failure` and `access_denied` have other meanings too: they count only when the server asked for a
    /// certificate.
    package var concernsCertificate: Bool { [40, 41, 42, 43, 44, 45, 46, 48, 49, 51, 116].contains(code) }

    /// Whether it can only be about a certificate.
    package var namesCertificate: Bool { [42, 43, 44, 45, 46, 48, 116].contains(code) }

    /// Whether it says that the offered algorithms do not fit.
    package var concernsAlgorithms: Bool { [40, 71].contains(code) }

    package static let decodeError = TLSAlert(code: 50)
    package static let protocolVersion = TLSAlert(code: 70)
    package static let certificateRequired = TLSAlert(code: 116)

    /// RFC 8446 §6 and other registered alerts.
    private static let known: [Int: (name: String, meaning: String)] = [
        0: ("close_notify", "it ended the connection in good order"),
        10: (
            "unexpected_message", "one of the two does not keep to the protocol, or something between them interferes"
        ),
        20: ("bad_record_mac", "what arrived was changed on the way, or one of the two miscalculates"),
        22: ("record_overflow", "it got a record larger than TLS allows"),
        40: (
            "handshake_failure",
            "no cipher suite, group or signature algorithm suits both, or it wants another client certificate"
        ),
        41: ("no_certificate", "it wants a client certificate"),
        42: ("bad_certificate", "it finds our certificate damaged or wrongly signed, or does not say more"),
        43: ("unsupported_certificate", "it does not take a certificate or key of this kind"),
        44: ("certificate_revoked", "our certificate was revoked"),
        45: ("certificate_expired", "our certificate is not valid now by its clock"),
        46: ("certificate_unknown", "it does not accept our certificate and does not say why"),
        47: ("illegal_parameter", "it finds a contradiction in the handshake"),
        48: (
            "unknown_ca",
            "it does not know the authority above our certificate, or an intermediate is missing in our chain"
        ),
        49: ("access_denied", "it gives no access with our certificate, which it does not know or does not allow here"),
        50: ("decode_error", "it could not read a message of the handshake"),
        51: ("decrypt_error", "a signature is wrong for it: the key may not be that of the certificate"),
        70: ("protocol_version", "it speaks no version from TLS 1.2 on"),
        71: ("insufficient_security", "it demands stronger algorithms than are offered"),
        80: ("internal_error", "it has an internal error; its log may say which"),
        86: ("inappropriate_fallback", "it takes this for an attempt to weaken the version"),
        90: ("user_canceled", "a user on its side ended the handshake"),
        109: ("missing_extension", "it misses an extension of the handshake"),
        110: ("unsupported_extension", "it got an extension that it did not ask for"),
        112: ("unrecognized_name", "it serves no host of this name; look at the address"),
        113: ("bad_certificate_status_response", "it does not accept the proof that a certificate is not revoked"),
        115: ("unknown_psk_identity", "it does not know the key that was agreed on before"),
        116: ("certificate_required", "it demands a client certificate"),
        120: ("no_application_protocol", "it does not speak HTTP/1.1 over TLS at this port"),
        121: ("ech_required", "it demands that the name of the host be encrypted"),
    ]
}
