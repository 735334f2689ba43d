import Dispatch
import SignetCredentials
public import SignetTLS

/// Obtains an identity from an authority, and puts it into a store in the place of the one in use.
///
/// ```swift
/// let enrollment = Enrollment(
///     with: enroller, as: try SubjectName("CN=device 7, O=Bank"), into: replacement)
/// let identity = try await enrollment.run()
/// ```
///
/// The private key is made here, is kept in the store, and is never sent. While the authority decides, it waits there with a certificate that
/// it signed itself: when the process ends, the next run goes on with the same key.
public struct Enrollment: Sendable {
    /// The authority.
    public var enroller: any Enroller
    /// The subject that is asked for. A renewal asks for that of the identity in use (RFC 7030 §4.2.2).
    public var subject: SubjectName
    /// Whether a certificate for another subject than the one that was asked for is used, too.
    public var acceptsOtherSubject = false
    /// Other names that are asked for. A renewal asks for those of the identity in use.
    public var alternativeNames: [CertificateSigningRequest.AlternativeName] = []
    /// What the certificate is for.
    public var purposes: [CertificateSigningRequest.Purpose] = [.client]
    /// Further extensions that are asked for.
    public var extensions: [CertificateSigningRequest.Extension] = []
    /// The kind of the key; nil for what the authority demands, or its ``EnrollmentDemands/usualKey``.
    public var keyKind: KeyPair.Kind?
    /// Where the identity goes.
    public var replacement: IdentityReplacement
    /// What the client shows to the authority when the store has neither an identity in use nor one to retire; nil for
    /// nothing.
    public var firstIdentity: Identity?
    /// How long to wait for an authority that decides later; the default is five minutes.
    public var patience = Duration.seconds(300)

    /// - Parameters:
    ///   - enroller: the authority.
    ///   - subject: see ``subject``.
    ///   - replacement: see ``replacement``.
    public init(with enroller: any Enroller, as subject: SubjectName, into replacement: IdentityReplacement) {
        self.enroller = enroller
        self.subject = subject
        self.replacement = replacement
    }

    /// Obtains an identity, or goes on with what an earlier run began. Meanwhile, also while the authority decides, no
    /// other run and no replacement of this label begins.
    ///
    /// The client shows the authority the identity in use. Before it has one, it shows the one to retire, or
    /// ``firstIdentity``.
    ///
    /// - Parameter validity: when the identity in use fulfils the requirements of the replacement and is valid for at least
    ///   this long, nothing is done. Nil to renew it in any case.
    /// - Returns: the identity that is in use now.
    /// - Throws: ``EnrollmentError``, `IdentityError`, and the errors of the store and of transports. The former identity
    ///   is then in use as before.
    public func run(unlessValidFor validity: Duration? = nil) async throws -> Identity {
        try await replacement.replace(unlessValidFor: validity) { current in
            var shown = current
            if shown == nil, let first = replacement.retiring {
                shown = try await replacement.store.identity(label: first)
            }
            shown = shown ?? firstIdentity
            let demands = try await enroller.demands(shown)
            let (key, reference) = try await pendingKey(demands)
            let content = try await request(replacing: current, demands, key)
            let identity = try await enroller.identity(
                for: EnrollmentRequest(
                    content: content, key: key, identity: shown, isRenewal: current != nil, reference: reference),
                demands.intermediates, label: replacement.label, patience: patience
            ) { reference in try await keep(key, reference: reference) }
            try check(identity, replacing: current)
            return identity
        }
    }

    private func check(_ identity: Identity, replacing current: Identity?) throws(EnrollmentError) {
        let leaf = identity.leaf
        let isExpected = current.map { $0.leaf.subject == leaf.subject } ?? subject.isSubject(of: leaf)
        guard acceptsOtherSubject || replacement.requirements.subject != nil || isExpected else {
            throw EnrollmentError(
                .wrongSubject,
                "The new certificate is for “\(leaf.subject)”, not for “\(current?.leaf.subject ?? "\(subject)")”. Where the authority chooses the subject, set acceptsOtherSubject (signet enroll --any-subject) or requirements.subject."
            )
        }
    }

    /// The key of an earlier run that waits for its certificate, with the authority's name of the request; or a new key,
    /// which waits from now on.
    private func pendingKey(_ demands: EnrollmentDemands) async throws -> (KeyPair, reference: String?) {
        let store = replacement.store
        let waiting = try await store.identity(label: replacement.requestLabel)
        if let waiting, let reference = WaitingKey.reference(in: waiting) {
            // The authority has this request, and may have issued its certificate, whatever it demands now.
            return (KeyPair(of: waiting), reference)
        }
        if let keyKind, let demanded = demands.key, !demands.areFulfilled(by: keyKind) {
            throw EnrollmentError(
                .unsupported,
                "The authority demands a key of the kind \(demanded), and \(keyKind) is configured. Leave the kind to the authority (keyKind = nil, or signet enroll without --key-type)."
            )
        }
        if let waiting {
            let key = KeyPair(of: waiting)
            let isWanted = keyKind.map { $0 == key.kind } ?? demands.areFulfilled(by: key.kind)
            guard !isWanted else { return (key, nil) }
            let wanted = keyKind ?? demands.key ?? demands.usualKey
            throw EnrollmentError(
                .unsupported,
                "A key of the kind \(key.kind) waits for its certificate, and \(wanted) is wanted now. Give up what waits with discard() of the replacement (signet identity remove \(replacement.requestLabel)), or leave the kind as it was."
            )
        }
        let key = try await Self.newKey(keyKind ?? demands.key ?? demands.usualKey)
        try await keep(key, reference: nil)
        return (key, nil)
    }

    private static func newKey(_ kind: KeyPair.Kind) async throws -> KeyPair {
        guard kind.rsaBits != nil else { return try KeyPair.generate(kind) }
        // It takes seconds, in which other tasks need the threads of the tasks.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try KeyPair.generate(kind) }) }
        }
    }

    private func keep(_ key: KeyPair, reference: String?) async throws {
        let waiting = try await WaitingKey.identity(key, reference: reference, now: replacement.now())
        try await replacement.store.store(waiting, label: replacement.requestLabel)
    }

    private func request(
        replacing current: Identity?, _ demands: EnrollmentDemands, _ key: KeyPair
    ) async throws -> CertificateSigningRequest {
        let all = demands.extensions(
            besides: purposes, alternativeNames, and: extensions, isRenewal: current != nil)
        let password = try demands.password()
        guard let current else {
            return try await CertificateSigningRequest(
                subject: subject, alternativeNames: alternativeNames, purposes: purposes, extensions: all,
                challengePassword: password, key: key)
        }
        return try await CertificateSigningRequest(
            renewing: current.leaf, purposes: purposes, extensions: all, challengePassword: password, key: key)
    }
}
