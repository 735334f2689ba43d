import Crypto
import SwiftASN1

/// The integrity check of a PFX (RFC 7292 §4, MacData): HMAC with the key derivation of appendix B, or PBMAC1 (RFC
/// 9579).
enum PFXMac {
    /// Signet's own SHA-224 is several times as slow as the others, so its work counts accordingly.
    enum Hash: String {
        case sha1 = "SHA-1", sha224 = "SHA-224", sha256 = "SHA-256", sha384 = "SHA-384", sha512 = "SHA-512"
    }

    case appendixB(Hash, digest: [UInt8], salt: [UInt8], iterations: Int)
    case pbmac1(Hash, digest: [UInt8], PBKDF2, keyLength: Int)

    private static let hashes: [ASN1ObjectIdentifier: Hash] = [
        .sha1: .sha1,
        [2, 16, 840, 1, 101, 3, 4, 2, 4]: .sha224,
        .sha256: .sha256,
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384,
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
    ]

    private static let schemes: [ASN1ObjectIdentifier: Hash] = [
        .HMAC.sha1: .sha1, .HMAC.sha224: .sha224, .HMAC.sha256: .sha256, .HMAC.sha384: .sha384, .HMAC.sha512: .sha512,
    ]

    init(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        var digestInfo = try NodeReader(try fields.next())
        let algorithm = try AlgorithmIdentifier(try digestInfo.next())
        let digest = Array(try digestInfo.next().octets())
        try digestInfo.end()
        let salt = Array(try fields.next().octets())
        let iterations = try fields.nextIfAny()?.integer() ?? 1
        try fields.end()
        if algorithm.algorithm == .PBES2.pbmac1 {
            self = try Self.pbmac1(algorithm.parameters, digest: digest)
        } else {
            guard let hash = Self.hashes[algorithm.algorithm] else { throw UnsupportedAlgorithm(algorithm.algorithm) }
            try salt.checkSalt()
            self = .appendixB(hash, digest: digest, salt: salt, iterations: iterations)
        }
    }

    private static func pbmac1(_ parameters: ASN1Node?, digest: [UInt8]) throws -> Self {
        guard let parameters else { throw EncodingError("a PBMAC1 without parameters") }
        var fields = try NodeReader(parameters)
        let derivation = try PBKDF2(try AlgorithmIdentifier(try fields.next()))
        let scheme = try AlgorithmIdentifier(try fields.next()).algorithm
        try fields.end()
        guard let hash = schemes[scheme] else { throw UnsupportedAlgorithm(scheme) }
        // RFC 9579 §5 and §9: the length must be stated, and an attacker could guess a short key.
        guard let length = derivation.keyLength, (20...64).contains(length) else {
            throw EncodingError("a PBMAC1 whose key length is absent, below 20 or above 64 bytes")
        }
        return .pbmac1(hash, digest: digest, derivation, keyLength: length)
    }

    var description: String {
        switch self {
        case .appendixB(let hash, _, _, let iterations): "MAC: HMAC-\(hash.rawValue) (\(iterations) rounds)"
        case .pbmac1(let hash, _, let derivation, _): "PBMAC1: \(derivation.description), HMAC-\(hash.rawValue)"
        }
    }

    /// Whether an owner of the password wrote `content`.
    func isValid(for content: ArraySlice<UInt8>, password: inout FilePassword) throws -> Bool {
        switch self {
        case .appendixB(let hash, let digest, let salt, let iterations):
            for (number, form) in password.wideForms.enumerated() {
                // The work of the standard form must fit the limit. Another form is tried only when its work fits too.
                do { try password.spend(iterations, hashes: hash == .sha224 ? 4 : 1) } catch {
                    if number == 0 { throw error }
                    return false
                }
                let key = Self.derivedKey(hash, password: form, salt: salt, iterations: iterations)
                if Self.isValid(hash, digest, content, key) { return true }
            }
            return false
        case .pbmac1(let hash, let digest, let derivation, let length):
            let form = password.narrowForms.first ?? []
            let key = try derivation.key(form, byteCount: length, spending: &password)
            return Self.isValid(hash, digest, content, key)
        }
    }

    private static func isValid(_ hash: Hash, _ digest: [UInt8], _ content: ArraySlice<UInt8>, _ key: SymmetricKey)
        -> Bool
    {
        func check<H: HashFunction>(_: H.Type) -> Bool {
            HMAC<H>.isValidAuthenticationCode(digest, authenticating: content, using: key)
        }
        return switch hash {
        case .sha1: check(Insecure.SHA1.self)
        case .sha224: check(SHA224.self)
        case .sha256: check(SHA256.self)
        case .sha384: check(SHA384.self)
        case .sha512: check(SHA512.self)
        }
    }

    /// - Parameter iterations: the caller has already counted them.
    static func derivedKey(_ hash: Hash, password: [UInt8], salt: [UInt8], iterations: Int) -> SymmetricKey {
        func derive<H: HashFunction>(_: H.Type) -> SymmetricKey {
            // The key has the length of one hash value.
            SymmetricKey(
                data: PFXKeyDerivation.derive(
                    H.self, .mac, password: password, salt: salt, iterations: iterations, byteCount: H.Digest.byteCount)
            )
        }
        return switch hash {
        case .sha1: derive(Insecure.SHA1.self)
        case .sha224: derive(SHA224.self)
        case .sha256: derive(SHA256.self)
        case .sha384: derive(SHA384.self)
        case .sha512: derive(SHA512.self)
        }
    }
}
