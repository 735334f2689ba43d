/// The decision of a person about one certificate of one endpoint, which overrules the policy.
///
/// An acceptance covers exactly one leaf certificate, one host and port, and one set of failures, until it expires.
/// When any of these changes, the acceptance no longer counts. It cannot be made for a failure that is not recoverable,
/// such as a forged signature, a revoked certificate or a missing pin.
public struct TrustException: Sendable, Hashable, Codable {
    /// Whether a certificate is accepted although the policy refuses it, or refused although the policy accepts it.
    public enum Decision: String, Sendable, Hashable, Codable {
        /// Trust the certificate although it has these failures, and no others.
        case accept
        /// Do not trust the certificate, whatever a policy says.
        case deny
    }

    /// Whether the certificate is accepted or denied.
    public let decision: Decision
    /// SHA-256 of the certificate, 32 bytes.
    public let certificate: [UInt8]
    /// Its subject as it was shown, for lists of exceptions.
    public let subject: String
    /// The host in the address of the service, in lower case.
    public let host: String
    /// The port in the address of the service. The exception does not apply to other ports of the host.
    public let port: Int
    /// The names of the rules that the certificate breaks (``TrustError/Rule``); empty for a denial.
    public let rules: Set<String>
    /// The reason, in the words of the person who decided.
    public let reason: String
    /// When the decision was made, in seconds since 1970 in UTC.
    public let recorded: Int64
    /// From when on the exception no longer counts, in seconds since 1970 in UTC.
    public let expires: Int64

    /// Accepts a certificate that was refused with `error`.
    ///
    /// - Throws: ``TrustExceptionError`` when the refusal is not recoverable, or `expires` is not after `now`.
    public init(
        accepting error: TrustError, host: String, port: Int, reason: String, at now: Int64, until expires: Int64
    ) throws(TrustExceptionError) {
        guard error.canBeOverruled, let leaf = error.certificates.first else {
            throw TrustExceptionError("No exception can overrule this refusal: \(error.message)")
        }
        try self.init(
            .accept, leaf, host: host, port: port, rules: Set(error.failures.map(\.rule.description)), reason: reason,
            at: now, until: expires)
    }

    /// Denies a certificate that a policy may trust.
    ///
    /// - Throws: ``TrustExceptionError`` when `expires` is not after `now`.
    public init(
        denying certificate: EncodedCertificate, host: String, port: Int, reason: String, at now: Int64,
        until expires: Int64
    ) throws(TrustExceptionError) {
        try self.init(
            .deny, certificate, host: host, port: port, rules: [], reason: reason, at: now, until: expires)
    }

    private init(
        _ decision: Decision, _ certificate: EncodedCertificate, host: String, port: Int, rules: Set<String>,
        reason: String, at now: Int64, until expires: Int64
    ) throws(TrustExceptionError) {
        guard now < expires else { throw TrustExceptionError("An exception must expire after it was given.") }
        self.decision = decision
        self.certificate = certificate.sha256
        subject = certificate.subject
        self.host = "\(ReferenceIdentifier(host: host))"
        self.port = port
        self.rules = rules
        self.reason = reason
        recorded = now
        self.expires = expires
    }

    /// Whether it overrules `error`, with which this certificate was refused at this endpoint.
    package func accepts(
        _ leaf: EncodedCertificate, refusedWith error: TrustError, host: String, port: Int, at now: Int64
    ) -> Bool {
        decision == .accept && concerns(leaf, host: host, port: port, at: now)
            && rules == Set(error.failures.map(\.rule.description))
    }

    /// Whether it applies to this certificate at this endpoint now.
    func concerns(_ leaf: EncodedCertificate, host: String, port: Int, at now: Int64) -> Bool {
        recorded <= now && now < expires && certificate == leaf.sha256 && isFor(host: host, port: port)
    }

    /// Whether it was recorded for this endpoint; other spellings of the same host count.
    package func isFor(host: String, port: Int) -> Bool {
        self.host == "\(ReferenceIdentifier(host: host))" && self.port == port
    }
}

/// Why an exception cannot be made.
public struct TrustExceptionError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in a whole sentence.
    public let message: String

    /// An error of your own code, such as a test.
    ///
    /// - Parameter message: what is wrong, in a whole sentence; it must not contain a secret.
    public init(_ message: String) { self.message = message }

    public var description: String { message }
}

/// The result of a policy together with the exceptions to it.
public enum TrustVerdict: Sendable {
    /// The policy trusts the peer.
    case trusted(CertificationPath)
    /// The policy refuses the peer and an exception accepts it. The path is the peer's certificate alone.
    case accepted(CertificationPath, TrustException, TrustError)
    /// An exception denies the peer.
    case denied(TrustException)
    /// The policy refuses the peer, and a person may overrule that.
    case recoverable(TrustError)
    /// The policy refuses the peer, and no exception can overrule that.
    case refused(TrustError)

    /// The path, if the peer is trusted.
    public var path: CertificationPath? {
        switch self {
        case .trusted(let path), .accepted(let path, _, _): path
        case .denied, .recoverable, .refused: nil
        }
    }

    /// Why the peer is not trusted.
    public var error: TrustError? {
        switch self {
        case .trusted, .accepted: nil
        case .denied(let exception): TrustError(denied: exception)
        case .recoverable(let error), .refused(let error): error
        }
    }

    /// The verdict in the terms of Apple's Security framework.
    public var outcome: TrustOutcome {
        switch self {
        case .trusted: .unspecified
        case .accepted: .proceed
        case .denied: .deny
        case .recoverable: .recoverableTrustFailure
        case .refused(let error):
            switch error.code {
            case .invalidPolicy: .invalid
            case .noCertificate, .tooComplex, .unreadable: .otherError
            default: .fatalTrustFailure
            }
        }
    }
}

/// The outcomes of an evaluation, with the names and numbers of Apple's `SecTrustResultType`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TrustOutcome: UInt32, Sendable, Hashable, CaseIterable {
    /// Nothing was evaluated: the policy cannot be used.
    case invalid = 0
    /// A person accepted this certificate for this endpoint: an exception was recorded.
    case proceed = 1
    /// The person wants to be asked every time. Apple has deprecated it; no evaluation of Signet returns it.
    case confirm = 2
    /// A person denied this certificate for this endpoint.
    case deny = 3
    /// The policy trusts the peer; no person decided.
    case unspecified = 4
    /// The policy refuses the peer, but a person may overrule that.
    case recoverableTrustFailure = 5
    /// The policy refuses the peer, and no person may overrule that.
    case fatalTrustFailure = 6
    /// The evaluation could not be completed: the peer presented no certificate, too many, or one that cannot be read.
    case otherError = 7
}
