/// Keeps credentials in the Keychain of Apple's systems, as Internet passwords.
///
/// The realm is the security domain, the protocol distinguishes a proxy from an origin, and the scheme is the
/// authentication type. Other programs of the same access group, and Apple's own tools, can use the items; attributes
/// that they add stay.
public struct KeychainCredentialStore: CredentialStore {
    private let calls: any KeychainCalls
    private let accessGroup: String?
    private let accessibility: KeychainAccessibility
    // A call may wait for the user; the threads that tasks share must not.
    private let queue = BlockingQueue("KeychainCredentialStore")

    package init(calls: any KeychainCalls, accessGroup: String?, accessibility: KeychainAccessibility) {
        self.calls = calls
        self.accessGroup = accessGroup
        self.accessibility = accessibility
    }

    public func find(_ query: CredentialQuery) async throws -> [StoredCredential] {
        try await queue.run {
            let all = try matching(query)
            let several = Self.inSeveralGroups(all)
            let found = all.filter { several[$0.entry.key] == nil }
            // Another account may do; when there is none, the program has to choose the access group.
            if found.isEmpty { try requireOneGroup(all) }
            return try Self.exact(found).compactMap { item, entry in
                // One by one: the Keychain does not return the secrets of many items at once.
                let (status, items) = calls.copyMatching(item.primaryKey, limit: .one, returning: .data)
                if status == KeychainStatus.itemNotFound { return nil }
                guard status == KeychainStatus.success, let secret = items.first?[.data]?.secret else {
                    throw KeychainStatus.error(status, "read the credential for the \(entry.key)")
                }
                return StoredCredential(entry: entry, secret: secret)
            }
        }
    }

    public func list(_ query: CredentialQuery) async throws -> [CredentialEntry] {
        try await queue.run { Self.exact(try matching(query)).map(\.entry) }
    }

    public func add(_ credential: StoredCredential) async throws {
        try credential.validate()
        switch credential.entry.persistence {
        case .none: return
        case .session: throw CredentialStoreError.notPermanent("The Keychain")
        case .permanent: break
        }
        var item = KeychainItem(key: credential.key)
        item[.accessGroup] = accessGroup.map { .text($0) }
        item[.accessibility] = .accessibility(accessibility)
        item[.data] = .secret(credential.secret)
        if !credential.entry.label.isEmpty { item[.label] = .text(credential.entry.label) }
        if !credential.entry.comment.isEmpty { item[.comment] = .text(credential.entry.comment) }
        try await queue.run { [item] in
            // For the Keychain, an item without a port, or in another group, is a different item.
            guard try items(credential.key).isEmpty else { throw CredentialStoreError.alreadyThere(credential.key) }
            switch calls.add(item) {
            case KeychainStatus.success: break
            case KeychainStatus.duplicateItem: throw CredentialStoreError.alreadyThere(credential.key)
            case let status: throw KeychainStatus.error(status, "add the credential for the \(credential.key)")
            }
        }
    }

    public func update(_ key: CredentialKey, with change: CredentialChange) async throws {
        try change.validate()
        var changes: KeychainItem = [:]
        changes[.data] = change.secret.map { .secret($0) }
        changes[.label] = change.label.map { .text($0) }
        changes[.comment] = change.comment.map { .text($0) }
        try await queue.run { [changes] in
            guard let item = try stored(key).first else { throw CredentialStoreError.notFound(key) }
            // The Keychain reports an error when there is nothing to change.
            if changes.isEmpty { return }
            switch calls.update(item, changes) {
            case KeychainStatus.success: break
            case KeychainStatus.itemNotFound: throw CredentialStoreError.notFound(key)
            case let status: throw KeychainStatus.error(status, "change the credential for the \(key)")
            }
        }
    }

    @discardableResult public func remove(_ key: CredentialKey) async throws -> Bool {
        try await queue.run {
            var isRemoved = false
            for item in try stored(key) {
                switch calls.delete(item) {
                case KeychainStatus.success: isRemoved = true
                case KeychainStatus.itemNotFound: break
                case let status: throw KeychainStatus.error(status, "remove the credential for the \(key)")
                }
            }
            return isRemoved
        }
    }

    private typealias Found = (item: KeychainItem, entry: CredentialEntry)

    /// The primary keys of the items for `key` as the Keychain has them. They may leave out a default port; the most
    /// complete comes first.
    private func stored(_ key: CredentialKey) throws -> [KeychainItem] {
        let found = try items(key)
        try requireOneGroup(found)
        return found.map(\.item.primaryKey)
    }

    private func items(_ key: CredentialKey) throws -> [Found] {
        try matching(CredentialQuery(key)).filter { $0.entry.key == key }
    }

    /// In the order of their keys; among items with one key, the most complete comes first.
    private func matching(_ query: CredentialQuery) throws -> [Found] {
        var item = KeychainItem(query: query)
        item[.accessGroup] = accessGroup.map { .text($0) }
        let (status, items) = calls.copyMatching(item, limit: .all, returning: .attributes)
        if status == KeychainStatus.itemNotFound { return [] }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(status, "look for credentials") }
        return items.compactMap { item in item.entry.map { (item, $0) } }
            .filter { query.matches($0.entry.key) }
            .sorted { left, right in
                if left.entry.key != right.entry.key { return CredentialKey.precedes(left.entry.key, right.entry.key) }
                return left.item.exactness(left.entry.key) > right.item.exactness(left.entry.key)
            }
    }

    /// Of several items in one access group with the same key, only the first: changes apply to it, too.
    private static func exact(_ found: [Found]) -> [Found] {
        struct Place: Hashable {
            let group: String?
            let key: CredentialKey
        }
        var seen: Set<Place> = []
        return found.filter {
            seen.insert(Place(group: $0.item[.accessGroup]?.text, key: $0.entry.key)).inserted
        }
    }

    /// The access groups of the keys that are in more than one.
    private static func inSeveralGroups(_ found: [Found]) -> [CredentialKey: [String]] {
        Dictionary(grouping: found, by: \.entry.key)
            .mapValues { Set($0.compactMap { $0.item[.accessGroup]?.text }).sorted() }.filter { $0.value.count > 1 }
    }

    /// - Throws: ``CredentialStoreError`` with `ambiguous` when one key is in several access groups: only the program
    ///   knows which is meant.
    private func requireOneGroup(_ found: [Found]) throws {
        if let (key, groups) = Self.inSeveralGroups(found).first {
            throw CredentialStoreError(
                .ambiguous,
                """
                The Keychain has several credentials for the \(key), in the access groups \(groups.joined(separator: ", ")). \
                Name the group when the store is made.
                """)
        }
    }
}

extension KeychainCredentialStore: CustomStringConvertible, CustomReflectable {
    public var description: String { "KeychainCredentialStore(\(accessGroup ?? "default access group"))" }
    public var customMirror: Mirror { Mirror(self, children: ["accessGroup": accessGroup as Any]) }
}
