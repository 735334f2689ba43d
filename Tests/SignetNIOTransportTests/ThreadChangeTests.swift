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

    /// A call over an open connection is woken once, when its answer is there; a receiver that could not want the content changes
    /// nothing.
    @Test(arguments: [false, true]) func aCallIsWokenOnce(hasReceiver: Bool) async throws {
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
}
