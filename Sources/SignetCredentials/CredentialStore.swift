/// Keeps secrets for protection spaces.
///
/// A store may be asked from any task. What it gives is complete: a half-written credential is never returned.
public protocol CredentialStore: Sendable {
    /// The credentials that match, with the deepest path first, and of those what is for one scheme only before what serves any.
    ///
    /// - Throws: ``CredentialStoreError`` with `damaged` when something matches and nothing of it is whole. What is
    ///   damaged beside whole ones is left out.
    func find(_ query: CredentialQuery) async throws -> [StoredCredential]

    /// What is known of the credentials that match, without their secrets, in the order of ``find(_:)``.
    func list(_ query: CredentialQuery) async throws -> [CredentialEntry]

    /// Keeps a credential; one with ``CredentialPersistence/none`` is dropped.
    ///
    /// - Throws: ``CredentialStoreError`` with `alreadyThere`, `invalidItem` or `unsupported`.
    func add(_ credential: StoredCredential) async throws

    /// Changes a credential in its place: what `change` does not name stays, the date of its making and what other
    /// programs keep with it included.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound` or `invalidItem`.
    func update(_ key: CredentialKey, with change: CredentialChange) async throws

    /// Forgets a credential.
    ///
    /// - Returns: whether there was one.
    @discardableResult func remove(_ key: CredentialKey) async throws -> Bool
}
