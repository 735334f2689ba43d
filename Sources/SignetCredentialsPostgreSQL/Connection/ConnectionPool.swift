import SignetCredentials
import Synchronization

/// Connections to a database that are used again. A call that finds all of them in use waits for its turn.
final class ConnectionPool: Sendable {
    /// So many calls wait at most; more are refused at once.
    private static let maximumWaiting = 10_000
    /// So often a transaction that was in the way of another one is repeated.
    private static let attempts = 10

    let database: PostgreSQLDatabase
    private let threads: BlockingQueue
    private let idle = Mutex<[PostgreSQLConnection]>([])
    private let calls = Atomic(0)

    init(_ database: PostgreSQLDatabase) throws(CredentialStoreError) {
        self.database = database
        // Each connection asks for them again, so that the pool keeps no copy of the password.
        _ = try database.parameters()
        threads = BlockingQueue("PostgreSQLServerState", width: database.connections)
    }

    /// One turn on a connection.
    struct Turn {
        fileprivate let connection: PostgreSQLConnection
        fileprivate let deadline: ContinuousClock.Instant

        @discardableResult
        func run(_ statement: String, _ values: PostgreSQLValue...) throws(PostgreSQLFailure) -> PostgreSQLRows {
            try connection.run(statement, values, deadline: deadline)
        }

        /// Runs `body` in a transaction. When it throws, nothing is changed.
        func transaction<Result>(_ body: () throws -> Result) throws -> Result {
            try run("BEGIN ISOLATION LEVEL READ COMMITTED")
            do {
                let result = try body()
                try run("COMMIT")
                return result
            } catch {
                // After a failure of the connection the database does it; a connection whose transaction is open is not used again.
                if (error as? PostgreSQLFailure)?.isConnectionLost != true { _ = try? run("ROLLBACK") }
                throw error
            }
        }
    }

    /// Until when a call that begins now must end.
    var deadline: ContinuousClock.Instant { .now + database.timeout }

    /// Runs `body` on a connection, on a thread of its own.
    ///
    /// - Parameters:
    ///   - isRepeatable: whether `body` may run again when it is unknown whether it was carried out.
    ///   - deadline: until when the call must end; the timeout of the database from now on unless given.
    /// - Throws: the error of `body`; ``/SignetCredentials/CredentialStoreError`` with `unreachable`, `busy`, `full` or `inputOutput`.
    func run<Result: Sendable>(
        isRepeatable: Bool = true, deadline: ContinuousClock.Instant? = nil,
        _ body: @escaping @Sendable (Turn) throws -> Result
    ) async throws -> Result {
        let deadline = deadline ?? self.deadline
        let before = calls.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { calls.wrappingSubtract(1, ordering: .relaxed) }
        guard before < Self.maximumWaiting + database.connections else {
            throw database.error(.busy, "\(Self.maximumWaiting) calls wait for it already")
        }
        return try await threads.run { [self] in
            var attempt = 1
            while true {
                do { return try take(deadline, body) } catch let failure as PostgreSQLFailure {
                    let isPossible =
                        failure.isConflict || (failure.isConnectionLost && (isRepeatable || failure.isBeforeSending))
                    // A connection is made anew once: the database may have restarted.
                    let limit = failure.isConflict ? Self.attempts : 2
                    guard isPossible, attempt < limit, .now < deadline else { throw database.error(failure) }
                    attempt += 1
                }
            }
        }
    }

    private func take<Result>(
        _ deadline: ContinuousClock.Instant, _ body: (Turn) throws -> Result
    ) throws -> Result {
        guard .now < deadline else {
            throw database.error(.busy, "all \(database.connections) connections were in use for \(database.timeout)")
        }
        let connection = try find(deadline)
        var isLost = false
        // One in the middle of something is of no more use.
        defer { if !isLost, connection.isIdle { idle.withLock { $0.append(connection) } } }
        do { return try body(Turn(connection: connection, deadline: deadline)) } catch {
            isLost = (error as? PostgreSQLFailure)?.isConnectionLost == true
            throw error
        }
    }

    private func find(_ deadline: ContinuousClock.Instant) throws -> PostgreSQLConnection {
        while let connection = idle.withLock({ $0.popLast() }) {
            if connection.isUsable { return connection }
        }
        do {
            let connection = try PostgreSQLConnection(database.parameters(), deadline: deadline)
            for statement in Self.preparations { try connection.run(statement, deadline: deadline) }
            return connection
        } catch var failure as PostgreSQLFailure {
            failure.isBeforeSending = true
            throw failure
        }
    }

    private static let preparations = [
        // A crash of the database must not lose what was acknowledged; a stricter setting of the database stays as it is.
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')",
        "SELECT set_config('default_transaction_isolation', 'read committed', false)",
        // Functions of other roles must not take the place of the system's.
        "SELECT set_config('search_path', 'pg_catalog, pg_temp', false)",
    ]
}
