import SwiftASN1

extension KeyPair {
    /// An identity whose certificate the key itself signs: for servers that register single certificates, and as the
    /// place of a key for which a certificate was requested and has not come yet.
    ///
    /// - Parameters:
    ///   - subject: the name; it is the issuer's, too.
    ///   - alternativeNames: other names.
    ///   - purposes: what the certificate is for; when it is empty, the extension is left out.
    ///   - notBefore: the first second of the validity, in seconds since 1970 in UTC.
    ///   - notAfter: the last second of the validity.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: ``IdentityError`` with `invalidRequest`; ``SigningKeyError``.
    public func selfSignedIdentity(
        subject: SubjectName, alternativeNames: [CertificateSigningRequest.AlternativeName] = [],
        purposes: [CertificateSigningRequest.Purpose] = [], notBefore: Int64, notAfter: Int64, label: String? = nil
    ) async throws -> Identity {
        try await selfSignedIdentity(
            subject: try DER.bytes { try subject.serialize(into: &$0) }, alternativeNames: alternativeNames,
            purposes: purposes, notBefore: notBefore, notAfter: notAfter, label: label)
    }

    /// - Parameter name: the Name of the subject in DER.
    func selfSignedIdentity(
        subject name: [UInt8], alternativeNames: [CertificateSigningRequest.AlternativeName] = [],
        purposes: [CertificateSigningRequest.Purpose] = [], notBefore: Int64, notAfter: Int64, label: String? = nil
    ) async throws -> Identity {
        guard let begin = UnixTime.certificateTime(notBefore), let end = UnixTime.certificateTime(notAfter),
            notBefore < notAfter
        else {
            throw IdentityError(
                .invalidRequest,
                "A validity from \(UnixTime.text(notBefore)) to \(UnixTime.text(notAfter)) cannot be written: it must be between 1950 and 9999, and end after it begins."
            )
        }
        let algorithm = try algorithm()
        let constraints = CertificateSigningRequest.Extension("2.5.29.19", isCritical: true, value: [0x30, 0x00])
        let extensions = try CertificateSigningRequest.extensions(alternativeNames, purposes, [constraints])
        // Positive, and of 16 bytes, which never begin with a zero.
        let serial = [UInt8.random(in: 0x40...0x7F)] + [UInt8].random(15)
        let content = try DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.appendConstructedNode(identifier: .context(0)) {
                    try $0.serialize(2)
                }
                coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serial) }
                try coder.appendSignatureAlgorithm(algorithm)
                coder.serializeRawBytes(name)
                coder.appendSequence { coder in
                    for time in [begin, end] {
                        coder.appendPrimitiveNode(identifier: time.isLong ? .generalizedTime : .utcTime) {
                            $0.append(contentsOf: time.text.utf8)
                        }
                    }
                }
                coder.serializeRawBytes(name)
                coder.serializeRawBytes(publicKeyInfo)
                try coder.appendConstructedNode(
                    identifier: .context(3)
                ) { coder in
                    try coder.appendSequence { coder in for entry in extensions { try coder.append(entry) } }
                }
            }
        }
        let certificate = EncodedCertificate(der: try await signed(content, algorithm))
        return try identity(certificates: [certificate], label: label)
    }
}
