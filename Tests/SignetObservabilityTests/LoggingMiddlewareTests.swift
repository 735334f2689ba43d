import GreetingService
import Logging
import SignetSOAP
import TestSupport
import Testing

@testable import SignetObservability

@Suite(.timeLimit(.minutes(10))) struct LoggingMiddlewareTests {
    private let log = LogCollector()
    private var lines: [Substring] { log.text.split(separator: "\n") }

    @Test func aCallIsOneLineHoweverOftenItWasSent() async throws {
        let refused = TransportError(.connectionRefused, "SECRET")
        let caller = try ServiceCaller(ToldTransport { _ in throw refused }) {
            $0.middlewares = [try RetryMiddleware.quick()]
            $0.observe(tracing: nil, metrics: nil, logging: LoggingMiddleware(log.logger))
        }
        await #expect(throws: refused) { try await caller.greet("SECRET") }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.hasPrefix("warning call "))
        for part in ["Greet", "connectionRefused", "http://service.example", #""attempts": 3"#] {
            #expect(line.contains(part), "\(line)")
        }
        #expect(!line.contains("SECRET"))
    }

    @Test func anAnswerIsLoggedWithStatusAndConnection() async throws {
        var report = ExchangeReport()
        report.connection.number = 17
        let caller = try ServiceCaller(ToldTransport.remote(Greeting.dispatcher(), report)) {
            $0.observe(tracing: nil, metrics: nil, logging: LoggingMiddleware(log.logger, level: .notice))
        }
        _ = try await caller.greet("SECRET")
        let line = try #require(lines.first)
        #expect(line.hasPrefix("notice call "))
        for part in ["ok", #""status": 200"#, #""connection": 17"#] { #expect(line.contains(part), "\(line)") }
        #expect(!line.contains("SECRET"))
    }

    @Test func aRequestIsOneLine() async throws {
        var dispatcher = Greeting.dispatcher { _, _ in throw SOAPFault.server("SECRET") }
        dispatcher.observe(tracing: nil, metrics: nil, logging: LoggingMiddleware(log.logger, failureLevel: .error))
        let caller = try ServiceCaller(ToldTransport.remote(dispatcher)) { _ in }
        await #expect(throws: SOAPFault.self) { try await caller.greet("SECRET") }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.hasPrefix("error request "))
        for part in ["Greeting", "Greet", "fault.server"] { #expect(line.contains(part), "\(line)") }
        #expect(!line.contains("SECRET"))
    }

    /// A client must not fill the warnings of a service.
    @Test func mistakesOfTheCallerAreNoFailuresOfTheService() async throws {
        var dispatcher = Greeting.dispatcher { _, _ in throw SOAPFault.client("SECRET") }
        dispatcher.observe(
            tracing: nil, metrics: nil, logging: LoggingMiddleware(log.logger, level: .notice, failureLevel: .error))
        let caller = try ServiceCaller(ToldTransport.remote(dispatcher)) {
            $0.observe(tracing: nil, metrics: nil, logging: LoggingMiddleware(log.logger))
        }
        await #expect(throws: SOAPFault.self) { try await caller.greet() }
        #expect(lines.map { $0.prefix { $0 != " " } } == ["notice", "warning"])
        #expect(lines.allSatisfy { $0.contains("fault.client") })
    }
}
