/// Somebody's word on one certificate of one endpoint, against or for what a policy says.
///
/// An acceptance covers exactly one leaf certificate, one host and port, and one set of failures, until it expires: when anything of
/// it changes it is void, as if it had never been given. It cannot be made of what is not recoverable, such as a forged signature,
/// a revoked certificate or a missing pin.
public struct TrustException: Sendable, Hashable, Codable {
    /// Whether a certificate is accepted against a policy, or refused against it.
    public enum Decision: String, Sendable, Hashable, Codable {
        /// Believe the certificate although it has these failures, and no other.
        case accept
        /// Do not believe the certificate, whatever a policy says.
        case deny
    }

    /// Which way the policy is overruled.
    public let decision: Decision
    /// SHA-256 of the certificate, 32 bytes.
    public let certificate: [UInt8]
    /// Its subject as it was shown, for lists.
    public let subject: String
    /// In lower case, as in the address of the service.
    public let host: String
    /// The port in the address of the service; the exception says nothing of other ports of the host.
    public let port: Int
    /// The names of the rules that it breaks (``TrustError/Rule``); empty for a denial.
    public let rules: Set<String>
    /// Why, in the words of whoever decided.
    public let reason: String
    /// When it was given, in seconds since 1970 in UTC.
    public let recorded: Int64
    /// From when on it does not count any more, in seconds since 1970 in UTC.
    public let expires: Int64

    /// Accepts the certificate that was refused with `error`.
    ///
    /// - Throws: ``TrustExceptionError`` when the refusal is not recoverable, or the times make no sense.
    public init(
        accepting error: TrustError, host: String, port: Int, reason: String, at now: Int64, until expires: Int64
    ) throws(TrustExceptionError) {
        guard error.isRecoverable, let leaf = error.certificates.first else {
            throw TrustExceptionError("This refusal is not for a person to overrule: \(error.message)")
        }
        try self.init(
            .accept, leaf, host: host, port: port, rules: Set(error.failures.map(\.rule.description)), reason: reason,
            at: now, until: expires)
    }

    /// Refuses a certificate that a policy may believe.
    ///
    /// - Throws: ``TrustExceptionError`` when the times make no sense.
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

    /// Whether it overrules `error`, which this certificate was refused with at this endpoint.
    package func accepts(
        _ leaf: EncodedCertificate, refusedWith error: TrustError, host: String, port: Int, at now: Int64
    ) -> Bool {
        decision == .accept && concerns(leaf, host: host, port: port, at: now)
            && rules == Set(error.failures.map(\.rule.description))
    }

    /// Whether it speaks of this certificate at this endpoint now.
    func concerns(_ leaf: EncodedCertificate, host: String, port: Int, at now: Int64) -> Bool {
        recorded <= now && now < expires && certificate == leaf.sha256 && isFor(host: host, port: port)
    }

    /// Whether it was recorded for this endpoint, however the host is written.
    package func isFor(host: String, port: Int) -> Bool {
        self.host == "\(ReferenceIdentifier(host: host))" && self.port == port
    }
}

/// Why there can be no such exception.
public struct TrustExceptionError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a whole sentence.
    public let message: String
    init(_ message: String) { self.message = message }
    public var description: String { message }
}

/// What a policy and the exceptions to it come to.
public enum TrustVerdict: Sendable {
    /// The policy believes the peer.
    case believed(CertificationPath)
    /// An exception believes it; the path is the peer's certificate alone.
    case accepted(CertificationPath, TrustException, TrustError)
    /// An exception refuses it.
    case denied(TrustException)
    /// The policy refuses it, and a person may overrule that.
    case recoverable(TrustError)
    /// The policy refuses it, and that is that.
    case refused(TrustError)

    /// The path, if the peer is believed.
    public var path: CertificationPath? {
        switch self {
        case .believed(let path), .accepted(let path, _, _): path
        case .denied, .recoverable, .refused: nil
        }
    }

    /// Why the peer is not believed.
    public var error: TrustError? {
        switch self {
        case .believed, .accepted: nil
        case .denied(let exception): TrustError(denied: exception)
        case .recoverable(let error), .refused(let error): error
        }
    }

    /// In the terms of Apple's Security framework.
    public var outcome: TrustOutcome {
        switch self {
        case .believed: .unspecified
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

/// The outcomes of an evaluation as Apple's `SecTrustResultType` has them, with its names and numbers.
public enum TrustOutcome: UInt32, Sendable, Hashable, CaseIterable {
    /// Nothing was evaluated: the policy cannot be used.
    case invalid = 0
    /// Somebody chose to believe this certificate here: an exception was recorded.
    case proceed = 1
    /// Somebody wants to be asked every time. Apple has given it up; no evaluation here comes to it.
    case confirm = 2
    /// Somebody chose not to believe this certificate here.
    case deny = 3
    /// Believed, without anybody's word on it.
    case unspecified = 4
    /// Not believed, but a person may overrule that.
    case recoverableTrustFailure = 5
    /// Not believed, and nobody may overrule that.
    case fatalTrustFailure = 6
    /// Something kept the evaluation from coming to an end: nothing was presented, or too much, or what cannot be read.
    case otherError = 7
}

extension TrustPolicy {
    /// Judges what a server presented, and lets exceptions speak where there are any.
    ///
    /// - Parameters:
    ///   - presented: the server's own certificate first; the others in any order.
    ///   - host: the host in the address of the service.
    ///   - now: seconds since 1970 in UTC.
    ///   - exceptions: of which those count that are for exactly this certificate, host and port, and these failures.
    public func evaluate(
        _ presented: [EncodedCertificate], host: String, port: Int, at now: Int64, exceptions: [TrustException]
    ) -> TrustVerdict {
        let verdict = evaluate(presented, as: .server(ReferenceIdentifier(host: host)), at: now)
        let leaf = presented.first
        let denial = exceptions.first { exception in
            exception.decision == .deny
                && leaf.map { exception.concerns($0, host: host, port: port, at: now) } ?? false
        }
        if let denial { return .denied(denial) }
        switch verdict {
        case .success(let path): return .believed(path)
        case .failure(let error):
            guard error.isRecoverable, let leaf else { return .refused(error) }
            let acceptance = exceptions.first {
                $0.accepts(leaf, refusedWith: error, host: host, port: port, at: now)
            }
            guard let acceptance else { return .recoverable(error) }
            return .accepted(CertificationPath(certificates: [leaf]), acceptance, error)
        }
    }
}
