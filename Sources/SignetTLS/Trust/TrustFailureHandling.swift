/// What a client does with a server that its policy refuses for what a person may overrule.
public enum TrustFailureHandling: Sendable {
    /// The call fails.
    case refuse
    /// Somebody is asked, once for each certificate of an endpoint, however many calls wait. Nothing of ours has been sent by
    /// then, and no connection is held open meanwhile. The answer is recorded.
    case ask(@Sendable (TrustQuestion) async throws -> TrustAnswer)
    /// Trust on first use: the first certificate that an endpoint presents is accepted with whatever failures it has and recorded
    /// for so many seconds; another one later is refused until the record is revoked or has expired. Whoever stands between on the
    /// first day is believed for as long: it is for places where nobody can compare a fingerprint.
    case trustOnFirstUse(lifetime: Int64)

    /// - Parameter now: seconds since 1970 in UTC.
    package func answer(to question: TrustQuestion, at now: Int64) async throws -> TrustAnswer {
        switch self {
        case .refuse: return .refuse
        case .ask(let ask): return try await ask(question)
        case .trustOnFirstUse(let lifetime):
            guard question.earlier.allSatisfy({ $0.expires <= now }) else { return .refuse }
            let (end, overflow) = now.addingReportingOverflow(max(1, lifetime))
            return .accept(reason: "trust on first use", until: overflow ? .max : end)
        }
    }
}

/// A certificate to be looked at by a person.
public struct TrustQuestion: Sendable {
    /// The host of the service or, with ``isProxy``, of the proxy.
    public let host: String
    /// The port of the service or the proxy. The answer counts for this port alone.
    public let port: Int
    /// Whether it is a proxy's.
    public let isProxy: Bool
    /// Why the policy refuses it: ``TrustError/failures`` holds all that would have to be overlooked, and
    /// ``TrustError/certificates`` what was presented.
    public let error: TrustError
    /// What was said before of other certificates of this endpoint, or of this one with other failures.
    public let earlier: [TrustException]

    package init(host: String, port: Int, isProxy: Bool, error: TrustError, earlier: [TrustException]) {
        self.host = host
        self.port = port
        self.isProxy = isProxy
        self.error = error
        self.earlier = earlier
    }
}

/// What the person says.
public enum TrustAnswer: Sendable, Hashable {
    /// Not this time; the next call asks again.
    case refuse
    /// Believe exactly this certificate, here, with these failures, until then: seconds since 1970 in UTC.
    case accept(reason: String, until: Int64)
    /// Do not believe this certificate here, and do not ask again until then.
    case deny(reason: String, until: Int64)
}
