import Crypto
import SwiftASN1

/// The integrity check of a PFX (RFC 7292 §4, MacData) with the key derivation of its appendix B.
struct PFXMac {
    enum Hash { case sha1, sha256, sha384, sha512 }

    private static let hashes: [ASN1ObjectIdentifier: Hash] = [
        [1, 3, 14, 3, 2, 26]: .sha1,
        .sha256: .sha256,
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384,
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
    ]

    let hash: Hash
    let digest: ArraySlice<UInt8>
    let salt: ArraySlice<UInt8>
    let iterations: Int

    init(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        var digestInfo = try NodeReader(try fields.next())
        let algorithm = try AlgorithmIdentifier(try digestInfo.next()).algorithm
        guard let hash = Self.hashes[algorithm] else { throw algorithm.unsupportedInPFX }
        self.hash = hash
        digest = try digestInfo.next().octets()
        salt = try fields.next().octets()
        iterations = try fields.nextIfAny()?.integer() ?? 1
        try fields.end()
        guard (1...1024).contains(salt.count) else { throw EncodingError("a salt of \(salt.count) bytes") }
    }

    /// Whether `content` is what the owner of the password wrote.
    func isValid(for content: ArraySlice<UInt8>, password: inout PFXPassword) throws(IdentityError) -> Bool {
        let forms = password.bmpForms
        try password.spend(iterations, times: forms.count)
        return forms.contains { form in
            switch hash {
            case .sha1: Self.isValid(Insecure.SHA1.self, self, content, form)
            case .sha256: Self.isValid(SHA256.self, self, content, form)
            case .sha384: Self.isValid(SHA384.self, self, content, form)
            case .sha512: Self.isValid(SHA512.self, self, content, form)
            }
        }
    }

    private static func isValid<H: HashFunction>(
        _: H.Type, _ mac: PFXMac, _ content: ArraySlice<UInt8>, _ password: [UInt8]
    ) -> Bool {
        let key = derivedKey(H.self, password: password, salt: Array(mac.salt), iterations: mac.iterations)
        return HMAC<H>.isValidAuthenticationCode(Array(mac.digest), authenticating: content, using: key)
    }

    /// Appendix B.2 for the MAC (ID 3), whose key is just one hash value long, so that one block is enough.
    static func derivedKey<H: HashFunction>(
        _: H.Type, password: [UInt8], salt: [UInt8], iterations: Int
    ) -> SymmetricKey {
        var hash = H()
        hash.update(data: [UInt8](repeating: 3, count: H.blockByteCount))
        hash.update(data: filled(salt, toMultipleOf: H.blockByteCount))
        hash.update(data: filled(password, toMultipleOf: H.blockByteCount))
        var digest = hash.finalize()
        for _ in 1..<max(iterations, 1) {
            digest = digest.withUnsafeBytes { bytes in
                var next = H()
                next.update(bufferPointer: bytes)
                return next.finalize()
            }
        }
        return SymmetricKey(data: Array(digest))
    }

    /// Copies of `bytes` one behind the other, cut where a block ends.
    private static func filled(_ bytes: [UInt8], toMultipleOf size: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + size - 1) / size * size
        return (0..<count).map { bytes[$0 % bytes.count] }
    }
}
