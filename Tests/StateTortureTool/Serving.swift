#if Server && SQLite
import Foundation
import Signet
import SignetCredentialsPostgreSQL
import SignetCredentialsSQLite
import SignetServer
import SignetWSSecurity
import Synchronization

/// A server that writes down which messages it has accepted, until it is killed.
struct Serving: Sendable {
    static let user = "clerk"
    static let password = "way in"

    var port = 0
    /// The folder of the database’s socket, and its port.
    var database: (folder: String, port: Int)?
    /// The file of the state.
    var file = ""
    var key = ""
    /// What was accepted, a line for each message.
    var log = ""

    func run() async throws {
        let state = try await state()
        let accounts = Accounts(state, verifiers: [.password])
        // Another server may have added it.
        if try await state.account(Self.user) == nil {
            do { try await accounts.add(Self.user, password: SecretBytes(Self.password)) } catch {
                guard try await state.account(Self.user) != nil else { throw error }
            }
        }
        let accepted = try AcceptedMessages(log)
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Echo.operation.route { input, _ in
                    try accepted.write(input.text)
                    return input
                }
            ])
        var settings = SOAPServer.Settings()
        settings.port = port
        let service = HostedService(
            dispatcher.verified(by: try UsernameTokenVerifier(accounts: accounts)), path: "/echo")
        let server = try SOAPServer.withoutTLS([service], settings: settings)
        _ = try await server.start()
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    private func state() async throws -> any ServerState {
        let key = MasterKeyFile(path: key)
        guard let (folder, port) = database else {
            return try await SQLiteServerState(try await EncryptedDatabase(path: file, key: key), capacity: 2_000_000)
        }
        var database = PostgreSQLDatabase(
            "postgres", at: .socket(folder: folder, port: port), user: "signet")
        database.connections = 16
        return try await PostgreSQLServerState(database, key: key, capacity: 2_000_000)
    }
}

/// The messages that were accepted. What was written stays when the process is killed.
final class AcceptedMessages: Sendable {
    private let file: Mutex<FileHandle>

    init(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    func write(_ message: String) throws { try file.withLock { try $0.write(contentsOf: Data((message + "\n").utf8)) } }
}
#endif
