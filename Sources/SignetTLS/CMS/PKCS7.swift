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
        var fields = try ContentInfo.fields(of: bytes, as: .PKCS12.signedData)
        _ = try fields.next().integer()
        _ = try fields.next()  // digest algorithms
        _ = try fields.next()  // the signed content
        let certificates = try ContentInfo.certificates(in: fields.next(ifContext: 0))
        for certificate in certificates {
            if case .failure(let problem) = certificate.reading { throw problem }
        }
        return certificates
    }
}
