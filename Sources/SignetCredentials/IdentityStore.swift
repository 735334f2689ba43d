public import SignetTLS

/// Keeps identities under labels that the application chooses.
///
/// A store may be asked from any task. What it gives is complete: a half-written identity is never returned.
public protocol IdentityStore: Sendable {
    /// The identity under `label`; nil when there is none.
    func identity(label: String) async throws -> Identity?

    /// Keeps `identity` under `label`, in place of the one that was there.
    func store(_ identity: Identity, label: String) async throws

    /// Forgets the identity under `label`; nothing happens when there is none.
    func remove(label: String) async throws

    /// All labels, sorted.
    func labels() async throws -> [String]
}

/// Where a client or a server gets the identity that it shows on its connections.
///
/// A client asks for every call, a server when it begins to listen and at intervals. An identity that was renewed in its store is thus
/// used from then on for new connections, without a restart.
public struct IdentitySource: Sendable, CustomStringConvertible {
    public let description: String
    /// The identity of a source that always gives the same one, so that no task has to wait for it.
    package let constant: Identity?
    private let lookup: @Sendable () async throws -> Identity?

    /// - Parameter description: names the source in reports; it must not hold a secret.
    /// - Parameter lookup: gives the identity to show now; nil means that no certificate is shown.
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

    /// The identity that `store` has under `label` at that moment.
    ///
    /// A label without an identity is an error, ``IdentityStoreError`` with `notFound`: going on without the
    /// certificate that was asked for would only fail later and with less to read.
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

    /// - Parameter identities: what is there at the start, by label.
    public init(_ identities: [String: Identity] = [:]) { self.identities = identities }

    public func identity(label: String) -> Identity? { identities[label] }
    public func store(_ identity: Identity, label: String) { identities[label] = identity }
    public func remove(label: String) { identities[label] = nil }
    public func labels() -> [String] { identities.keys.sorted() }
}
