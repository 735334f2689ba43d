public import SignetCredentials
public import SignetTLS

/// An authority that certifies keys, reached by one of the protocols for that.
public protocol Enroller: Sendable {
    /// What the authority demands of requests.
    ///
    /// - Parameter identity: what the client shows; nil for nothing.
    func demands(_ identity: Identity?) async throws -> EnrollmentDemands

    /// Requests a certificate, or asks for the decision about an earlier request. A request that was sent before may be
    /// sent again: the authority gives the same answer, or another certificate for the same key.
    ///
    /// - Throws: ``EnrollmentError``, and the errors of transports.
    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer
}

/// What an authority demands of requests for certificates.
public struct EnrollmentDemands: Sendable, Equatable {
    /// The kind of key; nil for any. Where it is RSA, a key with more bits will do as well.
    public var key: KeyPair.Kind?
    /// The kind of key that is made when neither the caller nor the authority asks for one.
    public var usualKey = KeyPair.Kind.p256
    /// Extensions that the request must have.
    public var extensions: [CertificateSigningRequest.Extension] = []

    /// A password that the authority knows the caller by, for the attribute challengePassword of the request (RFC 2985
    /// §5.4.1); nil for no password.
    public var challengePassword: SecretBytes?

    /// Certificates that lead from an issued one to the authority, for when the answer lacks them.
    public var intermediates: [EncodedCertificate] = []

    /// No demands.
    public init() {}

    /// - Throws: ``EnrollmentError`` with `unsupported`: requests have no bytes that are not text.
    func password() throws(EnrollmentError) -> String? {
        guard let challengePassword else { return nil }
        guard let text = challengePassword.text else {
            throw EnrollmentError(.unsupported, "The challenge password is not UTF-8.")
        }
        return text
    }

    /// Whether a key is of the demanded kind.
    func areFulfilled(by kind: KeyPair.Kind) -> Bool {
        if let least = key?.rsaBits, let bits = kind.rsaBits { return bits >= least }
        return key == nil || key == kind
    }
}

/// A request to an authority.
public struct EnrollmentRequest: Sendable {
    /// The request, signed by the key.
    public var content: CertificateSigningRequest
    /// Signed the request.
    public var key: KeyPair
    /// What the client shows to the authority; nil for nothing.
    public var identity: Identity?
    /// Whether ``content`` asks for a certificate in the place of that of ``identity``.
    public var isRenewal: Bool
    /// The name that this enroller gave the request in ``EnrollmentAnswer/pending(after:reference:)``, also in an earlier
    /// run; nil for a new request. The program may have another authority now: an enroller makes names that tell them apart.
    public var reference: String?

    /// A request for tests of an ``Enroller``. Enrollments and renewals make their own requests.
    public init(
        content: CertificateSigningRequest, key: KeyPair, identity: Identity? = nil, isRenewal: Bool = false,
        reference: String? = nil
    ) {
        self.content = content
        self.key = key
        self.identity = identity
        self.isRenewal = isRenewal
        self.reference = reference
    }
}

/// What an authority answers to a request.
public enum EnrollmentAnswer: Sendable, Hashable {
    /// The certificate for the key, and others that lead from there to an authority, in any order.
    case issued([EncodedCertificate])
    /// The authority has not decided yet, and wants to be asked again after this time, with the name that it gives the
    /// request; nil when the request itself is sent again. A name has 1 to 400 bytes.
    case pending(after: Duration, reference: String? = nil)
}
