import Foundation

/// Keeps credentials for the life of the process, whatever their persistence.
public actor MemoryCredentialStore: CredentialStore {
    private var credentials: [CredentialKey: StoredCredential] = [:]
    private let now: @Sendable () -> Int64

    /// An empty store. Its credentials are lost with it.
    public init() { self.init(now: { Int64(Date().timeIntervalSince1970) }) }

    package init(now: @escaping @Sendable () -> Int64) { self.now = now }

    public func find(_ query: CredentialQuery) -> [StoredCredential] {
        credentials.values.filter { query.matches($0.key) }.sorted { CredentialKey.precedes($0.key, $1.key) }
    }

    public func list(_ query: CredentialQuery) -> [CredentialEntry] { find(query).map(\.entry) }

    public func add(_ credential: StoredCredential) throws {
        try credential.validate()
        if credential.entry.persistence == .none { return }
        guard credentials[credential.key] == nil else { throw CredentialStoreError.alreadyThere(credential.key) }
        credentials[credential.key] = credential.added(at: now())
    }

    public func update(_ key: CredentialKey, with change: CredentialChange) throws {
        try change.validate()
        guard let old = credentials[key] else { throw CredentialStoreError.notFound(key) }
        credentials[key] = change.applied(to: old, at: now())
    }

    @discardableResult public func remove(_ key: CredentialKey) -> Bool {
        credentials.removeValue(forKey: key) != nil
    }
}

extension MemoryCredentialStore: CustomStringConvertible, CustomReflectable {
    public nonisolated var description: String { "MemoryCredentialStore" }
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
