import Crypto
import CryptoExtras
import SignetAuthentication
import SignetTLS

/// A password as scrypt (RFC 7914) has hashed it, in the PHC string format: `$scrypt$ln=14,r=8,p=5$salt$hash`.
///
/// Each has a salt of its own, and a guess costs an attacker 16 MiB and a fifth of a second.
public struct PasswordHash: Sendable, Hashable {
    /// The parameters of scrypt (RFC 7914 §2): N is 2 to the power of `logarithm`.
    package struct Cost: Sendable, Hashable {
        package var logarithm: Int
        package var blockSize: Int
        package var parallelism: Int

        package init(logarithm: Int, blockSize: Int, parallelism: Int) {
            (self.logarithm, self.blockSize, self.parallelism) = (logarithm, blockSize, parallelism)
        }

        package static let usual = Cost(logarithm: 14, blockSize: 8, parallelism: 5)

        fileprivate var memory: Int { 128 * blockSize << logarithm }
    }

    private struct Parts: Hashable {
        var cost: Cost
        var salt: [UInt8]
        var hash: [UInt8]
    }

    private let parts: Parts
    private static let byteCount = 32

    /// The hash as text; it can be tried against passwords, so keep it secret.
    public var text: String {
        "$scrypt$ln=\(parts.cost.logarithm),r=\(parts.cost.blockSize),p=\(parts.cost.parallelism)$\(Self.base64(parts.salt))$\(Self.base64(parts.hash))"
    }

    /// Reads a hash, also one of another program. Where its parameters are not `ln=14,r=8,p=5`, the time of a refusal tells such an account
    /// from a name without an account.
    ///
    /// - Returns: nil for another format, or parameters that need more than 256 MiB or that are too weak to protect a password: N below
    ///   2^13, a salt below 8 bytes or a hash below 16 bytes.
    public init?(_ text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0].isEmpty, fields[1] == "scrypt" else { return nil }
        let numbers = fields[2].split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 3, let logarithm = Self.number(numbers[0], "ln="),
            let blockSize = Self.number(numbers[1], "r="), let parallelism = Self.number(numbers[2], "p="),
            (13...21).contains(logarithm), (1...32).contains(blockSize), (1...16).contains(parallelism),
            let salt = Self.bytes(fields[3]), let hash = Self.bytes(fields[4]), (8...64).contains(salt.count),
            (16...64).contains(hash.count)
        else { return nil }
        let cost = Cost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
        // What BoringSSL can do (RFC 7914 §6: N is below 2^(16·r)).
        guard cost.memory <= 256 << 20, blockSize > 1 || logarithm < 16, parallelism > 1 || blockSize <= 16 else {
            return nil
        }
        parts = Parts(cost: cost, salt: salt, hash: hash)
    }

    /// Hashes a password, which takes a while: not on a thread that tasks share.
    init(hashing password: SecretBytes, _ cost: Cost = .usual) throws {
        var parts = Self.decoy(cost).parts
        parts.hash = try Self.derive(parts, password, Self.byteCount)
        self.parts = parts
    }

    private init(_ parts: Parts) { self.parts = parts }

    /// A hash that no password has, so far as anyone can find out.
    static func decoy(_ cost: Cost = .usual) -> PasswordHash {
        PasswordHash(Parts(cost: cost, salt: .random(16), hash: .random(byteCount)))
    }

    /// Whether the password is this one. This takes a while: not on a thread that tasks share.
    func matches(_ password: SecretBytes) throws -> Bool {
        ConstantTime.equal(try Self.derive(parts, password, parts.hash.count), parts.hash)
    }

    private static func derive(_ parts: Parts, _ password: SecretBytes, _ count: Int) throws -> [UInt8] {
        let key = try unsafe password.withUnsafeBytes { bytes in
            try unsafe KDF.Scrypt.deriveKey(
                from: bytes, salt: parts.salt, outputByteCount: count, rounds: 1 << parts.cost.logarithm,
                blockSize: parts.cost.blockSize, parallelism: parts.cost.parallelism)
        }
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }

    private static func number(_ text: Substring, _ name: String) -> Int? {
        let digits = text.dropFirst(name.count)
        guard text.hasPrefix(name), digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }

    /// Without padding, as the format demands.
    private static func base64(_ bytes: [UInt8]) -> String { String(Text.base64(bytes).prefix { $0 != "=" }) }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        guard !text.contains("=") else { return nil }
        return Text.bytes(base64: (text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)).utf8)
    }
}

extension PasswordHash: CustomStringConvertible, CustomReflectable {
    public var description: String { "PasswordHash(hidden)" }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
