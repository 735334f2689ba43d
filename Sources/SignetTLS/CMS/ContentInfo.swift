import SwiftASN1

/// The outermost structure of CMS (RFC 5652 §3), in DER or BER.
enum ContentInfo {
    /// The fields of a content of this type.
    static func fields(of bytes: [UInt8], as type: ASN1ObjectIdentifier) throws -> NodeReader {
        var outer = try NodeReader(try BoundedBER.parse(bytes[...]))
        guard try outer.next().objectIdentifier() == type else { throw EncodingError("a content of another type") }
        let fields = try NodeReader(try outer.next().explicit())
        try outer.end()
        return fields
    }

    /// The certificates of a CertificateSet (RFC 5652 §10.2.3), whose order has no meaning; they may be unreadable.
    static func certificates(in set: ASN1Node?, atMost limit: Int = .max) throws -> [EncodedCertificate] {
        guard let set else { return [] }
        var nodes = try NodeReader(contentsOf: set)
        var result: [EncodedCertificate] = []
        while let node = nodes.nextIfAny() {
            // Attribute certificates and the other forms have other tags.
            guard node.identifier == .sequence else { continue }
            guard result.count < limit else { throw EncodingError("more than \(limit) certificates") }
            result.append(EncodedCertificate(der: Array(node.encodedBytes)))
        }
        return result
    }
}
