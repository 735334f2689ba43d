import SwiftASN1

/// The fields of a certificate (RFC 5280 §4.1). They are read without judging them and without understanding the key,
/// so that a certificate that is not trusted can still be described.
struct CertificateContent: Sendable {
    struct Extension: Sendable {
        let identifier: ASN1ObjectIdentifier
        let isCritical: Bool
        let value: ArraySlice<UInt8>
    }

    /// The largest certificates in use, with hundreds of host names, are a quarter as large.
    static let maximumBytes = 65_536
    /// Certificates in use have about ten.
    static let maximumExtensions = 64

    /// 1, 2 or 3.
    let version: Int
    /// The bytes of the INTEGER as encoded: the first bit is the sign.
    let serialNumber: ArraySlice<UInt8>
    let issuer: DistinguishedName
    /// The name of the issuer in DER.
    let issuerBytes: ArraySlice<UInt8>
    let subject: DistinguishedName
    /// The name of the subject in DER.
    let subjectBytes: ArraySlice<UInt8>
    let notBefore: Int64
    let notAfter: Int64
    /// SubjectPublicKeyInfo in DER.
    let publicKeyInfo: ArraySlice<UInt8>
    let extensions: [Extension]
    let signedBytes: ArraySlice<UInt8>
    let signatureAlgorithm: AlgorithmIdentifier
    let signature: ArraySlice<UInt8>

    init(der: [UInt8]) throws {
        // Any peer may send a certificate, so reading one must stay cheap whatever it holds.
        guard der.count <= Self.maximumBytes else {
            throw EncodingError("it has \(der.count) bytes, and at most \(Self.maximumBytes) are read")
        }
        var certificate = try NodeReader(try DER.parse(der))
        let signed = try certificate.next()
        signedBytes = signed.encodedBytes
        signatureAlgorithm = try AlgorithmIdentifier(try certificate.next())
        let bits = try ASN1BitString(derEncoded: try certificate.next())
        guard bits.paddingBits == 0 else { throw EncodingError("a signature that is not whole bytes") }
        signature = bits.bytes
        try certificate.end()

        var fields = try NodeReader(signed)
        // A certificate of version 1 has the number 0, or leaves it out.
        let number = try fields.next(ifContext: 0).map { try $0.explicit().integer() } ?? 0
        guard (0...2).contains(number) else { throw EncodingError("an unknown version") }
        version = number + 1
        let serial = try fields.next()
        guard serial.identifier == .integer else { throw EncodingError("no serial number") }
        serialNumber = try serial.primitiveBytes()
        // If the two could differ, an attacker could replace the one that is not signed (RFC 5280 §4.1.1.2).
        guard try fields.next().encodedBytes.elementsEqual(signatureAlgorithm.encoded) else {
            throw EncodingError("two different signature algorithms")
        }
        let issuer = try fields.next()
        self.issuer = try DistinguishedName(issuer)
        issuerBytes = issuer.encodedBytes
        var validity = try NodeReader(try fields.next())
        notBefore = try UnixTime.read(try validity.next())
        notAfter = try UnixTime.read(try validity.next())
        try validity.end()
        let subject = try fields.next()
        self.subject = try DistinguishedName(subject)
        subjectBytes = subject.encodedBytes
        publicKeyInfo = try fields.next().encodedBytes
        _ = fields.next(ifContext: 1)
        _ = fields.next(ifContext: 2)
        extensions = try fields.next(ifContext: 3).map { try Self.extensions(try $0.explicit()) } ?? []
        try fields.end()
        guard version == 3 || extensions.isEmpty else { throw EncodingError("extensions in an old version") }
    }

    /// Reads `Extensions` (RFC 5280 §4.1.2.9), which OCSP answers and revocation lists have too.
    static func extensions(_ node: ASN1Node) throws -> [Extension] {
        var result: [Extension] = []
        var reader = try NodeReader(node)
        while let field = reader.nextIfAny() {
            guard result.count < maximumExtensions else {
                throw EncodingError("more than \(maximumExtensions) extensions")
            }
            var parts = try NodeReader(field)
            let identifier = try parts.next().objectIdentifier()
            let isCritical = try parts.next(ifTagged: .boolean)?.boolean() ?? false
            let value = try ASN1OctetString(derEncoded: try parts.next()).bytes
            try parts.end()
            guard !result.contains(where: { $0.identifier == identifier }) else {
                throw EncodingError("the extension \(identifier) twice")
            }
            result.append(Extension(identifier: identifier, isCritical: isCritical, value: value))
        }
        return result
    }

    var isSelfIssued: Bool { issuer == subject }
}
