import GreetingService
import InMemoryTracing
import SignetSOAP

@testable import SignetObservability

/// Answers as the test says, and reports connections that it does not have.
struct ToldTransport: ClientTransport {
    var connectionCounts: ConnectionCounts?
    let answer: @Sendable (ClientRequest) async throws -> ClientResponse

    func send(_ request: ClientRequest) async throws -> ClientResponse { try await answer(request) }
    func shutdown() async throws {}

    /// A service that finds none of the caller's task-local values, as one behind a wire.
    static func remote(_ dispatcher: ServiceDispatcher, _ report: ExchangeReport = .init()) -> ToldTransport {
        let service = InProcessTransport(dispatcher)
        return ToldTransport { request in
            var response = try await Task.detached { try await service.send(request) }.value
            response.report = report
            return response
        }
    }
}

extension ServiceCaller {
    init(_ transport: any ClientTransport, _ change: (inout CallSettings) throws -> Void) throws {
        self.init(
            endpoint: try Endpoint("http://service.example/soap?key=SECRET"), transport: transport)
        try change(&settings)
    }

    func greet(_ name: String = "") async throws -> String {
        try await call(Greeting.greet, .init(name: name)).text
    }
}

extension RetryMiddleware {
    /// Repeats a call at once.
    static func quick() throws -> RetryMiddleware {
        var settings = Settings()
        settings.interval = .milliseconds(1)
        settings.maximumInterval = .milliseconds(1)
        return try RetryMiddleware(settings)
    }
}

extension TracingMiddleware {
    /// Sends what the tracer writes: it knows nothing of `traceparent`.
    init(inMemory tracer: InMemoryTracer) throws(FieldError) {
        try self.init(tracer: tracer, alsoSending: [InMemoryTracer.traceIDKey, InMemoryTracer.spanIDKey])
    }
}
