import Crypto
import CryptoExtras
import SwiftASN1

/// Password-based encryption (RFC 8018 §6.2): PBKDF2 or scrypt, and a cipher in CBC mode.
struct PBES2 {
    enum Cipher { case aes, tripleDES }

    private static let ciphers: [ASN1ObjectIdentifier: (cipher: Cipher, keySize: Int, name: String)] = [
        [2, 16, 840, 1, 101, 3, 4, 1, 2]: (.aes, 16, "AES-128-CBC"),
        [2, 16, 840, 1, 101, 3, 4, 1, 22]: (.aes, 24, "AES-192-CBC"),
        .PBES2.aes256CBC: (.aes, 32, "AES-256-CBC"),
        .PBES2.tripleDESCBC: (.tripleDES, 24, "DES-EDE3-CBC"),
    ]

    private enum Derivation {
        case pbkdf2(PBKDF2)
        case scrypt(Scrypt)

        init(_ algorithm: AlgorithmIdentifier) throws {
            self =
                algorithm.algorithm == Scrypt.identifier
                ? .scrypt(try Scrypt(algorithm.parameters)) : .pbkdf2(try PBKDF2(algorithm))
        }

        var keyLength: Int? {
            switch self {
            case .pbkdf2(let function): function.keyLength
            case .scrypt(let function): function.keyLength
            }
        }

        var description: String {
            switch self {
            case .pbkdf2(let function): function.description
            case .scrypt(let function): function.description
            }
        }

        func key(_ form: [UInt8], byteCount: Int, spending password: inout FilePassword) throws -> SymmetricKey {
            switch self {
            case .pbkdf2(let function): try function.key(form, byteCount: byteCount, spending: &password)
            case .scrypt(let function): try function.key(form, byteCount: byteCount, spending: &password)
            }
        }
    }

    private let derivation: Derivation
    private let cipher: Cipher
    private let keySize: Int
    private let name: String
    private let vector: ArraySlice<UInt8>

    init(parameters: ASN1Node?) throws {
        guard let parameters else { throw EncodingError("encryption without parameters") }
        var fields = try NodeReader(parameters)
        derivation = try Derivation(try AlgorithmIdentifier(try fields.next()))
        let algorithm = try AlgorithmIdentifier(try fields.next())
        try fields.end()
        guard let known = Self.ciphers[algorithm.algorithm] else { throw UnsupportedAlgorithm(algorithm.algorithm) }
        (cipher, keySize, name) = known
        vector = try algorithm.parameters?.octets() ?? []
        guard vector.count == (cipher == .aes ? 16 : 8) else {
            throw EncodingError("a vector that does not fit its cipher")
        }
        if let length = derivation.keyLength, length != keySize {
            throw EncodingError("a key length that does not fit its cipher")
        }
    }

    var description: String { "PBES2: \(derivation.description), \(name)" }

    /// - Returns: nil when the padding shows that the password is wrong.
    func decrypted(
        _ bytes: ArraySlice<UInt8>, form: [UInt8], spending password: inout FilePassword
    ) throws -> [UInt8]? {
        let key = try derivation.key(form, byteCount: keySize, spending: &password)
        switch cipher {
        case .aes:
            guard let vector = try? AES._CBC.IV(ivBytes: vector),
                let plain = try? AES._CBC.decrypt(Array(bytes), using: key, iv: vector)
            else { return nil }
            return Array(plain)
        case .tripleDES:
            return unsafe TripleDES(key: key.withUnsafeBytes(Array.init))?.decryptedCBC(bytes, vector: vector)
        }
    }
}
