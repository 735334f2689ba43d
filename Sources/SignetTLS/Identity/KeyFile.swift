/// What a file of keys and certificates holds, before anybody judges whether it makes an identity.
///
/// PKCS#12 (PFX, RFC 7292), PEM (RFC 7468), a certificate or a private key in DER, and PKCS#7 with certificates only
/// (RFC 5652 §5, in DER, BER or PEM) are recognised by their bytes. Nothing that prints a key file shows a key.
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
        /// PKCS#7 that carries certificates and is signed by nobody.
        public static let pkcs7 = Format("PKCS#7")
    }

    /// A private key, described; its bytes stay inside.
    public struct Key: Sendable {
        /// Such as `RSA 2048`, `P-256`, `Ed25519` or `RSA-PSS 2048`; an object identifier when it has no name here.
        public let algorithm: String
        /// What people call it (RFC 2985 §5.5.1).
        public let label: String?
        /// What ties it to its certificate (RFC 2985 §5.5.2).
        public let localKeyID: [UInt8]?
        /// Why the key cannot be used for TLS, with the code `unusableForTLS` or `unsupportedAlgorithm`; nil when it
        /// can.
        public let problem: IdentityError?
        /// Nil when the key is of a kind that is not understood here.
        package let privateKey: PrivateKey?

        /// Whether a client or a server can prove itself with the key over TLS; ``problem`` says why not.
        public var isUsableForTLS: Bool { problem == nil }
    }

    /// A certificate and what the file says about it.
    public struct Certificate: Sendable {
        /// The certificate as it stands in the file; it was not judged.
        public let certificate: EncodedCertificate
        /// What people call it (RFC 2985 §5.5.1); nil when the file does not say.
        public let label: String?
        /// What ties it to its private key (RFC 2985 §5.5.2); nil when the file does not say.
        public let localKeyID: [UInt8]?
    }

    /// What is demanded of a PFX before its content is believed.
    public enum Integrity: Sendable {
        /// A file without a MAC is refused: nobody could tell whether it was altered.
        case required
        /// A file without a MAC is read; one that has a MAC must still have the right one.
        case optional
    }

    /// The kind of the file, recognised by its bytes; the name of the file does not count.
    public let format: Format
    /// The algorithms that protect the file, for people to read, each once and in the order of the file:
    /// `MAC: HMAC-SHA-256 (2048 rounds)`, `PBES2: PBKDF2-HMAC-SHA-256 (2048 rounds), AES-256-CBC`; empty when nothing
    /// does.
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
