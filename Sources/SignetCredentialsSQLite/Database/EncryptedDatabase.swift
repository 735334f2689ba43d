#if SQLite
import Foundation
import GRDB
public import SignetCredentials
import Synchronization

/// An SQLite file in which credentials, identities and trust exceptions are sealed with a master key.
///
/// The file is an ordinary database whose tables contain only ciphertext and keyed hashes. Without the key, it reveals
/// only how many records there are, how long they are, and which of them share a host or an account. Several processes
/// may use it at the same time; a process that is killed leaves it intact. Only their owner can access the file, the
/// files that SQLite puts beside it, and their folder, from the moment they are created.
public final class EncryptedDatabase: Sendable {
    /// The options and limits of a store.
    public struct Options: Sendable, Hashable {
        /// How large the file may become, in bytes.
        public var maximumBytes = 1 << 30
        /// How long to wait for other processes; a day at most.
        public var busyTimeout: Duration = .seconds(30)
        /// The least ``EncryptedDatabase/generation()`` of the store; an older store is refused.
        public var minimumGeneration: Int64 = 0
        /// Whether a store that does not exist is created; otherwise that is an error.
        public var makesStore = true

        /// The default options: 1 GiB, 30 seconds of waiting, every generation; a store that does not exist is created.
        public init() {}
    }

    /// The absolute path of the file.
    public let path: String
    /// The threads for work that waits for the disk or for other processes.
    static let threads = BlockingQueue("EncryptedDatabase", width: .max)
    private let connection: Connection
    private let file: FileIdentity
    private let calls = InFlightGate()
    private let question = SingleFlight()
    private let state: Mutex<State>

    private struct State: Sendable {
        var provider: any MasterKeyProvider
        var header: StoreHeader
        var keys: RecordKeys
        /// The highest generation that this process has seen, or was given.
        var generation: Int64
        /// The header that the provider's key did not open, with the error for it.
        var refused: (header: StoreHeader, error: CredentialStoreError)?
    }

    /// Opens the store at `path`, or creates it. The folder that contains its folder must exist.
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `unsafePermissions`, `keyUnavailable`, `wrongKey`,
    ///   `notAStore`, `newerVersion`, `damaged`, `rolledBack`, `notFound`, `full`, `busy` or `inputOutput`.
    public convenience init(path: String, key: any MasterKeyProvider, options: Options = Options()) async throws {
        let path = try Self.absolute(path)
        try PrivateFile.makeFolder(PrivateFile.folder(of: path))
        UnfinishedFiles.removeLeftovers(in: PrivateFile.folder(of: path))
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
        let connection = try await Self.threads.run { try Connection(path, options) }
        self.connection = connection
        let header = try await Self.translating(path) {
            try await connection.queue.read { database in
                try StoreSchema.check(database, path: path)
                return try StoreHeader(database)
            }
        }
        let keys = try header.keys(
            from: try await provider.masterKey(for: Self.request(header, path)), path: path, source: provider.name)
        state = Mutex(
            State(provider: provider, header: header, keys: keys, generation: options.minimumGeneration))
        // This refuses a store that is too old.
        if options.minimumGeneration > 0 { try await read { _ in } }
    }

    /// Waits for running calls and closes the file, after SQLite has written the rest of its log into it. Later calls
    /// throw.
    ///
    /// Without this call, the file is closed some time after the last reference is gone, unless the process ends first.
    /// Nothing is lost then, but the latest changes are still in the log beside the file.
    public func close() async {
        await calls.close()
        await withCheckedContinuation { continuation in
            // This also runs when the task is cancelled.
            Self.threads.start { [queue] in
                try? queue.close()
                continuation.resume()
            }
        }
    }

    /// The number of changes to the store. Keep it where a thief of the file cannot reach it, and set it as
    /// ``Options/minimumGeneration`` next time: a store that was replaced as a whole by an old copy is then refused.
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when the store no longer contains it; see
    ///   ``repair(keepsUnproven:)``.
    public func generation() async throws -> Int64 {
        let generation = try await read { $0.register.isKnown ? $0.register.generation : nil }
        guard let generation else {
            throw CredentialStoreError(
                .damaged,
                "The list of what “\(path)” holds was changed by another program. Call repair(), or restore a backup.")
        }
        return generation
    }

    /// Runs `body` on one consistent state of the store.
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

    /// Runs `body` in a transaction; when it throws, nothing is changed.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await followingKeys { [queue] in
            try await queue.writeWithoutTransaction { database in
                // Immediate: of two transactions that read first and write later, one would fail.
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

    var queue: DatabaseQueue { connection.queue }

    /// Read it only within an access to the queue: only then has a change of the key by this process been completed.
    var current: (header: StoreHeader, keys: RecordKeys) { state.withLock { ($0.header, $0.keys) } }

    var highestGeneration: Int64 { state.withLock { $0.generation } }

    /// Uses these keys from now on and, if it is given, `provider`.
    func adopt(_ header: StoreHeader, _ keys: RecordKeys, _ provider: (any MasterKeyProvider)? = nil) {
        state.withLock { state in
            state.header = header
            state.keys = keys
            if let provider { state.provider = provider }
        }
    }

    /// Records the generation of the store. A store whose root cannot be trusted returns nothing, but can be repaired.
    func see(_ register: RecordRegister) throws {
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

    /// Runs `body`, and tries again when another process has changed the keys of the store.
    func followingKeys<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard try FileIdentity(path) == file else {
            throw CredentialStoreError(
                .inputOutput, "The file “\(path)” was replaced by another one. Open the store again.")
        }
        guard calls.begin() else {
            throw CredentialStoreError(.inputOutput, "“\(path)” was closed by this program. Open the store again.")
        }
        defer { calls.end() }
        for _ in 0..<3 {
            do {
                return try await Self.translating(path, body)
            } catch is KeyHasChanged { try await askAgain() }
        }
        throw CredentialStoreError(
            .busy, "Other processes changed the key of “\(path)” again and again. Nothing was changed; try later.")
    }

    /// Finds the keys for the current header. The provider, which may ask a person, is called once for each header.
    private func askAgain() async throws {
        while true {
            // Both in one access: a change of the key by this process is adopted before the next one.
            let (header, known) = try await Self.translating(path) { [queue] in
                try await queue.read { database in (try StoreHeader(database), self.state.withLock { $0 }) }
            }
            if try isAnswered(header) { return }
            if let renamed = header.keys(renaming: known.keys) { return replace(known.header, header, renamed) }
            guard try await question.begin() else { continue }
            do {
                // Another task may have asked between the two.
                if try isAnswered(header) == false { try await ask(header, known) }
                return question.end()
            } catch {
                // The tasks that wait check again: one asks in place of a cancelled task, or all see that the key was
                // refused.
                let isGone = error is CancellationError || Task.isCancelled
                let isRefused = state.withLock { $0.refused?.header == header }
                question.end(isGone || isRefused ? nil : error)
                throw error
            }
        }
    }

    /// - Throws: the earlier error for this header.
    private func isAnswered(_ header: StoreHeader) throws -> Bool {
        let (current, refused) = state.withLock { ($0.header, $0.refused) }
        if current == header { return true }
        if let refused, refused.header == header { throw refused.error }
        return false
    }

    private func ask(_ header: StoreHeader, _ known: State) async throws {
        let master = try await known.provider.masterKey(for: Self.request(header, path))
        do {
            replace(known.header, header, try header.keys(from: master, path: path, source: known.provider.name))
        } catch {
            var error = error
            error.message += " The program asks for no other key until it opens the store again."
            state.withLock { $0.refused = (header, error) }
            throw error
        }
    }

    /// Replaces the keys, unless this process has changed the key since `old` was the header.
    private func replace(_ old: StoreHeader, _ header: StoreHeader, _ keys: RecordKeys) {
        state.withLock { state in
            if state.header == old { (state.header, state.keys) = (header, keys) }
        }
    }

    private static func request(_ header: StoreHeader, _ path: String) -> MasterKeyRequest {
        MasterKeyRequest(path: path, keyID: header.keyID.uuidString, derivation: header.derivation, isNew: false)
    }
}

/// SQLite's connection to a file.
private final class Connection: Sendable {
    let queue: DatabaseQueue

    init(_ path: String, _ options: EncryptedDatabase.Options) throws {
        queue = try EncryptedDatabase.open(path, options: options)
    }

    deinit {
        let queue = queue
        // Closing may write the whole log into the file, and the last reference may go away on any thread.
        EncryptedDatabase.threads.start { try? queue.close() }
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
#endif
