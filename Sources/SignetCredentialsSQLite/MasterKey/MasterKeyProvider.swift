#if SQLite
import SignetCredentials

/// Where the master key of a store comes from. Only what was configured is asked; nothing else is tried.
public protocol MasterKeyProvider: Sendable {
    /// What errors call the source, such as `the key file “/etc/signet/key”`. Never a secret.
    var name: String { get }

    /// How the master key of a new store, or a new key of an old one, is made from what the source has.
    func newDerivation() -> KeyDerivation

    /// The master key. It is asked for when a store is opened, and once more when another process has changed its key.
    ///
    /// - Throws: ``CredentialStoreError`` with `keyUnavailable` or `unsafePermissions`.
    func masterKey(for request: MasterKeyRequest) async throws -> MasterKey
}

extension MasterKeyProvider {
    /// The source has the key itself; only a source with a passphrase derives it.
    public func newDerivation() -> KeyDerivation { .none }
}

/// What a ``MasterKeyProvider`` is asked.
public struct MasterKeyRequest: Sendable, Hashable {
    /// The file of the store.
    public let path: String
    /// What the key seals: a UUID, new with each change of the key and with each repair, which leaves the key itself as it is.
    public let keyID: String
    /// How the key is made from what the source has. It was read from the file and is within bounds.
    public let derivation: KeyDerivation
    /// Whether the key is for sealing a store that has no content under it yet: a person is asked to repeat a passphrase.
    public let isNew: Bool
}

/// How a master key is made from what a source has.
public enum KeyDerivation: Sendable, Hashable {
    /// The source has the key itself.
    case none
    /// The source has a passphrase, and the key is scrypt of it (RFC 7914).
    case scrypt(Scrypt)

    /// The parameters of scrypt (RFC 7914 §2).
    public struct Scrypt: Sendable, Hashable {
        /// From 16 to 64 bytes. The salt is not secret and stands in the file of the store.
        public let salt: [UInt8]
        /// N: a power of two.
        public let cost: Int
        /// r.
        public let blockSize: Int
        /// p.
        public let parallelism: Int

        /// What is read from a file must not cost more: 1 GiB of memory.
        static let maximumCost = 1 << 20
        static let maximumMemory = 1 << 30
        static let maximumParallelism = 4

        /// - Throws: ``CredentialStoreError`` with `invalidItem` beyond N = 2^20, r = 32, p = 4 or 1 GiB, for less than
        ///   N = 2^14, or a salt without 16 to 64 bytes.
        public init(salt: [UInt8], cost: Int = 1 << 17, blockSize: Int = 8, parallelism: Int = 1) throws {
            guard (1 << 14...Self.maximumCost).contains(cost), cost & (cost - 1) == 0, (1...32).contains(blockSize),
                128 * cost * blockSize <= Self.maximumMemory, (1...Self.maximumParallelism).contains(parallelism),
                (16...64).contains(salt.count)
            else {
                throw CredentialStoreError(
                    .invalidItem,
                    "scrypt with N = \(cost), r = \(blockSize), p = \(parallelism) and a salt of \(salt.count) bytes is out of bounds."
                )
            }
            self.init(unchecked: salt, cost, blockSize, parallelism)
        }

        init(unchecked salt: [UInt8], _ cost: Int, _ blockSize: Int, _ parallelism: Int) {
            self.salt = salt
            self.cost = cost
            self.blockSize = blockSize
            self.parallelism = parallelism
        }
    }
}
#endif
