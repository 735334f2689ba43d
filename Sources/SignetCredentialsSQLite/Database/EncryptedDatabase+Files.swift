#if SQLite
import Foundation
import GRDB
import SignetCredentials

extension EncryptedDatabase {
    /// The absolute path, which shows the folder, and which stays right when the process changes its current folder.
    static func absolute(_ path: String) throws(CredentialStoreError) -> String {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw .init(.inputOutput, "“\(path)” is not the path of a file. Name the file of the store.")
        }
        if path.hasPrefix("/") { return path }
        return FileManager.default.currentDirectoryPath + "/" + path
    }

    /// Checks the folder, the file, and the files that SQLite has put beside it.
    static func checkFiles(_ path: String) throws(CredentialStoreError) {
        try PrivateFile.checkFolder(PrivateFile.folder(of: path))
        guard let size = try PrivateFile.check(path) else {
            throw .init(.notFound, "The file “\(path)” no longer exists. Open the store again.")
        }
        for suffix in ["-wal", "-shm", "-journal"] { _ = try PrivateFile.check(path + suffix) }
        guard size > 0 else {
            throw .init(.damaged, "The file “\(path)” is empty: it was cut off. Restore it from a backup.")
        }
    }

    static func open(_ path: String, options: Options) throws -> DatabaseQueue {
        do {
            return try DatabaseQueue(path: path, configuration: configuration(options))
        } catch let error as DatabaseError { throw translation(error, path) }
    }

    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(min(max(.zero, options.busyTimeout), .seconds(86_400)) / .seconds(1))
        configuration.label = "EncryptedDatabase"
        configuration.prepareDatabase { database in
            // Deleted data is overwritten, and confirmed changes are on the disk.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            #if canImport(Darwin)
            try database.execute(sql: "PRAGMA fullfsync = ON")
            #endif
            // The file may come from an attacker.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
            try database.execute(sql: "PRAGMA max_page_count = \(max(1, options.maximumBytes / max(512, pageSize)))")
        }
        return configuration
    }

    /// Creates a store under a temporary name, and gives it its final name only when it is complete, so that no process
    /// sees half of a store.
    static func create(_ path: String, key provider: any MasterKeyProvider, options: Options) async throws {
        let folder = PrivateFile.folder(of: path)
        let temporary = "\(folder)/\(UnfinishedFiles.newName())"
        let keyID = UUID()
        let derivation = provider.newDerivation()
        let master = try await provider.masterKey(
            for: MasterKeyRequest(path: path, keyID: keyID.uuidString, derivation: derivation, isNew: true))
        try await threads.run {
            try PrivateFile.sharing(folder) {
                guard try PrivateFile.create(temporary) else {
                    throw CredentialStoreError(.inputOutput, "“\(temporary)” already exists. Try again.")
                }
                defer { for suffix in UnfinishedFiles.suffixes { PrivateFile.remove(temporary + suffix) } }
                let keys = RecordKeys(master: master, storeID: UUID(), keyID: keyID)
                do { try fill(temporary, keys, derivation, options) } catch let error as DatabaseError {
                    throw translation(error, path)
                }
                try PrivateFile.publish(temporary, as: path, in: folder)
            }
        }
    }

    /// Turns an empty file into an empty store.
    private static func fill(
        _ path: String, _ keys: RecordKeys, _ derivation: KeyDerivation, _ options: Options
    ) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration(options))
        try queue.writeWithoutTransaction { database in
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            try database.returningFromTransaction {
                try StoreSchema.create(database)
                try StoreHeader(keys: keys, derivation: derivation).write(database)
                try RecordRegister(after: 0, database, keys).saveAll()
            }
            // Changes that stay in the log would be lost with it, and closing does not report this.
            _ = try database.checkpoint(.truncate)
        }
        try queue.close()
    }

    /// Runs `body` and translates the errors of SQLite.
    static func translating<Result: Sendable>(
        _ path: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        do { return try await body() } catch let error as DatabaseError { throw translation(error, path) }
    }

    static func translation(_ error: DatabaseError, _ path: String) -> CredentialStoreError {
        func make(_ code: CredentialStoreError.Code, _ message: String) -> CredentialStoreError {
            CredentialStoreError(code, message, cause: error)
        }
        switch error.resultCode {
        case .SQLITE_FULL:
            return make(
                .full,
                "There is no room for “\(path)”: the disk, or the size allowed for the store, is full. Nothing was changed."
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return make(
                .busy, "Other processes use “\(path)” and did not release it in time. Nothing was changed; try again."
            )
        case .SQLITE_NOTADB:
            return make(.notAStore, "“\(path)” is not a database; it was left as it is. Name another file.")
        case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_MISMATCH:
            return make(.damaged, "“\(path)” was cut off, or another program changed it. Restore it from a backup.")
        default:
            return make(
                .inputOutput,
                "SQLite could not read or write “\(path)” (\(error.extendedResultCode)). Nothing was changed.")
        }
    }
}
#endif
