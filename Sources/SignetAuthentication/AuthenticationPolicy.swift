/// Which credentials a client has for a service, and when it may send them.
public struct AuthenticationPolicy: Sendable {
    /// Where user names, passwords and tokens come from. It is asked when they are needed, not before.
    public var credentials: CredentialSource
    /// What may be used, the strongest first; of what a server offers, and the credentials are good for, the first of these is taken.
    ///
    /// ``AuthenticationScheme/negotiate`` and ``AuthenticationScheme/ntlm`` are used where they stand here, and not otherwise.
    public var schemes: [AuthenticationScheme] = [.bearer, .oauth1, .digest, .basic]
    /// The weakest hash function that Digest may use. MD5 hides a password from nobody who has time.
    public var weakestDigest = DigestAlgorithm.md5
    /// Sends Basic credentials or a token with the first request, before the server has asked. It saves one request a
    /// connection, and gives them to a server that may not need them.
    public var sendsWithoutChallenge: Bool
    /// Lets Basic credentials and tokens travel over plain HTTP, where everybody on the way can read them, and answers to Digest and
    /// NTLM, also within Negotiate, from which passwords can be guessed. Name a single scheme in ``schemes`` where no other is meant.
    ///
    /// On a way that does not leave this machine, answers to Digest and NTLM need no leave.
    public var allowsPlaintext: Bool
    /// Answers Digest challenges without `qop` (RFC 2069), also over TLS. The server alone chooses what the password is hashed with
    /// then: it can look the password up in tables that were made before.
    public var allowsDigestWithoutQop = false
    /// The hosts that get answers to NTLM, by itself or within Negotiate: names, or with a leading dot all below a domain
    /// (`.corp.example`). Whoever gets one can try passwords against it.
    public var ntlmHosts: [String] = []
    /// Kerberos for Negotiate; nil where there is none.
    public var kerberos: (any NegotiateMechanism)?

    /// - Parameters:
    ///   - credentials: unless given, no challenge is answered.
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
