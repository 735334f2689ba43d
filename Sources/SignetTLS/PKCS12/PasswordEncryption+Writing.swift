import Crypto
import CryptoExtras
import SwiftASN1

extension PasswordEncryption {
    typealias Encrypted = (algorithm: [UInt8], bytes: [UInt8])

    /// PBES2 (RFC 8018 §6.2) with PBKDF2-HMAC-SHA-256 and AES-256-CBC.
    static func aes256(_ plain: [UInt8], password: FilePassword, iterations: Int) throws -> Encrypted {
        let derivation = PBKDF2(salt: .random(16), iterations: iterations)
        let vector = [UInt8].random(16)
        let key = try derivation.key(password.narrowForms.first ?? [], byteCount: 32)
        let algorithm = try DER.bytes { coder in
            try coder.appendAlgorithm(.PBES2.scheme) { coder in
                try coder.appendSequence { coder in
                    try coder.append(derivation)
                    try coder.appendAlgorithm(.CBC.aes256) { $0.appendOctets(vector) }
                }
            }
        }
        return (algorithm, Array(try AES._CBC.encrypt(plain, using: key, iv: .init(ivBytes: vector))))
    }

    /// PBES1 of PKCS#12 (RFC 7292 appendix C) with three-key Triple DES.
    static func tripleDES(_ plain: [UInt8], password: FilePassword, iterations: Int) throws -> Encrypted {
        let salt = [UInt8].random(16)
        let scheme = PBES1(tripleDESSalt: salt, iterations: iterations)
        let algorithm = try DER.bytes { coder in
            try coder.appendAlgorithm(.PKCS12.tripleDES) { coder in
                try coder.appendSequence { coder in
                    coder.appendOctets(salt)
                    try coder.serialize(iterations)
                }
            }
        }
        guard let bytes = scheme.encryptedTripleDES(plain, form: password.wideForms.first ?? []) else {
            throw EncodingError("a key of the wrong size")
        }
        return (algorithm, bytes)
    }
}

extension DER.Serializer {
    /// The parameters of PBKDF2 with HMAC-SHA-256.
    mutating func append(_ derivation: PBKDF2) throws {
        try appendAlgorithm(.PBES2.pbkdf2) { coder in
            try coder.appendSequence { coder in
                coder.appendOctets(derivation.salt)
                try coder.serialize(derivation.iterations)
                if let length = derivation.keyLength { try coder.serialize(length) }
                try coder.appendAlgorithm(.HMAC.sha256) { $0.appendNull() }
            }
        }
    }

    /// MacData (RFC 7292 §4).
    mutating func appendMacData(
        salt: [UInt8], iterations: Int, code: [UInt8], _ algorithm: Body
    ) throws {
        try appendSequence { coder in
            try coder.appendSequence { coder in
                try algorithm(&coder)
                coder.appendOctets(code)
            }
            coder.appendOctets(salt)
            try coder.serialize(iterations)
        }
    }
}
