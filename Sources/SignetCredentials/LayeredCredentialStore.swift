/// Keeps each credential for as long as its persistence says: those for the session in memory, permanent ones in
/// another store.
///
/// A key is only in one of the two. Both are searched, changed and removed from.
public struct LayeredCredentialStore: CredentialStore, CustomStringConvertible {
    private let session = MemoryCredentialStore()
    private let permanent: any CredentialStore

    /// - Parameter permanent: the store for permanent credentials, such as the Keychain.
    public init(permanent: any CredentialStore) { self.permanent = permanent }

    public func find(_ query: CredentialQuery) async throws -> [StoredCredential] {
        let ours = await session.find(query)
        let known = Set(ours.map(\.key))
        let theirs: [StoredCredential]
        do { theirs = try await permanent.find(query) } catch let error as CredentialStoreError
            where error.code == .damaged && !ours.isEmpty
        {
            theirs = []
        }
        // Two tasks may add one key to both stores at the same time; the credential in memory then counts.
        return (ours + theirs.filter { !known.contains($0.key) }).sorted { CredentialKey.precedes($0.key, $1.key) }
    }

    public func list(_ query: CredentialQuery) async throws -> [CredentialEntry] {
        let ours = await session.list(query)
        let known = Set(ours.map(\.key))
        let theirs = try await permanent.list(query)
        return (ours + theirs.filter { !known.contains($0.key) }).sorted { CredentialKey.precedes($0.key, $1.key) }
    }

    public func add(_ credential: StoredCredential) async throws {
        let key = credential.key
        switch credential.entry.persistence {
        case .none: try credential.validate()
        case .session:
            try await session.add(credential)
            do {
                if try await isPermanent(key) { throw CredentialStoreError.alreadyThere(key) }
            } catch {
                await session.remove(key)
                throw error
            }
        case .permanent:
            if await isOfSession(key) { throw CredentialStoreError.alreadyThere(key) }
            try await permanent.add(credential)
        }
    }

    public func update(_ key: CredentialKey, with change: CredentialChange) async throws {
        if await isOfSession(key) {
            try await session.update(key, with: change)
        } else {
            try await permanent.update(key, with: change)
        }
    }

    @discardableResult public func remove(_ key: CredentialKey) async throws -> Bool {
        let wasOfSession = await session.remove(key)
        return try await permanent.remove(key) || wasOfSession
    }

    public var description: String { "LayeredCredentialStore(\(permanent))" }

    private func isOfSession(_ key: CredentialKey) async -> Bool {
        await session.list(CredentialQuery(key)).contains { $0.key == key }
    }

    private func isPermanent(_ key: CredentialKey) async throws -> Bool {
        try await permanent.list(CredentialQuery(key)).contains { $0.key == key }
    }
}

extension CredentialQuery {
    /// Matches the credential with this key, and possibly a few others.
    package init(_ key: CredentialKey) {
        self.init(space: key.space, scheme: key.scheme, account: key.account)
    }
}
