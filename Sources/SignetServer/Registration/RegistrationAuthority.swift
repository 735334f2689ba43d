#if Server
import Foundation
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

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
/// authority.authentication = .basic(realm: "registration") { await fleet.check($0.user, $0.password) }
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
        let user: @Sendable (SecretBytes) async throws -> String?

        /// - Parameter user: names the client to whom a challenge password belongs, for ``RegistrationRequest/user``; nil for a
        ///   password that does not count. A client that signs with a certificate of this authority needs none. The closure is
        ///   called once for a request, unless the authority fails: a client that asks again about a request that waits, or
        ///   whose certificate was issued, is known by its key.
        public init(userOfChallenge user: @escaping @Sendable (SecretBytes) async throws -> String?) {
            self.user = user
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
    /// The URL of ``statusPath`` that certificates contain, such as `http://ca.example/ca`; nil: certificates contain none.
    public var statusAddress: Endpoint?
    /// What a client without a certificate must give to enroll over EST; ``ServerAuthentication/none`` to demand a certificate.
    public var authentication = ServerAuthentication.none
    /// How long certificates are valid, from an hour, but never longer than the authority's certificate.
    public var validity = Duration.seconds(90 * 86_400)
    /// What certificates are for (extended key usage, RFC 5280 §4.2.1.12); empty for any use.
    public var purposes: [CertificateSigningRequest.Purpose] = [.client]
    /// After which time a client of EST asks again about a request that waits; from one second. Clients of SCEP choose the
    /// time themselves.
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

    /// Revokes a certificate for good. Lists and answers say so at once; clients may use older ones for ``statusLife``. A later
    /// reason is ignored, but for `keyCompromise`: no key with that reason gets another certificate.
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
        defer { state.forgetList() }
        return try await store.revoke(serialNumber: serialNumber, .init(at: now(), for: reason))
    }

    // MARK: Deciding

    enum Outcome {
        case issued(EncodedCertificate)
        case waits
        case refused(String)
    }

    /// Whether this authority issued a certificate, which is valid and not revoked, and whose key is secret; nil for one that
    /// is not in its store.
    func isGood(_ certificate: EncodedCertificate) async throws -> Bool? {
        guard certificate.isIssued(by: issuer.certificate),
            let entry = try await store.certificate(serialNumber: certificate.serialNumber ?? []),
            entry.certificate == certificate
        else { return nil }
        guard entry.revocation == nil, (certificate.notAfter ?? .min) >= now() else { return false }
        return try await !isCompromised(certificate.publicKeySHA256 ?? [])
    }

    private func isCompromised(_ key: [UInt8]) async throws -> Bool {
        try await store.certificates(publicKeySHA256: key).contains { $0.revocation?.reason == .keyCompromise }
    }

    /// The certificate that was issued for the same request, when it is in the first third of its life. A client whose answer
    /// was lost asks again, and an eavesdropper repeats what it saw.
    ///
    /// - Parameter former: the certificate that a renewal replaces.
    func issued(for request: ReceivedRequest, replacing former: EncodedCertificate?) async throws -> EncodedCertificate?
    {
        let time = now()
        return try await store.certificates(publicKeySHA256: request.publicKeySHA256).first { entry in
            guard entry.revocation == nil, request.renews(entry.certificate), entry.certificate != former,
                let begin = entry.certificate.notBefore, let end = entry.certificate.notAfter, begin <= time,
                begin >= former?.notBefore ?? .min
            else { return false }
            return time < begin + (end - begin) / 3
        }?.certificate
    }

    /// Decides about a request, and issues the certificate.
    ///
    /// - Throws: `IdentityError`, `SigningKeyError`, the store's errors, those of the approval.
    func outcome(of request: ReceivedRequest, _ asked: RegistrationRequest) async throws -> Outcome {
        // The same request may come twice at once; one of them is enough.
        guard state.begin(asked.publicKeySHA256) else { return .waits }
        defer { state.end(asked.publicKeySHA256) }
        guard try await !isCompromised(asked.publicKeySHA256) else {
            return .refused("The key of the request was revoked, because it is no longer secret. Make a new key.")
        }
        if let again = try await issued(for: request, replacing: asked.isRenewal ? asked.client : nil) {
            return .issued(again)
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
        guard last > begin else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The certificate of the authority, “\(issuer.certificate.subject)”, has expired. Renew it.")
        }
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

    /// The same one within a second, unless the store's content was changed here.
    func revocationList() async throws -> [UInt8] {
        let time = now()
        if let list = state.list(at: time) { return list }
        let (number, revision) = state.nextList(atLeast: time)
        let revoked = try await store.certificates().compactMap { entry -> CertificateIssuer.Revocation? in
            // An entry stays in one list after the certificate has expired (RFC 5280 §3.3).
            guard let revocation = entry.revocation, let number = entry.certificate.serialNumber,
                (entry.certificate.notAfter ?? .min) >= time - statusLife.components.seconds
            else { return nil }
            return .init(serialNumber: number, time: revocation.time, reason: revocation.reason)
        }.sorted { $0.serialNumber.lexicographicallyPrecedes($1.serialNumber) }
        let list = try await issuer.revocationList(
            revoked, number: number, now: time - Self.clockTolerance, next: time + statusLife.components.seconds)
        state.keep(list, at: time, revision)
        return list
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
    /// The user whose credentials over HTTP were accepted, or to whom the challenge password of SCEP belongs; nil without them.
    public let user: String?
    /// Whether the client renews ``client``, which this authority issued and which is good, with the same names: by
    /// `simplereenroll` of EST, or by any request of SCEP that it signs with that certificate.
    public let isRenewal: Bool

    /// A request for tests of a ``RegistrationAuthority/Approval``. The authority makes its own requests.
    public init(
        subject: String, alternativeNames: [String] = [], publicKeySHA256: [UInt8], client: EncodedCertificate? = nil,
        user: String? = nil, isRenewal: Bool = false
    ) {
        self.subject = subject
        self.alternativeNames = alternativeNames
        self.publicKeySHA256 = publicKeySHA256
        self.client = client
        self.user = user
        self.isRenewal = isRenewal
    }
}

/// What becomes of a request.
public enum RegistrationDecision: Sendable {
    /// The certificate is issued for this subject alone; nil for the subject and the alternative names that are asked for.
    case issue(as: SubjectName?)
    /// The client asks again later, and your closure decides then.
    case wait
    /// The client gets 403 with this text, or a failure of SCEP.
    case refuse(String)

    /// The certificate is issued as it is asked for.
    public static let issue = RegistrationDecision.issue(as: nil)
}
#endif
