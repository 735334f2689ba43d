import Crypto
import CryptoExtras
import Foundation

/// Derives the master key from a passphrase with scrypt (RFC 7914), so that each guess costs an attacker 128 MiB and a
/// quarter of a second. Each store has a salt of its own.
public struct PassphraseMasterKey: MasterKeyProvider {
    /// One derivation at a time, since each takes much memory.
    private static let thread = BlockingQueue("PassphraseMasterKey")
    private let cost: Int
    private let ask: @Sendable (MasterKeyRequest) async throws -> SecretBytes?

    /// - Parameter cost: N of scrypt for new stores, a power of two from 2^14 to 2^20; memory is 1 KiB times N.
    ///   Existing stores keep theirs.
    /// - Parameter ask: returns the passphrase; nil to give up.
    public init(cost: Int = 1 << 17, ask: @escaping @Sendable (MasterKeyRequest) async throws -> SecretBytes?) {
        self.cost = cost
        self.ask = ask
    }

    public var name: String { "the passphrase" }

    public func newDerivation() -> KeyDerivation {
        unsafe .scrypt(.init(unchecked: SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }, cost, 8, 1))
    }

    public func masterKey(for request: MasterKeyRequest) async throws -> MasterKey {
        guard case .scrypt(let parameters) = request.derivation else {
            throw CredentialStoreError(
                .wrongKey,
                "The store “\(request.path)” was not sealed with a passphrase. Give the key it was made with.")
        }
        // The parameters from the caller or a file are checked before a person is asked.
        let checked = try KeyDerivation.Scrypt(
            salt: parameters.salt, cost: parameters.cost, blockSize: parameters.blockSize,
            parallelism: parameters.parallelism)
        guard let passphrase = try await ask(request), passphrase.count > 0 else {
            throw CredentialStoreError(
                .keyUnavailable, "No passphrase was given for the store “\(request.path)”. Nothing was opened.")
        }
        return try await Self.thread.run {
            var bytes = passphrase.bytes
            defer { bytes.resetBytes() }
            let key: SymmetricKey
            do {
                key = try KDF.Scrypt.deriveKey(
                    from: bytes, salt: checked.salt, outputByteCount: MasterKey.byteCount, rounds: checked.cost,
                    blockSize: checked.blockSize, parallelism: checked.parallelism, maxMemory: 2 << 30)
            } catch {
                throw CredentialStoreError(
                    .keyUnavailable,
                    "scrypt did not make a key of the passphrase; it needs \(128 * checked.cost * checked.blockSize >> 20) MiB of memory.",
                    cause: error)
            }
            return unsafe try MasterKey(SecretBytes(key.withUnsafeBytes { unsafe Array($0) }))
        }
    }
}

/// Always the same key: for tests, and for keys that your own program manages.
public struct FixedMasterKey: MasterKeyProvider {
    private let key: MasterKey
    /// - Parameter key: the key for every store that asks.
    public init(_ key: MasterKey) { self.key = key }
    public var name: String { "the given key" }
    public func masterKey(for request: MasterKeyRequest) -> MasterKey { key }
}
