import GreetingService
import HTTPTypes
import MetricsTestKit
import SignetSOAP
import Synchronization
import Testing

@testable import SignetObservability

@Suite(.timeLimit(.minutes(10))) struct MetricsMiddlewareTests {
    private let metrics = TestMetrics()
    private var middleware: MetricsMiddleware { MetricsMiddleware(service: "s", factory: metrics, now: { 1_000 }) }

    private func caller(
        _ transport: any ClientTransport, _ middlewares: [any CallMiddleware] = []
    ) throws -> ServiceCaller {
        try ServiceCaller(transport) {
            $0.middlewares = middlewares
            $0.observe(tracing: nil, metrics: middleware)
        }
    }

    private func total(_ label: String) -> Int64 { metrics.counters(label: label).reduce(0) { $0 + $1.totalValue } }

    @Test func aCallThatIsRepeatedIsOneCall() async throws {
        let attempts = Atomic(0)
        let service = ToldTransport.remote(Greeting.dispatcher())
        let transport = ToldTransport { request in
            guard attempts.wrappingAdd(1, ordering: .relaxed).newValue > 2 else {
                throw TransportError(.connectionRefused, "Refused.")
            }
            return try await service.send(request)
        }
        _ = try await caller(transport, [try RetryMiddleware.quick()]).greet()
        let ended = [("service", "s"), ("operation", "Greet"), ("outcome", "ok")]
        #expect(try metrics.expectCounter("signet.client.calls", ended).totalValue == 1)
        #expect(try metrics.expectTimer("signet.client.call.duration", ended).values.count == 1)
        #expect(
            try metrics.expectCounter("signet.client.retries", [("service", "s"), ("operation", "Greet")]).totalValue
                == 2)
        #expect(total("signet.client.calls") == 1)
    }

    /// Also where the first attempts are no longer kept, and for a middleware behind which only some of them are.
    @Test func allAttemptsAreCounted() async throws {
        struct Repeating: CallMiddleware {
            func intercept<Input: XMLStructure, Output: Sendable>(
                _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
            ) async throws -> ServiceAnswer<Output> {
                for _ in 0..<1_001 { _ = try? await next(call) }
                return try await next(call)
            }
        }
        let inner = TestMetrics()
        let further = MetricsMiddleware(service: "inner", factory: inner)
        let transport = ToldTransport { _ in throw TransportError(.connectionRefused, "Refused.") }
        let caller = try caller(transport, [Repeating(), further])
        await #expect(throws: TransportError.self) { try await caller.greet() }
        #expect(total("signet.client.retries") == 1_001)
        #expect(inner.counters(label: "signet.client.calls").reduce(0) { $0 + $1.totalValue } == 1_002)
        #expect(inner.counters(label: "signet.client.retries").isEmpty)
    }

    @Test func faultsAndOtherFailuresAreToldApartByTheirCodes() async throws {
        let dispatcher = Greeting.dispatcher { _, _ in throw SOAPFault.client("SECRET") }
        await #expect(throws: SOAPFault.self) { try await caller(ToldTransport.remote(dispatcher)).greet() }
        let lost = TransportError(.connectionClosed, "SECRET")
        await #expect(throws: lost) { try await caller(ToldTransport { _ in throw lost }).greet() }
        for outcome in ["fault.client", "connectionClosed"] {
            let ended = [("service", "s"), ("operation", "Greet"), ("outcome", outcome)]
            #expect(try metrics.expectCounter("signet.client.calls", ended).totalValue == 1)
        }
        #expect(total("signet.client.retries") == 0)
        #expect(!metrics.description.contains("SECRET"))
    }

    @Test func connectionsAndCertificatesAreMeasured() async throws {
        var report = ExchangeReport()
        report.connection.number = 7
        report.connection.establishment = .milliseconds(3)
        var tls = ExchangeReport.TLS()
        tls.version = "TLS 1.3"
        tls.notAfter = 87_400
        tls.clientCertificateNotAfter = 500
        report.connection.tls = tls
        report.legs = [.init(status: 401), .init(status: 401, authorization: "Digest"), .init(status: 200)]
        _ = try await caller(ToldTransport.remote(Greeting.dispatcher(), report)).greet()
        report.connection.reused = true
        report.legs = [.init(status: 200)]
        _ = try await caller(ToldTransport.remote(Greeting.dispatcher(), report)).greet()
        let operation = [("service", "s"), ("operation", "Greet")]
        #expect(try metrics.expectCounter("signet.client.authentication.legs", operation).totalValue == 2)
        let server = [("service", "s"), ("server", "http://service.example")]
        #expect(
            try metrics.expectCounter("signet.client.connections", server + [("tls", "TLS 1.3")]).totalValue == 1)
        #expect(
            try metrics.expectTimer("signet.client.connection.duration", server + [("tls", "TLS 1.3")]).values
                == [3_000_000])
        let remaining = "signet.client.certificate.remaining"
        #expect(try metrics.expectMeter(remaining, server + [("owner", "server")]).lastValue == 86_400)
        #expect(try metrics.expectMeter(remaining, server + [("owner", "client")]).lastValue == -500)
    }

    @Test func unknownConnectionsAreNotMeasured() async throws {
        _ = try await caller(ToldTransport.remote(Greeting.dispatcher())).greet()
        #expect(total("signet.client.connections") == 0)
        #expect(metrics.meters.isEmpty)
        middleware.recordConnections(of: try caller(ToldTransport { _ in ClientResponse(status: .ok) }))
        #expect(metrics.meters.isEmpty)
    }

    /// As of a transport that leaves connections to the system.
    @Test func certificatesAreKnownWithoutTheConnection() async throws {
        var report = ExchangeReport()
        report.connection.tls = .init()
        report.connection.tls?.notAfter = 1_010
        _ = try await caller(ToldTransport.remote(Greeting.dispatcher(), report)).greet()
        #expect(metrics.meters.map(\.lastValue) == [10])
        #expect(total("signet.client.connections") == 0)
    }

    @Test func thePoolIsRecordedWhenAsked() throws {
        var counts = ConnectionCounts()
        (counts.lent, counts.idle, counts.opening, counts.waiting) = (1, 2, 3, 4)
        let caller = try caller(ToldTransport(connectionCounts: counts) { _ in ClientResponse(status: .ok) })
        middleware.recordConnections(of: caller)
        let service = [("service", "s")]
        for (state, count) in [("lent", 1.0), ("idle", 2), ("opening", 3)] {
            #expect(
                try metrics.expectMeter("signet.client.pool.connections", service + [("state", state)]).lastValue
                    == count)
        }
        #expect(try metrics.expectMeter("signet.client.pool.waiting", service).lastValue == 4)
    }

    @Test func aServiceCountsItsRequestsUnderItsName() async throws {
        var dispatcher = Greeting.dispatcher { input, _ in
            if input.name == "SECRET" { throw TransportError(.readTimeout, "SECRET") }
            return .init(text: "")
        }
        dispatcher.observe(tracing: nil, metrics: middleware)
        let caller = try ServiceCaller(ToldTransport.remote(dispatcher)) { _ in }
        _ = try await caller.greet()
        await #expect(throws: SOAPFault.self) { try await caller.greet("SECRET") }
        for outcome in ["ok", "readTimeout"] {
            let ended = [("service", "Greeting"), ("operation", "Greet"), ("outcome", outcome)]
            #expect(try metrics.expectCounter("signet.server.requests", ended).totalValue == 1)
            #expect(try metrics.expectTimer("signet.server.request.duration", ended).values.count == 1)
        }
        #expect(!metrics.description.contains("SECRET"))
    }

    /// Some systems take one name with one set of dimensions only.
    @Test func aNameAlwaysHasTheSameDimensions() async throws {
        var report = ExchangeReport()
        report.connection.number = 1
        report.legs = [.init(status: 401), .init(status: 200, authorization: "Basic")]
        var tls = ExchangeReport.TLS()
        tls.version = "TLS 1.3"
        (tls.notAfter, tls.clientCertificateNotAfter) = (2_000, 3_000)
        for tls in [nil, tls] {
            report.connection.tls = tls
            var dispatcher = Greeting.dispatcher()
            dispatcher.observe(tracing: nil, metrics: middleware)
            _ = try await caller(ToldTransport.remote(dispatcher, report)).greet()
            dispatcher = Greeting.dispatcher { _, _ in throw SOAPFault.client("") }
            dispatcher.observe(tracing: nil, metrics: middleware)
            await #expect(throws: SOAPFault.self) {
                try await caller(ToldTransport.remote(dispatcher, report)).greet()
            }
        }
        let refusing = ToldTransport(connectionCounts: ConnectionCounts()) { _ in
            throw TransportError(.connectionRefused, "Refused.")
        }
        let repeating = try caller(refusing, [try RetryMiddleware.quick()])
        await #expect(throws: TransportError.self) { try await repeating.greet() }
        middleware.recordConnections(of: repeating)

        let all =
            metrics.counters.map { ($0.label, $0.dimensions) } + metrics.timers.map { ($0.label, $0.dimensions) }
            + metrics.meters.map { ($0.label, $0.dimensions) }
        var names: [String: Set<[String]>] = [:]
        for (label, dimensions) in all { names[label, default: []].insert(dimensions.map(\.0)) }
        #expect(
            Set(names.keys) == [
                "signet.client.calls", "signet.client.call.duration", "signet.client.retries",
                "signet.client.authentication.legs", "signet.client.connections", "signet.client.connection.duration",
                "signet.client.certificate.remaining", "signet.client.pool.connections", "signet.client.pool.waiting",
                "signet.server.requests", "signet.server.request.duration",
            ])
        for (name, dimensions) in names { #expect(dimensions.count == 1, "\(name)") }
    }
}
