import Foundation
public import SignetCredentials
public import SignetTLS

/// Puts a new identity into a store in the place of the one in use. At every moment the store has one of the two.
///
/// 1. The new identity is checked: key, validity, usage, subject, authority.
/// 2. It is stored beside the one in use, under ``candidateLabel``.
/// 3. A call to the application shows that the server accepts it (``IdentityProof``).
/// 4. It takes the place of the one in use, in one step of the store, and the retired one is removed.
///
/// When the process ends in between, the identity under ``label`` is the former or the new one, and ``finish()`` goes on
/// from there. A new identity that the server does not accept yet waits as well: ``discard()`` gives it up.
public struct IdentityReplacement: Sendable {
    /// The label of the identity in use; it need not exist yet.
    public let label: String
    /// The store of the identity in use, and of the new one.
    public let store: any IdentityStore
    /// The label of an identity that is only for obtaining the first one, such as that of a distribution; it is removed
    /// from the store once the new one is in use. Nil to remove no other identity.
    public var retiring: String?
    /// What the new identity must be like.
    public var requirements = IdentityRequirements()
    /// Shows that the server accepts it.
    public var proof: IdentityProof
    /// Seconds since 1970 in UTC.
    package var now: @Sendable () -> Int64

    /// - Parameters:
    ///   - label: of the identity in use.
    ///   - store: the store of both identities.
    ///   - retiring: see ``retiring``.
    ///   - proof: see ``proof``.
    public init(
        of label: String, in store: any IdentityStore, retiring: String? = nil, provedBy proof: IdentityProof
    ) {
        self.label = label
        self.store = store
        self.retiring = retiring
        self.proof = proof
        now = { Int64(Date().timeIntervalSince1970) }
    }

    /// Under which the new identity waits until the server has accepted it.
    public var candidateLabel: String { label + ".new" }
    /// Under which a key waits for its certificate.
    public var requestLabel: String { label + ".requested" }

    /// Gives up a new identity that waits, and a key that waits for its certificate. The identity in use stays.
    public func discard() async throws {
        try checkLabels()
        try await store.exclusively(label: label) {
            try await store.remove(label: requestLabel)
            try await store.remove(label: candidateLabel)
        }
    }

    /// Puts `identity` in the place of the one in use. A new identity and a key that wait from an earlier run are given up.
    ///
    /// - Throws: ``EnrollmentError``; the errors of the store; the error of the call that was to prove the identity. The
    ///   former identity is then in use as before. When the new one fulfilled the requirements, it waits, and ``finish()``
    ///   tries again.
    public func replace(with identity: Identity) async throws {
        try checkLabels()
        try await store.exclusively(label: label) { try await replaceAlone(with: identity) }
    }

    /// Obtains an identity, and puts it in the place of the one in use, or goes on with what an earlier run began. Meanwhile no
    /// other run and no replacement of this label begins.
    ///
    /// - Parameters:
    ///   - validity: when the identity in use fulfils the requirements and is valid for at least this long, nothing is done. Nil to
    ///     replace it in any case.
    ///   - obtain: obtains the identity. It is given the one in use; nil when the store has no identity that is still valid.
    /// - Returns: the identity that is in use now.
    /// - Throws: as ``replace(with:)``, and what `obtain` throws.
    public func replace(
        unlessValidFor validity: Duration? = nil,
        obtaining obtain: @Sendable (_ current: Identity?) async throws -> Identity
    ) async throws -> Identity {
        try checkLabels()
        return try await store.exclusively(label: label) {
            if let identity = try await finishAlone() { return identity }
            let kept = try await store.identity(label: label)
            let now = now()
            if let kept, let validity, let end = kept.leaf.notAfter,
                end.subtractingReportingOverflow(now).partialValue >= validity.components.seconds,
                (try? requirements.check(kept, at: now)) != nil
            {
                return kept
            }
            // An expired certificate proves nothing any more.
            let identity = try await obtain(kept.flatMap { ($0.leaf.notAfter ?? .min) < now ? nil : $0 })
            try await replaceAlone(with: identity)
            return identity
        }
    }

    /// Goes on with a replacement that was not finished, because the process ended or the call of the proof failed.
    ///
    /// - Returns: the identity that is in use now because of it; nil when no replacement was begun, or when the new
    ///   identity is not valid for long enough any more, and was removed.
    /// - Throws: as ``replace(with:)``.
    public func finish() async throws -> Identity? {
        try checkLabels()
        return try await store.exclusively(label: label) { try await finishAlone() }
    }

    /// Whether a label is for what waits. An identity that the user stores there would be taken for the new one.
    package static func isReserved(_ label: String) -> Bool { label.hasSuffix(".new") || label.hasSuffix(".requested") }

    func checkLabels() throws(EnrollmentError) {
        for label in [label, retiring ?? ""] where Self.isReserved(label) {
            throw EnrollmentError(
                .reservedLabel,
                "The label “\(label)” ends with “.new” or “.requested”, which is for identities that wait. Choose another label."
            )
        }
    }

    /// Without a lock.
    func replaceAlone(with identity: Identity) async throws {
        try requirements.check(identity, at: now())
        try await store.store(identity, label: candidateLabel)
        // The candidate has the key.
        try await store.remove(label: requestLabel)
        try await proveAndSwitch(to: identity)
    }

    /// Without a lock.
    func finishAlone() async throws -> Identity? {
        guard let candidate = try await store.identity(label: candidateLabel) else { return nil }
        if try await store.identity(label: label) == candidate {
            try await removeLeftovers()
            return candidate
        }
        do { try requirements.check(candidate, at: now()) } catch {
            let least = now().addingReportingOverflow(requirements.minimumValidity.components.seconds).partialValue
            guard let end = candidate.leaf.notAfter, end < least else { throw error }
            // It has waited for too long.
            try await store.remove(label: candidateLabel)
            return nil
        }
        try await proveAndSwitch(to: candidate)
        return candidate
    }

    private func proveAndSwitch(to identity: Identity) async throws {
        try await proof(identity)
        try await store.store(identity, label: label)
        try await removeLeftovers()
    }

    private func removeLeftovers() async throws {
        if let retiring, retiring != label { try await store.remove(label: retiring) }
        try await store.remove(label: requestLabel)
        // Last: as long as it is there, the rest is done again.
        try await store.remove(label: candidateLabel)
    }
}
