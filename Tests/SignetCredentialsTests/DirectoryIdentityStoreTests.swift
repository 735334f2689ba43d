import Foundation
import SignetCredentials
import SignetTLS
import SignetTesting
import Testing

@Suite struct DirectoryIdentityStoreTests {
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private static func mode(_ url: URL) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int)
    }

    private static func setMode(_ mode: Int, _ url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    private static func files(_ url: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
    }

    @Test func keepsIdentitiesBeyondTheProcess() async throws {
        try await Self.withFolder { folder in
            let authority = try CertificateAuthority()
            let (old, new) = (
                try authority.issueClient(commonName: "old"), try authority.issueClient(commonName: "new")
            )
            let path = folder.appending(path: "store")
            let store = try DirectoryIdentityStore(path: path.path, password: "canary-seal")
            let labels = ["device", "../../etc/passwd", "a/b\u{0}c", ".", "Zähler 🔌 \n", "DEVICE", "*?'\""]
            for label in labels {
                #expect(try await store.identity(label: label) == nil)
                try await store.store(old, label: label)
            }
            try await store.store(new, label: "device")
            let again = try DirectoryIdentityStore(path: path.path, password: "canary-seal")
            #expect(try await again.labels() == labels.sorted())
            for label in labels {
                let read = try #require(try await again.identity(label: label))
                #expect(read == (label == "device" ? new : old))
                #expect(read.label == label)
                #expect(read.chain == (label == "device" ? new : old).chain)
            }
            try await again.remove(label: "device")
            try await again.remove(label: "device")
            #expect(try await store.identity(label: "device") == nil)
            #expect(try Self.files(path).count == labels.count - 1)

            #expect(try Self.mode(path) == 0o700)
            for file in try Self.files(path) {
                #expect(try Self.mode(file) == 0o600)
                #expect(try Data(contentsOf: file).range(of: Data("canary".utf8)) == nil)
            }
            var dumped = ""
            dump(store, to: &dumped)
            for text in ["\(store)", String(reflecting: store), dumped] { #expect(!text.contains("canary")) }

            let stranger = try DirectoryIdentityStore(path: path.path, password: "other")
            await #expect(throws: IdentityError(.wrongPassword, "")) { try await stranger.identity(label: "DEVICE") }
        }
    }

    @Test func foldersThatOtherUsersCanReachAreRefused() async throws {
        try await Self.withFolder { folder in
            let identity = try CertificateAuthority().issueClient()
            let unsafe = IdentityStoreError(.unsafePermissions, "")
            let path = folder.appending(path: "store")
            let store = try DirectoryIdentityStore(path: path.path, password: "seal")
            try await store.store(identity, label: "device")
            let file = try #require(try Self.files(path).first)

            for mode in [0o640, 0o604, 0o666] {
                try Self.setMode(mode, file)
                await #expect(throws: unsafe) { try await store.identity(label: "device") }
            }
            try Self.setMode(0o600, file)
            for mode in [0o750, 0o701, 0o777] {
                try Self.setMode(mode, path)
                await #expect(throws: unsafe) { try await store.identity(label: "device") }
                await #expect(throws: unsafe) { try await store.store(identity, label: "device") }
                await #expect(throws: unsafe) { try await store.labels() }
                await #expect(throws: unsafe) { try await store.remove(label: "device") }
                #expect(throws: unsafe) { try DirectoryIdentityStore(path: path.path, password: "seal") }
            }
            try Self.setMode(0o700, path)
            #expect(try await store.identity(label: "device") == identity)

            let aside = folder.appending(path: "aside.p12")
            try FileManager.default.moveItem(at: file, to: aside)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: aside)
            await #expect(throws: unsafe) { try await store.identity(label: "device") }
            // Writing replaces the link itself and leaves what it led to alone.
            let before = try Data(contentsOf: aside)
            try await store.store(identity, label: "device")
            #expect(try Data(contentsOf: aside) == before)
            #expect(try await store.identity(label: "device") == identity)

            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: path)
            #expect(throws: unsafe) { try DirectoryIdentityStore(path: link.path, password: "seal") }
            #expect(throws: unsafe) { try DirectoryIdentityStore(path: aside.path, password: "seal") }
        }
    }

    @Test func errorsNameTheirCause() async throws {
        try await Self.withFolder { folder in
            #expect(throws: IdentityStoreError(.inputOutput, "")) {
                try DirectoryIdentityStore(path: folder.appending(path: "none/store").path, password: "seal")
            }
            let path = folder.appending(path: "store")
            #expect(throws: IdentityStoreError(.weakPassword, "")) {
                try DirectoryIdentityStore(path: path.path, password: "")
            }
            let store = try DirectoryIdentityStore(path: path.path, password: "seal")
            for label in ["", String(repeating: "x", count: 121)] {
                await #expect(throws: IdentityStoreError(.invalidLabel, "")) { try await store.identity(label: label) }
            }
            let identity = try CertificateAuthority().issueClient()
            let longest = String(repeating: "x", count: 120)
            try await store.store(identity, label: longest)
            #expect(try await store.labels() == [longest])
            let file = try #require(try Self.files(path).first)
            try Data(contentsOf: file).dropLast(10).write(to: file)
            try Self.setMode(0o600, file)
            await #expect(throws: IdentityError(.damaged, "")) { try await store.identity(label: longest) }
        }
    }

    @Test func concurrentWritersLeaveOneValidFile() async throws {
        try await Self.withFolder { folder in
            let authority = try CertificateAuthority()
            let identities = try (0..<4).map { try authority.issueClient(commonName: "\($0)") }
            let path = folder.appending(path: "store").path
            try await withThrowingTaskGroup(of: Void.self) { group in
                for identity in identities {
                    group.addTask {
                        let store = try DirectoryIdentityStore(path: path, password: "seal")
                        try await store.store(identity, label: "device")
                        // The stored file is complete, whichever task wrote last.
                        #expect(try await store.identity(label: "device") != nil)
                    }
                }
                try await group.waitForAll()
            }
            let store = try DirectoryIdentityStore(path: path, password: "seal")
            #expect(identities.contains(try #require(try await store.identity(label: "device"))))
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1)
        }
    }

    /// What a process has left that was killed while it replaced a file.
    @Test func removesLeftovers() async throws {
        try await Self.withFolder { folder in
            let path = folder.appending(path: "store")
            let store = try DirectoryIdentityStore(path: path.path, password: "canary-seal")
            try await store.store(try CertificateAuthority().issueClient(), label: "device")
            let name = path.appending(path: ".new-\(UUID().uuidString)").path
            try #require(FileManager.default.createFile(atPath: name, contents: nil))
            let other = open(path.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(other >= 0 && flock(other, LOCK_SH) == 0)
            _ = try DirectoryIdentityStore(path: path.path, password: "canary-seal")
            #expect(FileManager.default.fileExists(atPath: name))
            close(other)
            let again = try DirectoryIdentityStore(path: path.path, password: "canary-seal")
            #expect(try Self.files(path).count == 1)
            #expect(try await again.labels() == ["device"])
        }
    }
}
