/// A way to prove who one is (RFC 9110 §11.1).
public struct AuthenticationScheme: Sendable, Hashable, CustomStringConvertible {
    /// As it stands in the IANA registry.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// The password itself, readable by whoever reads the channel (RFC 7617).
    public static let basic = AuthenticationScheme("Basic")
    /// A proof that one knows the password (RFC 7616).
    public static let digest = AuthenticationScheme("Digest")
}

/// How credentials are sent, as a server wants it.
enum AuthenticationMethod: Sendable, Hashable {
    case basic
    case digest(DigestChallenge)

    var scheme: AuthenticationScheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        }
    }

    /// The strongest that both sides know.
    ///
    /// - Parameter space: without the realm, which the challenge names.
    /// - Throws: ``AuthenticationError``: `malformedChallenge`, `noUsableScheme`.
    static func strongest(
        of challenges: [Challenge], by policy: AuthenticationPolicy, in space: ProtectionSpace
    ) throws(AuthenticationError) -> (method: AuthenticationMethod, realm: String) {
        var broken: AuthenticationError?
        for scheme in policy.schemes {
            let offered = challenges.filter { $0.isScheme(scheme.description) }
            switch scheme {
            case .digest:
                var known: [DigestChallenge] = []
                for challenge in offered {
                    do throws(AuthenticationError) {
                        if let challenge = try DigestChallenge(challenge, space: space) { known.append(challenge) }
                    } catch { broken = broken ?? error }
                }
                // Of equally strong ones the server's first counts (RFC 7616 §3.7).
                let allowed = known.filter { $0.algorithm >= policy.weakestDigest }
                let best = allowed.map(\.algorithm).max()
                if let challenge = allowed.first(where: { $0.algorithm == best }) {
                    return (.digest(challenge), challenge.realm)
                }
            case .basic:
                if let realm = offered.lazy.compactMap({ $0["realm"] }).first { return (.basic, realm) }
                if !offered.isEmpty {
                    broken =
                        broken
                        ?? .init(
                            .malformedChallenge, "The Basic challenge of \(space) names no realm (RFC 7617 §2).",
                            space: space)
                }
            default: break
            }
        }
        if let broken { throw broken }
        let offered = challenges.map(\.scheme)
        let spoken = policy.schemes.map(\.description).joined(separator: ", ")
        throw .init(
            .noUsableScheme,
            "\(space) offers \(offered.map(\.printable).joined(separator: ", ")), of which nothing can be used here; \(spoken.isEmpty ? "nothing" : spoken) may be.",
            space: space, offeredSchemes: offered)
    }
}
