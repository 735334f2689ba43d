public import SignetTLS

/// Keeps identities under labels that the application chooses.
///
/// A store may be called from any task. It returns only complete identities, never half-written ones.
public protocol IdentityStore: Sendable {
    /// The identity under `label`; nil when there is none.
    func identity(label: String) async throws -> Identity?

    /// Stores `identity` under `label`, in place of an existing one.
    func store(_ identity: Identity, label: String) async throws

    /// Removes the identity under `label`; nothing happens when there is none.
    func remove(label: String) async throws

    /// All labels, sorted.
    func labels() async throws -> [String]

    /// Runs `body` while no other caller runs one for the same label of the same store: an identity is replaced by one
    /// caller at a time. Reading and storing an identity needs no such use.
    ///
    /// The stores of folders and of SQLite files exclude the callers of other processes, too. Those of the Keychain and
    /// of memory exclude the other tasks of their own process, as do stores that do not implement this function.
    ///
    /// - Throws: what `body` throws; ``IdentityStoreError`` with `inUse` within such a use of the same label;
    ///   `CancellationError` when the task is cancelled while it waits.
    func exclusively<Value: Sendable>(
        label: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value
}

extension IdentityStore {
    public func exclusively<Value: Sendable>(
        label: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await ExclusiveUse.inProcess("\(Self.self) \(label)", body)
    }
}

/// Where a client or a server gets the identity that it shows on its connections.
///
/// A client asks for every call; a server when it begins to listen, and at intervals. An identity that was renewed in
/// its store is therefore used for new connections without a restart.
public struct IdentitySource: Sendable, CustomStringConvertible {
    public let description: String
    /// The identity of a source that always gives the same one, so that tasks need not wait for it.
    package let constant: Identity?
    private let lookup: @Sendable () async throws -> Identity?

    /// - Parameter description: names the source in reports; it must not contain a secret.
    /// - Parameter lookup: returns the identity to show now; nil to show no certificate.
    public init(description: String, _ lookup: @escaping @Sendable () async throws -> Identity?) {
        self.description = description
        self.lookup = lookup
        constant = nil
    }

    private init(constant identity: Identity) {
        description = "\(identity)"
        constant = identity
        lookup = { identity }
    }

    /// Always the same identity.
    public static func fixed(_ identity: Identity) -> IdentitySource { IdentitySource(constant: identity) }

    /// The identity that `store` has under `label` at the time of the call.
    ///
    /// When the store has no identity with this label, the source throws ``IdentityStoreError`` with `notFound`: a
    /// connection without the expected certificate would only fail later and with a less helpful error.
    public static func stored(_ label: String, in store: any IdentityStore) -> IdentitySource {
        IdentitySource(description: "stored identity “\(label)”") {
            guard let identity = try await store.identity(label: label) else {
                throw IdentityStoreError(
                    .notFound,
                    "The store has no identity “\(label)”. Store one, or name one of those that labels() lists.")
            }
            return identity
        }
    }

    /// The identity to show now.
    public func current() async throws -> Identity? { try await lookup() }
}

/// Keeps identities for the life of the process.
public actor MemoryIdentityStore: IdentityStore {
    private var identities: [String: Identity]

    /// - Parameter identities: the initial content, by label.
    public init(_ identities: [String: Identity] = [:]) { self.identities = identities }

    public func identity(label: String) -> Identity? { identities[label] }
    public func store(_ identity: Identity, label: String) { identities[label] = identity }
    public func remove(label: String) { identities[label] = nil }
    public func labels() -> [String] { identities.keys.sorted() }
}
