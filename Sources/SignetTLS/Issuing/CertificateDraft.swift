import SwiftASN1

/// A certificate before it is signed (TBSCertificate, RFC 5280 §4.1).
struct CertificateDraft {
    /// The content of the INTEGER.
    var serialNumber: [UInt8] = CertificateDraft.newSerialNumber()
    /// The Name of the issuer in DER.
    var issuer: [UInt8]
    /// In seconds since 1970.
    var notBefore: Int64
    var notAfter: Int64
    /// The Name of the subject in DER.
    var subject: [UInt8]
    var publicKeyInfo: [UInt8]
    var extensions: [CertificateSigningRequest.Extension]

    /// Positive, and of 16 bytes, which never begin with a zero.
    static func newSerialNumber() -> [UInt8] { [UInt8.random(in: 0x40...0x7F)] + [UInt8].random(15) }

    /// - Parameter key: that of the issuer.
    /// - Throws: ``IdentityError`` with `invalidRequest`; ``SigningKeyError``.
    func signed(by key: KeyPair) async throws -> EncodedCertificate {
        guard let begin = UnixTime.certificateTime(notBefore), let end = UnixTime.certificateTime(notAfter),
            notBefore < notAfter
        else {
            throw IdentityError(
                .invalidRequest,
                "A validity from \(UnixTime.text(notBefore)) to \(UnixTime.text(notAfter)) cannot be written: it must be between 1950 and 9999, and end after it begins."
            )
        }
        let algorithm = try key.algorithm()
        let content = try DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.appendConstructedNode(identifier: .context(0)) { try $0.serialize(2) }
                coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
                try coder.appendSignatureAlgorithm(algorithm)
                coder.serializeRawBytes(issuer)
                coder.appendSequence { coder in
                    coder.append(time: begin)
                    coder.append(time: end)
                }
                coder.serializeRawBytes(subject)
                coder.serializeRawBytes(publicKeyInfo)
                try coder.appendExtensions(extensions, context: 3)
            }
        }
        return EncodedCertificate(der: try await key.signed(content, algorithm))
    }
}

extension DER.Serializer {
    /// Time (RFC 5280 §4.1.2.5).
    mutating func append(time: (text: String, isLong: Bool)) {
        appendPrimitiveNode(identifier: time.isLong ? .generalizedTime : .utcTime) {
            $0.append(contentsOf: time.text.utf8)
        }
    }

    /// Extensions (RFC 5280 §4.1.2.9) under an explicit tag.
    mutating func appendExtensions(
        _ extensions: [CertificateSigningRequest.Extension], context number: UInt
    ) throws {
        guard !extensions.isEmpty else { return }
        try appendConstructedNode(identifier: .context(number)) { coder in
            try coder.appendSequence { coder in for entry in extensions { try coder.append(entry) } }
        }
    }
}
