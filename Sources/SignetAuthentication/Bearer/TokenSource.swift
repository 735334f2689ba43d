/// Gets bearer tokens (RFC 6750) from an authorization server, and renews them.
public protocol TokenSource: Sendable {
    /// A token that can be used now. It is called for every request, so a source should keep valid tokens; several
    /// tasks may call at the same time.
    ///
    /// - Parameter question: With ``CredentialQuestion/Reason/expired`` or ``CredentialQuestion/Reason/rejected`` the
    ///   server has refused the last token, ``CredentialQuestion/refusedToken``, whatever its expiry says.
    func token(for question: CredentialQuestion) async throws -> AccessToken
}

extension CredentialQuestion {
    /// The token that the server refused; nil when it refused none.
    public var refusedToken: String? {
        if case .token(let token, _) = refused?.kind { token } else { nil }
    }
}

/// A token, and how long it can be used (RFC 6749 §5.1). No description, dump or mirror shows it.
public struct AccessToken: Sendable, Hashable {
    package let value: String
    /// Seconds since 1970; nil when the authorization server did not say.
    public let expires: Int64?
    /// SHA-256 of the only client certificate with which it can be used (RFC 8705 §3); nil when it is not bound to one.
    public let certificate: [UInt8]?

    /// - Parameters:
    ///   - value: as in the field `Authorization`, without `Bearer` (RFC 6750 §2.1).
    ///   - expires: seconds since 1970; nil when the server did not say.
    ///   - certificate: the SHA-256 of the client certificate to which the token is bound; nil for none.
    public init(_ value: String, expires: Int64? = nil, certificate: [UInt8]? = nil) {
        self.value = value
        self.expires = expires
        self.certificate = certificate
    }

    /// Whether `text` is this token.
    package func isValue(_ text: String?) -> Bool { value == text }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a token\(expires.map { " until \($0)" } ?? "")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["token": description], displayStyle: .struct) }
}

extension Credentials {
    init(_ token: AccessToken) { self.init(kind: .token(token.value, certificate: token.certificate)) }
}

/// The Bearer scheme (RFC 6750).
enum BearerScheme {
    /// The value of an `Authorization` field (§2.1).
    static func authorization(for token: String, space: ProtectionSpace) throws(AuthenticationError) -> String {
        let characters = token.utf8
        let body = characters.prefix { $0 != UInt8(ascii: "=") }
        guard !body.isEmpty, body.allSatisfy(\.isToken68),
            characters.dropFirst(body.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else {
            throw .init(
                .invalidCredentials,
                "The token for \(space) is empty or has a character that no token can have (RFC 6750 §2.1); look for a line break at the end.",
                space: space)
        }
        return "Bearer \(token)"
    }

    /// Whether a challenge says that the token has expired or was revoked (§3.1); nil when it does not say.
    static func isExpired(_ challenges: [Challenge]) -> Bool? {
        challenges.lazy.filter { $0.isScheme("Bearer") }.compactMap { $0["error"] }.first.map { $0 == "invalid_token" }
    }
}
