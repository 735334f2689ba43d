import Foundation
import SignetCredentials
import SignetCredentialsSQLite
import Testing

/// What other processes do while this one has a store open.
@Suite struct LockTests {
    /// Opens the store with SQLite alone, reads, and closes it: the last connection to close removes the log.
    private func visit(_ path: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select count(*) from record').fetchone(); c.close()",
            path,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// A descriptor that this process closes on one of SQLite's files would release SQLite's locks.
    @Test func checkingTheStoreReleasesNoLock() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            #expect(try await store.database.check().isSound)
            try visit(folder.store)
            try await store.add(StoreFolder.credential("bert"))
            // A process that opens it now sees both.
            let other = SQLiteCredentialStore(try await folder.open())
            #expect(try await other.find(CredentialQuery()).map(\.key.account) == ["anna", "bert"])
            try visit(folder.store)
            try await store.add(StoreFolder.credential("carl"))
            #expect(try await other.find(CredentialQuery()).count == 3)
        }
    }

    /// All of it is in one file then, which a backup may take.
    @Test func aClosedStoreIsOneFile() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            // Calls that have begun finish, and calls that come too late get an error.
            let begun = (0..<4).map { number in
                Task { try await store.add(StoreFolder.credential("\(number)")) }
            }
            await store.database.close()
            var count = 1
            for task in begun {
                switch await task.result {
                case .success: count += 1
                case .failure(let error): #expect((error as? CredentialStoreError)?.code == .inputOutput)
                }
            }
            await #expect(throws: CredentialStoreError(.inputOutput, "")) { try await store.find(CredentialQuery()) }
            await store.database.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data") == ["store.sqlite"])
            #expect(try await folder.open().check().sound == count)
        }
    }
}
