import SwiftASN1

extension Identity {
    /// Reads an identity from PEM (RFC 7468): certificates in any order, and one private key in PKCS#8, PKCS#1 (RSA)
    /// or SEC 1 (EC). Both may be the same file.
    ///
    /// - Throws: ``IdentityError`` with `damaged`, `noCertificate`, `noPrivateKey`, `severalKeys`,
    ///   `noMatchingCertificate`, `unsupportedAlgorithm` (also for an encrypted key) or `tooLarge`.
    public init(pem: [UInt8], privateKey: [UInt8]) throws(IdentityError) {
        let certificates = try CertificateBundle(pem: pem).certificates
        let key = try Self.privateKey(inPEM: privateKey)
        guard let leaf = certificates.first(where: key.belongs) else {
            throw IdentityError(
                .noMatchingCertificate,
                """
                None of the \(certificates.count) certificates in the PEM file belongs to the private key. The first \
                is for \(certificates.first?.subject ?? "nobody").
                """)
        }
        self.init(leaf: leaf, privateKey: key, others: certificates.filter { $0 != leaf }, label: nil)
    }

    private static func privateKey(inPEM pem: [UInt8]) throws(IdentityError) -> PrivateKey {
        let blocks = try PEMFile.blocks(of: pem).filter { $0.label.hasSuffix("PRIVATE KEY") }
        guard let block = blocks.first else {
            throw IdentityError(
                .noPrivateKey, "The PEM file holds no private key: no block's label ends with PRIVATE KEY.")
        }
        guard blocks.count == 1 else {
            throw IdentityError(.severalKeys, "The PEM file holds \(blocks.count) private keys. Give a file with one.")
        }
        if block.hasHeaders || block.label == "ENCRYPTED PRIVATE KEY" {
            throw IdentityError(
                .unsupportedAlgorithm,
                """
                The private key in the PEM file is encrypted, which is not supported in PEM. Put key and certificate \
                into a PKCS#12 file: openssl pkcs12 -export -inkey key.pem -in certificate.pem -out identity.p12
                """)
        }
        do {
            switch block.label {
            case "PRIVATE KEY": return try PrivateKey(pkcs8: block.der[...])
            case "RSA PRIVATE KEY":
                return try PrivateKey(
                    algorithm: try Self.algorithm(.AlgorithmIdentifier.rsaEncryption, parameters: [0x05, 0x00]),
                    key: block.der[...])
            case "EC PRIVATE KEY":
                return try PrivateKey(
                    algorithm: try Self.algorithm(
                        .AlgorithmIdentifier.idEcPublicKey, parameters: try Self.curve(of: block.der)),
                    key: block.der[...])
            default: throw AlgorithmProblem.unsupported("a \(block.label)")
            }
        } catch let problem as AlgorithmProblem {
            let code: IdentityError.Code = if case .malformed = problem { .damaged } else { .unsupportedAlgorithm }
            throw IdentityError(code, "The PEM file holds \(problem).", cause: problem)
        } catch {
            throw IdentityError(.damaged, "The private key in the PEM file is damaged. Export it again.")
        }
    }

    private static func algorithm(_ identifier: ASN1ObjectIdentifier, parameters: [UInt8]) throws -> AlgorithmIdentifier
    {
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            coder.serializeRawBytes(parameters)
        }
        return try AlgorithmIdentifier(try DER.parse(coder.serializedBytes))
    }

    /// The named curve inside an ECPrivateKey (RFC 5915 §3), in DER.
    private static func curve(of key: [UInt8]) throws -> [UInt8] {
        var fields = try NodeReader(try DER.parse(key))
        _ = try fields.next()
        _ = try fields.next()
        guard let parameters = fields.next(ifContext: 0) else {
            throw AlgorithmProblem.unsupported("an EC key that does not name its curve")
        }
        return Array(try parameters.explicit().encodedBytes)
    }
}
