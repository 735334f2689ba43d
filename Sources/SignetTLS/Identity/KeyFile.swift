/// The keys and certificates of a file, before it is decided whether they make an identity.
///
/// Its bytes show the kind of the file: PKCS#12 (PFX, RFC 7292), PEM (RFC 7468), a certificate or a private key in DER,
/// or PKCS#7 with certificates only (RFC 5652 §5, in DER, BER or PEM). Nothing that prints a key file shows a key.
public struct KeyFile: Sendable {
    /// The kind of a file. New kinds may be added: keep a `default` when switching.
    public struct Format: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// PKCS#12 (RFC 7292).
        public static let pfx = Format("PKCS#12")
        /// Base64 between lines of dashes (RFC 7468).
        public static let pem = Format("PEM")
        /// One certificate in DER.
        public static let certificate = Format("certificate in DER")
        /// One private key in DER: PKCS#8, encrypted PKCS#8, PKCS#1 or SEC 1.
        public static let privateKey = Format("private key in DER")
        /// PKCS#7 that carries certificates and has no signature.
        public static let pkcs7 = Format("PKCS#7")
    }

    /// A description of a private key. Its bytes are not public.
    public struct Key: Sendable {
        /// Such as `RSA 2048`, `P-256`, `Ed25519` or `RSA-PSS 2048`; an object identifier when Signet has no name for
        /// it.
        public let algorithm: String
        /// The friendly name (RFC 2985 §5.5.1).
        public let label: String?
        /// The identifier that the key shares with its certificate (RFC 2985 §5.5.2).
        public let localKeyID: [UInt8]?
        /// Why the key cannot be used for TLS, with the code `unusableForTLS` or `unsupportedAlgorithm`; nil when it
        /// can.
        public let problem: IdentityError?
        /// Nil when the key is of a kind that Signet cannot read.
        package let privateKey: PrivateKey?

        /// Whether a client or a server can authenticate itself with the key over TLS; ``problem`` says why not.
        public var isUsableForTLS: Bool { problem == nil }
    }

    /// A certificate and what the file says about it.
    public struct Certificate: Sendable {
        /// The certificate as it is in the file. It has not been checked.
        public let certificate: EncodedCertificate
        /// The friendly name (RFC 2985 §5.5.1); nil when the file does not give one.
        public let label: String?
        /// The identifier that it shares with its private key (RFC 2985 §5.5.2); nil when the file does not give one.
        public let localKeyID: [UInt8]?
    }

    /// Whether a PFX must prove that its content was not altered.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Integrity: Sendable {
        /// A file without a MAC is refused, since an alteration would not be noticed.
        case required
        /// A file without a MAC is read. A MAC that is present must still be right.
        case optional
    }

    /// The kind of the file, recognised by its bytes and not by its name.
    public let format: Format
    /// The algorithms that protect the file, to show to users, each once and in the order of the file:
    /// `MAC: HMAC-SHA-256 (2048 rounds)`, `PBES2: PBKDF2-HMAC-SHA-256 (2048 rounds), AES-256-CBC`; empty when nothing
    /// protects it.
    public let protections: [String]
    /// In the order of the file.
    public let keys: [Key]
    /// In the order of the file.
    public let certificates: [Certificate]
}

extension KeyFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "KeyFile(\(format), \(keys.count) keys, \(certificates.count) certificates)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["format": format, "protections": protections], displayStyle: .struct)
    }
}
