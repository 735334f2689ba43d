import Crypto
import SwiftASN1

/// The encryption of PKCS#12 before PBES2 (RFC 7292 appendix C): SHA-1 with RC4, Triple DES or RC2.
struct PBES1 {
    enum Cipher { case rc4, tripleDES, rc2 }

    private static let schemes: [ASN1ObjectIdentifier: (cipher: Cipher, keySize: Int, name: String)] = [
        [1, 2, 840, 113_549, 1, 12, 1, 1]: (.rc4, 16, "128-bit RC4"),
        [1, 2, 840, 113_549, 1, 12, 1, 2]: (.rc4, 5, "40-bit RC4"),
        .PKCS12.tripleDES: (.tripleDES, 24, "3-key Triple DES"),
        [1, 2, 840, 113_549, 1, 12, 1, 4]: (.tripleDES, 16, "2-key Triple DES"),
        [1, 2, 840, 113_549, 1, 12, 1, 5]: (.rc2, 16, "128-bit RC2"),
        [1, 2, 840, 113_549, 1, 12, 1, 6]: (.rc2, 5, "40-bit RC2"),
    ]

    private let cipher: Cipher
    private let keySize: Int
    private let name: String
    private let salt: [UInt8]
    private let iterations: Int

    /// - Throws: ``UnsupportedAlgorithm`` when it is another scheme.
    init(_ algorithm: AlgorithmIdentifier) throws {
        guard let known = Self.schemes[algorithm.algorithm] else { throw UnsupportedAlgorithm(algorithm.algorithm) }
        (cipher, keySize, name) = known
        guard let parameters = algorithm.parameters else { throw EncodingError("encryption without parameters") }
        var fields = try NodeReader(parameters)
        salt = Array(try fields.next().octets())
        iterations = try fields.next().integer()
        try fields.end()
        try salt.checkSalt()
    }

    /// Triple DES with three keys, to write a file.
    init(tripleDESSalt salt: [UInt8], iterations: Int) {
        (cipher, keySize, name) = (.tripleDES, 24, "3-key Triple DES")
        self.salt = salt
        self.iterations = iterations
    }

    var description: String { "PBES1: SHA-1 (\(iterations) rounds), \(name)" }

    /// - Returns: nil when the padding shows that the password is wrong.
    func decrypted(
        _ bytes: ArraySlice<UInt8>, form: [UInt8], spending password: inout FilePassword
    ) throws(IdentityError) -> [UInt8]? {
        // Key and vector are derived separately, with one block for every 20 bytes.
        try password.spend(iterations, hashes: (keySize + 19) / 20 + (cipher == .rc4 ? 0 : 1))
        let key = derived(.key, form, keySize)
        switch cipher {
        case .rc4:
            var stream = RC4(key: key)
            return stream?.applied(to: bytes)
        case .tripleDES: return TripleDES(key: key)?.decryptedCBC(bytes, vector: derived(.vector, form, 8)[...])
        case .rc2:
            return RC2(key: key, effectiveBits: 8 * keySize)?
                .decryptedCBC(bytes, vector: derived(.vector, form, 8)[...])
        }
    }

    /// Triple DES only; nil for another scheme.
    func encryptedTripleDES(_ bytes: [UInt8], form: [UInt8]) -> [UInt8]? {
        TripleDES(key: derived(.key, form, keySize))?.encryptedCBC(bytes, vector: derived(.vector, form, 8))
    }

    private func derived(_ purpose: PFXKeyDerivation.Purpose, _ form: [UInt8], _ byteCount: Int) -> [UInt8] {
        PFXKeyDerivation.derive(
            Insecure.SHA1.self, purpose, password: form, salt: salt, iterations: iterations, byteCount: byteCount)
    }
}
