/// How messages are signed and encrypted with certificates, as a WSDL demands it: `sp:AsymmetricBinding`, with the parts
/// that other assertions of its policies name (WS-SecurityPolicy 1.3 §4, §7.4). Generated code makes these.
public struct AsymmetricBinding: Sendable, Hashable {
    /// Algorithms that belong together (§6.1). All encrypt with AES in CBC mode, which does not show changes, and its keys with RSA-OAEP of
    /// XML Encryption 1.0; Signet takes ECDH-ES for a recipient with a key on a curve.
    ///
    /// For all of them the standard names RSA with SHA-1 as the signature. Other programs sign with RSA and SHA-256, or
    /// ECDSA with SHA-256, where the name ends in `Sha256`, and so does Signet.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum AlgorithmSuite: Sendable, Hashable {
        /// AES-256, AES-192 or AES-128, and SHA-256.
        case basic256Sha256, basic192Sha256, basic128Sha256
        /// AES-256, AES-192 or AES-128, and SHA-1.
        case basic256, basic192, basic128
    }

    /// What of a message is signed, and what is encrypted.
    public struct Protection: Sendable, Hashable {
        /// The parts that are signed.
        public var signed: Set<MessagePart>
        /// The parts that are encrypted.
        public var encrypted: Set<MessagePart>

        /// - Parameters:
        ///   - signed: the parts that are signed.
        ///   - encrypted: the parts that are encrypted.
        public init(signed: Set<MessagePart> = [], encrypted: Set<MessagePart> = []) {
            self.signed = signed
            self.encrypted = encrypted
        }
    }

    /// The algorithms.
    public var suite: AlgorithmSuite
    /// How a request brings or names the client's certificate, which signs it.
    public var client: CertificateReference
    /// How a request names the service's certificate, for which it is encrypted.
    public var service: CertificateReference
    /// Whether an answer confirms the signature of its request (`sp:RequireSignatureConfirmation`, §9.2).
    public var confirmsSignature: Bool
    /// Whether the token of ``MessagePart/signingToken`` is signed by STR-Transform (`sp:STRTransform10`, §6.1).
    public var usesTokenTransform: Bool
    /// The parts of requests. Header blocks that a request does not have need not be signed.
    public var request: Protection
    /// The parts of answers.
    public var answer: Protection

    /// - Parameters:
    ///   - suite: the algorithms.
    ///   - client: see ``client``.
    ///   - service: see ``service``.
    ///   - confirmsSignature: see ``confirmsSignature``.
    ///   - usesTokenTransform: see ``usesTokenTransform``.
    ///   - request: the parts of requests.
    ///   - answer: the parts of answers.
    public init(
        _ suite: AlgorithmSuite, client: CertificateReference = .certificate,
        service: CertificateReference = .issuerSerial, confirmsSignature: Bool = false,
        usesTokenTransform: Bool = false, request: Protection, answer: Protection
    ) {
        self.suite = suite
        self.client = client
        self.service = service
        self.confirmsSignature = confirmsSignature
        self.usesTokenTransform = usesTokenTransform
        self.request = request
        self.answer = answer
    }
}

extension AsymmetricBinding.AlgorithmSuite {
    /// Whether signatures are made with SHA-1, which no longer protects against a signer who makes two messages with one
    /// signature.
    public var usesSHA1: Bool {
        switch self {
        case .basic256, .basic192, .basic128: true
        case .basic256Sha256, .basic192Sha256, .basic128Sha256: false
        }
    }
}

extension AsymmetricBinding.AlgorithmSuite: CustomStringConvertible {
    /// The name in WS-SecurityPolicy.
    public var description: String {
        switch self {
        case .basic256: "Basic256"
        case .basic192: "Basic192"
        case .basic128: "Basic128"
        case .basic256Sha256: "Basic256Sha256"
        case .basic192Sha256: "Basic192Sha256"
        case .basic128Sha256: "Basic128Sha256"
        }
    }
}

extension AsymmetricBinding: CustomStringConvertible {
    public var description: String {
        request.encrypted.isEmpty && answer.encrypted.isEmpty
            ? "messages signed with a certificate (\(suite))"
            : "messages signed and encrypted with certificates (\(suite))"
    }
}
