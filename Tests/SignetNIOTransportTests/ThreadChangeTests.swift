import AllocationCounter
import Dispatch
import HTTPTypes
import SignetHTTP
import Synchronization
import Testing

@testable import SignetNIOTransport

/// How often a call waits for another thread, which is most of what a small call costs.
@Suite(.timeLimit(.minutes(5))) struct ThreadChangeTests {
    /// Runs jobs one after the other, and counts them.
    private final class CountingExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "jobs")
        private let jobs = Atomic(0)

        var count: Int { jobs.load(ordering: .relaxed) }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.wrappingAdd(1, ordering: .relaxed)
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Keeps nothing: it wants content of another type than comes.
    private struct Uninterested: ContentReceiver {
        func mayTake(contentType: String?) -> Bool { false }
        func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool { false }
        func receive(_ bytes: [UInt8]) async throws {}
    }

    /// A call over an open connection is woken once, when its answer is there; a receiver that could not want the
    /// content changes nothing.
    @Test(arguments: [false, true]) func aCallChangesThreadsOnce(hasReceiver: Bool) async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url) { transport async throws in
            _ = try await transport.call(url)
            let executor = CountingExecutor()
            let calls = 50
            let jobs = try await withTaskExecutorPreference(executor) {
                let before = executor.count
                for _ in 0..<calls {
                    let answer = try await transport.call(url) {
                        if hasReceiver { $0.contentReceiver = Uninterested() }
                    }
                    #expect(answer.report.connection.reused)
                }
                return executor.count - before
            }
            #expect(jobs <= calls, "\(jobs) jobs for \(calls) calls")
        }
    }

    /// How many blocks of memory a call asks for, in this build, when it was looked at last.
    private static let blocks = 84

    /// More than a tenth above the number is a defect; with fewer, the new one is to be written down. What other
    /// threads do counts as well, so that no other test may run.
    @Test func aCallStaysWithinItsAllocations() async throws {
        guard allocations_of_thread() >= 0 else {
            return print("Not run: allocations are counted with glibc and without sanitizers only.")
        }
        guard CommandLine.arguments.contains("--no-parallel") else {
            return print("Not run: the allocations of a call are counted with --no-parallel only.")
        }
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url) { transport async throws in
            let calls: Int64 = 50
            var least = Int64.max
            for _ in 0..<4 {
                count_allocations(1)
                defer { count_allocations(0) }
                let before = allocations_of_all()
                for _ in 0..<calls { _ = try await transport.call(url) }
                least = min(least, (allocations_of_all() - before) / calls)
            }
            #expect(least * 10 <= Int64(Self.blocks) * 11, "\(least) blocks a call")
        }
    }
}
