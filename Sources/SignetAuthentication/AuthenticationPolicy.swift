/// Which credentials a client has for a service, and when it may send them.
public struct AuthenticationPolicy: Sendable {
    /// The source of user names, passwords and tokens. It is asked only when they are needed.
    public var credentials: CredentialSource
    /// The schemes that may be used, the strongest first. The client uses the first of them that the server offers and
    /// that fits the credentials.
    ///
    /// ``AuthenticationScheme/negotiate`` and ``AuthenticationScheme/ntlm`` are used only when they are listed here.
    public var schemes: [AuthenticationScheme] = [.bearer, .oauth1, .digest, .basic]
    /// The weakest hash function that Digest may use. With MD5, an attacker with enough time can find the password.
    public var weakestDigest = DigestAlgorithm.md5
    /// Sends Basic credentials or a token with the first request, before the server has asked. It saves one request for
    /// each connection, but gives them to a server that may not need them.
    public var sendsWithoutChallenge: Bool
    /// Allows Basic credentials and tokens over plain HTTP, where anyone on the network path can read them, and answers
    /// to Digest and NTLM (also within Negotiate), from which passwords can be guessed. To allow a single scheme only,
    /// list only that one in ``schemes``.
    ///
    /// When the traffic stays on this machine, answers to Digest and NTLM need no permission.
    public var allowsPlaintext: Bool
    /// Answers Digest challenges without `qop` (RFC 2069), also over TLS. Without `qop`, the server alone chooses the
    /// values that are hashed with the password, so it can look the password up in precomputed tables.
    public var allowsDigestWithoutQop = false
    /// The hosts that may get answers to NTLM, by itself or within Negotiate: names, or with a leading dot all hosts
    /// below a domain (`.corp.example`). A host that gets an answer can try passwords against it.
    public var ntlmHosts: [String] = []
    /// Kerberos for Negotiate; nil to use none.
    public var kerberos: (any NegotiateMechanism)?

    /// - Parameters:
    ///   - credentials: with the default, no challenge is answered.
    ///   - sendsWithoutChallenge: see ``sendsWithoutChallenge``.
    ///   - allowsPlaintext: see ``allowsPlaintext``.
    public init(
        credentials: CredentialSource = .none, sendsWithoutChallenge: Bool = false, allowsPlaintext: Bool = false
    ) {
        self.credentials = credentials
        self.sendsWithoutChallenge = sendsWithoutChallenge
        self.allowsPlaintext = allowsPlaintext
    }

    package func allowsNTLM(at space: ProtectionSpace) -> Bool {
        ntlmHosts.contains { entry in
            let entry = entry.lowercased()
            return entry.utf8.first == UInt8(ascii: ".") ? space.host.hasSuffix(entry) : space.host == entry
        }
    }

    /// The schemes that may be tried in a space.
    func schemes(in space: ProtectionSpace, without ruledOut: Set<AuthenticationScheme>, bindsConnections: Bool)
        -> [AuthenticationScheme]
    {
        schemes.filter { scheme in
            guard !ruledOut.contains(scheme), credentials.serves(scheme), bindsConnections || !scheme.bindsToConnection
            else { return false }
            return switch scheme {
            case .ntlm: allowsNTLM(at: space)
            case .negotiate: kerberos != nil || allowsNTLM(at: space)
            default: true
            }
        }
    }
}
