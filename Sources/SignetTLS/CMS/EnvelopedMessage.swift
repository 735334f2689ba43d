import Crypto
import CryptoExtras
import SwiftASN1

/// EnvelopedData of CMS, whose key is encrypted with the RSA key of its recipient (RFC 5652 §6, RFC 3370 §4.2.1).
package enum EnvelopedMessage {
    /// How the content is encrypted.
    package enum Cipher: Sendable, CaseIterable {
        /// AES-128 in CBC mode (RFC 3565).
        case aes128
        /// Triple DES with three keys (RFC 3370 §5.1), for recipients without AES.
        case tripleDES
    }

    package static let maximumRecipients = 16

    /// Encrypts content for a recipient.
    ///
    /// - Throws: ``CMSProblem`` when the certificate has no RSA key of 2048 to 4096 bits.
    package static func sealed(
        _ content: [UInt8], for recipient: EncodedCertificate, _ cipher: Cipher
    ) throws(CMSProblem) -> [UInt8] {
        try CMSProblem.reading { () throws -> [UInt8] in
            guard let certificate = recipient.content else {
                throw CMSProblem.malformed("the recipient's certificate cannot be read")
            }
            guard case .rsa(let key) = try PublicKey(publicKeyInfo: certificate.publicKeyInfo) else {
                throw CMSProblem.unsupported("a recipient whose key is not RSA")
            }
            let (algorithm, secret, encrypted) = try encrypted(content, cipher)
            let wrapped = try _RSA.Encryption.PublicKey(derRepresentation: key.derRepresentation)
                .encrypt(secret, padding: ._WEAK_AND_INSECURE_PKCS_V1_5)
            return try DER.bytes { coder in
                try coder.appendContent(.CMS.envelopedData) { coder in
                    try coder.appendSequence { coder in
                        try coder.serialize(0)
                        try coder.appendConstructedNode(identifier: .set) { coder in
                            try coder.appendSequence { coder in
                                try coder.serialize(0)
                                coder.appendName(of: certificate)
                                try coder.appendAlgorithm(.AlgorithmIdentifier.rsaEncryption) { $0.appendNull() }
                                coder.appendOctets(Array(wrapped))
                            }
                        }
                        try coder.appendSequence { coder in
                            try coder.serialize(ASN1ObjectIdentifier.PKCS12.data)
                            coder.serializeRawBytes(algorithm)
                            coder.appendPrimitiveNode(identifier: .context(0)) { $0.append(contentsOf: encrypted) }
                        }
                    }
                }
            }
        }
    }

    private static func encrypted(
        _ content: [UInt8], _ cipher: Cipher
    ) throws -> (algorithm: [UInt8], key: [UInt8], bytes: [UInt8]) {
        let vector = [UInt8].random(cipher == .tripleDES ? 8 : 16)
        func algorithm(_ identifier: ASN1ObjectIdentifier) throws -> [UInt8] {
            try DER.bytes { try $0.appendAlgorithm(identifier) { $0.appendOctets(vector) } }
        }
        switch cipher {
        case .aes128:
            let key = [UInt8].random(16)
            let bytes = try AES._CBC.encrypt(content, using: SymmetricKey(data: key), iv: .init(ivBytes: vector))
            return (try algorithm(.CBC.aes128), key, Array(bytes))
        case .tripleDES:
            let key = [UInt8].random(24)
            guard let function = TripleDES(key: key) else { throw EncodingError("a key of the wrong size") }
            return (try algorithm(.CBC.tripleDES), key, function.encryptedCBC(content, vector: vector))
        }
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - bytes: the message in DER or BER.
    ///   - key: the recipient's, in memory.
    ///   - allowsDES: whether content that is encrypted with a key of 56 bits is accepted.
    ///   - recipients: how many recipients the message may have. A server that answers strangers takes one: with a second one,
    ///     whose key the sender knows, its answer would show whether the first key could be unwrapped.
    /// - Throws: ``CMSProblem``.
    package static func opened(
        _ bytes: [UInt8], with key: KeyPair, allowsDES: Bool = false, recipients: Int = maximumRecipients
    ) throws(CMSProblem) -> [UInt8] {
        guard bytes.count <= SignedMessage.maximumBytes else {
            throw .malformed("it has \(bytes.count) bytes, and at most \(SignedMessage.maximumBytes) are read")
        }
        return try CMSProblem.reading { () throws -> [UInt8] in
            guard case .held(let key) = key.key, case .rsa = key.publicKey else {
                throw CMSProblem.unsupported("a recipient whose key is not an RSA key in memory")
            }
            var fields = try ContentInfo.fields(of: bytes, as: .CMS.envelopedData)
            _ = try fields.next().integer()
            _ = fields.next(ifContext: 0)
            let wrapped = try wrappedKeys(try fields.next(), atMost: recipients)
            var content = try NodeReader(try fields.next())
            _ = try content.next().objectIdentifier()
            let algorithm = try AlgorithmIdentifier(try content.next())
            if algorithm.algorithm == .CBC.des, !allowsDES { throw CMSProblem.weak("content encrypted with DES") }
            let cipher = try CBCCipher(algorithm, allowsDES: allowsDES)
            guard let encrypted = content.next(ifContext: 0) else { throw EncodingError("no encrypted content") }
            let body = try encrypted.octets()
            // When no key can be unwrapped, another one takes its place, so that an attacker who sends messages does not
            // learn which part was wrong (RFC 3218 §2.3.2).
            let secret = wrapped.lazy.compactMap { try? key.decrypted($0) }.first { $0.count == cipher.keySize }
            if let plain = cipher.decrypted(body, key: SymmetricKey(data: secret ?? .random(cipher.keySize))) {
                return plain
            }
            throw CMSProblem.notDecrypted
        }
    }

    /// The keys that are encrypted with RSA PKCS#1 v1.5; which recipient is meant, the key will show.
    private static func wrappedKeys(_ set: ASN1Node, atMost maximum: Int) throws -> [[UInt8]] {
        var nodes = try NodeReader(set, .set)
        var result: [[UInt8]] = []
        var other: ASN1ObjectIdentifier?
        while let node = nodes.nextIfAny() {
            // Other kinds of recipients have other tags.
            guard node.identifier == .sequence else { continue }
            guard result.count < maximum else { throw EncodingError("more than \(maximum) recipients") }
            var fields = try NodeReader(node)
            _ = try fields.next().integer()
            _ = try fields.next()
            let algorithm = try AlgorithmIdentifier(try fields.next()).algorithm
            guard algorithm == .AlgorithmIdentifier.rsaEncryption else {
                other = algorithm
                continue
            }
            result.append(Array(try fields.next().octets()))
            try fields.end()
        }
        if result.isEmpty, let other {
            throw CMSProblem.unsupported("a key that is encrypted by the algorithm \(other)")
        }
        return result
    }
}
