public import SignetAuthentication

/// Identifies a stored credential, as the Keychain does for Internet passwords: by protection space, path, scheme and
/// account.
public struct CredentialKey: Sendable, Hashable {
    /// Protocol, host, port and realm, and whether the peer that asks is a proxy or the origin.
    public let space: ProtectionSpace
    /// The path below which the credential may be used, such as `/reports`; empty for the whole origin.
    public let path: String
    /// The authentication scheme of the credential (RFC 9110 §11.1), in lower case; nil for any scheme.
    public let scheme: String?
    /// The name of the user; empty when there is none, as with bearer tokens.
    public let account: String

    /// - Parameters:
    ///   - space: the protection space that asks for the credential.
    ///   - path: the path below which the credential may be used; empty or `/` for the whole origin.
    ///   - scheme: as in the IANA registry, such as `Basic`; nil for any scheme. Two schemes whose names differ only in
    ///     case are the same.
    ///   - account: the name of the user; empty when there is none.
    public init(space: ProtectionSpace, path: String = "", scheme: String? = nil, account: String) {
        self.space = space
        self.path = path == "/" ? "" : path
        self.scheme = scheme?.lowercased()
        self.account = account
    }

    /// The longest host, realm, path, scheme or account, in bytes of UTF-8.
    public static let maximumPartBytes = 4096

    /// - Throws: ``CredentialStoreError`` with `invalidItem`.
    package func validate() throws(CredentialStoreError) {
        guard ["http", "https"].contains(space.scheme) else {
            throw .init(.invalidItem, "A credential is for http or https, not for “\(space.scheme)”.")
        }
        guard !space.host.isEmpty, (1...65535).contains(space.port) else {
            throw .init(.invalidItem, "A credential needs a host and a port from 1 to 65535.")
        }
        guard path.isEmpty || path.hasPrefix("/") else {
            throw .init(.invalidItem, "The path of a credential begins with “/”, or is empty for the whole origin.")
        }
        guard scheme != "" else {
            throw .init(.invalidItem, "Name the authentication scheme, or give none for any scheme.")
        }
        for part in [space.host, space.realm, path, scheme ?? "", account]
        where part.utf8.count > Self.maximumPartBytes || part.utf8.contains(0) {
            throw .init(
                .invalidItem,
                "Host, realm, path, scheme and account have at most \(Self.maximumPartBytes) bytes each, none of them zero."
            )
        }
    }
}

extension CredentialKey: CustomStringConvertible {
    public var description: String {
        var text = "account “\(account)” of \(space)"
        if !path.isEmpty { text += " below \(path)" }
        if let scheme { text += " for \(scheme)" }
        return text
    }
}

extension CredentialKey {
    /// The order of results: the deepest path first, then credentials for one scheme only. The other parts only make
    /// the order deterministic.
    package static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left.path.utf8.count != right.path.utf8.count { return left.path.utf8.count > right.path.utf8.count }
        if (left.scheme == nil) != (right.scheme == nil) { return left.scheme != nil }
        return left.sortingText.lexicographicallyPrecedes(right.sortingText)
    }

    private var sortingText: [String] {
        [
            space.host, space.scheme, space.isProxy ? "1" : "0", String(space.port), space.realm, path, account,
            scheme ?? "",
        ]
    }
}
