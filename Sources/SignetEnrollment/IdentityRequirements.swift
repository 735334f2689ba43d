public import SignetTLS

/// What a new identity must be like before it is used.
public struct IdentityRequirements: Sendable {
    /// The authorities that issue it: the certificates that came with it must lead to one of them. Nil to accept every
    /// authority, such as when the service alone knows which ones it takes.
    public var authorities: TrustPolicy?
    /// What it is for.
    public var role = Identity.Role.client
    /// Its subject; nil for any.
    public var subject: SubjectName?
    /// How long it must at least be valid from now on. The default is one hour.
    public var minimumValidity = Duration.seconds(3600)

    /// A certificate for clients that is valid for an hour, of whatever authority and subject.
    public init() {}

    /// Checks everything that can be known without a connection: validity, usage, key, subject and authority.
    ///
    /// - Parameters:
    ///   - identity: the new one, with the certificates that came with it.
    ///   - now: seconds since 1970 in UTC.
    /// - Throws: ``EnrollmentError``.
    public func check(_ identity: Identity, at now: Int64) throws(EnrollmentError) {
        let leaf = identity.leaf
        if let problem = identity.problems(at: now, for: role).first(where: { $0.severity == .error }) {
            let code: EnrollmentError.Code =
                switch problem.code {
                case .expired, .notYetValid: .wrongValidity
                case .wrongExtendedKeyUsage, .wrongKeyUsage: .wrongUsage
                default: .unusable
                }
            throw EnrollmentError(code, "The new identity is not used. \(problem.message)", cause: problem)
        }
        let (end, overflow) = now.addingReportingOverflow(minimumValidity.components.seconds)
        guard !overflow, let notAfter = leaf.notAfter, notAfter >= end else {
            let until = leaf.notAfter.map(UnixTime.text) ?? "an unknown time"
            throw EnrollmentError(
                .wrongValidity,
                "The new certificate of “\(leaf.subject)” is valid until \(until) only; at least \(minimumValidity.components.seconds) seconds are expected. Ask the authority for a longer validity, or compare the clocks."
            )
        }
        if let subject, !subject.isSubject(of: leaf) {
            throw EnrollmentError(
                .wrongSubject,
                "The new certificate is for “\(leaf.subject)”, not for “\(subject)”. Ask the authority which subject it gives, and expect that one."
            )
        }
        guard let authorities else { return }
        // A server's own certificate names the host for which it is judged.
        let host = role == .server ? leaf.details?.hosts.first : nil
        let peer: PeerRole = host.map { .server(ReferenceIdentifier(host: $0)) } ?? .client
        let presented = identity.chain + identity.authorities.certificates.filter { !identity.chain.contains($0) }
        if case .failure(let error) = authorities.evaluate(Array(presented.prefix(10)), as: peer, at: now) {
            throw EnrollmentError(
                .unknownAuthority,
                "The new certificate of “\(leaf.subject)” does not lead to an expected authority: \(error.message)",
                cause: error)
        }
    }
}
