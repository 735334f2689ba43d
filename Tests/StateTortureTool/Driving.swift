#if Server && SQLite
import Foundation
import Signet
import SignetWSSecurity

/// A client that sends each message to two servers at the same time.
struct Driving: Sendable {
    var pairs = 1000
    var tasks = 32
    var urls: [String] = []

    /// What became of the messages.
    struct Outcome: Sendable {
        var once = 0
        var twice = 0
        /// Both attempts saw an error.
        var never = 0
        /// Of those, how many were accepted when they were sent again with a fresh nonce.
        var retried = 0

        static func + (left: Self, right: Self) -> Self {
            Self(
                once: left.once + right.once, twice: left.twice + right.twice, never: left.never + right.never,
                retried: left.retried + right.retried)
        }
    }

    func run() async throws {
        let callers = try urls.map { url in
            var configuration = try ServiceConfiguration(url)
            configuration.version = .soap11
            return ServiceCaller(configuration)
        }
        let begin = ContinuousClock.now
        let outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var outcome = Outcome()
                    for pair in pairs * task / tasks..<pairs * (task + 1) / tasks {
                        outcome = outcome + (try await send(pair, callers))
                    }
                    return outcome
                }
            }
            return try await group.reduce(Outcome()) { $0 + $1 }
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        print(
            #"{"pairs": \#(pairs), "once": \#(outcome.once), "twice": \#(outcome.twice), "never": \#(outcome.never), "retried": \#(outcome.retried), "seconds": \#(seconds)}"#
        )
        for caller in callers { try? await caller.transport.shutdown() }
    }

    private func send(_ pair: Int, _ callers: [ServiceCaller]) async throws -> Outcome {
        var outcome = Outcome()
        switch try await accepted(String(pair), callers) {
        case 0: outcome.never = 1
        case 1: outcome.once = 1
        default: outcome.twice = 1
        }
        guard outcome.never == 1 else { return outcome }
        // A minute: what was killed is started again.
        for attempt in 0..<600 {
            if try await accepted("\(pair) again \(attempt)", [callers[attempt % callers.count]]) == 1 {
                outcome.retried = 1
                break
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        return outcome
    }

    /// - Returns: how many of the servers have accepted a message with a fresh nonce.
    private func accepted(_ text: String, _ callers: [ServiceCaller]) async throws -> Int {
        guard let first = callers.first else { return 0 }
        var attempt = CallAttempt(operation: "Echo", endpoint: first.endpoint, version: .soap11)
        attempt.isLocal = true
        let token = UsernameToken(.digest, user: Serving.user, password: Serving.password)
        let header = try await SecurityHeader(token).headerBlocks(for: attempt)
        let content = try Echo.content(text)
        return await withTaskGroup(of: Bool.self) { group in
            for var caller in callers {
                caller.headerBlocks = header
                caller.understoodHeaderBlocks = SecurityHeader().understoodHeaderBlocks
                group.addTask { [caller] in (try? await caller.call(Echo.operation, content)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
#endif
