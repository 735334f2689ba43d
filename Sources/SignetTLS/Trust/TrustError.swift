/// Why a peer's certificate was refused.
public struct TrustError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The path is valid, but matches none of the pins: an attacker intercepts the connection, or the key was
        /// changed.
        public static let pinMismatch = Code("pinMismatch")
        /// The certificate is for another host (RFC 9525 §6).
        public static let hostNameMismatch = Code("hostNameMismatch")
        /// A certificate's validity has ended.
        public static let expired = Code("expired")
        /// A certificate's validity has not begun, or the local clock is slow.
        public static let notYetValid = Code("notYetValid")
        /// No path leads to a trust anchor.
        public static let unknownAuthority = Code("unknownAuthority")
        /// The end-entity certificate signed itself and is not a trust anchor.
        public static let selfSigned = Code("selfSigned")
        /// The peer presented no certificate.
        public static let noCertificate = Code("noCertificate")
        /// A signature was not made by the key of the issuer that the certificate names.
        public static let badSignature = Code("badSignature")
        /// The certificate must not be used for this purpose (RFC 5280 §4.2.1.12), or it is an authority's own.
        public static let wrongUsage = Code("wrongUsage")
        /// A certificate signed another one without being an authority (RFC 5280 §4.2.1.9, §4.2.1.3).
        public static let notAnAuthority = Code("notAnAuthority")
        /// A name lies outside what an authority may vouch for (RFC 5280 §4.2.1.10).
        public static let nameConstraint = Code("nameConstraint")
        /// A signature or key is too weak: MD5, SHA-1, RSA below 2048 bits, or an algorithm that Signet cannot check.
        public static let weakAlgorithm = Code("weakAlgorithm")
        /// The bytes are not a readable certificate: the DER is damaged, too large, or breaks RFC 5280; or an issuer
        /// has no name.
        public static let unreadable = Code("unreadable")
        /// A critical extension that Signet does not know (RFC 5280 §4.2).
        public static let unhandledCriticalExtension = Code("unhandledCriticalExtension")
        /// Too many certificates, names or signature checks: the peer is refused to keep the work bounded.
        public static let tooComplex = Code("tooComplex")
        /// There are more authorities below one than it allows (RFC 5280 §4.2.1.9).
        public static let pathLength = Code("pathLength")
        /// The authority has revoked a certificate of the path (RFC 5280 §6.3, RFC 6960 §2.2).
        public static let revoked = Code("revoked")
        /// The policy demands to know whether a certificate of the path is revoked, and it could not be found out.
        public static let revocationUnknown = Code("revocationUnknown")
        /// An exception records that this certificate is not trusted for this endpoint.
        public static let denied = Code("denied")
        /// The policy itself cannot be used: a malformed pin, no two pins of one kind, or no trust anchor at all.
        public static let invalidPolicy = Code("invalidPolicy")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What is wrong, with which certificate, and what to do next.
    public var message: String
    /// The certificates that the peer presented, its own first.
    public var certificates: [EncodedCertificate]
    /// The rule that was broken; nil in an error that did not come from an evaluation.
    public var rule: Rule?
    /// The certificate that broke it; nil when no single certificate did.
    public var culprit: Culprit?
    /// Whether a user who knows the peer can reasonably accept this one certificate by its SHA-256 until it changes. It
    /// is always false when pins are enforced.
    public var canBeOverruled: Bool { !failures.isEmpty }
    /// All rules that a user would have to overlook to trust the peer, that of ``message`` first. Empty when no user
    /// may overlook them: the certificate may be forged, or the policy is at fault.
    public var failures: [Failure]

    /// One rule that was broken.
    public struct Failure: Sendable, Hashable, CustomStringConvertible {
        /// The rule, by which an exception for this failure is recorded (``TrustException/rules``).
        public let rule: Rule
        /// What is wrong, with which certificate, and what to do next.
        public let message: String
        public var description: String { message }
    }

    /// Where the certificate that broke the rule comes from.
    public enum Culprit: Sendable, Hashable {
        /// Its position in ``TrustError/certificates``.
        case presented(Int)
        /// A trust anchor, or an intermediate that the policy itself knows.
        case known(EncodedCertificate)
    }

    /// An error of your own code, such as a transport or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what is wrong, with which certificate, and what to do next.
    ///   - certificates: those that the peer presented, its own first.
    ///   - rule: the rule that was broken; nil in an error that does not come from an evaluation.
    ///   - culprit: the certificate that broke `rule`.
    ///   - failures: all rules that a user would have to overlook; an empty array makes the refusal final.
    public init(
        _ code: Code, _ message: String, certificates: [EncodedCertificate] = [], rule: Rule? = nil,
        culprit: Culprit? = nil, failures: [Failure] = []
    ) {
        self.code = code
        self.message = message
        self.certificates = certificates
        self.rule = rule
        self.culprit = culprit
        self.failures = failures
    }

    /// - Parameter recoverable: all refusals that a user would have to overlook, this one first; empty when no user
    ///   may.
    init(_ refusal: Refusal, presented: [EncodedCertificate], recoverable: [Refusal]) {
        let culprit = refusal.certificate.map { certificate in
            presented.firstIndex(of: certificate).map { Culprit.presented($0) } ?? .known(certificate)
        }
        self.init(
            refusal.rule.code, refusal.message, certificates: presented, rule: refusal.rule, culprit: culprit,
            failures: recoverable.map { Failure(rule: $0.rule, message: $0.message) })
    }

    init(denied exception: TrustException) {
        self.init(
            .denied,
            """
            The certificate “\(exception.subject)” is not trusted for \(exception.host):\(exception.port): this was \
            recorded at \(UnixTime.text(exception.recorded)) (“\(exception.reason)”). Revoke the record if it is wrong.
            """)
    }

    public var description: String { message }
}

extension TrustError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
