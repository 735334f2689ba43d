import Crypto
import CryptoExtras
import SwiftASN1

/// The key derivation of PBES2 and PBMAC1 with its parameters (RFC 8018 §5.2 and appendix A.2).
struct PBKDF2 {
    struct Hash: Sendable {
        let name: String
        let byteCount: Int
        fileprivate let function: KDF.Insecure.PBKDF2.HashFunction
    }

    private static let hashes: [ASN1ObjectIdentifier: Hash] = [
        .HMAC.sha1: Hash(name: "SHA-1", byteCount: 20, function: .insecureSHA1),
        .HMAC.sha224: Hash(name: "SHA-224", byteCount: 28, function: .insecureSHA224),
        .HMAC.sha256: Hash(name: "SHA-256", byteCount: 32, function: .sha256),
        .HMAC.sha384: Hash(name: "SHA-384", byteCount: 48, function: .sha384),
        .HMAC.sha512: Hash(name: "SHA-512", byteCount: 64, function: .sha512),
    ]

    let salt: [UInt8]
    let iterations: Int
    let keyLength: Int?
    let hash: Hash

    init(_ algorithm: AlgorithmIdentifier) throws {
        guard algorithm.algorithm == .PBES2.pbkdf2 else { throw UnsupportedAlgorithm(algorithm.algorithm) }
        guard let parameters = algorithm.parameters else { throw EncodingError("key derivation without parameters") }
        var fields = try NodeReader(parameters)
        guard let salt = fields.next(ifTagged: .octetString) else { throw EncodingError("a salt of an unknown kind") }
        self.salt = Array(try salt.octets())
        iterations = try fields.next().integer()
        keyLength = try fields.next(ifTagged: .integer)?.integer()
        // An absent function means HMAC-SHA-1.
        let function = try fields.nextIfAny().map { try AlgorithmIdentifier($0).algorithm } ?? .HMAC.sha1
        guard let hash = Self.hashes[function] else { throw UnsupportedAlgorithm(function) }
        self.hash = hash
        try fields.end()
        try self.salt.checkSalt()
    }

    /// A new derivation with a fresh salt, HMAC-SHA-256 and no stated key length, as most programs write it.
    init(salt: [UInt8], iterations: Int, keyLength: Int? = nil) {
        self.salt = salt
        self.iterations = iterations
        self.keyLength = keyLength
        hash = Hash(name: "SHA-256", byteCount: 32, function: .sha256)
    }

    var description: String { "PBKDF2-HMAC-\(hash.name) (\(iterations) rounds)" }

    /// - Throws: ``IdentityError`` with `tooLarge` when the work exceeds the limit for the file.
    func key(_ form: [UInt8], byteCount: Int, spending password: inout FilePassword) throws -> SymmetricKey {
        try password.spend(iterations, hashes: 2 * ((byteCount + hash.byteCount - 1) / hash.byteCount))
        return try key(form, byteCount: byteCount)
    }

    /// - Parameter form: the password. The caller has already counted the iterations.
    func key(_ form: [UInt8], byteCount: Int) throws -> SymmetricKey {
        // HMAC pads its key with zeros, so one zero byte means the same as no byte, and the C function never gets a
        // null pointer.
        try KDF.Insecure.PBKDF2.deriveKey(
            from: form.isEmpty ? [0] : form, salt: salt, using: hash.function, outputByteCount: byteCount,
            unsafeUncheckedRounds: iterations)
    }
}

extension [UInt8] {
    /// - Throws: ``EncodingError`` for a salt of a length that no program writes.
    func checkSalt() throws(EncodingError) {
        guard (1...1024).contains(count) else { throw EncodingError("a salt of \(count) bytes") }
    }
}
