import Dispatch
import Foundation
import SignetCredentials
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct BlockingQueueTests {
    /// More of them wait than there are threads that tasks share; the task that ends their waiting runs all the same.
    @Test func noThreadOfTasksIsOccupied() async throws {
        let queue = BlockingQueue("test", width: .max)
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

    @Test func aCancelledCallerDoesNotWaitForItsTurn() async throws {
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

    @Test func theQueueRunsAtMostItsWidthAtATime() async throws {
        let queue = BlockingQueue("test", width: 2)
        let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        defer { for gate in gates { gate.signal() } }
        let begun = AsyncStream<Void>.makeStream()
        for gate in gates {
            queue.start {
                begun.continuation.yield()
                gate.wait()
            }
        }
        // Both have begun, neither goes on.
        var beginnings = begun.stream.makeAsyncIterator()
        for _ in gates { await beginnings.next() }
        let state = Mutex((isOpen: false, early: 0, order: [Int]()))
        let ended = AsyncStream<Void>.makeStream()
        let count = 20
        for number in 0..<count {
            queue.start {
                state.withLock {
                    if !$0.isOpen { $0.early += 1 }
                    $0.order.append(number)
                }
                if number == count - 1 { ended.continuation.finish() }
            }
        }
        // Time for those that would begin all the same.
        for _ in 0..<count { try await BlockingQueue("other").run {} }
        state.withLock { $0.isOpen = true }
        gates[0].signal()
        for await _ in ended.stream {}
        #expect(state.withLock { $0.early } == 0)
        #expect(state.withLock { $0.order } == Array(0..<count))
    }

    @Test func errorsOfTheClosureAreThrown() async throws {
        await #expect(throws: CredentialStoreError(.full, "")) {
            try await BlockingQueue("test").run { throw CredentialStoreError(.full, "") }
        }
    }
}
