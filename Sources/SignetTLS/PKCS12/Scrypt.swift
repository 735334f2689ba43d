import Crypto
import CryptoExtras
import SwiftASN1

/// scrypt with its parameters (RFC 7914 §2, §7.1), as OpenSSL writes it with `-scrypt`.
struct Scrypt {
    static let identifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11591, 4, 11]
    /// The limit of memory, in bytes; OpenSSL uses 16 MiB by default.
    private static let maximumMemory = 128 << 20

    private let salt: [UInt8]
    private let cost: Int
    private let blockSize: Int
    private let parallelism: Int
    let keyLength: Int?

    init(_ parameters: ASN1Node?) throws {
        guard let parameters else { throw EncodingError("key derivation without parameters") }
        var fields = try NodeReader(parameters)
        salt = Array(try fields.next().octets())
        cost = try fields.next().integer()
        blockSize = try fields.next().integer()
        parallelism = try fields.next().integer()
        keyLength = try fields.next(ifTagged: .integer)?.integer()
        try fields.end()
        try salt.checkSalt()
        guard cost > 1, cost & (cost - 1) == 0, blockSize >= 1, parallelism >= 1 else {
            throw EncodingError("parameters that scrypt does not know")
        }
        let isBearable =
            cost <= Self.maximumMemory && blockSize <= 1024 && parallelism <= 16
            && 128 * cost * blockSize <= Self.maximumMemory
        guard isBearable else {
            throw IdentityError(
                .tooLarge,
                "The private key asks for scrypt with N=\(cost), r=\(blockSize), p=\(parallelism), which takes more than \(Self.maximumMemory >> 20) MiB. Have it written with smaller numbers."
            )
        }
    }

    var description: String { "scrypt (N=\(cost), r=\(blockSize), p=\(parallelism))" }

    /// - Throws: ``IdentityError`` with `tooLarge` when the work exceeds the limit for the file.
    func key(_ form: [UInt8], byteCount: Int, spending password: inout FilePassword) throws -> SymmetricKey {
        // One of its steps takes about as long as eight hashes for each 128 bytes.
        try password.spend(cost, hashes: blockSize * parallelism)
        return try KDF.Scrypt.deriveKey(
            from: form, salt: salt, outputByteCount: byteCount, rounds: cost, blockSize: blockSize,
            parallelism: parallelism, maxMemory: 2 * Self.maximumMemory)
    }
}
