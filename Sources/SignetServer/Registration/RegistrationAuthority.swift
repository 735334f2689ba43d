#if Server
import Foundation
public import SignetCredentials
public import SignetHTTP
public import SignetTLS
import Synchronization

/// A small authority that certifies the keys of clients over EST (RFC 7030, RFC 8951) and SCEP (RFC 8894), says which of its
/// certificates are revoked (RFC 5280 §5, RFC 6960), and decides by your own rule.
///
/// It is fit for tests and for a closed fleet whose servers trust it by name. It is not a public authority: its key is in the
/// process, and it has no audit, no ceremony and no second person.
///
/// ```swift
/// var authority = try RegistrationAuthority(authorityIdentity, keepingIn: issued) { request in
///     if request.isRenewal { return .issue }
///     return await fleet.owns(request.user, request.subject) ? .issue : .refuse("This device is not yours.")
/// }
/// authority.authentication = .basic(realm: "registration") { user, password in await fleet.check(user, password) }
/// settings.registration = authority
/// ```
public struct RegistrationAuthority: Sendable {
    /// Decides about a request that a known client has made and whose signature is right. An error is logged, and the client
    /// gets 500.
    public typealias Approval = @Sendable (RegistrationRequest) async throws -> RegistrationDecision

    /// SCEP (RFC 8894) beside EST. It may be on a server without TLS. The authority needs an RSA key in memory, for which
    /// clients encrypt their requests.
    public struct SCEP: Sendable {
        /// Where it is on the server.
        public var path = "/scep"
        /// Whether requests may be signed over SHA-1 and encrypted with DES, as some old clients do.
        public var acceptsWeakRequests = false
        let accepts: @Sendable (SecretBytes) async throws -> Bool

        /// - Parameter accepts: whether a challenge password lets a client enroll. A client that signs with a certificate of this
        ///   authority needs none. It sees the password again when the client repeats its request.
        public init(acceptingChallenge accepts: @escaping @Sendable (SecretBytes) async throws -> Bool) {
            self.accepts = accepts
        }
    }

    /// Where EST is on the server.
    public var path = "/.well-known/est"
    /// Where revocation lists (`/crl`) and answers of OCSP (`/ocsp`) are on the server. Both are signed, and clients fetch
    /// them over plain HTTP: give a server without TLS (``SOAPServer/withoutTLS(_:path:authentication:settings:)``) the same
    /// authority.
    public var statusPath = "/ca"
    /// SCEP on the server; nil for no SCEP.
    public var scep: SCEP?
    /// The address of ``statusPath`` for clients, which issued certificates name, such as `http://ca.example/ca`; nil to name
    /// none.
    public var statusAddress: Endpoint?
    /// What a client without a certificate must give to enroll over EST; ``ServerAuthentication/none`` to demand a certificate.
    public var authentication = ServerAuthentication.none
    /// How long certificates are valid, from an hour, but never longer than that of the authority.
    public var validity = Duration.seconds(90 * 86_400)
    /// What certificates are for.
    public var purposes: [CertificateSigningRequest.Purpose] = [.client]
    /// After which time a client of EST asks again about a request that waits; from one second. Those of SCEP have a rule of
    /// their own.
    public var retryAfter = Duration.seconds(60)
    /// How long a revocation list and an answer of OCSP may be used, from a minute to a year.
    public var statusLife = Duration.seconds(3600)

    let issuer: CertificateIssuer
    let identity: Identity
    let state = RegistrationState()
    /// The certificates that lead from that of the authority to its root.
    let chain: [EncodedCertificate]
    let store: any IssuedCertificateStore
    let approve: Approval
    let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - identity: that of the authority, whose certificate allows it to issue others and to sign lists.
    ///   - store: keeps what is issued.
    ///   - approval: decides about each request.
    /// - Throws: `IdentityError` with `invalidRequest` when the identity is not that of an authority.
    public init(
        _ identity: Identity, keepingIn store: any IssuedCertificateStore, approving approval: @escaping Approval
    ) throws(IdentityError) {
        issuer = try CertificateIssuer(identity)
        // Clients take the root from this answer (RFC 7030 §4.1.3); an identity keeps it apart.
        let root = identity.authorities.certificates.first { root in
            root.isIssued(by: root) && identity.chain.last?.isIssued(by: root) == true
        }
        chain = identity.chain + [root].compactMap(\.self).filter { !identity.chain.contains($0) }
        self.identity = identity
        self.store = store
        approve = approval
        now = { Int64(Date().timeIntervalSince1970) }
    }

    /// Revokes a certificate for good. Lists and answers say so at once; clients may use older ones for ``statusLife``.
    ///
    /// - Parameters:
    ///   - certificate: one that this authority issued.
    ///   - reason: neither `certificateHold` nor `removeFromList`: a revocation cannot be taken back.
    /// - Returns: false when this authority issued no such certificate.
    /// - Throws: `IdentityError` with `invalidRequest` for another reason; the store's errors.
    @discardableResult
    public func revoke(
        _ certificate: EncodedCertificate, for reason: RevocationReason = .unspecified
    ) async throws -> Bool {
        guard let number = certificate.serialNumber, certificate.isIssued(by: issuer.certificate) else { return false }
        return try await revoke(serialNumber: number, for: reason)
    }

    /// Revokes the certificate with a serial number (``/SignetTLS/EncodedCertificate/serialNumber``), as
    /// ``revoke(_:for:)``.
    @discardableResult
    public func revoke(serialNumber: [UInt8], for reason: RevocationReason = .unspecified) async throws -> Bool {
        guard reason != .certificateHold, reason != .removeFromList else {
            throw IdentityError(
                .invalidRequest,
                "This authority revokes for good; \(reason) would be taken back. Revoke for another reason.")
        }
        return try await store.revoke(serialNumber: serialNumber, .init(at: now(), for: reason))
    }

    // MARK: Deciding

    enum Outcome {
        case issued(EncodedCertificate)
        case waits
        case refused(String)
    }

    /// Whether this authority issued a certificate, which is valid and not revoked; nil for one that is not in its store.
    func isGood(_ certificate: EncodedCertificate) async throws -> Bool? {
        guard certificate.isIssued(by: issuer.certificate),
            let entry = try await store.certificate(serialNumber: certificate.serialNumber ?? []),
            entry.certificate == certificate
        else { return nil }
        return entry.revocation == nil && (certificate.notAfter ?? .min) >= now()
    }

    /// Decides about a request, and issues the certificate.
    ///
    /// - Throws: `IdentityError`, `SigningKeyError`, the store's errors, those of the approval.
    func outcome(of request: ReceivedRequest, _ asked: RegistrationRequest) async throws -> Outcome {
        // The same request may come twice at once; one of them is enough.
        guard state.begin(asked.publicKeySHA256) else { return .waits }
        defer { state.end(asked.publicKeySHA256) }
        let known = try await store.certificates(publicKeySHA256: asked.publicKeySHA256)
        guard !known.contains(where: { $0.revocation?.reason == .keyCompromise }) else {
            return .refused("The key of the request was revoked, because it is no longer secret. Make a new key.")
        }
        // A client whose answer was lost asks again, and an eavesdropper repeats what it saw.
        if !asked.isRenewal, let again = known.first(where: { $0.revocation == nil && request.renews($0.certificate) }),
            (again.certificate.notAfter ?? .min) > now()
        {
            return .issued(again.certificate)
        }
        switch try await approve(asked) {
        case .wait: return .waits
        case .refuse(let reason): return .refused(reason)
        case .issue(let subject):
            do { return .issued(try await issue(request, subject)) } catch let error as IdentityError
                where error.code == .invalidRequest
            { return .refused(error.message) }
        }
    }

    // MARK: Issuing

    /// A peer's clock may be this many seconds behind.
    private static let clockTolerance: Int64 = 300

    /// - Throws: `IdentityError`, `SigningKeyError`, the store's errors.
    private func issue(_ request: ReceivedRequest, _ subject: SubjectName?) async throws -> EncodedCertificate {
        let begin = now()
        let (end, overflow) = begin.addingReportingOverflow(validity.components.seconds)
        let last = issuer.certificate.notAfter ?? begin
        var terms = CertificateIssuer.Terms(
            notBefore: begin - Self.clockTolerance, notAfter: overflow ? last : min(end, last))
        terms.purposes = purposes
        terms.subject = subject
        terms.hasAlternativeNames = subject == nil
        terms.listAddress = statusAddress.map { Self.url($0, "crl") }
        terms.ocspAddress = statusAddress.map { Self.url($0, "ocsp") }
        let certificate = try await issuer.certificate(for: request, terms)
        try await store.add(IssuedCertificate(certificate))
        return certificate
    }

    private static func url(_ address: Endpoint, _ last: String) -> String {
        address.url.hasSuffix("/") ? address.url + last : "\(address.url)/\(last)"
    }

    // MARK: Revocation

    func revocationList() async throws -> [UInt8] {
        let time = now()
        let revoked = try await store.certificates().compactMap { entry -> CertificateIssuer.Revocation? in
            // An entry stays in one list after the certificate has expired (RFC 5280 §3.3).
            guard let revocation = entry.revocation, let number = entry.certificate.serialNumber,
                (entry.certificate.notAfter ?? .min) >= time - statusLife.components.seconds
            else { return nil }
            return .init(serialNumber: number, time: revocation.time, reason: revocation.reason)
        }.sorted { $0.serialNumber.lexicographicallyPrecedes($1.serialNumber) }
        return try await issuer.revocationList(
            revoked, number: state.nextListNumber(atLeast: time), now: time - Self.clockTolerance,
            next: time + statusLife.components.seconds)
    }

    func status(answering question: [UInt8]) async throws -> [UInt8] {
        let time = now()
        return try await issuer.ocspAnswer(
            to: question, now: time - Self.clockTolerance, next: time + statusLife.components.seconds
        ) { number in
            guard let entry = try await store.certificate(serialNumber: number) else { return .unknown }
            return entry.revocation.map { .revoked(at: $0.time, $0.reason) } ?? .good
        }
    }
}

/// A client's request for a certificate.
public struct RegistrationRequest: Sendable {
    /// The subject that is asked for (RFC 4514); the client chose it. Compare it with what the client may have: any client can
    /// ask for any name.
    public let subject: String
    /// Other names that are asked for, such as `dns:device-7.example`.
    public let alternativeNames: [String]
    /// SHA-256 of the public key, by which a request is known when it comes again.
    public let publicKeySHA256: [UInt8]
    /// The certificate that the client showed, of this authority or of another one that the server admits; nil when it showed
    /// none.
    public let client: EncodedCertificate?
    /// The user whose credentials over HTTP were accepted; nil without credentials.
    public let user: String?
    /// Whether the client asks for a certificate in the place of ``client``, which this authority issued and which is good, with
    /// the same names.
    public let isRenewal: Bool
}

/// What becomes of a request.
public enum RegistrationDecision: Sendable {
    /// The certificate is issued for this subject alone; nil for the subject and the alternative names that are asked for.
    case issue(as: SubjectName?)
    /// The client is to ask again.
    case wait
    /// The client gets 403 with this text, or a failure of SCEP.
    case refuse(String)

    /// The certificate is issued as it is asked for.
    public static let issue = RegistrationDecision.issue(as: nil)
}

/// What an authority remembers while the process runs.
final class RegistrationState: Sendable {
    private struct Waiting {
        var request: [UInt8]
        var end: Int64
    }

    private struct Memory {
        var waiting: [String: Waiting] = [:]
        var keys: Set<[UInt8]> = []
        var list: Int64 = 0
    }

    private let memory = Mutex(Memory())
    private static let maximumWaiting = 1_000
    private static let waitingSeconds: Int64 = 7 * 86_400

    /// Begins to certify a key; false while it is being certified.
    func begin(_ key: [UInt8]) -> Bool { memory.withLock { $0.keys.insert(key).inserted } }
    func end(_ key: [UInt8]) { memory.withLock { _ = $0.keys.remove(key) } }

    /// Numbers of lists grow (RFC 5280 §5.2.3), also when the clock does not.
    func nextListNumber(atLeast time: Int64) -> Int64 {
        memory.withLock { memory in
            memory.list = max(memory.list &+ 1, time)
            return memory.list
        }
    }

    /// A request of SCEP that waits: a client that polls sends it no more (CertPoll, RFC 8894 §3.3.3).
    func waiting(_ place: String) -> [UInt8]? { memory.withLock { $0.waiting[place]?.request } }

    /// - Returns: false when too many requests wait.
    func wait(_ place: String, _ request: [UInt8], at now: Int64) -> Bool {
        memory.withLock { memory in
            if memory.waiting.count >= Self.maximumWaiting {
                memory.waiting = memory.waiting.filter { $0.value.end > now }
            }
            guard memory.waiting[place] != nil || memory.waiting.count < Self.maximumWaiting else { return false }
            memory.waiting[place] = Waiting(request: request, end: now + Self.waitingSeconds)
            return true
        }
    }

    func forget(_ place: String) { memory.withLock { $0.waiting[place] = nil } }
}
#endif
