import Foundation
import SignetCredentials
import Synchronization
import Testing

/// One caller at a time for a label, of all stores that share the same place.
@Suite struct ExclusiveUseTests {
    private struct Failure: Error {}

    /// Counts the callers that are inside at the same time.
    private final class Counter: Sendable {
        private let state = Mutex((now: 0, most: 0, all: 0))
        var most: Int { state.withLock { $0.most } }
        var all: Int { state.withLock { $0.all } }
        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) } }
        func leave() { state.withLock { $0.now -= 1 } }
    }

    private func expectOneAtATime(_ stores: [any IdentityStore]) async throws {
        let inside = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                for _ in 0..<3 {
                    group.addTask {
                        try await store.exclusively(label: "device") {
                            inside.enter()
                            try await Task.sleep(for: .milliseconds(20))
                            inside.leave()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.most == 1 && inside.all == 3 * stores.count)
        // An error ends the use, and another label does not wait.
        let store = try #require(stores.first)
        await #expect(throws: Failure.self) { try await store.exclusively(label: "device") { throw Failure() } }
        try await store.exclusively(label: "device") {
            try await store.exclusively(label: "other") {}
            // It would wait for itself.
            await #expect(throws: IdentityStoreError(.inUse, "")) { try await store.exclusively(label: "device") {} }
        }
    }

    @Test func inMemory() async throws { try await expectOneAtATime([MemoryIdentityStore()]) }

    @Test func inAFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stores = try (0..<2).map { _ in try DirectoryIdentityStore(path: folder, password: "long enough") }
        try await expectOneAtATime(stores)
        #expect(try await stores[0].labels() == [])
    }

    /// Another process, which is killed: the lock ends with it.
    @Test func anotherProcessHoldsTheLock() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try DirectoryIdentityStore(path: folder, password: "long enough")
        try await store.exclusively(label: "device") {}
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let name = try #require(names.first { $0.hasPrefix(".lock-") })
        #expect(names.count == 1)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script =
            "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(3000)"
        process.arguments = ["python3", "-c", script, "\(folder)/\(name)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        _ = try output.fileHandleForReading.read(upToCount: 5)
        let uses = Counter()
        async let use: Void = store.exclusively(label: "device") { uses.enter() }
        try await Task.sleep(for: .milliseconds(300))
        #expect(uses.all == 0)
        kill(process.processIdentifier, SIGKILL)
        try await use
        #expect(uses.all == 1)
        // A task that waits can be cancelled.
        try await store.exclusively(label: "device") {
            let waiting = Task.detached { try await store.exclusively(label: "device") {} }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }
}
