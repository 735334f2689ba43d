import Synchronization
import Testing

@testable import SignetSOAP

@Suite(.timeLimit(.minutes(10))) struct PollingTests {
    private struct Burnt: Error, Equatable { var reason: String }

    /// What a service answers, one poll after the other; the last answer for ever.
    private final class Script: Sendable {
        private let answers: [Result<String, any Error>]
        private let count = Mutex(0)
        var polls: Int { count.withLock { $0 } }

        init(_ answers: [Result<String, any Error>]) { self.answers = answers }
        convenience init(_ answers: String...) { self.init(answers.map { .success($0) }) }

        func poll() throws -> String {
            let index = count.withLock { count in
                count += 1
                return count - 1
            }
            return try answers[min(index, answers.count - 1)].get()
        }
    }

    private let clock = ManualClock()

    private func polling(_ change: (inout Polling) -> Void = { _ in }) -> Polling {
        var polling = Polling(every: .seconds(1), upTo: .seconds(5), deadline: .seconds(100))
        polling.clock = clock
        polling.random = { 0 }
        change(&polling)
        return polling
    }

    /// `done`, `failed`, a number of seconds that the service asks for, or anything else while it is pending.
    private static func state(_ answer: String) -> JobState {
        switch answer {
        case "done": .done
        case "failed": .failed(Burnt(reason: answer))
        default: .pending(retryAfter: Int(answer).map { .seconds($0) })
        }
    }

    /// Starts polling, lets time pass through as many waits, and gives the moments at which they ended with the
    /// polling.
    private func run(
        _ script: Script, _ polling: Polling, waits: Int,
        onProgress: @escaping @Sendable (String) async -> Void = { _ in }
    ) async -> (moments: [Duration], Task<String, any Error>) {
        let task = Task {
            try await polling.run(script.poll, state: Self.state, onProgress: onProgress)
        }
        var moments: [Duration] = []
        for _ in 0..<waits {
            // One of the two sleeps until the deadline.
            let moment = await clock.sleepers(2)
            moments.append(moment)
            clock.move(to: moment)
        }
        return (moments, task)
    }

    @Test func waitsGrowUpToTheirMaximum() async throws {
        let script = Script("queued", "running", "running", "running", "running", "done")
        let seen = Mutex<[String]>([])
        let (moments, task) = await run(script, polling(), waits: 5) { answer in seen.withLock { $0.append(answer) } }
        #expect(try await task.value == "done")
        #expect(moments == [1, 3, 7, 12, 17].map { .seconds($0) })
        #expect(script.polls == 6)
        #expect(seen.withLock { $0 } == ["queued", "running", "running", "running", "running"])
    }

    @Test func jitterOnlyShortens() async throws {
        let short = polling {
            $0.jitter = 0.5
            $0.random = { 0.5 }
        }
        let (moments, task) = await run(Script("queued", "queued", "done"), short, waits: 2)
        #expect(try await task.value == "done")
        #expect(moments == [.milliseconds(750), .milliseconds(2250)])
    }

    /// A maximum below the first wait, a factor that shrinks, jitter beyond its range, waits of nothing.
    @Test func senselessSettingsDoNoHarm() {
        var polling = polling()
        polling.maximumInterval = .zero
        polling.factor = -.infinity
        polling.jitter = .infinity
        polling.random = { 1 }
        var backOff = polling.backOff
        for _ in 0..<3 { #expect(backOff.wait() == BackOff.shortest) }
        polling.interval = .seconds(-1)
        polling.factor = .nan
        polling.jitter = -.infinity
        backOff = polling.backOff
        #expect(backOff.wait() == BackOff.shortest)
        #expect(polling.wait(.seconds(-7), &backOff) == BackOff.shortest)
        polling.interval = .seconds(Int64.max)
        polling.factor = .infinity
        polling.jitter = 0
        backOff = polling.backOff
        for _ in 0..<3 { #expect(backOff.wait() > .seconds(Int64.max / 2)) }
    }

    @Test func theServiceDeterminesTheWait() async throws {
        let script = Script("40", "9", "0", "queued", "done")
        let (moments, task) = await run(script, polling { $0.longestRetryAfter = .seconds(20) }, waits: 4)
        #expect(try await task.value == "done")
        // At most what is allowed, less than the usual wait where it wants that, and never below the first.
        #expect(moments == [20, 29, 30, 35].map { .seconds($0) })
    }

    @Test func theReasonOfAFailureIsThrown() async throws {
        let script = Script("queued", "failed")
        let (_, task) = await run(script, polling(), waits: 1)
        await #expect(throws: Burnt(reason: "failed")) { try await task.value }
        #expect(script.polls == 2)
    }

    @Test func anErrorOfTheStateClosureEndsPolling() async throws {
        let script = Script("queued")
        let polling = polling()
        await #expect(throws: TransportError(.connectionClosed, "")) {
            try await polling.run(script.poll) { _ in throw TransportError(.connectionClosed, "") }
        }
        #expect(script.polls == 1)
    }

    // MARK: Time

    @Test func pollingEndsWhenTheNextPollWouldMissTheDeadline() async throws {
        let script = Script("queued", "running")
        let (moments, task) = await run(script, polling { $0.deadline = .seconds(12) }, waits: 3)
        let error = await #expect(throws: PollingError.self) { try await task.value }
        #expect(error?.code == .expired)
        #expect(error?.polls == 4)
        #expect(error?.elapsed == .seconds(7))
        #expect(error?.lastAnswer as? String == "running")
        #expect(error?.cause == nil)
        #expect(error?.description.contains("12.0 seconds") == true)
        #expect(moments == [1, 3, 7].map { .seconds($0) })
    }

    /// A poll that never ends but by being cancelled.
    @Test func theDeadlineEndsAPollThatIsUnderWay() async throws {
        let polling = polling()
        let task = Task {
            try await polling.run { () async throws -> String in
                // Later than the deadline.
                do { try await clock.sleep(for: .seconds(1_000)) } catch { throw TransportError.cancelled() }
                return "done"
            } state: {
                Self.state($0)
            }
        }
        #expect(await clock.sleepers(2) == .seconds(100))
        clock.move(to: .seconds(100))
        let error = await #expect(throws: PollingError.self) { try await task.value }
        #expect(error?.code == .expired)
        #expect(error?.polls == 1)
        #expect(error?.elapsed == .seconds(100))
        #expect(error?.lastAnswer == nil)
    }

    @Test func aResultThatArrivesWithTheDeadlineIsTaken() async throws {
        let polling = polling()
        let task = Task {
            try await polling.run {
                try? await clock.sleep(for: .seconds(1_000))
                return "done"
            } state: {
                Self.state($0)
            }
        }
        _ = await clock.sleepers(2)
        clock.move(to: .seconds(100))
        #expect(try await task.value == "done")
    }

    @Test func cancellationEndsAWait() async throws {
        let script = Script("queued")
        let (_, task) = await run(script, polling(), waits: 1)
        _ = await clock.sleepers(2)
        task.cancel()
        await #expect(throws: TransportError.cancelled()) { try await task.value }
        #expect(script.polls == 2)
    }

    @Test func cancellationEndsAPollThatIsUnderWay() async throws {
        let polling = polling()
        let task = Task {
            try await polling.run {
                try await clock.sleep(for: .seconds(10))
                return "done"
            } state: {
                Self.state($0)
            }
        }
        _ = await clock.sleepers(2)
        task.cancel()
        await #expect(throws: TransportError.cancelled()) { try await task.value }
    }

    @Test func aTaskThatIsCancelledBeforehandAsksAtMostOnce() async throws {
        let script = Script("queued")
        let polling = polling()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await polling.run(script.poll, state: Self.state)
        }
        await #expect(throws: TransportError.cancelled()) { try await task.value }
        #expect(script.polls <= 1)
    }

    // MARK: No answer

    private static func refusal(_ status: Int, retryAfter: Duration? = nil) -> ServiceError {
        ServiceError(.refused, "", answer: .init(status: status, firstBytes: "", retryAfter: retryAfter))
    }

    @Test func pollsThatGetNoAnswerAreRepeated() async throws {
        let script = Script([
            .failure(TransportError(.connectionRefused, "")), .failure(TransportError(.readTimeout, "")),
            .failure(Self.refusal(503, retryAfter: .seconds(7))), .success("queued"),
            .failure(TransportError(.connectionClosed, "")), .success("done"),
        ])
        let (moments, task) = await run(script, polling(), waits: 5)
        #expect(try await task.value == "done")
        #expect(moments == [1, 3, 10, 15, 20].map { .seconds($0) })
    }

    @Test func tooManyFailuresInARowEndPolling() async throws {
        let script = Script([
            .failure(Self.refusal(502)), .success("queued"), .failure(Self.refusal(504)), .failure(Self.refusal(429)),
            .failure(TransportError(.unknownHost, "")),
        ])
        let (_, task) = await run(script, polling { $0.toleratedFailures = 2 }, waits: 4)
        await #expect(throws: TransportError(.unknownHost, "")) { try await task.value }
        #expect(script.polls == 5)
    }

    @Test func theDeadlineErrorNamesTheLastFailure() async throws {
        let script = Script([.success("queued"), .failure(TransportError(.networkUnreachable, "no network"))])
        let (_, task) = await run(script, polling { $0.deadline = .seconds(2) }, waits: 1)
        let error = await #expect(throws: PollingError.self) { try await task.value }
        #expect(error?.cause as? TransportError == TransportError(.networkUnreachable, ""))
        #expect(error?.lastAnswer as? String == "queued")
        #expect(error?.description.hasSuffix("no network") == true)
    }

    @Test(
        arguments: [
            TransportError(.clientCertificateRefused, ""), TransportError(.tlsHandshakeFailed, ""),
            TransportError(.malformedResponse, ""), TransportError(.proxyRefused, ""), TransportError(.cancelled, ""),
            TransportError(.shutDown, ""), SOAPFault.server("down"), SOAPFault.client("no such job"), refusal(401),
            refusal(403), refusal(500), ServiceError(.malformedAnswer, ""), Burnt(reason: "credentials"),
        ] as [any Error])
    func lastingFailuresEndPolling(error: any Error) async throws {
        let script = Script([.failure(error)])
        let polling = polling()
        let thrown = await #expect(throws: (any Error).self) {
            try await polling.run(script.poll, state: Self.state)
        }
        #expect(thrown.map { String(reflecting: $0) } == String(reflecting: error))
        #expect(script.polls == 1)
    }
}
