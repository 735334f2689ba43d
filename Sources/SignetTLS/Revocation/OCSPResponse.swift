import SwiftASN1

/// The answer of an OCSP server (RFC 6960 §4.2), read but not yet believed.
package struct OCSPResponse: Sendable {
    /// Answers in use have between 300 bytes and 5 KiB.
    package static let maximumBytes = 65_536
    static let maximumCertificates = 5
    static let maximumAnswers = 20

    /// What the server says about one certificate.
    package enum Status: Sendable, Hashable {
        case good
        /// Since `at`, in seconds since 1970 in UTC.
        case revoked(at: Int64, RevocationReason?)
        case unknown
    }

    /// The name by which the signer is found among the certificates.
    enum Signer: Sendable, Hashable {
        case name(DistinguishedName)
        /// SHA-1 of the bits of its key.
        case key(ArraySlice<UInt8>)
    }

    struct Answer: Sendable {
        let certificate: OCSPCertificateID
        let status: Status
        let period: UpdatePeriod
    }

    static let what = "The OCSP answer"

    let signer: Signer
    let answers: [Answer]
    /// nil when the server did not repeat one.
    let nonce: ArraySlice<UInt8>?
    let certificates: [EncodedCertificate]
    let signedBytes: ArraySlice<UInt8>
    let signatureAlgorithm: AlgorithmIdentifier
    let signature: ArraySlice<UInt8>

    /// Reads an answer in DER.
    ///
    /// - Throws: ``RevocationProblem`` with `tooLarge`, `malformed`, `unsupported` for an unknown critical extension, or
    ///   the reason why the server gives no answer: `requestRefused`, `serverError`, `tryLater` or `unauthorized`.
    package init(der: [UInt8]) throws(RevocationProblem) {
        guard der.count <= Self.maximumBytes else {
            throw RevocationProblem(
                .tooLarge, "\(Self.what) has \(der.count) bytes; at most \(Self.maximumBytes) are read.")
        }
        self = try RevocationProblem.reading(Self.what) { try OCSPResponse(try DER.parse(der)) }
    }

    private init(_ node: ASN1Node) throws {
        var response = try NodeReader(node)
        let status = try Int(derEncoded: try response.next(), withIdentifier: .enumerated)
        guard status == 0 else { throw Self.refusal(status) }
        guard let wrapped = response.next(ifContext: 0) else { throw EncodingError("an answer without content") }
        try response.end()
        var content = try NodeReader(try wrapped.explicit())
        guard try content.next().objectIdentifier() == .OCSP.basicResponse else {
            throw EncodingError("an unknown kind of answer")
        }
        let basic = try DER.parse(try ASN1OctetString(derEncoded: try content.next()).bytes)
        try content.end()

        var fields = try NodeReader(basic)
        let data = try fields.next()
        signedBytes = data.encodedBytes
        signatureAlgorithm = try AlgorithmIdentifier(try fields.next())
        let bits = try ASN1BitString(derEncoded: try fields.next())
        guard bits.paddingBits == 0 else { throw EncodingError("a signature that is not whole bytes") }
        signature = bits.bytes
        certificates = try fields.next(ifContext: 0).map { try Self.certificates(try $0.explicit()) } ?? []
        try fields.end()

        var parts = try NodeReader(data)
        if let version = parts.next(ifContext: 0), try version.explicit().integer() != 0 {
            throw EncodingError("an unknown version")
        }
        signer = try Self.signer(try parts.next())
        _ = try UnixTime.read(try parts.next())  // producedAt
        answers = try Self.answers(try parts.next())
        nonce = try Self.extensions(parts.next(ifContext: 1)).first { $0.identifier == .OCSP.nonce }.map {
            try ASN1OctetString(derEncoded: try DER.parse($0.value)).bytes
        }
        try parts.end()
    }

    private static func signer(_ node: ASN1Node) throws -> Signer {
        switch node.contextTag {
        case 1: .name(try DistinguishedName(try node.explicit()))
        case 2: .key(try ASN1OctetString(derEncoded: try node.explicit()).bytes)
        default: throw EncodingError("a signer without a name")
        }
    }

    private static func certificates(_ node: ASN1Node) throws -> [EncodedCertificate] {
        var reader = try NodeReader(node)
        var result: [EncodedCertificate] = []
        while let certificate = reader.nextIfAny() {
            guard result.count < maximumCertificates else {
                throw EncodingError("more than \(maximumCertificates) certificates")
            }
            result.append(EncodedCertificate(der: Array(certificate.encodedBytes)))
        }
        return result
    }

    private static func answers(_ node: ASN1Node) throws -> [Answer] {
        var reader = try NodeReader(node)
        var result: [Answer] = []
        while let answer = reader.nextIfAny() {
            guard result.count < maximumAnswers else {
                throw EncodingError("more than \(maximumAnswers) certificates answered for")
            }
            var fields = try NodeReader(answer)
            let certificate = try OCSPCertificateID(try fields.next())
            let status = try status(try fields.next())
            let thisUpdate = try UnixTime.read(try fields.next())
            let nextUpdate = try fields.next(ifContext: 0).map { try UnixTime.read(try $0.explicit()) }
            _ = try extensions(fields.next(ifContext: 1))
            try fields.end()
            let period = try UpdatePeriod(thisUpdate: thisUpdate, nextUpdate: nextUpdate)
            result.append(Answer(certificate: certificate, status: status, period: period))
        }
        return result
    }

    private static func status(_ node: ASN1Node) throws -> Status {
        switch node.contextTag {
        case 0: return .good
        case 1:
            var fields = try NodeReader(contentsOf: node)
            let time = try UnixTime.read(try fields.next())
            let reason = try fields.next(ifContext: 0).map {
                try Int(derEncoded: try $0.explicit(), withIdentifier: .enumerated)
            }
            try fields.end()
            // A reason that is not known does not make the certificate less revoked.
            return .revoked(at: time, reason.flatMap(RevocationReason.init))
        case 2: return .unknown
        default: throw EncodingError("an unknown status")
        }
    }

    /// Reads extensions, none of which may be critical but the nonce (RFC 6960 §4.4).
    private static func extensions(_ node: ASN1Node?) throws -> [CertificateContent.Extension] {
        guard let node else { return [] }
        let extensions = try CertificateContent.extensions(try node.explicit())
        if let unknown = extensions.first(where: { $0.isCritical && $0.identifier != .OCSP.nonce }) {
            throw RevocationProblem(
                .unsupported,
                "\(what) has the critical extension \(unknown.identifier), which is not understood here.")
        }
        return extensions
    }

    /// The problem for `OCSPResponseStatus` (RFC 6960 §4.2.1).
    private static func refusal(_ status: Int) -> RevocationProblem {
        switch status {
        case 1:
            RevocationProblem(
                .requestRefused,
                "The OCSP server could not read the request (malformedRequest). Report it to its owner.")
        case 2:
            RevocationProblem(
                .serverError, "The OCSP server failed (internalError). Try again later, or report it to its owner.")
        case 3: RevocationProblem(.tryLater, "The OCSP server is busy (tryLater). Try again later.")
        case 5:
            RevocationProblem(
                .requestRefused,
                "The OCSP server demands a signed request (sigRequired), which is not supported. Let its owner answer without."
            )
        case 6:
            RevocationProblem(
                .unauthorized,
                "The OCSP server does not answer for this certificate (unauthorized). Its owner must load the certificates of this authority."
            )
        default:
            RevocationProblem(
                .malformed, "The OCSP server answered with the unknown status \(status). Report it to its owner.")
        }
    }
}
