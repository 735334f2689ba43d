import GreetingService
import HTTPTypes
import InMemoryTracing
import SignetSOAP
import Synchronization
import Testing
import Tracing

@testable import SignetObservability

@Suite(.timeLimit(.minutes(10))) struct TracingMiddlewareTests {
    private let tracer = InMemoryTracer()
    private var middleware: TracingMiddleware { get throws { try TracingMiddleware(inMemory: tracer) } }

    private func caller(
        _ transport: any ClientTransport, _ change: (inout CallSettings) throws -> Void = { _ in }
    ) throws -> ServiceCaller {
        try ServiceCaller(transport) {
            try change(&$0)
            $0.observe(tracing: try middleware, metrics: nil)
        }
    }

    private func traced(_ dispatcher: ServiceDispatcher) throws -> ServiceDispatcher {
        var dispatcher = dispatcher
        dispatcher.observe(tracing: try middleware, metrics: nil)
        return dispatcher
    }

    /// The span of the service, and that of the client.
    private func spans() throws -> (server: FinishedInMemorySpan, client: FinishedInMemorySpan) {
        let spans = tracer.finishedSpans
        #expect(spans.count == 2)
        return (
            try #require(spans.first { $0.kind == .server }), try #require(spans.first { $0.kind == .client })
        )
    }

    @Test func theServicesSpanIsAChildOfTheClients() async throws {
        let handlers = Mutex<[String?]>([])
        let dispatcher = try traced(
            Greeting.dispatcher { input, _ in
                handlers.withLock { $0.append(ServiceContext.current?.inMemorySpanContext?.spanID) }
                return .init(text: input.name)
            })
        #expect(try await caller(ToldTransport.remote(dispatcher)).greet("x") == "x")
        let (server, client) = try spans()
        #expect(server.parentSpanID == client.spanID)
        #expect(server.traceID == client.traceID)
        #expect(client.parentSpanID == nil)
        #expect(client.operationName == "Greet")
        #expect(server.operationName == "Greeting/Greet")
        #expect(handlers.withLock { $0 } == [server.spanID])
        #expect([server.status, client.status] == [nil, nil])
    }

    @Test func theSpanOfTheProgramIsTheParentOfTheCalls() async throws {
        let caller = try caller(ToldTransport.remote(Greeting.dispatcher()))
        let parent = try await tracer.withSpan("program") { span in
            _ = try await caller.greet()
            return span.spanID
        }
        #expect(tracer.finishedSpans.first { $0.kind == .client }?.parentSpanID == parent)
    }

    @Test func everyAttemptCarriesTheContextOfOneSpan() async throws {
        let ids = Mutex<[String?]>([])
        let transport = ToldTransport { request in
            ids.withLock {
                $0.append(HTTPField.Name(InMemoryTracer.spanIDKey).flatMap { request.fields[$0] })
            }
            throw TransportError(.connectionRefused, "Refused.")
        }
        let caller = try caller(transport) { $0.middlewares = [try RetryMiddleware.quick()] }
        await #expect(throws: TransportError.self) { try await caller.greet() }
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(ids.withLock { $0 } == [span.spanID, span.spanID, span.spanID])
        #expect(span.attributes.get("http.request.resend_count") == 2.toSpanAttribute())
        #expect(span.attributes.get("error.type") == "connectionRefused".toSpanAttribute())
        #expect(span.attributes.get("http.response.status_code") == nil)
        #expect(span.status?.code == .error)
    }

    @Test func spanAttributesNameTheServerAndTheOutcome() async throws {
        var report = ExchangeReport()
        report.connection.number = 1
        report.connection.remoteAddress = "[2001:db8::1]:8443"
        _ = try await caller(ToldTransport.remote(try traced(Greeting.dispatcher()), report)).greet()
        let (server, client) = try spans()
        let expected: [String: any SpanAttributeConvertible] = [
            "rpc.system.name": "soap", "rpc.method": "Greet", "server.address": "service.example", "server.port": 80,
            "network.peer.address": "2001:db8::1", "network.peer.port": 8443, "http.response.status_code": 200,
        ]
        for (name, value) in expected { #expect(client.attributes.get(name) == value.toSpanAttribute(), "\(name)") }
        #expect(client.attributes.count == expected.count)
        #expect(server.attributes.get("rpc.system.name") == "soap".toSpanAttribute())
        #expect(server.attributes.get("rpc.method") == "Greeting/Greet".toSpanAttribute())
        #expect(server.attributes.count == 2)
    }

    @Test(
        arguments: [
            ("192.0.2.1:443", "192.0.2.1", 443), ("[2001:db8::1]:443", "2001:db8::1", 443),
            ("192.0.2.1", "192.0.2.1", nil),
            ("[2001:db8::7]", "2001:db8::7", nil), ("/run/socket", "/run/socket", nil),
        ] as [(String, String, Int?)])
    func anAddressMayHaveNoPort(text: String, address: String, port: Int?) {
        var attributes = SpanAttributes()
        attributes.tell(peer: text)
        #expect(attributes.get("network.peer.address") == address.toSpanAttribute())
        #expect(attributes.get("network.peer.port") == port.map { $0.toSpanAttribute() })
    }

    /// What the caller did wrong is an error of its span only.
    @Test(arguments: [(SOAPFault.Code.client, false), (.server, true)])
    func spansOfFaultsHaveTheFaultCode(code: SOAPFault.Code, isServersError: Bool) async throws {
        let dispatcher = try traced(Greeting.dispatcher { _, _ in throw SOAPFault(code, "SECRET") })
        await #expect(throws: SOAPFault.self) { try await caller(ToldTransport.remote(dispatcher)).greet() }
        let (server, client) = try spans()
        let name = isServersError ? "server" : "client"
        for span in [server, client] {
            #expect(span.attributes.get("rpc.response.status_code") == name.toSpanAttribute())
        }
        #expect(client.status?.code == .error)
        #expect(client.attributes.get("error.type") == "fault.\(name)".toSpanAttribute())
        #expect(server.status?.code == (isServersError ? .error : nil))
        #expect((server.attributes.get("error.type") != nil) == isServersError)
    }

    /// What a handler lets through from behind the service is an internal error for the caller.
    @Test(arguments: [true, false]) func aFaultThatTheCallerDoesNotSeeIsTheServicesOwn(isReceived: Bool) async throws {
        let inner = try ServiceCaller(
            ToldTransport.remote(Greeting.dispatcher { _, _ in throw SOAPFault.client("SECRET") })
        ) { _ in }
        let undeclared = DeclaredFault(Greeting.Greet(name: ""), code: .client, reason: "SECRET")
        let dispatcher = try traced(
            Greeting.dispatcher { _, _ in
                guard isReceived else { throw undeclared }
                return .init(text: try await inner.greet())
            })
        let error = await #expect(throws: SOAPFault.self) {
            try await caller(ToldTransport.remote(dispatcher)).greet()
        }
        #expect(error?.code == .server)
        let (server, _) = try spans()
        #expect(server.attributes.get("rpc.response.status_code") == "server".toSpanAttribute())
        #expect(server.attributes.get("error.type") == "fault.server".toSpanAttribute())
        #expect(server.status?.code == .error)
    }

    /// The span of a fault that the operation declares has the fault's own code.
    @Test func theSpanOfADeclaredFaultHasItsCode() async throws {
        let declared = DeclaredFault(Greeting.NobodyThere(looked: 1), code: .client, reason: "SECRET")
        let dispatcher = try traced(Greeting.dispatcher { _, _ in throw declared })
        await #expect(throws: (any Error).self) { try await caller(ToldTransport.remote(dispatcher)).greet() }
        let (server, _) = try spans()
        #expect(server.attributes.get("rpc.response.status_code") == "client".toSpanAttribute())
        #expect(server.status == nil)
    }

    @Test func nothingSecretIsRecorded() async throws {
        let dispatcher = try traced(Greeting.dispatcher { _, _ in throw TransportError(.readTimeout, "SECRET") })
        let caller = try caller(ToldTransport.remote(dispatcher)) {
            $0.fields[.authorization] = "SECRET"
            $0.allowsPlaintextCredentials = true
            $0.cookies = .kept
        }
        await #expect(throws: SOAPFault.self) { try await caller.greet("SECRET") }
        let (server, client) = try spans()
        for span in [server, client] {
            #expect(span.errors.isEmpty && span.events.isEmpty && span.links.isEmpty)
            #expect(span.status?.message == nil)
            #expect(!"\(span.operationName) \(span.attributes)".contains("SECRET"))
        }
    }

    /// Puts into requests what a test says.
    private struct OddTracer: Tracer {
        let tracer: InMemoryTracer
        let written: KeyValuePairs<String, String>
        func startSpan<Instant: TracerInstant>(
            _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
        ) -> InMemorySpan {
            tracer.startSpan(
                operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID,
                line: line)
        }
        func forceFlush() {}
        func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
        ) where Extract.Carrier == Carrier {}
        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
        ) where Inject.Carrier == Carrier {
            for (name, value) in written { injector.inject(value, forKey: name, into: &carrier) }
        }
    }

    /// The fields of a request into which a tracer writes `written`.
    private func sent(
        _ written: KeyValuePairs<String, String>, _ middleware: (OddTracer) throws -> TracingMiddleware
    ) async throws -> HTTPFields {
        let fields = Mutex<HTTPFields>([:])
        let service = ToldTransport.remote(Greeting.dispatcher())
        let transport = ToldTransport { request in
            fields.withLock { $0 = request.fields }
            return try await service.send(request)
        }
        let middleware = try middleware(OddTracer(tracer: tracer, written: written))
        let caller = try ServiceCaller(transport) { $0.observe(tracing: middleware, metrics: nil) }
        _ = try await caller.greet()
        return fields.withLock { $0 }
    }

    private func value(_ name: String, in fields: HTTPFields) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }

    @Test func unsendableTraceFieldsAreLeftOut() async throws {
        let fields = try await sent([
            "not a name": "a", "two-lines": "a\r\nb: c", "Content-Length": "1", "good": "good",
        ]) { try TracingMiddleware(tracer: $0, alsoSending: ["two-lines", "good"]) }
        #expect(value("good", in: fields) == "good")
        #expect(value("two-lines", in: fields) == nil && value("Content-Length", in: fields) == nil)
    }

    /// A service of another company has no business with what a program keeps with its requests.
    @Test func onlyTheContextOfTheTraceIsSent() async throws {
        let written: KeyValuePairs = [
            "Traceparent": "00-1", "tracestate": "a=1", "baggage": "user=SECRET", "Authorization": "SECRET",
            "Cookie": "SECRET", "SOAPAction": "SECRET", "Content-Type": "SECRET",
        ]
        let fields = try await sent(written) { TracingMiddleware(tracer: $0) }
        #expect(value("traceparent", in: fields) == "00-1" && value("tracestate", in: fields) == "a=1")
        #expect(value("baggage", in: fields) == nil)
        #expect(!fields.contains { $0.value.contains("SECRET") })
        let more = try await sent(written) { try TracingMiddleware(tracer: $0, alsoSending: ["Baggage"]) }
        #expect(value("baggage", in: more) == "user=SECRET" && value("traceparent", in: more) == "00-1")
        #expect(more[.authorization] == nil && more[.cookie] == nil)
    }

    /// This happens after an assignment to `middlewares`. A trace must not show a parent that does not exist.
    @Test func withoutTheSpanOfTheCallNothingIsSent() async throws {
        let fields = Mutex<[HTTPFields]>([])
        let service = ToldTransport.remote(Greeting.dispatcher())
        let transport = ToldTransport { request in
            fields.withLock { $0.append(request.fields) }
            return try await service.send(request)
        }
        let whole = try caller(transport)
        var half = whole
        half.middlewares = []
        try await tracer.withSpan("program") { [half] _ in
            _ = try await half.greet()
            _ = try await whole.greet()
            // Within a service in the same process.
            let dispatcher = try traced(
                Greeting.dispatcher { input, _ in .init(text: try await half.greet(input.name)) })
            _ = try await caller(InProcessTransport(dispatcher)).greet()
        }
        let sent = fields.withLock { $0 }.map { value(InMemoryTracer.spanIDKey, in: $0) != nil }
        #expect(sent == [false, true, false])
    }

    @Test func observingTwiceAddsOneMiddleware() async throws {
        let caller = try ServiceCaller(ToldTransport.remote(traced(traced(Greeting.dispatcher())))) {
            $0.middlewares = [MetricsMiddleware()]
            $0.observe(tracing: try middleware)
            $0.observe(tracing: try middleware, metrics: nil)
        }
        _ = try await caller.greet()
        _ = try spans()
        #expect(caller.middlewares.count == 2 && caller.httpMiddlewares.count == 1)
        #expect(caller.middlewares.first is TracingMiddleware && caller.middlewares.last is MetricsMiddleware)
    }

    @Test(arguments: [
        "authorization", "Cookie", "SOAPAction", "Content-Type", "Accept", "Host", "Proxy-Authorization", "not a name",
        "",
    ])
    func aNameThatCannotBeSentIsAnError(name: String) {
        let error = #expect(throws: TracingMiddleware.FieldError.self) {
            try TracingMiddleware(alsoSending: ["b3", name])
        }
        #expect(error?.name.lowercased() == name.lowercased())
        #expect(error?.message.contains(name.isEmpty ? "“”" : error?.name ?? "?") == true)
    }
}
