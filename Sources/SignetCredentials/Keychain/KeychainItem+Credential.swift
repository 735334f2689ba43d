import SignetAuthentication

extension KeychainItem {
    /// The primary key. It gives every part, since a missing part would match every item.
    init(key: CredentialKey) {
        let space = key.space
        self = [
            .server: .text(space.host), .port: .number(space.port), .securityDomain: .text(space.realm),
            .path: .text(key.path), .account: .text(key.account),
            .networkProtocol: .networkProtocol(.init(scheme: space.scheme, isProxy: space.isProxy)),
            .authenticationType: .authenticationType(.init(scheme: key.scheme)),
        ]
    }

    /// The attributes that narrow a search down. Path, scheme and port are compared afterwards: several values in the
    /// Keychain match one of this store, and other programs leave out a default port.
    init(query: CredentialQuery) {
        self = [:]
        self[.server] = query.host.map { .text($0.lowercased()) }
        self[.securityDomain] = query.realm.map { .text($0) }
        self[.account] = query.account.map { .text($0) }
        if let scheme = query.urlScheme?.lowercased(), ["http", "https"].contains(scheme), let isProxy = query.isProxy {
            self[.networkProtocol] = .networkProtocol(.init(scheme: scheme, isProxy: isProxy))
        }
    }

    /// The entry that an item describes; nil for an item that is not for HTTP.
    var entry: CredentialEntry? {
        guard case .networkProtocol(let networkProtocol) = self[.networkProtocol],
            let host = self[.server]?.text, !host.isEmpty
        else { return nil }
        let type =
            if case .authenticationType(let type) = self[.authenticationType] { type } else {
                KeychainAuthenticationType.any
            }
        let port = self[.port]?.number ?? 0
        let space = ProtectionSpace(
            scheme: networkProtocol.scheme, host: host,
            // Other programs leave out the default port.
            port: port == 0 ? networkProtocol.usualPort : port, realm: self[.securityDomain]?.text ?? "",
            isProxy: networkProtocol.isProxy)
        return CredentialEntry(
            key: CredentialKey(
                space: space, path: self[.path]?.text ?? "", scheme: type.scheme, account: self[.account]?.text ?? ""),
            label: self[.label]?.text ?? "", comment: self[.comment]?.text ?? "", persistence: .permanent,
            created: self[.created]?.date ?? 0, modified: self[.modified]?.date ?? 0)
    }

    /// How many parts of the key the item states, the port first. Items of this store state all of them.
    func exactness(_ key: CredentialKey) -> Int {
        let said = KeychainItem(key: key).filter { self[$0.key] == $0.value }
        return said.count + (said[.port] == nil ? 0 : KeychainAttribute.primaryKey.count)
    }

    /// The item's primary key as it is in the Keychain, where absent parts are empty. It matches no other item of the
    /// access group.
    var primaryKey: KeychainItem {
        let empty: KeychainItem = [
            .account: .text(""), .securityDomain: .text(""), .server: .text(""), .path: .text(""), .port: .number(0),
            .authenticationType: .authenticationType(.other("")),
        ]
        return filter { KeychainAttribute.primaryKey.contains($0.key) || $0.key == .accessGroup }
            .merging(empty) { given, _ in given }
    }
}

extension KeychainProtocol {
    init(scheme: String, isProxy: Bool) {
        switch (scheme, isProxy) {
        case ("https", false): self = .https
        case ("https", true): self = .httpsProxy
        case (_, true): self = .httpProxy
        case (_, false): self = .http
        }
    }

    var scheme: String { self == .https || self == .httpsProxy ? "https" : "http" }
    var isProxy: Bool { self == .httpProxy || self == .httpsProxy }
    var usualPort: Int { scheme == "https" ? 443 : 80 }
}
