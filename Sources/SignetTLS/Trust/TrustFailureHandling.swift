/// What a client does when its policy refuses a server for a reason that a person may overrule.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TrustFailureHandling: Sendable, CustomStringConvertible {
    /// The call fails.
    case refuse
    /// The client calls the closure, once for each certificate of an endpoint, however many calls wait. It has not sent
    /// any request by then, and holds no connection open meanwhile. It records the answer.
    case ask(@Sendable (TrustQuestion) async throws -> TrustAnswer)
    /// Trust on first use: the client accepts the first certificate that an endpoint presents, with all its recoverable
    /// failures, and records it for `lifetime`, in whole seconds, at least one. A later, different certificate is
    /// refused until the record is revoked or has expired. An attacker who intercepts the first connection is trusted
    /// for as long: use this only where a fingerprint cannot be compared.
    case trustOnFirstUse(lifetime: Duration)

    /// The name of the case, and the lifetime.
    public var description: String {
        switch self {
        case .refuse: "refuse"
        case .ask: "ask"
        case .trustOnFirstUse(let lifetime): "trustOnFirstUse(lifetime: \(lifetime))"
        }
    }

    /// - Parameter now: seconds since 1970 in UTC.
    package func answer(to question: TrustQuestion, at now: Int64) async throws -> TrustAnswer {
        switch self {
        case .refuse: return .refuse
        case .ask(let ask): return try await ask(question)
        case .trustOnFirstUse(let lifetime):
            guard question.earlier.allSatisfy({ $0.expires <= now }) else { return .refuse }
            let (end, overflow) = now.addingReportingOverflow(max(1, lifetime.components.seconds))
            return .accept(reason: "trust on first use", until: overflow ? .max : end)
        }
    }
}

/// A refused certificate on which a person must decide.
public struct TrustQuestion: Sendable {
    /// The host of the service or, with ``isProxy``, of the proxy.
    public let host: String
    /// The port of the service or the proxy. The answer counts for this port alone.
    public let port: Int
    /// Whether the certificate is a proxy's.
    public let isProxy: Bool
    /// Why the policy refuses the certificate: ``TrustError/failures`` holds all rules that the person would have to
    /// overlook, and ``TrustError/certificates`` the certificates that the peer presented.
    public let error: TrustError
    /// Earlier exceptions for other certificates of this endpoint, or for this one with other failures.
    public let earlier: [TrustException]

    /// A question for tests of ``TrustFailureHandling/ask(_:)``. Transports make their own questions.
    public init(
        host: String, port: Int, isProxy: Bool = false, error: TrustError, earlier: [TrustException] = []
    ) {
        self.host = host
        self.port = port
        self.isProxy = isProxy
        self.error = error
        self.earlier = earlier
    }
}

/// The person's decision.
public enum TrustAnswer: Sendable, Hashable {
    /// Do not trust the certificate this time; the next call asks again.
    case refuse
    /// Trust exactly this certificate, for this endpoint and with these failures, until then: seconds since 1970 in
    /// UTC.
    case accept(reason: String, until: Int64)
    /// Do not trust this certificate for this endpoint, and do not ask again until then.
    case deny(reason: String, until: Int64)
}
