import Crypto
import CryptoExtras
import SwiftASN1

/// Password-based encryption (RFC 8018 §6.2): PBKDF2 and AES in CBC mode.
enum PBES2 {
    private static let hashes: [ASN1ObjectIdentifier: KDF.Insecure.PBKDF2.HashFunction] = [
        [1, 2, 840, 113_549, 2, 7]: .insecureSHA1,
        [1, 2, 840, 113_549, 2, 8]: .insecureSHA224,
        .PBES2.hmacSHA256: .sha256,
        [1, 2, 840, 113_549, 2, 10]: .sha384,
        [1, 2, 840, 113_549, 2, 11]: .sha512,
    ]

    private static let keySizes: [ASN1ObjectIdentifier: Int] = [
        [2, 16, 840, 1, 101, 3, 4, 1, 2]: 16,
        [2, 16, 840, 1, 101, 3, 4, 1, 22]: 24,
        .PBES2.aes256CBC: 32,
    ]

    static func decrypt(
        _ bytes: ArraySlice<UInt8>, _ algorithm: AlgorithmIdentifier, password: inout PFXPassword
    ) throws -> [UInt8] {
        guard algorithm.algorithm == .PBES2.scheme else { throw algorithm.algorithm.unsupportedInPFX }
        guard let parameters = algorithm.parameters else { throw EncodingError("encryption without parameters") }
        var fields = try NodeReader(parameters)
        let derivation = try AlgorithmIdentifier(try fields.next())
        let cipher = try AlgorithmIdentifier(try fields.next())
        guard let keySize = keySizes[cipher.algorithm] else { throw cipher.algorithm.unsupportedInPFX }
        let vector = try AES._CBC.IV(ivBytes: try cipher.parameters?.octets() ?? [])
        let key = try key(derivation, byteCount: keySize, password: &password)
        return Array(try AES._CBC.decrypt(Array(bytes), using: key, iv: vector))
    }

    private static func key(
        _ derivation: AlgorithmIdentifier, byteCount: Int, password: inout PFXPassword
    ) throws -> SymmetricKey {
        guard derivation.algorithm == .PBES2.pbkdf2 else { throw derivation.algorithm.unsupportedInPFX }
        guard let parameters = derivation.parameters else { throw EncodingError("key derivation without parameters") }
        var fields = try NodeReader(parameters)
        let salt = try fields.next().octets()
        let iterations = try fields.next().integer()
        if let length = try fields.next(ifTagged: .integer)?.integer(), length != byteCount {
            throw EncodingError("a key length that does not fit its cipher")
        }
        var hash = KDF.Insecure.PBKDF2.HashFunction.insecureSHA1
        if let node = fields.nextIfAny() {
            let function = try AlgorithmIdentifier(node).algorithm
            guard let known = hashes[function] else { throw function.unsupportedInPFX }
            hash = known
        }
        try fields.end()
        guard (1...1024).contains(salt.count) else { throw EncodingError("a salt of \(salt.count) bytes") }
        try password.spend(iterations)
        return try password.key(salt: salt, iterations: iterations, hash: hash, byteCount: byteCount)
    }
}
