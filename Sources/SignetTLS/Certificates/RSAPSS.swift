import Crypto
import CryptoExtras
import SwiftASN1

/// The parameters of RSASSA-PSS (RFC 4055 §3.1).
struct PSSParameters: Sendable, Hashable {
    var hash: SignatureAlgorithm.Hash
    /// The hash of the mask generation function MGF1.
    var maskHash: SignatureAlgorithm.Hash
    /// In bytes.
    var saltLength: Int

    private static let mgf1: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 8]
}

extension PSSParameters {
    init(_ node: ASN1Node?) throws(AlgorithmProblem) {
        // Absent parameters mean SHA-1.
        guard let node else { throw .weak("an RSA-PSS signature over SHA-1") }
        do {
            var fields = try NodeReader(node)
            let digest = try fields.next(ifContext: 0).map { try AlgorithmIdentifier(try $0.explicit()) }
            let mask = try fields.next(ifContext: 1).map { try AlgorithmIdentifier(try $0.explicit()) }
            let salt = try fields.next(ifContext: 2).map { try $0.explicit().integer() } ?? 20
            let trailer = try fields.next(ifContext: 3).map { try $0.explicit().integer() } ?? 1
            try fields.end()
            guard mask == nil || mask?.algorithm == Self.mgf1, trailer == 1, (0...1_024).contains(salt) else {
                throw AlgorithmProblem.unsupported("an RSA-PSS signature with unknown parameters")
            }
            let maskDigest = try mask?.parameters.map { try AlgorithmIdentifier($0) }
            guard let hash = digest.flatMap({ SignatureAlgorithm.Hash($0.algorithm) }),
                let maskHash = maskDigest.flatMap({ SignatureAlgorithm.Hash($0.algorithm) })
            else { throw AlgorithmProblem.weak("an RSA-PSS signature over SHA-1 or an unknown hash") }
            (self.hash, self.maskHash, saltLength) = (hash, maskHash, salt)
        } catch let problem as AlgorithmProblem {
            throw problem
        } catch { throw .malformed("an RSA-PSS signature algorithm") }
    }

    /// Whether these are the parameters that most authorities use, which BoringSSL can check.
    private var isUsual: Bool { hash == maskHash && saltLength == hash.size }

    /// Whether the owner of `key` signed a message (RFC 8017 §8.1.2).
    func isValid(_ signature: ArraySlice<UInt8>, over message: ArraySlice<UInt8>, by key: _RSA.Signing.PublicKey)
        -> Bool
    {
        if isUsual {
            return hash.check(message) { digest in
                key.isValidSignature(.init(rawRepresentation: Array(signature)), for: digest, padding: .PSS)
            }
        }
        guard let numbers = try? key.getKeyPrimitives(),
            let operation = RSAPublicOperation(modulus: numbers.modulus, exponent: numbers.publicExponent),
            let encoded = operation.apply(to: signature)
        else { return false }
        return isEncoding(encoded, of: message, bits: operation.bits - 1)
    }

    /// EMSA-PSS-VERIFY (RFC 8017 §9.1.2).
    ///
    /// - Parameter encoded: has the length of the modulus.
    private func isEncoding(_ encoded: [UInt8], of message: ArraySlice<UInt8>, bits: Int) -> Bool {
        let length = (bits + 7) / 8
        let excess = encoded.count - length
        guard excess >= 0, encoded.prefix(excess).allSatisfy({ $0 == 0 }), length >= hash.size + saltLength + 2,
            encoded.last == 0xBC
        else { return false }
        let block = encoded.dropFirst(excess).dropLast()
        let (masked, digest) = (block.dropLast(hash.size), block.suffix(hash.size))
        var data = zip(masked, maskHash.mask(digest, length: masked.count)).map { $0 ^ $1 }
        let unused = 8 * length - bits
        guard let first = masked.first, first & ~(0xFF >> UInt8(unused)) == 0 else { return false }
        data[0] &= 0xFF >> UInt8(unused)
        let padding = data.dropLast(saltLength)
        guard padding.last == 1, padding.dropLast().allSatisfy({ $0 == 0 }) else { return false }
        let message = [UInt8](repeating: 0, count: 8) + hash.digest(message) + data.suffix(saltLength)
        return hash.digest(message[...]).elementsEqual(digest)
    }
}

extension SignatureAlgorithm.Hash {
    init?(_ identifier: ASN1ObjectIdentifier) {
        switch identifier {
        case [2, 16, 840, 1, 101, 3, 4, 2, 1]: self = .sha256
        case [2, 16, 840, 1, 101, 3, 4, 2, 2]: self = .sha384
        case [2, 16, 840, 1, 101, 3, 4, 2, 3]: self = .sha512
        default: return nil
        }
    }

    /// The number of bytes of a digest.
    var size: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    /// Passes the digest to `body` in its own type, which swift-crypto requires.
    func check(_ bytes: ArraySlice<UInt8>, _ body: (any Digest) -> Bool) -> Bool {
        switch self {
        case .sha256: body(SHA256.hash(data: bytes))
        case .sha384: body(SHA384.hash(data: bytes))
        case .sha512: body(SHA512.hash(data: bytes))
        }
    }

    /// MGF1 (RFC 8017 §B.2.1).
    fileprivate func mask(_ seed: ArraySlice<UInt8>, length: Int) -> [UInt8] {
        var result: [UInt8] = []
        var counter: UInt32 = 0
        while result.count < length {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * UInt32($0))) }
            result += digest((Array(seed) + number)[...])
            counter += 1
        }
        return Array(result.prefix(length))
    }
}
