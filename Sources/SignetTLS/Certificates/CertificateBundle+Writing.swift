import SwiftASN1

extension CertificateBundle {
    /// The certificates as PEM (RFC 7468 §5), one block after the other.
    public var pem: [UInt8] { certificates.flatMap { Array(PEMBlock.text("CERTIFICATE", $0.der).utf8) } }

    /// The certificates as PKCS#7 in DER: SignedData without content and signatures (RFC 5652 §5.1, RFC 7030 §4.1.3).
    ///
    /// DER sorts the members of a SET by their bytes, so the file does not keep the order of the certificates.
    ///
    /// - Throws: ``IdentityError`` with `cannotWrite` when the bytes of a certificate are not a DER value.
    public func pkcs7() throws(IdentityError) -> [UInt8] {
        do {
            return try DER.bytes { coder in
                try coder.appendContent(.PKCS12.signedData) { try $0.appendSequence(signedData) }
            }
        } catch {
            throw IdentityError(.cannotWrite, "The certificates could not be written as PKCS#7.", cause: error)
        }
    }

    private func signedData(_ coder: inout DER.Serializer) throws {
        try coder.serialize(1)
        coder.appendConstructedNode(identifier: .set) { _ in }
        try coder.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1ObjectIdentifier.PKCS12.data) }
        let sorted = certificates.map(\.der).sorted { $0.lexicographicallyPrecedes($1) }
        try coder.appendConstructedNode(identifier: .context(0)) { coder in
            // Each is parsed first: bytes that are not a DER value would damage the whole file.
            for der in sorted { coder.serialize(try DER.parse(der)) }
        }
        coder.appendConstructedNode(identifier: .set) { _ in }
    }
}
