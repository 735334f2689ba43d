import Foundation
import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite
import Testing

@Suite struct PermissionTests {
    private static let unsafe = CredentialStoreError(.unsafePermissions, "")

    @Test func onlyTheOwnerCanReadTheFiles() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            #expect(try StoreFolder.mode(folder.path + "/data") == 0o700)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
            #expect(files.sorted() == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
            for file in files { #expect(try StoreFolder.mode("\(folder.path)/data/\(file)") == 0o600) }
        }
    }

    /// With an umask that forbids nothing, in a process of its own; whatever is there is looked at all the time.
    @Test func filesAreMadePrivateFromTheFirstMoment() async throws {
        try await StoreFolder.with { folder in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = [
                "-c", "umask 000 && exec \"$0\" \"$@\"", try TortureTests.tool(), "--processes", "2", "--items", "60",
                "--every", "100", "--folder", folder.path + "/torture",
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            var seen: Set<String> = []
            while process.isRunning {
                for file in FileManager.default.subpaths(atPath: folder.path) ?? [] {
                    // It may be gone by now.
                    guard let mode = try? StoreFolder.mode("\(folder.path)/\(file)") else { continue }
                    #expect(mode & 0o077 == 0, "\(file)")
                    seen.insert(URL(filePath: file).lastPathComponent)
                }
            }
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(seen.isSuperset(of: ["key", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"]))
        }
    }

    @Test(arguments: ["", "-wal", "-shm"]) func looserFilesAreRefused(suffix: String) async throws {
        try await StoreFolder.with { folder in
            let open = try await folder.open()
            try await SQLiteCredentialStore(open).add(StoreFolder.credential("anna"))
            for mode in [0o640, 0o604, 0o666, 0o620] {
                try StoreFolder.setMode(mode, folder.store + suffix)
                await #expect(throws: Self.unsafe) { _ = try await folder.open() }
                await #expect(throws: Self.unsafe) { _ = try await open.check() }
            }
            try StoreFolder.setMode(0o600, folder.store + suffix)
            #expect(try await folder.open().check().isSound)

            try FileManager.default.moveItem(atPath: folder.store + suffix, toPath: folder.path + "/aside")
            try FileManager.default.createSymbolicLink(
                atPath: folder.store + suffix, withDestinationPath: folder.path + "/aside")
            await #expect(throws: Self.unsafe) { _ = try await folder.open() }
        }
    }

    @Test func looserFoldersAreRefused() async throws {
        try await StoreFolder.with { folder in
            _ = try await folder.open()
            for mode in [0o750, 0o701, 0o777] {
                try StoreFolder.setMode(mode, folder.path + "/data")
                await #expect(throws: Self.unsafe) { _ = try await folder.open() }
            }
            try StoreFolder.setMode(0o700, folder.path + "/data")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/link", withDestinationPath: folder.path + "/data")
            await #expect(throws: Self.unsafe) {
                _ = try await EncryptedDatabase(path: folder.path + "/link/store.sqlite", key: folder.key)
            }
            // Only the superuser can give a file away.
            if geteuid() == 0 {
                try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder.store)
                await #expect(throws: Self.unsafe) { _ = try await folder.open() }
            }
        }
    }

    @Test func aMissingStoreIsReported() async throws {
        try await StoreFolder.with { folder in
            var options = EncryptedDatabase.Options()
            options.makesStore = false
            await #expect(throws: CredentialStoreError(.notFound, "")) { _ = try await folder.open(nil, options) }
            for path in ["", "/", folder.path + "/none/data/store.sqlite"] {
                await #expect(throws: CredentialStoreError(.inputOutput, "")) {
                    _ = try await EncryptedDatabase(path: path, key: folder.key)
                }
            }
        }
    }

    /// What was confirmed stays, what was refused leaves nothing behind, and room that is made can be used.
    @Test func aFullStoreLosesNoRecord() async throws {
        try await StoreFolder.with { folder in
            var options = EncryptedDatabase.Options()
            options.maximumBytes = 300_000
            let store = SQLiteCredentialStore(try await folder.open(nil, options))
            var confirmed: [String] = []
            let error = await #expect(throws: CredentialStoreError.self) {
                for number in 0..<1000 {
                    let key = StoreFolder.credential("\(number)").key
                    try await store.add(
                        StoredCredential(key: key, secret: SecretBytes([UInt8](repeating: 7, count: 3000))))
                    confirmed.append("\(number)")
                }
            }
            #expect(error?.code == .full)
            #expect(confirmed.count > 10)
            for store in [store, SQLiteCredentialStore(try await folder.open())] {
                #expect(try await store.database.check().isSound)
                #expect(Set(try await store.list(CredentialQuery()).map(\.key.account)) == Set(confirmed))
            }
            for account in confirmed.prefix(5) { try await store.remove(StoreFolder.credential(account).key) }
            try await store.add(StoreFolder.credential("after"))
            #expect(try await store.database.check().sound == confirmed.count - 4)
        }
    }
}
