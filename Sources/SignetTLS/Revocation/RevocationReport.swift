/// What was found out about the revocation of the certificates of a path.
public struct RevocationReport: Sendable, Hashable, CustomStringConvertible {
    /// What was found out about one certificate.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The certificate that was looked up.
        public let certificate: EncodedCertificate
        /// Whether it is revoked.
        public let status: RevocationStatus
        /// A sentence, to show to users.
        public var description: String { "“\(certificate.subject)” \(status)" }
    }

    /// The end-entity certificate first; the trust anchor is not among them. Empty when nothing was looked up.
    public let findings: [Finding]

    package init(_ findings: [Finding]) { self.findings = findings }

    /// The revoked certificate that is nearest to the trust anchor; nil when no certificate is revoked.
    public var revoked: Finding? {
        findings.last { if case .revoked = $0.status { true } else { false } }
    }

    /// The certificates whose status could not be found out.
    public var undetermined: [Finding] {
        findings.filter { if case .undetermined = $0.status { true } else { false } }
    }

    /// One line for each certificate.
    public var description: String { findings.map(\.description).joined(separator: "\n") }
}

/// Whether a certificate is revoked.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RevocationStatus: Sendable, Hashable, CustomStringConvertible {
    /// Its authority says that it is not revoked.
    case good(RevocationEvidence)
    /// Its authority revoked it `at` this time, in seconds since 1970 in UTC. The reason is nil when the authority gives
    /// none, or one that the standard does not name.
    case revoked(at: Int64, reason: RevocationReason?, RevocationEvidence)
    /// Its authority publishes no revocation for it (noRevAvail, RFC 9608), as for a certificate with a short validity.
    case notPublished
    /// No source gave an answer that counts. There is a reason for each.
    case undetermined([RevocationProblem])

    /// The end of a sentence that begins with the certificate.
    public var description: String {
        switch self {
        case .good(let evidence): "is not revoked (\(evidence))"
        case .revoked(let time, let reason, let evidence):
            "was revoked at \(UnixTime.text(time)) (\(reason.map { "\($0); " } ?? "")\(evidence))"
        case .notPublished: "has no published revocation (noRevAvail)"
        case .undetermined(let problems):
            "has an unknown revocation status: \(problems.map(\.description).joined(separator: " "))"
        }
    }
}

/// The signed statement from which a status is known.
public struct RevocationEvidence: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the statement.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The answer of an OCSP server (RFC 6960).
        case ocsp
        /// A revocation list (RFC 5280 §5).
        case list
    }

    /// The kind of the statement.
    public let kind: Kind
    /// The address of the server or of the list.
    public let url: String
    /// The last second for which the statement holds, in seconds since 1970 in UTC.
    public let until: Int64

    /// The kind and the address.
    public var description: String { kind == .ocsp ? "OCSP, \(url)" : "revocation list, \(url)" }
}

extension RevocationReport {
    /// Why the path must not be trusted by a policy with this mode; nil when it may be. No user may overrule it.
    ///
    /// - Parameter presented: the certificates that the peer presented, its own first.
    package func error(in mode: RevocationPolicy.Mode, presented: [EncodedCertificate]) -> TrustError? {
        refusal(in: mode).map { TrustError($0, presented: presented, recoverable: []) }
    }

    private func refusal(in mode: RevocationPolicy.Mode) -> Refusal? {
        if let revoked {
            return Refusal(
                .notRevoked, revoked.certificate,
                "\(revoked). Its owner must get another certificate, and must not use the key again if it was stolen.")
        }
        guard mode == .hard, let finding = undetermined.last else { return nil }
        return Refusal(
            .knownRevocation, finding.certificate,
            "\(finding) The policy accepts no certificate whose status is unknown: make a source reachable, or choose RevocationPolicy.soft."
        )
    }
}
