import SwiftASN1

extension ASN1Identifier {
    /// A tag of a field that has no tag of its own.
    static func context(_ number: UInt) -> ASN1Identifier { .init(tagWithNumber: number, tagClass: .contextSpecific) }
}

extension DER {
    /// An attribute with one value (RFC 5652 §5.3, RFC 2986 §4.1).
    static func attribute(_ type: ASN1ObjectIdentifier, _ value: Serializer.Body) throws -> [UInt8] {
        try bytes { coder in
            try coder.appendSequence { coder in
                try coder.serialize(type)
                try coder.appendConstructedNode(identifier: .set, value)
            }
        }
    }
}

extension DER.Serializer {
    /// The members of a SET OF, which DER orders by their bytes (X.690 §11.6).
    mutating func appendSorted(_ members: [[UInt8]]) {
        for member in members.sorted(by: { $0.lexicographicallyPrecedes($1) }) { serializeRawBytes(member) }
    }

    /// ContentInfo (RFC 5652 §3).
    mutating func appendContent(_ type: ASN1ObjectIdentifier, _ value: Body) throws {
        try appendSequence { try $0.appendTagged(type, value) }
    }

    /// The form of both ContentInfo and the bags of PKCS#12: an identifier, and a value with the explicit tag 0.
    mutating func appendTagged(_ identifier: ASN1ObjectIdentifier, _ value: Body) throws {
        try serialize(identifier)
        try appendConstructedNode(identifier: .context(0), value)
    }

    /// IssuerAndSerialNumber (RFC 5652 §10.2.4), by which messages name a certificate.
    mutating func appendName(of certificate: CertificateContent) {
        appendSequence { coder in
            coder.serializeRawBytes(certificate.issuerBytes)
            coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: certificate.serialNumber) }
        }
    }
}

extension ASN1ObjectIdentifier {
    enum CMS {
        static let envelopedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 3]
        static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 3]
        static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 4]
        static let sha1WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 5]
    }
}
