import SwiftASN1

extension CertificateIssuer {
    /// A certificate of the authority that is no longer good.
    package struct Revocation: Sendable, Hashable {
        /// The content of the INTEGER, as ``EncodedCertificate/serialNumber``.
        package var serialNumber: [UInt8]
        /// In seconds since 1970.
        package var time: Int64
        package var reason: RevocationReason

        package init(serialNumber: [UInt8], time: Int64, reason: RevocationReason) {
            self.serialNumber = serialNumber
            self.time = time
            self.reason = reason
        }
    }

    /// A complete revocation list in DER (RFC 5280 §5).
    ///
    /// - Parameters:
    ///   - revocations: all certificates that are revoked and have not expired.
    ///   - number: higher than that of each list before.
    ///   - now: in seconds since 1970.
    ///   - next: when the next list comes at the latest.
    /// - Throws: ``IdentityError`` with `invalidRequest` for a time that cannot be written; ``SigningKeyError``.
    package func revocationList(
        _ revocations: [Revocation], number: Int64, now: Int64, next: Int64
    ) async throws -> [UInt8] {
        let algorithm = try key.algorithm()
        let numberValue = try DER.bytes { try $0.serialize(number) }
        let list = try DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.serialize(1)
                try coder.appendSignatureAlgorithm(algorithm)
                coder.serializeRawBytes(content.subjectBytes)
                coder.append(time: try Self.time(now))
                coder.append(time: try Self.time(next))
                // An empty list is left out (RFC 5280 §5.1.2.6).
                if !revocations.isEmpty {
                    try coder.appendSequence { coder in
                        for revocation in revocations { try coder.append(revocation) }
                    }
                }
                try coder.appendExtensions(
                    authorityKeyIdentifier + [.init("2.5.29.20", value: numberValue)], context: 0)
            }
        }
        return try await key.signed(list, algorithm)
    }

    /// Answers a question about certificates of this authority (RFC 6960).
    ///
    /// - Parameters:
    ///   - question: the OCSPRequest in DER, from anyone.
    ///   - now: in seconds since 1970.
    ///   - next: until when the answer may be used.
    ///   - status: that of a certificate of this authority, by its number.
    /// - Returns: the OCSPResponse in DER, also when the question cannot be read.
    /// - Throws: what `status` throws; ``SigningKeyError``.
    package func ocspAnswer(
        to question: [UInt8], now: Int64, next: Int64,
        status: (_ serialNumber: [UInt8]) async throws -> OCSPResponse.Status
    ) async throws -> [UInt8] {
        guard let asked = try? OCSPQuestion(question) else {
            // malformedRequest (RFC 6960 §4.2.1).
            return [0x30, 0x03, 0x0A, 0x01, 0x01]
        }
        var answers: [[UInt8]] = []
        for name in asked.certificates {
            let found: OCSPResponse.Status =
                if let number = name.serialNumber(issuedBy: content) { try await status(number) } else { .unknown }
            answers.append(try Self.answer(name, found, now, next))
        }
        let bits = try content.publicKeyBits()
        let data = try DER.bytes { coder in
            try coder.appendSequence { coder in
                coder.appendConstructedNode(identifier: .context(2)) { $0.appendOctets(OCSPCertificateID.sha1(bits)) }
                coder.append(generalizedTime: now)
                coder.appendSequence { coder in for answer in answers { coder.serializeRawBytes(answer) } }
                if let nonce = asked.nonce {
                    let value = DER.bytes { $0.appendOctets(nonce) }
                    try coder.appendExtensions([.init("\(ASN1ObjectIdentifier.OCSP.nonce)", value: value)], context: 1)
                }
            }
        }
        let basic = try await key.signed(data, try key.algorithm())
        return try DER.bytes { coder in
            try coder.appendSequence { coder in
                coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
                try coder.appendConstructedNode(identifier: .context(0)) { coder in
                    try coder.appendSequence { coder in
                        try coder.serialize(ASN1ObjectIdentifier.OCSP.basicResponse)
                        coder.appendOctets(basic)
                    }
                }
            }
        }
    }

    /// SingleResponse (RFC 6960 §4.2.1).
    private static func answer(
        _ name: OCSPCertificateID, _ status: OCSPResponse.Status, _ now: Int64, _ next: Int64
    ) throws -> [UInt8] {
        try DER.bytes { coder in
            try coder.appendSequence { coder in
                try name.serialize(into: &coder)
                switch status {
                case .good: coder.appendPrimitiveNode(identifier: .context(0)) { _ in }
                case .unknown: coder.appendPrimitiveNode(identifier: .context(2)) { _ in }
                case .revoked(let time, let reason):
                    coder.appendConstructedNode(identifier: .context(1)) { coder in
                        coder.append(generalizedTime: time)
                        guard let reason, reason != .unspecified else { return }
                        coder.appendConstructedNode(identifier: .context(0)) { $0.append(reason) }
                    }
                }
                coder.append(generalizedTime: now)
                coder.appendConstructedNode(identifier: .context(0)) { $0.append(generalizedTime: next) }
            }
        }
    }

    private static func time(_ seconds: Int64) throws(IdentityError) -> (text: String, isLong: Bool) {
        guard let time = UnixTime.certificateTime(seconds) else {
            throw IdentityError(.invalidRequest, "The time \(UnixTime.text(seconds)) cannot be written into a list.")
        }
        return time
    }
}

/// What a client asks (OCSPRequest, RFC 6960 §4.1.1); signatures of clients are not looked at.
struct OCSPQuestion {
    var certificates: [OCSPCertificateID] = []
    var nonce: [UInt8]?

    private static let maximumBytes = 16_384

    init(_ der: [UInt8]) throws {
        guard der.count <= Self.maximumBytes else { throw EncodingError("more than \(Self.maximumBytes) bytes") }
        var outer = try NodeReader(try DER.parse(der))
        var fields = try NodeReader(try outer.next())
        _ = fields.next(ifContext: 0)
        _ = fields.next(ifContext: 1)
        var list = try NodeReader(try fields.next())
        while let node = list.nextIfAny() {
            guard certificates.count < OCSPResponse.maximumAnswers else { throw EncodingError("too many questions") }
            var request = try NodeReader(node)
            certificates.append(try OCSPCertificateID(try request.next()))
        }
        guard !certificates.isEmpty else { throw EncodingError("no question") }
        guard let extensions = try fields.next(ifContext: 2)?.explicit() else { return }
        let value = try CertificateContent.extensions(extensions).first { $0.identifier == .OCSP.nonce }?.value
        // A nonce has at most 128 bytes (RFC 9654 §2.1); a longer one is not repeated.
        nonce = try value.map { Array(try ASN1OctetString(derEncoded: try DER.parse($0)).bytes) }
            .flatMap { $0.count <= 128 ? $0 : nil }
    }
}

extension DER.Serializer {
    fileprivate mutating func append(generalizedTime seconds: Int64) {
        let text = UnixTime.text(seconds).filter(\.isNumber) + "Z"
        appendPrimitiveNode(identifier: .generalizedTime) { $0.append(contentsOf: text.utf8) }
    }

    /// CRLReason (RFC 5280 §5.3.1).
    fileprivate mutating func append(_ reason: RevocationReason) {
        appendPrimitiveNode(identifier: .enumerated) { $0.append(UInt8(truncatingIfNeeded: reason.rawValue)) }
    }

    fileprivate mutating func append(_ revocation: CertificateIssuer.Revocation) throws {
        guard let time = UnixTime.certificateTime(revocation.time) else {
            throw IdentityError(
                .invalidRequest, "The time \(UnixTime.text(revocation.time)) cannot be written into a list.")
        }
        try appendSequence { coder in
            coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: revocation.serialNumber) }
            coder.append(time: time)
            // The reason “unspecified” is left out (RFC 5280 §5.3.1).
            guard revocation.reason != .unspecified else { return }
            try coder.appendSequence { coder in
                try coder.append(.init("2.5.29.21", value: DER.bytes { $0.append(revocation.reason) }))
            }
        }
    }
}
