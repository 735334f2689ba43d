import Crypto
package import SignetTLS
import SignetXML

/// Encrypts parts of a document for the owner of a certificate (XML Encryption 1.1).
package struct XMLEncryptor: Sendable {
    private let recipient: RecipientKey
    package var content: ContentEncryption
    package let key: KeyEncryption

    /// - Parameter key: nil for what fits the certificate.
    /// - Throws: ``EncryptionProblem``.
    package init(
        for certificate: EncodedCertificate, _ content: ContentEncryption, _ key: KeyEncryption? = nil
    ) throws(EncryptionProblem) {
        do { recipient = try RecipientKey(of: certificate) } catch {
            throw EncryptionProblem(.unsupported, "the certificate of “\(certificate.subject)” has \(error)")
        }
        self.content = content
        self.key = key ?? (recipient.isRSA ? .rsaOAEP : .ecdhES)
        guard (self.key != .ecdhES) == recipient.isRSA else {
            throw EncryptionProblem(
                .unsupported,
                "the certificate of “\(certificate.subject)” has \(recipient.isRSA ? "an RSA key, for which ECDH-ES does not work" : "no RSA key, which RSA-OAEP needs")"
            )
        }
    }

    package func newKey() -> ContentKey { ContentKey(for: content) }

    /// The element `EncryptedKey` with a key.
    ///
    /// - Parameters:
    ///   - identifier: the value of its `Id`.
    ///   - recipient: the content of KeyInfo that names the certificate; empty for none.
    ///   - references: the identifiers of what is encrypted with the key.
    package func encryptedKey(
        _ key: ContentKey, identifier: String, recipient name: String, references: [String]
    ) throws(EncryptionProblem) -> String {
        let method: String
        let value: [UInt8]
        let info: String
        do {
            switch self.key {
            case .rsaOAEP:
                method =
                    "<xenc:EncryptionMethod Algorithm=\"\(EncryptionAlgorithms.oaep10)\"><ds:DigestMethod Algorithm=\"http://www.w3.org/2000/09/xmldsig#sha1\"/></xenc:EncryptionMethod>"
                value = try recipient.encrypted(key.bytes(for: content), .sha1)
                info = name
            case .rsaOAEPSHA256:
                method =
                    "<xenc:EncryptionMethod Algorithm=\"\(EncryptionAlgorithms.oaep11)\"><ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/><xenc11:MGF xmlns:xenc11=\"http://www.w3.org/2009/xmlenc11#\" Algorithm=\"http://www.w3.org/2009/xmlenc11#mgf1sha256\"/></xenc:EncryptionMethod>"
                value = try recipient.encrypted(key.bytes(for: content), .sha256)
                info = name
            case .ecdhES:
                let wrap = EncryptionAlgorithms.wrap[2]
                let agreement = try recipient.agreement()
                // Both sides hash what the key is for (NIST SP 800-56A §5.8.1.2).
                let purpose = Array(wrap.uri.utf8)
                let wrapping = ConcatenationKDF.key(agreement.secret, purpose, .sha256, size: wrap.keySize)
                value = Array(
                    try AES.KeyWrap.wrap(
                        SymmetricKey(data: key.bytes(for: content)), using: SymmetricKey(data: wrapping)))
                method = "<xenc:EncryptionMethod Algorithm=\"\(wrap.uri)\"/>"
                info = agreementText(agreement, purpose, name)
            }
        } catch { throw EncryptionProblem(.unsupported, "the key of the message cannot be encrypted: \(error)") }
        let keyInfo = info.isEmpty ? "" : "<ds:KeyInfo>\(info)</ds:KeyInfo>"
        let list = references.map { "<xenc:DataReference URI=\"#\($0)\"/>" }.joined()
        return """
            <xenc:EncryptedKey xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" \
            xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Id="\(identifier)">\(method)\(keyInfo)\
            <xenc:CipherData><xenc:CipherValue>\(Text.base64(value))</xenc:CipherValue></xenc:CipherData>\
            \(list.isEmpty ? "" : "<xenc:ReferenceList>\(list)</xenc:ReferenceList>")</xenc:EncryptedKey>
            """
    }

    /// XML Encryption 1.1 §5.6.4.
    private func agreementText(_ agreement: RecipientKey.Agreement, _ purpose: [UInt8], _ recipient: String) -> String {
        """
        <xenc:AgreementMethod Algorithm="\(EncryptionAlgorithms.agreement)">\
        <xenc11:KeyDerivationMethod xmlns:xenc11="http://www.w3.org/2009/xmlenc11#" Algorithm="\(EncryptionAlgorithms.derivation)">\
        <xenc11:ConcatKDFParams AlgorithmID="00\(Text.hexadecimal(purpose))">\
        <ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/></xenc11:ConcatKDFParams></xenc11:KeyDerivationMethod>\
        <xenc:OriginatorKeyInfo><ds:KeyValue><dsig11:ECKeyValue xmlns:dsig11="http://www.w3.org/2009/xmldsig11#">\
        <dsig11:NamedCurve URI="urn:oid:\(agreement.curve.rawValue)"/>\
        <dsig11:PublicKey>\(Text.base64(agreement.point))</dsig11:PublicKey></dsig11:ECKeyValue></ds:KeyValue></xenc:OriginatorKeyInfo>\
        \(recipient.isEmpty ? "" : "<xenc:RecipientKeyInfo>\(recipient)</xenc:RecipientKeyInfo>")</xenc:AgreementMethod>
        """
    }

    /// The element `EncryptedData`.
    ///
    /// - Parameters:
    ///   - isElement: whether `plain` is one element; otherwise it is what stands in an element.
    ///   - keyInfo: the content of KeyInfo; empty for none.
    package func encryptedData(
        _ plain: [UInt8], isElement: Bool, with key: ContentKey, identifier: String, keyInfo: String
    ) throws(EncryptionProblem) -> String {
        let value: [UInt8]
        do { value = try content.encrypted(plain, key: key.bytes(for: content)) } catch {
            throw EncryptionProblem(.unsupported, "the content cannot be encrypted: \(error)")
        }
        let info =
            keyInfo.isEmpty ? "" : "<ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">\(keyInfo)</ds:KeyInfo>"
        return """
            <xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Id="\(identifier)" \
            Type="http://www.w3.org/2001/04/xmlenc#\(isElement ? "Element" : "Content")">\
            <xenc:EncryptionMethod Algorithm="\(EncryptionAlgorithms.uri(content))"/>\(info)\
            <xenc:CipherData><xenc:CipherValue>\(Text.base64(value))</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>
            """
    }
}
