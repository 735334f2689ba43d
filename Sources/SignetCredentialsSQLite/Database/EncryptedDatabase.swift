import Foundation
import GRDB
import SignetCredentials
import Synchronization

/// One SQLite file in which credentials, identities and trust exceptions are sealed with a master key.
///
/// The file is an ordinary database whose tables hold ciphertext and keyed hashes only; how many records there are, how long
/// they are and which share a host or an account can be seen without the key, nothing else. Several processes may use it at a time,
/// and one that is killed leaves it whole. The file, those that SQLite puts beside it, and their folder can be reached by their
/// owner only, from the moment they are made.
public final class EncryptedDatabase: Sendable {
    /// What limits a store.
    public struct Options: Sendable, Hashable {
        /// How large the file may become, in bytes.
        public var maximumBytes = 1 << 30
        /// How long to wait for other processes, in seconds.
        public var busyTimeout = 30.0
        /// Refuses a store that is older than this ``EncryptedDatabase/generation()``.
        public var minimumGeneration: Int64 = 0
        /// Whether a store that is not there is made; otherwise that is an error.
        public var makesStore = true

        public init() {}
    }

    public let path: String
    let queue: DatabaseQueue
    private let file: FileIdentity
    private let state: Mutex<State>

    private struct State: Sendable {
        var provider: any MasterKeyProvider
        var header: StoreHeader
        var keys: RecordKeys
        /// The highest that this process has seen, or was told of.
        var generation: Int64
    }

    /// Opens the store at `path`, or makes it. The folder that contains its folder must exist.
    ///
    /// - Throws: ``CredentialStoreError`` with `unsafePermissions`, `keyUnavailable`, `wrongKey`, `notAStore`, `newerVersion`,
    ///   `damaged`, `rolledBack`, `notFound`, `full`, `busy` or `inputOutput`.
    public convenience init(path: String, key: any MasterKeyProvider, options: Options = Options()) async throws {
        let path = try Self.absolute(path)
        try PrivateFile.makeFolder(PrivateFile.folder(of: path))
        if try PrivateFile.check(path) == nil {
            guard options.makesStore else {
                throw CredentialStoreError(.notFound, "There is no store “\(path)”. Make one, or name the right file.")
            }
            try await Self.create(path, key: key, options: options)
        }
        try await self.init(existing: path, key: key, options: options)
    }

    init(existing path: String, key provider: any MasterKeyProvider, options: Options) async throws {
        self.path = path
        try Self.checkFiles(path)
        file = try FileIdentity(path)
        queue = try Self.open(path, options: options)
        let header = try await Self.translating(path) { [queue] in
            try await queue.read { database in
                try StoreSchema.check(database, path: path)
                return try StoreHeader(database)
            }
        }
        let keys = try await Self.keys(header, provider, path: path)
        state = Mutex(
            State(provider: provider, header: header, keys: keys, generation: options.minimumGeneration))
        // Refuses what is too old.
        if options.minimumGeneration > 0 { try await read { _ in } }
    }

    /// Counts the changes to the store. Keep it where a thief of the file cannot reach, and name it in
    /// ``Options/minimumGeneration`` next time, to notice that somebody has put an old copy in the place of the whole file.
    ///
    /// - Throws: ``CredentialStoreError`` with `damaged` when the store does not know it any more; see ``repair(keepsUnproven:)``.
    public func generation() async throws -> Int64 {
        let generation = try await read { $0.register.isKnown ? $0.register.generation : nil }
        guard let generation else {
            throw CredentialStoreError(
                .damaged,
                "The list of what “\(path)” holds was changed by something else. Call repair(), or restore a backup.")
        }
        return generation
    }

    /// Runs `body` on one state of the store.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await followingKeys { [queue] in
            try await queue.read { database in
                let (header, keys) = self.current
                let transaction = try StoreTransaction(database, keys, expecting: header)
                try self.see(transaction.register)
                return try body(transaction)
            }
        }
    }

    /// Runs `body` and keeps all of what it does or, when it throws, nothing.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await followingKeys { [queue] in
            try await queue.writeWithoutTransaction { database in
                // Immediate: of two that read first and write later, one would have to give up.
                let (result, register) = try database.returningFromTransaction {
                    let (header, keys) = self.current
                    let transaction = try StoreTransaction(database, keys, expecting: header)
                    try self.see(transaction.register)
                    let result = try body(transaction)
                    try transaction.register.save()
                    return (result, transaction.register)
                }
                try self.see(register)
                return result
            }
        }
    }

    /// To be asked within an access to the queue, for only then a change of the key by this process is over.
    var current: (header: StoreHeader, keys: RecordKeys) { state.withLock { ($0.header, $0.keys) } }

    var highestGeneration: Int64 { state.withLock { $0.generation } }

    /// From now on these are the keys and, if one is given, `provider` is asked.
    func adopt(_ header: StoreHeader, _ keys: RecordKeys, _ provider: (any MasterKeyProvider)? = nil) {
        state.withLock { state in
            state.header = header
            state.keys = keys
            if let provider { state.provider = provider }
        }
    }

    /// Remembers how far the store has come. One whose root cannot be trusted gives nothing out, and can be repaired.
    private func see(_ register: RecordRegister) throws {
        guard register.isKnown else { return }
        let isOld = state.withLock { state in
            defer { state.generation = max(state.generation, register.generation) }
            return register.generation < state.generation
        }
        if isOld {
            throw CredentialStoreError(
                .rolledBack,
                "“\(path)” is older than it was known to be: an old copy was put in its place. Restore the latest one.")
        }
    }

    /// Runs `body`, and once more when another process has changed the keys of the store.
    func followingKeys<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard try FileIdentity(path) == file else {
            throw CredentialStoreError(
                .inputOutput, "The file “\(path)” was replaced by another one. Open the store again.")
        }
        for _ in 0..<3 {
            do {
                return try await Self.translating(path, body)
            } catch is KeyHasChanged { try await askAgain() }
        }
        throw CredentialStoreError(
            .busy, "Other processes changed the key of “\(path)” again and again. Nothing was changed; try later.")
    }

    private func askAgain() async throws {
        // Both in one access: a change of the key by this process is adopted before the next one.
        let (header, known) = try await Self.translating(path) { [queue] in
            try await queue.read { database in (try StoreHeader(database), self.state.withLock { $0 }) }
        }
        // Somebody else in this process was faster.
        if header == known.header { return }
        let renamed = header.keys(renaming: known.keys)
        let keys = if let renamed { renamed } else { try await Self.keys(header, known.provider, path: path) }
        state.withLock { state in
            // This process may have changed the key meanwhile.
            if state.header == known.header { (state.header, state.keys) = (header, keys) }
        }
    }

    private static func keys(
        _ header: StoreHeader, _ provider: any MasterKeyProvider, path: String
    ) async throws -> RecordKeys {
        let request = MasterKeyRequest(
            path: path, keyID: header.keyID.uuidString, derivation: header.derivation, isNew: false)
        return try header.keys(
            from: try await provider.masterKey(for: request), path: path, source: provider.name)
    }
}

extension EncryptedDatabase: CustomStringConvertible, CustomReflectable {
    public var description: String { "EncryptedDatabase(\(path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension Database {
    func returningFromTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try inTransaction(.immediate) {
            result = try body()
            return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return result
    }
}
