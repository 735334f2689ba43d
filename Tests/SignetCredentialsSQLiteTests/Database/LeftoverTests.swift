import Foundation
import SignetCredentialsSQLite
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that a process leaves behind when it is killed while it makes a store.
@Suite struct LeftoverTests {
    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    private static func leave(_ folder: StoreFolder, _ names: [String]) {
        for name in names { _ = FileManager.default.createFile(atPath: "\(folder.path)/data/\(name)", contents: nil) }
    }

    private static func names(_ folder: StoreFolder) throws -> Set<String> {
        Set(
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
                .filter { !$0.hasPrefix("store.sqlite") })
    }

    @Test func openingTheStoreRemovesLeftovers() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let dead = Self.suffixes.map { ".new-\(UUID().uuidString)\($0)" }
            // Killed between naming the store and removing its first name.
            let second = "\(folder.path)/data/.new-\(UUID().uuidString)"
            try FileManager.default.linkItem(atPath: folder.store, toPath: second)
            let others = [".new-note", "new-\(UUID().uuidString)", ".new-\(UUID().uuidString)-note"]
            Self.leave(folder, dead + others)
            let folderOfOthers = ".new-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/data/\(folderOfOthers)", withIntermediateDirectories: false)
            _ = try await folder.open()
            #expect(try Self.names(folder) == Set(others + [folderOfOthers]))
            try await SQLiteCredentialStore(database).add(StoreFolder.credential("anna"))
            #expect(try await folder.open().check().sound == 1)
        }
    }

    @Test func filesOfARunningCreatorAreKept() async throws {
        try await StoreFolder.with { folder in
            _ = try await folder.open()
            let made = Self.suffixes.map { ".new-\(UUID().uuidString)\($0)" }
            Self.leave(folder, made)
            let creator = open(folder.path + "/data", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(creator >= 0 && flock(creator, LOCK_SH) == 0)
            _ = try await folder.open()
            #expect(try Self.names(folder) == Set(made))
            // It was killed.
            close(creator)
            _ = try await folder.open()
            #expect(try Self.names(folder).isEmpty)
        }
    }

    /// Many that make one store at a time, and clean up behind each other.
    @Test func creatorsDoNotHinderEachOther() async throws {
        try await StoreFolder.with { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let store = SQLiteCredentialStore(try await folder.open())
                        try await store.add(StoreFolder.credential("\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await folder.open().check().sound == 8)
            #expect(try Self.names(folder).isEmpty)
        }
    }
}
