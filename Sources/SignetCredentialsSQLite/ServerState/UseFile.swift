#if SQLite
import Foundation
import GRDB
import SignetCredentials
import Synchronization

/// A file of what clients have used up: the messages that were accepted, and the failures of passwords. It contains hashes and times only.
final class UseFile: Sendable {
    /// “SGNU”.
    private static let applicationID: Int64 = 0x5347_4E55
    private static let version: Int64 = 1
    private static let tables = [
        "CREATE TABLE remembered (key BLOB PRIMARY KEY, expiry INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE INDEX remembered_expiry ON remembered (expiry)",
        "CREATE TABLE failure (key BLOB PRIMARY KEY, count INTEGER NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID",
        // How many messages are remembered, and when those that had expired were removed.
        "CREATE TABLE summary (id INTEGER PRIMARY KEY, remembered INTEGER NOT NULL, swept INTEGER NOT NULL)",
    ]
    /// So many are removed with one message, so that no message waits long.
    private static let sweepLimit = 1_000

    /// By how many seconds a clock may be set back.
    private static let maximumSetBack: Int64 = 600

    private let path: String
    private let writes: GroupedWrites
    private let capacity: Int

    init(_ path: String, capacity: Int) async throws {
        let capacity = min(max(1, capacity), 1 << 32)
        (self.path, self.capacity) = (path, capacity)
        var options = EncryptedDatabase.Options()
        // A message takes some 120 bytes: the file is full only after the capacity is reached.
        options.maximumBytes = max(options.maximumBytes, capacity * 256)
        let (queue, file) = try await EncryptedDatabase.threads.run { [options] in
            _ = try PrivateFile.create(path)
            for suffix in ["", "-wal", "-shm"] { _ = try PrivateFile.check(path + suffix) }
            do { return (try Self.open(path, options), try FileIdentity(path)) } catch let error as DatabaseError {
                throw EncryptedDatabase.translation(error, path)
            }
        }
        writes = GroupedWrites(queue, path, file)
    }

    private static func open(_ path: String, _ options: EncryptedDatabase.Options) throws -> DatabaseQueue {
        let queue = try EncryptedDatabase.open(path, options: options)
        try queue.writeWithoutTransaction { database in
            // A file of another program must stay as it is.
            if try Int64.fetchOne(database, sql: "PRAGMA application_id") == applicationID || isEmpty(database) {
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            }
            // Of several processes that open a new file, one fills it.
            try database.returningFromTransaction {
                let id = try Int64.fetchOne(database, sql: "PRAGMA application_id")
                let found = try definitions(database)
                if id == 0, found.isEmpty {
                    for table in tables { try database.execute(sql: table) }
                    try database.execute(sql: "INSERT INTO summary VALUES (0, 0, \(Int64.min))")
                    try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                    try database.execute(sql: "PRAGMA user_version = \(version)")
                    return
                }
                guard id == applicationID else {
                    throw CredentialStoreError(
                        .notAStore, "“\(path)” is a database of another program; it was left as it is. Move it away.")
                }
                guard try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= version else {
                    throw CredentialStoreError(
                        .newerVersion,
                        "“\(path)” was written by a later version of Signet; it was left as it is. Update this program."
                    )
                }
                guard Set(found) == Set(tables), found.count == tables.count else {
                    throw CredentialStoreError(
                        .damaged,
                        "The tables of “\(path)” are not those of a server’s state. Stop all programs that use it, remove it, and start them when no message of before is fresh."
                    )
                }
            }
        }
        return queue
    }

    private static func definitions(_ database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    }

    private static func isEmpty(_ database: Database) throws -> Bool { try definitions(database).isEmpty }

    /// As ``/SignetCredentials/ReplayCache`` demands.
    func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding {
        try await writes.run { [capacity, path] database in
            var (remembered, swept) = try Self.summary(database)
            // Whether a message that is older than that was accepted is not known any more.
            guard swept <= now || swept - max(now, 0) <= Self.maximumSetBack else {
                throw CredentialStoreError(
                    .damaged,
                    "The clock is behind that of an earlier use of “\(path)”. Set the clock right; if it was wrong then, remove the file, and wait until no message of before is fresh."
                )
            }
            if now > swept || remembered >= Int64(capacity) {
                swept = max(now, swept)
                try database.cachedStatement(
                    sql:
                        "DELETE FROM remembered WHERE key IN (SELECT key FROM remembered WHERE expiry < ? LIMIT \(Self.sweepLimit))"
                ).execute(arguments: [swept])
                remembered -= Int64(database.changesCount)
                try database.cachedStatement(
                    sql:
                        "DELETE FROM failure WHERE key IN (SELECT key FROM failure WHERE ends <= ? LIMIT \(Self.sweepLimit))"
                ).execute(arguments: [now])
                try Self.save(remembered, swept, database)
            }
            let key = Data(key)
            let known = try Int64.fetchOne(
                try database.cachedStatement(sql: "SELECT expiry FROM remembered WHERE key = ?"), arguments: [key])
            if known != nil { return .replayed }
            // The key may have been remembered and forgotten since: the clock was set back, or checking took long.
            guard expiry >= swept else { return .replayed }
            guard remembered < Int64(capacity) else { return .full }
            try database.cachedStatement(sql: "INSERT INTO remembered VALUES (?, ?)").execute(arguments: [key, expiry])
            try Self.save(remembered + 1, swept, database)
            return .new
        }
    }

    private static func summary(_ database: Database) throws -> (remembered: Int64, swept: Int64) {
        let row = try Row.fetchOne(
            try database.cachedStatement(sql: "SELECT remembered, swept FROM summary WHERE id = 0"))
        guard let row, let remembered = row.integer("remembered"), let swept = row.integer("swept") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return (remembered, swept)
    }

    private static func save(_ remembered: Int64, _ swept: Int64, _ database: Database) throws {
        try database.cachedStatement(sql: "UPDATE summary SET remembered = ?, swept = ? WHERE id = 0")
            .execute(arguments: [remembered, swept])
    }

    // MARK: Failures

    func failures(of key: [UInt8], now: Int64) async throws -> Int {
        try await writes.run { try Self.failures(of: key, now, $0)?.count ?? 0 }
    }

    func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int {
        try await writes.run { database in
            let counted = try Self.failures(of: key, now, database)
            let count = min(counted?.count ?? 0, 1 << 30) + 1
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO failure VALUES (?, ?, ?)")
                .execute(arguments: [Data(key), count, min(counted?.end ?? end, end)])
            return count
        }
    }

    func forgetFailures(of key: [UInt8]) async throws {
        try await writes.run { database in
            try database.cachedStatement(sql: "DELETE FROM failure WHERE key = ?").execute(arguments: [Data(key)])
        }
    }

    private static func failures(
        of key: [UInt8], _ now: Int64, _ database: Database
    ) throws -> (count: Int, end: Int64)? {
        let row = try Row.fetchOne(
            try database.cachedStatement(sql: "SELECT count, ends FROM failure WHERE key = ? AND ends > ?"),
            arguments: [Data(key), now])
        guard let row else { return nil }
        guard let count = row.integer("count"), let end = row.integer("ends") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return (Int(clamping: count), end)
    }
}

/// Writes to a database in as few transactions as possible: those that arrive while one is written to the disk are the next one together.
final class GroupedWrites: Sendable {
    private typealias Body = @Sendable (Database) throws -> Void

    private struct Write: Sendable {
        let body: Body
        /// Nil when it is on the disk.
        let done: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Write] = []
        var isRunning = false
    }

    private final class Slot<Value: Sendable>: Sendable {
        private let content = Mutex<Value?>(nil)
        var value: Value? { content.withLock { $0 } }
        func set(_ value: Value) { content.withLock { $0 = value } }
    }

    private let queue: DatabaseQueue
    private let path: String
    private let file: FileIdentity
    private let state = Mutex(State())

    init(_ queue: DatabaseQueue, _ path: String, _ file: FileIdentity) {
        (self.queue, self.path, self.file) = (queue, path, file)
    }

    /// Runs `body` in a transaction, and returns when the transaction is on the disk. A cancelled task waits too: it must learn whether it
    /// was the first.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let slot = Slot<Result>()
        return try await withCheckedThrowingContinuation { continuation in
            let write = Write(body: { database in slot.set(try body(database)) }) { error in
                if let error { return continuation.resume(throwing: error) }
                guard let result = slot.value else { return continuation.resume(throwing: CancellationError()) }
                continuation.resume(returning: result)
            }
            let begins = state.withLock { state in
                state.waiting.append(write)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if begins { EncryptedDatabase.threads.start { self.work() } }
        }
    }

    /// Runs until no write waits.
    private func work() {
        while true {
            let group = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isRunning = false }
                return state.waiting
            }
            if group.isEmpty { return }
            do {
                // What this process would remember in a file that others no longer see, they would accept again.
                guard try FileIdentity(path) == file else {
                    throw CredentialStoreError(
                        .inputOutput, "The file “\(path)” was replaced by another one. Start the program again.")
                }
                try queue.writeWithoutTransaction { database in
                    try database.returningFromTransaction { for write in group { try write.body(database) } }
                }
                for write in group { write.done(nil) }
            } catch {
                let error = (error as? DatabaseError).map { EncryptedDatabase.translation($0, path) } ?? error
                for write in group { write.done(error) }
            }
        }
    }
}
#endif
