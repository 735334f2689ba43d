/// A way to prove a user's identity (RFC 9110 §11.1).
public struct AuthenticationScheme: Sendable, Hashable, CustomStringConvertible {
    /// The name in the IANA registry.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// The password itself, readable by anyone who can read the channel (RFC 7617).
    public static let basic = AuthenticationScheme("Basic")
    /// A proof that the user knows the password (RFC 7616).
    public static let digest = AuthenticationScheme("Digest")
    /// A token that can be used by anyone who has it (RFC 6750).
    public static let bearer = AuthenticationScheme("Bearer")
    /// Kerberos, or NTLM, with SPNEGO (RFC 4559, RFC 4178).
    public static let negotiate = AuthenticationScheme("Negotiate")
    /// Microsoft's scheme, version 2 (MS-NLMP, MS-NTHT). It authenticates a connection once.
    public static let ntlm = AuthenticationScheme("NTLM")
    /// A signature with a consumer's key over each request (RFC 5849).
    public static let oauth1 = AuthenticationScheme("OAuth")

    /// The scheme with a registered name, in any case; nil for one that Signet does not support.
    public init?(registered name: String) {
        let known: [AuthenticationScheme] = [.basic, .digest, .bearer, .negotiate, .ntlm, .oauth1]
        guard let scheme = known.first(where: { $0.description.lowercased() == name.lowercased() }) else { return nil }
        self = scheme
    }

    /// Whether it takes several messages in order over one connection, which then belongs to the user.
    public var bindsToConnection: Bool { self == .negotiate || self == .ntlm }

    /// What an attacker who reads the channel gets from credentials.
    enum Exposure {
        /// A secret that can be used again as it is.
        case secret
        /// A proof against which passwords can be tried.
        case proof
        case nothing
    }

    var exposure: Exposure {
        switch self {
        case .basic, .bearer: .secret
        case .digest, .ntlm: .proof
        default: .nothing
        }
    }
}
