/// A way to prove who one is (RFC 9110 §11.1).
public struct AuthenticationScheme: Sendable, Hashable, CustomStringConvertible {
    /// As it stands in the IANA registry.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// The password itself, readable by whoever reads the channel (RFC 7617).
    public static let basic = AuthenticationScheme("Basic")
    /// A proof that one knows the password (RFC 7616).
    public static let digest = AuthenticationScheme("Digest")
    /// A token that whoever has it may use (RFC 6750).
    public static let bearer = AuthenticationScheme("Bearer")
    /// Kerberos, or NTLM, by SPNEGO (RFC 4559, RFC 4178).
    public static let negotiate = AuthenticationScheme("Negotiate")
    /// Microsoft's own, version 2 (MS-NLMP, MS-NTHT). It proves itself once a connection.
    public static let ntlm = AuthenticationScheme("NTLM")
    /// A signature with a consumer's key over each request (RFC 5849).
    public static let oauth1 = AuthenticationScheme("OAuth")

    /// The scheme of a registered name, whatever its case; nil for one that is not spoken here.
    public init?(registered name: String) {
        let known: [AuthenticationScheme] = [.basic, .digest, .bearer, .negotiate, .ntlm, .oauth1]
        guard let scheme = known.first(where: { $0.description.lowercased() == name.lowercased() }) else { return nil }
        self = scheme
    }

    /// Whether it takes several messages in order over one connection, which is its user's from then on.
    public var bindsToConnection: Bool { self == .negotiate || self == .ntlm }

    /// What a reader of the channel gets from credentials that are sent.
    enum Exposure {
        /// What can be used again as it is.
        case secret
        /// What passwords can be tried against.
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
