import Crypto
import SwiftASN1

/// Password-based encryption (RFC 8018 §6.2): PBKDF2 or scrypt, and a cipher in CBC mode.
struct PBES2 {
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
    private let cipher: CBCCipher

    init(parameters: ASN1Node?) throws {
        guard let parameters else { throw EncodingError("encryption without parameters") }
        var fields = try NodeReader(parameters)
        derivation = try Derivation(try AlgorithmIdentifier(try fields.next()))
        cipher = try CBCCipher(try AlgorithmIdentifier(try fields.next()))
        try fields.end()
        if let length = derivation.keyLength, length != cipher.keySize {
            throw EncodingError("a key length that does not fit its cipher")
        }
    }

    var description: String { "PBES2: \(derivation.description), \(cipher.name)" }

    /// - Returns: nil when the padding shows that the password is wrong.
    func decrypted(
        _ bytes: ArraySlice<UInt8>, form: [UInt8], spending password: inout FilePassword
    ) throws -> [UInt8]? {
        let key = try derivation.key(form, byteCount: cipher.keySize, spending: &password)
        return cipher.decrypted(bytes, key: key)
    }
}
