public import SignetAuthentication

/// The credentials to find in a ``CredentialStore``. A part that is nil matches anything.
public struct CredentialQuery: Sendable, Hashable {
    /// `http` or `https`.
    public var urlScheme: String?
    /// The host, compared without regard to case; an IPv6 address without brackets.
    public var host: String?
    /// The port of the origin or the proxy.
    public var port: Int?
    /// The realm as the server named it, compared by case (RFC 9110 §11.5).
    public var realm: String?
    /// Whether the peer that asks is a proxy, or the origin.
    public var isProxy: Bool?
    /// The path of a request. Credentials match that are for this path, for a path above it, or for the whole origin.
    public var path: String?
    /// An authentication scheme. Credentials match that are for this scheme or for any scheme.
    public var scheme: String?
    /// The name of the user, compared by case; empty for credentials without one, such as bearer tokens.
    public var account: String?

    /// Matches everything until parts are set.
    public init() {}

    /// Matches the credentials that can answer a challenge.
    public init(space: ProtectionSpace, path: String? = nil, scheme: String? = nil, account: String? = nil) {
        urlScheme = space.scheme
        host = space.host
        port = space.port
        realm = space.realm
        isProxy = space.isProxy
        self.path = path
        self.scheme = scheme
        self.account = account
    }

    /// Whether the query matches a credential with this key. Your own store can filter with it.
    public func matches(_ key: CredentialKey) -> Bool {
        func agrees<Part: Equatable>(_ wanted: Part?, _ part: Part) -> Bool { wanted.map { $0 == part } ?? true }
        return agrees(urlScheme?.lowercased(), key.space.scheme) && agrees(host?.lowercased(), key.space.host)
            && agrees(port, key.space.port) && agrees(realm, key.space.realm) && agrees(isProxy, key.space.isProxy)
            && agrees(account, key.account) && (path.map { Self.covers(key.path, $0) } ?? true)
            && (scheme.map { key.scheme == nil || key.scheme == $0.lowercased() } ?? true)
    }

    /// The space, when the query gives every part of it.
    package var space: ProtectionSpace? {
        guard let urlScheme, let host, let port, let realm, let isProxy else { return nil }
        return ProtectionSpace(scheme: urlScheme, host: host, port: port, realm: realm, isProxy: isProxy)
    }

    /// Whether a request for `path` lies below `above`, segment by segment (RFC 3986 §3.3).
    private static func covers(_ above: String, _ path: String) -> Bool {
        if above.isEmpty { return true }
        // Only the server knows where such a path leads (RFC 3986 §5.2.4).
        let segments = path.lowercased().split(separator: "/").map { $0.replacing("%2e", with: ".") }
        if segments.contains(".") || segments.contains("..") { return false }
        guard path.utf8.starts(with: above.utf8) else { return false }
        return above.hasSuffix("/") || path.utf8.count == above.utf8.count
            || path.utf8.dropFirst(above.utf8.count).first == UInt8(ascii: "/")
    }
}
