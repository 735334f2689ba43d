import Crypto
import CryptoExtras
import SwiftASN1

/// A cipher in CBC mode with its vector, as key files and messages name it (RFC 3565 §2.1, RFC 8018 §B.2).
struct CBCCipher {
    private enum Function { case aes, tripleDES, des }

    private static let ciphers: [ASN1ObjectIdentifier: (function: Function, keySize: Int, name: String)] = [
        .CBC.aes128: (.aes, 16, "AES-128-CBC"),
        [2, 16, 840, 1, 101, 3, 4, 1, 22]: (.aes, 24, "AES-192-CBC"),
        .CBC.aes256: (.aes, 32, "AES-256-CBC"),
        .CBC.tripleDES: (.tripleDES, 24, "DES-EDE3-CBC"),
    ]

    private let function: Function
    /// In bytes.
    let keySize: Int
    let name: String
    private let vector: [UInt8]

    /// - Parameter allowsDES: whether a key of 56 bits is accepted.
    /// - Throws: ``UnsupportedAlgorithm``, ``EncodingError``, or the decoder's error.
    init(_ algorithm: AlgorithmIdentifier, allowsDES: Bool = false) throws {
        if allowsDES, algorithm.algorithm == .CBC.des {
            (function, keySize, name) = (.des, 8, "DES-CBC")
        } else {
            guard let known = Self.ciphers[algorithm.algorithm] else { throw UnsupportedAlgorithm(algorithm.algorithm) }
            (function, keySize, name) = known
        }
        vector = Array(try algorithm.parameters?.octets() ?? [])
        guard vector.count == (function == .aes ? 16 : 8) else {
            throw EncodingError("a vector that does not fit its cipher")
        }
    }

    /// - Parameter key: ``keySize`` bytes.
    /// - Returns: nil when the padding shows that the key is wrong, and when the key has another size.
    func decrypted(_ bytes: ArraySlice<UInt8>, key: SymmetricKey) -> [UInt8]? {
        guard key.bitCount == keySize * 8 else { return nil }
        if function == .aes {
            guard let vector = try? AES._CBC.IV(ivBytes: vector),
                let plain = try? AES._CBC.decrypt(Array(bytes), using: key, iv: vector)
            else { return nil }
            return Array(plain)
        }
        var bits = unsafe key.withUnsafeBytes(Array.init)
        // With three equal keys, triple DES is DES.
        if function == .des { bits = bits + bits + bits }
        return TripleDES(key: bits)?.decryptedCBC(bytes, vector: vector[...])
    }
}

extension ASN1ObjectIdentifier {
    enum CBC {
        static let aes128: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 2]
        static let aes256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]
        static let tripleDES: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 3, 7]
        static let des: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 7]
    }
}
