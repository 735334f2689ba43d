import Foundation
import GRDB
import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite

/// A folder with a store in a folder of its own, and what tests do to it behind its back.
struct StoreFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "signet-store-\(UUID().uuidString)").path
    let key = FixedMasterKey(.random())
    var store: String { path + "/data/store.sqlite" }

    static func with<Result>(_ body: (StoreFolder) async throws -> Result) async throws -> Result {
        let folder = StoreFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        return try await body(folder)
    }

    func open(
        _ key: (any MasterKeyProvider)? = nil, _ options: EncryptedDatabase.Options = .init()
    ) async throws -> EncryptedDatabase {
        try await EncryptedDatabase(path: store, key: key ?? self.key, options: options)
    }

    /// Changes the file with SQLite alone, as an attacker without the key can.
    func tamper(_ sql: String, _ arguments: StatementArguments = []) throws {
        let queue = try queue()
        try queue.writeWithoutTransaction { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }

    func rows(_ sql: String) throws -> [Row] {
        let queue = try queue()
        defer { try? queue.close() }
        return try queue.read { try Row.fetchAll($0, sql: sql) }
    }

    private func queue() throws -> DatabaseQueue {
        var configuration = Configuration()
        // A store that was let go of is closed some time later.
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: store, configuration: configuration)
    }

    static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    static func credential(_ account: String, host: String = "canary-host.example") -> StoredCredential {
        let space = ProtectionSpace(scheme: "https", host: host, port: 443, realm: "canary-realm")
        return StoredCredential(
            key: CredentialKey(space: space, path: "/canary-path", account: account),
            secret: SecretBytes("canary-secret-\(account)"), label: "canary-label", comment: "canary-comment")
    }
}
