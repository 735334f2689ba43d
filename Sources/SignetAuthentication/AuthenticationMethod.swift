/// How credentials are sent to answer a server's challenge.
enum AuthenticationMethod: Sendable, Hashable {
    case basic
    case digest(DigestChallenge)
    case bearer
    case negotiate
    case ntlm
    case oauth1

    var scheme: AuthenticationScheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        case .bearer: .bearer
        case .negotiate: .negotiate
        case .ntlm: .ntlm
        case .oauth1: .oauth1
        }
    }

    /// Whether the method accepts credentials of this kind.
    func takes(_ credentials: Credentials) -> Bool {
        switch (self, credentials.kind) {
        case (.basic, .account), (.digest, .account), (.ntlm, .account), (.negotiate, .account), (.negotiate, .ticket),
            (.bearer, .token), (.oauth1, .consumer):
            true
        default: false
        }
    }

    /// The strongest method that both sides support.
    ///
    /// - Parameters:
    ///   - schemes: the schemes that may be used, the strongest first.
    ///   - space: without the realm, which the challenge names.
    ///   - isLocal: whether the traffic to the space stays on this machine.
    /// - Throws: ``AuthenticationError``: `malformedChallenge`, `noUsableScheme`.
    static func strongest(
        of challenges: [Challenge], among schemes: [AuthenticationScheme], by policy: AuthenticationPolicy,
        in space: ProtectionSpace, isLocal: Bool
    ) throws(AuthenticationError) -> (method: AuthenticationMethod, realm: String) {
        var broken: AuthenticationError?
        for scheme in schemes {
            let offered = challenges.filter { $0.isScheme(scheme.description) }
            guard let first = offered.first else { continue }
            switch scheme {
            case .digest:
                var known: [DigestChallenge] = []
                for challenge in offered {
                    do throws(AuthenticationError) {
                        if let challenge = try DigestChallenge(challenge, space: space) { known.append(challenge) }
                    } catch { broken = broken ?? error }
                }
                if let challenge = strongest(of: known, by: policy) { return (.digest(challenge), challenge.realm) }
            case .basic:
                if let realm = offered.lazy.compactMap({ $0["realm"] }).first { return (.basic, realm) }
                broken =
                    broken
                    ?? .init(
                        .malformedChallenge, "The Basic challenge of \(space) names no realm (RFC 7617 §2).",
                        space: space)
            // RFC 6750 §3: the realm is optional.
            case .bearer: return (.bearer, first["realm"] ?? "")
            case .oauth1: return (.oauth1, first["realm"] ?? "")
            case .negotiate: return (.negotiate, "")
            case .ntlm: return (.ntlm, "")
            default: break
            }
        }
        if let broken { throw broken }
        throw unusable(challenges, by: policy, in: space, isLocal: isLocal)
    }

    /// Of equally strong ones, the server's first counts (RFC 7616 §3.7). A challenge without qop is weaker than one
    /// with it.
    private static func strongest(of known: [DigestChallenge], by policy: AuthenticationPolicy) -> DigestChallenge? {
        var allowed = known.filter { $0.algorithm >= policy.weakestDigest && !$0.protections.isEmpty }
        if allowed.isEmpty, policy.allowsDigestWithoutQop {
            allowed = known.filter { $0.algorithm >= policy.weakestDigest }
        }
        let best = allowed.map(\.algorithm).max()
        return allowed.first { $0.algorithm == best }
    }

    private static func unusable(
        _ challenges: [Challenge], by policy: AuthenticationPolicy, in space: ProtectionSpace, isLocal: Bool
    ) -> AuthenticationError {
        var offers: [String] = []
        for challenge in challenges {
            let offer = challenge.scheme.printable + policy.obstacle(to: challenge, in: space, isLocal: isLocal)
            if !offers.contains(offer) { offers.append(offer) }
        }
        let others = offers.count - maximumOffers
        let end = others > 0 ? "It offers \(others) more, none of which can be used." : "It offers nothing else."
        let sentences = offers.prefix(maximumOffers).joined(separator: ". It offers ")
        return .init(
            .noUsableScheme, "\(space) offers \(sentences). \(end)", space: space,
            offeredSchemes: challenges.map(\.scheme))
    }

    /// Further offers are only counted in an error.
    private static let maximumOffers = 8
}
