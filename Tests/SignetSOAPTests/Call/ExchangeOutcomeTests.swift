import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExchangeOutcomeTests {
    private final class Outcomes: Sendable {
        private let kept = Mutex<[ExchangeOutcome]>([])
        var all: [ExchangeOutcome] { kept.withLock { $0 } }
        func add(_ outcome: ExchangeOutcome) { kept.withLock { $0.append(outcome) } }
    }

    private func caller(_ transport: any ClientTransport) throws -> (ServiceCaller, Outcomes) {
        var caller = try ServiceCaller(transport)
        let outcomes = Outcomes()
        caller.onExchange = { outcomes.add($0) }
        return (caller, outcomes)
    }

    @Test func answersOfAnyStatusAreReportedOnce() async throws {
        let (caller, outcomes) = try caller(
            ScriptedTransport(
                ScriptedTransport.answer(), ScriptedTransport.fault("Server"), ScriptedTransport.answer(status: 404)))
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        await #expect(throws: ServiceError.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(try outcomes.all.map { try $0.result.get().code } == [200, 500, 404])
        #expect(outcomes.all.allSatisfy { $0.operation == "Greet" && $0.endpoint == caller.endpoint })
        #expect(outcomes.all.first?.description.hasPrefix("Greet: 200; ") == true)
    }

    /// The legs follow when they say more than the status.
    @Test(
        arguments: [
            ([.init(status: 200)], ""),
            ([.init(status: 200, authorization: "Basic")], "; 200 after Basic"),
            (
                [.init(status: 401, challenges: ["Digest"]), .init(status: 200, authorization: "Digest")],
                "; 401; 200 after Digest"
            ),
            ([.init(status: 307)], "; 307"),
        ] as [([ExchangeReport.Leg], String)])
    func theStatusIsToldOnce(legs: [ExchangeReport.Leg], told: String) throws {
        var report = ExchangeReport()
        report.legs = legs
        report.connection.number = 1
        report.connection.remoteAddress = "[::1]:80"
        let outcome = ExchangeOutcome(
            operation: "Greet", endpoint: try Endpoint("http://[::1]/"), result: .success(.ok), report: report)
        #expect(outcome.description == "Greet: 200; no TLS; connection 1 to [::1]:80\(told); \(Duration.zero)")
    }

    @Test func failuresAreReportedOnceWithTheTransportsReport() async throws {
        let lost = TransportError(.connectionClosed, "Lost.", mayHaveBeenProcessed: true)
        let (caller, outcomes) = try caller(
            ScriptedTransport(
                ScriptedTransport.failure(lost),
                { request in
                    var report = ExchangeReport()
                    report.connection.number = 7
                    request.failureReport?(report)
                    throw lost
                }))
        for _ in 0..<2 {
            await #expect(throws: lost) { try await caller.call(Greeting.greet, .init(name: "")) }
        }
        #expect(outcomes.all.map { $0.error as? TransportError } == [lost, lost])
        #expect(outcomes.all.map(\.report.connection.number) == [0, 7])
        #expect(outcomes.all.allSatisfy { $0.report.duration > .zero })
        #expect(outcomes.all.first?.description.hasPrefix("Greet: Lost. ") == true)
        #expect(outcomes.all.last?.description.contains("connection 7") == true)
    }

    @Test func aCancelledCallIsReportedOnce() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (caller, outcomes) = try caller(
            ScriptedTransport({ _ in
                begin.finish()
                do { try await Task.sleep(for: .seconds(3600)) } catch { throw TransportError.cancelled() }
                return ClientResponse(status: .ok)
            }))
        let call = Task { try await caller.call(Greeting.greet, .init(name: "")) }
        for await _ in begun {}
        call.cancel()
        await #expect(throws: TransportError.cancelled()) { try await call.value }
        #expect(outcomes.all.map { ($0.error as? TransportError)?.code } == [.cancelled])
    }

    /// Redirects belong to the exchange, which begins where the call was sent first.
    @Test func aRedirectIsNoExchangeOfItsOwn() async throws {
        let transport = ScriptedTransport(
            ScriptedTransport.answer(status: 307, fields: [.location: "/moved"]), ScriptedTransport.answer())
        var (caller, outcomes) = try caller(transport)
        caller.redirects = .sameOrigin(maximum: 1)
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(transport.requests.count == 2)
        #expect(try outcomes.all.map { try $0.result.get().code } == [200])
        #expect(outcomes.all.map(\.endpoint.path) == ["/soap"])
    }

    /// Keeps what a middleware finds behind `next`.
    private struct Looking: CallMiddleware {
        let outcomes: Outcomes
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            defer { for outcome in call.exchanges { outcomes.add(outcome) } }
            return try await next(call)
        }
    }

    /// Calls once more what has failed.
    private struct Again: CallMiddleware {
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            do { return try await next(call) } catch { return try await next(call) }
        }
    }

    @Test func aMiddlewareFindsTheExchangesOfItsCall() async throws {
        let refused = TransportError(.connectionRefused, "Refused.")
        var caller = try ServiceCaller(
            ScriptedTransport(
                ScriptedTransport.failure(refused), ScriptedTransport.answer(), ScriptedTransport.fault("Server")))
        let outcomes = Outcomes()
        caller.middlewares = [Looking(outcomes: outcomes), Again()]
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(outcomes.all.map { try? $0.result.get().code } == [nil, 200])
        // The next call has its own.
        await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(outcomes.all.map { try? $0.result.get().code } == [nil, 200, 500, 500])
    }

    /// A middleware that goes on for ever must not fill the memory.
    @Test func theNewestThousandExchangesAreKept() async throws {
        struct Repeating: CallMiddleware {
            func intercept<Input: XMLStructure, Output: Sendable>(
                _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
            ) async throws -> ServiceAnswer<Output> {
                for _ in 0..<1_000 { _ = try? await next(call) }
                return try await next(call)
            }
        }
        let first = ScriptedTransport.failure(TransportError(.connectionRefused, "Refused."))
        var caller = try ServiceCaller(ScriptedTransport(first, ScriptedTransport.answer()))
        let outcomes = Outcomes()
        caller.middlewares = [Looking(outcomes: outcomes), Repeating()]
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(outcomes.all.count == 1_000)
        #expect(outcomes.all.allSatisfy { $0.error == nil })
    }

    @Test func callsThatNeverBeganAreNotReported() async throws {
        var (caller, outcomes) = try caller(ScriptedTransport(ScriptedTransport.answer()))
        caller.fields[.contentType] = "text/plain"
        await #expect(throws: TransportError.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(outcomes.all.isEmpty)
    }
}
