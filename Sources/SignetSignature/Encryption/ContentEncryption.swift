import Crypto
import CryptoExtras
import SignetTLS

/// How the content of a message is encrypted (XML Encryption 1.1 §5.2).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ContentEncryption: Sendable, Hashable, CaseIterable {
    /// AES in Galois/Counter Mode, which also shows whether the content was changed.
    case aes128GCM, aes192GCM, aes256GCM
    /// AES in Cipher Block Chaining mode, for services that know nothing else. It does not show whether the content was changed.
    case aes128CBC, aes192CBC, aes256CBC
}

extension ContentEncryption {
    /// Whether decryption shows that the content was changed.
    package var isAuthenticated: Bool {
        switch self {
        case .aes128GCM, .aes192GCM, .aes256GCM: true
        case .aes128CBC, .aes192CBC, .aes256CBC: false
        }
    }

    /// In bytes.
    var keySize: Int {
        switch self {
        case .aes128GCM, .aes128CBC: 16
        case .aes192GCM, .aes192CBC: 24
        case .aes256GCM, .aes256CBC: 32
        }
    }

    /// The size of the vector before the encrypted content.
    private var vectorSize: Int { isAuthenticated ? 12 : 16 }
    /// The least that follows: a tag, or a block with padding.
    private static let blockSize = 16

    /// A vector, the encrypted content, and for GCM its tag of 16 bytes.
    ///
    /// - Parameter key: ``keySize`` bytes.
    func encrypted(_ plain: [UInt8], key: [UInt8]) throws -> [UInt8] {
        let symmetric = SymmetricKey(data: key)
        if isAuthenticated {
            let box = try AES.GCM.seal(plain, using: symmetric)
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        }
        let vector = [UInt8].random(vectorSize)
        // PKCS#7 is one of the forms that §5.2.1 allows.
        return vector + Array(try AES._CBC.encrypt(plain, using: symmetric, iv: .init(ivBytes: vector)))
    }

    /// Nil for whatever reason it fails, also for a tag that is not of 16 bytes.
    func decrypted(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let (plain, isValid) = opened(bytes, key: key)
        return isValid ? plain : nil
    }

    /// The content, and whether its tag or its padding is valid.
    func opened(_ bytes: [UInt8], key: [UInt8]) -> (plain: [UInt8], isValid: Bool) {
        guard key.count == keySize, bytes.count >= vectorSize + Self.blockSize else { return ([], false) }
        let symmetric = SymmetricKey(data: key)
        if isAuthenticated {
            let plain = try? AES.GCM.open(.init(combined: bytes), using: symmetric)
            return (plain.map(Array.init) ?? [], plain != nil)
        }
        guard let vector = try? AES._CBC.IV(ivBytes: bytes.prefix(vectorSize)),
            let padded = try? AES._CBC.decrypt(
                bytes.dropFirst(vectorSize), using: symmetric, iv: vector, noPadding: true)
        else { return ([], false) }
        // Of the padding, only the last byte has a meaning (§5.2.1).
        let count = padded.last ?? 0
        let isValid = (1...UInt8(Self.blockSize)).contains(count)
        return (Array(padded.dropLast(isValid ? Int(count) : 1)), isValid)
    }

    /// Content of about the size that decryption would have given, which no signature covers: it takes the place of content that
    /// cannot be decrypted, so that the work for both is the same.
    package func decoy(for bytes: [UInt8]) -> [UInt8] {
        let overhead = vectorSize + (isAuthenticated ? Self.blockSize : 1)
        return [UInt8](repeating: UInt8(ascii: " "), count: max(0, bytes.count - overhead))
    }
}

/// How the key of the content is encrypted (XML Encryption 1.1 §5.4, §5.5).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyEncryption: Sendable, Hashable {
    /// RSAES-OAEP with SHA-1 as XML Encryption 1.0 has it (`rsa-oaep-mgf1p`). The weakness of SHA-1 does not matter there.
    case rsaOAEP
    /// RSAES-OAEP with SHA-256 (`rsa-oaep` of XML Encryption 1.1).
    case rsaOAEPSHA256
    /// Elliptic Curve Diffie-Hellman with a new key for each message (`ECDH-ES`), ConcatKDF with SHA-256, and AES-256 key wrap.
    case ecdhES
}
