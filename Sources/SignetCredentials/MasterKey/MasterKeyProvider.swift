/// The source of a store's master key. Only the configured source is used; there is no fallback.
public protocol MasterKeyProvider: Sendable {
    /// The name of the source in errors, such as `the key file “/etc/signet/key”`. It must not be a secret.
    var name: String { get }

    /// How the master key of a new store, or a new key of an existing one, is derived from the source.
    func newDerivation() -> KeyDerivation

    /// The master key. It is requested when a store is opened, and again when another process has changed its key.
    ///
    /// - Throws: ``CredentialStoreError`` with `keyUnavailable` or `unsafePermissions`.
    func masterKey(for request: MasterKeyRequest) async throws -> MasterKey
}

extension MasterKeyProvider {
    /// The source has the key itself; only a source with a passphrase derives it.
    public func newDerivation() -> KeyDerivation { .none }
}

/// The input of a ``MasterKeyProvider``.
public struct MasterKeyRequest: Sendable, Hashable {
    /// The path of the store's file, or the address of its database.
    public let path: String
    /// The identifier of the key: a UUID that is new with each change of the key and with each repair, although a
    /// repair does not change the key itself.
    public let keyID: String
    /// How the key is derived from the source. It was read from the file and is within the limits.
    public let derivation: KeyDerivation
    /// Whether the key will seal a store that has no content under it yet: a person should then enter a passphrase
    /// twice.
    public let isNew: Bool

    package init(path: String, keyID: String, derivation: KeyDerivation, isNew: Bool) {
        self.path = path
        self.keyID = keyID
        self.derivation = derivation
        self.isNew = isNew
    }
}

/// How a master key is derived from the secret of a source.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum KeyDerivation: Sendable, Hashable {
    /// The source has the key itself.
    case none
    /// The source has a passphrase, and the key is derived from it with scrypt (RFC 7914).
    case scrypt(Scrypt)

    /// The parameters of scrypt (RFC 7914 §2).
    public struct Scrypt: Sendable, Hashable {
        /// From 16 to 64 bytes. The salt is not secret, and the store's file contains it.
        public let salt: [UInt8]
        /// N: a power of two.
        public let cost: Int
        /// r.
        public let blockSize: Int
        /// p.
        public let parallelism: Int

        /// The limit of parameters from a file: 1 GiB of memory.
        static let maximumCost = 1 << 20
        static let maximumMemory = 1 << 30
        static let maximumParallelism = 4

        /// - Throws: ``CredentialStoreError`` with `invalidItem` beyond N = 2^20, r = 32, p = 4 or
        ///   1 GiB, for less than N = 2^14, or a salt without 16 to 64 bytes.
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
