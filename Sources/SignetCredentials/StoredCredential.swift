/// How long a store keeps a credential; the cases are those of Foundation's `URLCredential.Persistence`.
public enum CredentialPersistence: Sendable, Hashable, CaseIterable {
    /// Not at all: it is used and forgotten.
    case none
    /// For as long as the process runs.
    case session
    /// Beyond the end of the process.
    case permanent
}

/// Everything that a store knows about a credential except its secret.
public struct CredentialEntry: Sendable, Hashable {
    /// The key of the credential; a store has one credential for each key.
    public let key: CredentialKey
    /// A name to show to users.
    public var label: String
    /// Notes to show to users, 4096 bytes at most (``CredentialKey/maximumPartBytes``). They must not contain a secret:
    /// listings show them.
    public var comment: String
    /// How long the store keeps the credential.
    public var persistence: CredentialPersistence
    /// When it was added, in seconds since 1970 in UTC. The store sets it.
    public package(set) var created: Int64
    /// When it was last changed, in seconds since 1970 in UTC. The store sets it.
    public package(set) var modified: Int64

    package init(
        key: CredentialKey, label: String, comment: String, persistence: CredentialPersistence, created: Int64 = 0,
        modified: Int64 = 0
    ) {
        self.key = key
        self.label = label
        self.comment = comment
        self.persistence = persistence
        self.created = created
        self.modified = modified
    }
}

/// A secret and its key. Nothing that prints it shows the secret.
public struct StoredCredential: Sendable, Equatable {
    /// Everything except the secret; listings can show it.
    public package(set) var entry: CredentialEntry
    /// The password or token; ``maximumSecretBytes`` at most.
    public package(set) var secret: SecretBytes

    /// The key of the credential.
    public var key: CredentialKey { entry.key }

    /// A credential to add to a store; the store checks it.
    ///
    /// - Parameters:
    ///   - key: what the credential is for.
    ///   - secret: ``maximumSecretBytes`` at most.
    ///   - label: a name to show to users, 4096 bytes at most.
    ///   - comment: notes to show to users, 4096 bytes at most.
    ///   - persistence: how long to keep it; a store that cannot do so refuses it.
    public init(
        key: CredentialKey, secret: SecretBytes, label: String = "", comment: String = "",
        persistence: CredentialPersistence = .permanent
    ) {
        self.init(
            entry: CredentialEntry(key: key, label: label, comment: comment, persistence: persistence), secret: secret)
    }

    package init(entry: CredentialEntry, secret: SecretBytes) {
        self.entry = entry
        self.secret = secret
    }

    /// The longest secret, in bytes.
    public static let maximumSecretBytes = 65_536

    /// - Throws: ``CredentialStoreError`` with `invalidItem`.
    package func validate() throws(CredentialStoreError) {
        try entry.key.validate()
        try CredentialChange(secret: secret, label: entry.label, comment: entry.comment).validate()
    }

    /// The credential as a store keeps it after adding it.
    package func added(at now: Int64) -> Self {
        var copy = self
        copy.entry.created = now
        copy.entry.modified = now
        return copy
    }
}

extension StoredCredential: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "credential for \(key)" }
    public var debugDescription: String { description }
}

/// The change by ``CredentialStore/update(_:with:)``. Parts that are nil stay as they are.
public struct CredentialChange: Sendable, Equatable {
    /// The new secret; ``StoredCredential/maximumSecretBytes`` at most.
    public var secret: SecretBytes?
    /// The new label; an empty text removes the old one.
    public var label: String?
    /// The new comment; an empty text removes the old one.
    public var comment: String?

    /// A change of the given parts.
    public init(secret: SecretBytes? = nil, label: String? = nil, comment: String? = nil) {
        self.secret = secret
        self.label = label
        self.comment = comment
    }

    package func validate() throws(CredentialStoreError) {
        guard (secret?.count ?? 0) <= StoredCredential.maximumSecretBytes else {
            throw .init(
                .invalidItem, "A secret has at most \(StoredCredential.maximumSecretBytes) bytes; this one is longer.")
        }
        for text in [label ?? "", comment ?? ""] where text.utf8.count > CredentialKey.maximumPartBytes {
            throw .init(
                .invalidItem, "A label or comment has at most \(CredentialKey.maximumPartBytes) bytes; shorten it.")
        }
    }

    /// The credential after the change; all other parts stay as they were.
    package func applied(to credential: StoredCredential, at now: Int64) -> StoredCredential {
        var copy = credential
        if let secret { copy.secret = secret }
        if let label { copy.entry.label = label }
        if let comment { copy.entry.comment = comment }
        copy.entry.modified = now
        return copy
    }
}
