import SwiftASN1

/// Collects the keys and certificates that the readers of the formats find in one file. The limits apply to the whole
/// file.
struct KeyFileReader {
    static let maximumKeys = 128

    var password: FilePassword
    /// Whether the file holds certificates as well as a key. Advice to encode it anew must not lose them.
    var holdsCertificates = false
    private(set) var keys: [KeyFile.Key] = []
    private(set) var certificates: [KeyFile.Certificate] = []
    private(set) var protections: [String] = []

    init(password: FilePassword) { self.password = password }

    mutating func note(_ protection: String) {
        if !protections.contains(protection) { protections.append(protection) }
    }

    mutating func add(_ certificate: EncodedCertificate, _ attributes: BagAttributes = .init()) {
        certificates.append(
            .init(certificate: certificate, label: attributes.label, localKeyID: attributes.localKeyID))
    }

    /// PrivateKeyInfo (RFC 5208 §5) or OneAsymmetricKey (RFC 5958 §2).
    mutating func addKey(pkcs8 node: ASN1Node, _ attributes: BagAttributes = .init()) throws {
        var fields = try NodeReader(node)
        _ = try fields.next().integer()
        try addKey(
            algorithm: try AlgorithmIdentifier(try fields.next()), bytes: try fields.next().octets(), attributes)
    }

    /// EncryptedPrivateKeyInfo (RFC 5208 §6).
    mutating func addKey(encrypted node: ASN1Node, _ attributes: BagAttributes = .init()) throws {
        var fields = try NodeReader(node)
        let algorithm = try AlgorithmIdentifier(try fields.next())
        let bytes = try fields.next().octets()
        try fields.end()
        let plain = try open(bytes, algorithm, "the private key in the \(password.file) file")
        try addKey(pkcs8: plain, attributes)
    }

    /// A key of an unknown kind is described; a malformed key makes the file damaged.
    mutating func addKey(
        algorithm: AlgorithmIdentifier, bytes: ArraySlice<UInt8>, _ attributes: BagAttributes = .init()
    ) throws {
        let name = KeyDescription.name(algorithm, bytes)
        let (key, problem): (PrivateKey?, IdentityError?)
        do {
            key = try PrivateKey(algorithm: algorithm, key: bytes)
            problem =
                algorithm.algorithm == .AlgorithmIdentifier.rsaPSS
                ? IdentityError(
                    .unusableForTLS,
                    """
                    The \(password.file) file holds an RSA-PSS key (id-RSASSA-PSS), which cannot be used for TLS here. \
                    Have a certificate issued for a key of type RSA, P-256 or Ed25519.
                    """) : nil
        } catch AlgorithmProblem.malformed(let what) {
            throw AlgorithmProblem.malformed(what)
        } catch {
            key = nil
            problem = IdentityError(
                .unsupportedAlgorithm, "The \(password.file) file holds \(error).", cause: error)
        }
        try add(
            .init(
                algorithm: name, label: attributes.label, localKeyID: attributes.localKeyID, problem: problem,
                privateKey: key))
    }

    mutating func add(_ key: KeyFile.Key) throws(IdentityError) {
        guard keys.count < Self.maximumKeys else {
            throw IdentityError(
                .tooLarge, "The \(password.file) file holds more than \(Self.maximumKeys) private keys.")
        }
        keys.append(key)
    }

    /// Decrypts one value and notes how it was encrypted.
    mutating func open(
        _ bytes: ArraySlice<UInt8>, _ algorithm: AlgorithmIdentifier, _ what: String
    ) throws -> ASN1Node {
        let encryption = try PasswordEncryption(algorithm)
        note(encryption.description)
        return try encryption.open(bytes, what, password: &password)
    }
}
