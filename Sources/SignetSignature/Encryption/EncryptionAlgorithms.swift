import Crypto
import SignetTLS

/// The closed list of algorithms, each with its identifier (XML Encryption 1.1 §5).
enum EncryptionAlgorithms {
    static let content: [(uri: String, method: ContentEncryption)] = [
        ("http://www.w3.org/2009/xmlenc11#aes128-gcm", .aes128GCM),
        ("http://www.w3.org/2009/xmlenc11#aes192-gcm", .aes192GCM),
        ("http://www.w3.org/2009/xmlenc11#aes256-gcm", .aes256GCM),
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", .aes128CBC),
        ("http://www.w3.org/2001/04/xmlenc#aes192-cbc", .aes192CBC),
        ("http://www.w3.org/2001/04/xmlenc#aes256-cbc", .aes256CBC),
    ]

    static let oaep10 = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
    static let oaep11 = "http://www.w3.org/2009/xmlenc11#rsa-oaep"
    static let agreement = "http://www.w3.org/2009/xmlenc11#ECDH-ES"
    static let derivation = "http://www.w3.org/2009/xmlenc11#ConcatKDF"

    /// AES key wrap, and the size of its key in bytes.
    static let wrap: [(uri: String, keySize: Int)] = [
        ("http://www.w3.org/2001/04/xmlenc#kw-aes128", 16), ("http://www.w3.org/2001/04/xmlenc#kw-aes192", 24),
        ("http://www.w3.org/2001/04/xmlenc#kw-aes256", 32),
    ]

    /// The hashes of RSAES-OAEP.
    static let oaepDigest: [(uri: String, hash: OAEPHash)] = [
        ("http://www.w3.org/2000/09/xmldsig#sha1", .sha1), ("http://www.w3.org/2001/04/xmlenc#sha256", .sha256),
    ]
    static let mask: [(uri: String, hash: OAEPHash)] = [
        ("http://www.w3.org/2009/xmlenc11#mgf1sha1", .sha1), ("http://www.w3.org/2009/xmlenc11#mgf1sha256", .sha256),
    ]

    /// The tables have each method.
    static func uri(_ method: ContentEncryption) -> String { content.first { $0.method == method }?.uri ?? "" }

    static func unknown(_ what: String, _ uri: String) -> EncryptionProblem {
        EncryptionProblem(.unsupported, UnknownAlgorithm.sentence(what, uri))
    }
}

/// Why an element cannot be encrypted or decrypted, as the end of a sentence. Nothing in it depends on a secret.
package struct EncryptionProblem: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// The element is not what XML Encryption prescribes.
        case malformed
        /// An algorithm, or a way to name a key, that is not in the closed list.
        case unsupported
    }

    package var kind: Kind
    package var reason: String

    package init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

/// The derivation of keys by hashing a counter, the secret, and what both sides know (NIST SP 800-56A §5.8.1, XML Encryption 1.1
/// §5.4.1).
enum ConcatenationKDF {
    static func key(_ secret: [UInt8], _ information: [UInt8], _ hash: SigningAlgorithm.Hash, size: Int) -> [UInt8] {
        var key: [UInt8] = []
        var counter: UInt32 = 1
        while key.count < size {
            let begin = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
            key += DigestMethod.strong(hash).digest(of: begin + secret + information)
            counter += 1
        }
        return Array(key.prefix(size))
    }
}
