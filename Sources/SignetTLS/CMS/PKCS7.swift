import SwiftASN1

/// PKCS#7 that only carries certificates (RFC 5652 §5.1, RFC 8551 §3.8), in DER or BER.
enum PKCS7 {
    static let maximumBytes = 4 << 20

    /// The certificates in the order of the file, which has no meaning; signatures and revocation lists are skipped.
    ///
    /// - Throws: ``IdentityError`` with `tooLarge`, ``EncodingError``, or the decoder's error.
    static func certificates(in bytes: [UInt8]) throws -> [EncodedCertificate] {
        guard bytes.count <= maximumBytes else {
            throw IdentityError(
                .tooLarge, "The PKCS#7 file has \(bytes.count) bytes; at most \(maximumBytes) are read.")
        }
        var content = try NodeReader(try BoundedBER.parse(bytes[...]))
        guard try content.next().objectIdentifier() == .PKCS12.signedData else {
            throw EncodingError("PKCS#7 without certificates")
        }
        var fields = try NodeReader(try content.next().explicit())
        try content.end()
        _ = try fields.next().integer()
        _ = try fields.next()  // digest algorithms
        _ = try fields.next()  // the signed content
        guard let set = fields.next(ifContext: 0) else { return [] }
        var nodes = try NodeReader(contentsOf: set)
        var result: [EncodedCertificate] = []
        while let node = nodes.nextIfAny() {
            // Attribute certificates and the other forms have other tags.
            guard node.identifier == .sequence else { continue }
            let certificate = EncodedCertificate(der: Array(node.encodedBytes))
            if case .failure(let problem) = certificate.reading { throw problem }
            result.append(certificate)
        }
        return result
    }
}
