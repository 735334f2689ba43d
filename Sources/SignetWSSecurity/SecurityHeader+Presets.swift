import SignetSOAP
import SignetSignature
public import SignetTLS

/// The forms that services demand. Not run against the real services.
extension SecurityHeader {
    /// Digikoppeling WUS of the Dutch government, with signed (2W-be-S) or also encrypted messages (2W-be-SE), as Digipoort has them. It
    /// goes together with an `AddressingHeader`.
    ///
    /// Source: Digikoppeling Koppelvlakstandaard WUS 3.8.1:
    /// * WB002: a Timestamp.
    /// * WB004: the body, the header blocks of WS-Addressing and the Timestamp are signed, each with its own digest.
    /// * WB005, WB006: the body is encrypted, after it is signed; the signature is not.
    /// * WB007: exclusive canonicalization.
    /// * WB010: the certificate of the signer, in a BinarySecurityToken with a direct reference.
    /// * WB012: the answer is encrypted for that certificate.
    /// * WB014: the answer confirms the signature of the request.
    ///
    /// - Parameters:
    ///   - identity: the client's certificate of PKIoverheid.
    ///   - answers: who signs the answers. Its decryption is that with `identity` when messages are encrypted.
    ///   - recipient: the certificate for which requests are encrypted; nil leaves them unencrypted.
    /// - Throws: ``WSSecurityError`` with `cannotSign` or `cannotEncrypt`.
    public static func digikoppeling(
        _ identity: Identity, answers: SignaturePolicy, encryptingFor recipient: EncodedCertificate? = nil
    ) throws(WSSecurityError) -> SecurityHeader {
        var header = SecurityHeader(lifetime: .seconds(300))
        header.signature = try SignatureProfile(identity)
        header.answers = answers
        header.requiresConfirmation = true
        if let recipient {
            header.encryption = try EncryptionProfile(for: recipient)
            header.encryption?.encryptsSignature = false
            header.answers?.decryption = DecryptionPolicy([identity])
        }
        return header
    }

    /// The operation `Autentica` of the mass download of Mexico's SAT, which gives a token: the Timestamp alone is signed. The key is RSA
    /// and in memory. Without `answers`, only TLS authenticates the service.
    ///
    /// Source: “Documentación del Servicio de Solicitud de Descarga Masiva” 1.2, “Autenticación”, and the requests that the library
    /// phpcfdi/sat-ws-descarga-masiva makes: five minutes, RSA and SHA-1, exclusive canonicalization, a BinarySecurityToken with a
    /// direct reference.
    ///
    /// - Parameter identity: the FIEL of the sender.
    /// - Throws: ``WSSecurityError`` with `cannotSign` for a key of another kind.
    public static func satAuthentication(_ identity: Identity) throws(WSSecurityError) -> SecurityHeader {
        guard KeyPair(of: identity).kind.rsaBits != nil else {
            throw WSSecurityError(
                .cannotSign,
                "SAT demands an RSA key; that of “\(identity.leaf.subject)” is \(KeyPair(of: identity).kind).")
        }
        var header = SecurityHeader(lifetime: .seconds(300))
        header.signature = try SignatureProfile(identity)
        header.signature?.parts = [.timestamp]
        header.signature?.algorithm = .insecureRSASHA1
        header.signature?.digest = .insecureSHA1
        return header
    }
}
