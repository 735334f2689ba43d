package import SignetTLS

/// What one trust policy says of the server's certificates.
package struct TrustVerdict: Sendable, Hashable, Codable {
    /// The policy in the user's words: `this client`, `the system's anchors`, `authority.pem`.
    package var policy: String
    /// As `TrustError.Code` names it; nil when the policy trusts the server.
    package var code: String?
    /// The rule that was broken, and the standard that defines it.
    package var rule: String?
    package var message: String
    /// The subject of the certificate that broke it.
    package var culprit: String?
    /// As the server sent them.
    package var certificates: [CertificateFacts]
    /// The names of the policy's own anchors; empty for the system's.
    package var anchors: [String]
    /// Whether the path ends at a trust anchor once the missing certificates were fetched from where the others name them
    /// (caIssuers, RFC 5280 §4.2.2.1); nil when that was not tried, or not all were found.
    package var isKnownWhenCompleted: Bool?

    package init(
        _ policy: String, code: String? = nil, rule: String? = nil, message: String = "", culprit: String? = nil,
        certificates: [CertificateFacts] = [], anchors: [String] = [], isKnownWhenCompleted: Bool? = nil
    ) {
        self.policy = policy
        self.code = code
        self.rule = rule
        self.message = message
        self.culprit = culprit
        self.certificates = certificates
        self.anchors = anchors
        self.isKnownWhenCompleted = isKnownWhenCompleted
    }

    /// - Parameter later: the time for which the policy judged, in seconds since 1970; nil for the present.
    package init(_ policy: String, _ error: TrustError, anchors: [String] = [], judgedFor later: Int64? = nil) {
        let culprit: EncodedCertificate? =
            switch error.culprit {
            case .presented(let position):
                error.certificates.indices.contains(position) ? error.certificates[position] : nil
            case .known(let certificate): certificate
            case nil: nil
            }
        let facts = culprit.map { CertificateFacts($0) }
        let isAboutTime = [.expired, .notYetValid].contains(error.code)
        let lapse = isAboutTime ? later.flatMap { facts?.lapse(at: $0) } : nil
        self.init(
            policy, code: error.code.description, rule: error.rule.map { "\($0) (\($0.reference))" },
            message: lapse ?? error.message, culprit: facts?.subject,
            certificates: error.certificates.map(CertificateFacts.init), anchors: anchors)
    }

    package func isRefused(_ codes: TrustError.Code...) -> Bool { codes.contains { $0.description == code } }
}

/// The attempt to fetch the certificate of an issuer that the server does not send, from where a certificate that it
/// sends names it (caIssuers, RFC 5280 §4.2.2.1).
package struct IssuerLookup: Sendable, Hashable, Codable {
    /// The name of the issuer.
    package var issuer: String
    package var url: String
    /// Nil when it was not found there.
    package var certificate: CertificateFacts?
    /// Why it was not found; nil when it was.
    package var problem: String?

    package init(_ issuer: String, at url: String, certificate: CertificateFacts? = nil, problem: String? = nil) {
        self.issuer = issuer
        self.url = url
        self.certificate = certificate
        self.problem = problem
    }

    /// A sentence about it.
    package var message: String {
        certificate == nil
            ? "“\(issuer)” was not found at \(url): \(problem ?? "the reason is not known")."
            : "“\(issuer)”, which the server does not send, was found at \(url)."
    }
}

/// What was found out about the revocation of one certificate.
package struct RevocationFacts: Sendable, Hashable, Codable {
    package enum Status: String, Sendable, Hashable, Codable {
        case good, revoked
        /// The authority says that it publishes none (noRevAvail, RFC 9608).
        case notPublished
        /// The certificate names no place that can be asked, as those of many private authorities.
        case noSource
        /// No place that the certificate names gave an answer that counts.
        case undetermined
    }

    /// Whether the certificate belongs to the client's path, not to the server's.
    package var isOurs: Bool
    package var subject: String
    package var status: Status
    /// A sentence about it, with the addresses that were asked.
    package var message: String

    package init(isOurs: Bool, subject: String, _ status: Status, message: String = "") {
        self.isOurs = isOurs
        self.subject = subject
        self.status = status
        self.message = message
    }

    package init(isOurs: Bool, _ finding: RevocationReport.Finding) {
        let status: Status =
            switch finding.status {
            case .good: .good
            case .revoked: .revoked
            case .notPublished: .notPublished
            case .undetermined(let problems): problems.allSatisfy { $0.code == .noSource } ? .noSource : .undetermined
            }
        let subject = finding.certificate.subject
        let message =
            status == .noSource
            ? "“\(subject)” names no place where its authority says whether it is revoked." : finding.description
        self.init(isOurs: isOurs, subject: subject, status, message: message)
    }
}
