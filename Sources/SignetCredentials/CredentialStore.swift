/// Keeps secrets for protection spaces.
///
/// A store may be called from any task. It returns only complete credentials, never half-written ones.
public protocol CredentialStore: Sendable {
    /// The credentials that match: the deepest path first, and among equal paths those for one scheme before those for
    /// any scheme.
    ///
    /// - Throws: ``CredentialStoreError`` with `damaged` when all matching credentials are damaged. Damaged ones beside
    ///   undamaged ones are left out.
    func find(_ query: CredentialQuery) async throws -> [StoredCredential]

    /// The matching credentials without their secrets, in the order of ``find(_:)``.
    func list(_ query: CredentialQuery) async throws -> [CredentialEntry]

    /// Adds a credential; one with ``CredentialPersistence/none`` is dropped.
    ///
    /// - Throws: ``CredentialStoreError`` with `alreadyThere`, `invalidItem` or `unsupported`.
    func add(_ credential: StoredCredential) async throws

    /// Changes a credential in its place. Parts that `change` does not name stay, including the date of creation and
    /// the attributes of other programs.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound` or `invalidItem`.
    func update(_ key: CredentialKey, with change: CredentialChange) async throws

    /// Removes a credential.
    ///
    /// - Returns: whether there was one.
    @discardableResult func remove(_ key: CredentialKey) async throws -> Bool
}
