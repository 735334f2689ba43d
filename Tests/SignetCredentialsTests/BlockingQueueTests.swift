import Dispatch
import Foundation
import SignetCredentials
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct BlockingQueueTests {
    /// More of them wait than there are threads that tasks share; the task that ends their waiting runs all the same.
    @Test func noThreadOfTasksIsOccupied() async throws {
        let queue = BlockingQueue("test", isConcurrent: true)
        let gate = DispatchSemaphore(value: 0)
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let isOfATask = try await queue.run {
                        gate.wait()
                        return withUnsafeCurrentTask { $0 != nil }
                    }
                    #expect(isOfATask == false)
                }
            }
            group.addTask { for _ in 0..<count { gate.signal() } }
            try await group.waitForAll()
        }
    }

    @Test func whoIsCancelledDoesNotWaitForTheirTurn() async throws {
        let queue = BlockingQueue("test")
        let gate = DispatchSemaphore(value: 0)
        let begun = AsyncStream<Void>.makeStream()
        let first = Task {
            try await queue.run {
                begun.continuation.finish()
                gate.wait()
                return 1
            }
        }
        for await _ in begun.stream {}
        let isRun = Mutex(false)
        let second = Task { try await queue.run { isRun.withLock { $0 = true } } }
        second.cancel()
        // The queue is occupied still.
        await #expect(throws: CancellationError.self) { try await second.value }
        // What has begun is waited for, and its result is not lost.
        first.cancel()
        gate.signal()
        #expect(try await first.value == 1)
        #expect(try await queue.run { 3 } == 3)
        #expect(isRun.withLock { $0 } == false)
    }

    @Test func saysWhatWentWrong() async throws {
        await #expect(throws: CredentialStoreError(.full, "")) {
            try await BlockingQueue("test").run { throw CredentialStoreError(.full, "") }
        }
    }
}
