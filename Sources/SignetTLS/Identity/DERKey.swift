import SwiftASN1

/// Reads a private key in DER, whose kind its first values show.
enum DERKey {
    /// RSA keys of 16,384 bits have less than a seventh of this.
    static let maximumBytes = 65_536

    /// PKCS#8, encrypted PKCS#8, PKCS#1 or SEC 1.
    static func read(_ bytes: [UInt8], into reader: inout KeyFileReader) throws {
        try checkSize(bytes)
        let node = try BoundedBER.parse(bytes[...])
        var fields = try NodeReader(node)
        let (first, second) = (try fields.next(), try fields.next())
        switch (first.identifier, second.identifier) {
        case (.sequence, _): try reader.addKey(encrypted: node)
        case (_, .sequence): try reader.addKey(pkcs8: node)
        case (_, .octetString): try readEC(bytes, into: &reader)
        default: try readRSA(bytes, into: &reader)
        }
    }

    static func checkSize(_ bytes: [UInt8]) throws(IdentityError) {
        guard bytes.count <= maximumBytes else {
            throw IdentityError(.tooLarge, "A private key has \(bytes.count) bytes; at most \(maximumBytes) are read.")
        }
    }

    /// RSAPrivateKey (RFC 8017 appendix A.1.2).
    static func readRSA(_ bytes: [UInt8], into reader: inout KeyFileReader) throws {
        try reader.addKey(
            algorithm: try algorithm(.AlgorithmIdentifier.rsaEncryption, parameters: [0x05, 0x00]), bytes: bytes[...])
    }

    /// ECPrivateKey (RFC 5915 §3). It must name its curve.
    static func readEC(_ bytes: [UInt8], into reader: inout KeyFileReader) throws {
        var fields = try NodeReader(try DER.parse(bytes))
        _ = try fields.next()
        _ = try fields.next()
        guard let curve = try fields.next(ifContext: 0)?.explicit() else {
            throw IdentityError(
                .unsupportedAlgorithm,
                "The \(reader.password.file) file holds an EC key that does not name its curve, which is not supported."
            )
        }
        try reader.addKey(
            algorithm: try algorithm(.AlgorithmIdentifier.idEcPublicKey, parameters: Array(curve.encodedBytes)),
            bytes: bytes[...])
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
}
