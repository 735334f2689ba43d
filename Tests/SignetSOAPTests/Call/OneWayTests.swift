import GreetingService
import HTTPTypes
import Logging
import SignetSOAP
import Synchronization
import Testing

@Suite struct OneWayTests {
    func send(_ transport: any ClientTransport, _ version: SOAPVersion? = nil) async throws {
        try await ServiceCaller(transport, version: version).send(Greeting.wave, .init(name: "you"))
    }

    @Test(arguments: [(200, ""), (202, ""), (204, ""), (200, envelope("")), (200, envelope("<g:Waved/>"))])
    func emptyAndSuccessfulAnswersAreAccepted(status: Int, body: String) async throws {
        let transport = CannedTransport(status: status, contentType: body.isEmpty ? nil : "text/xml", body)
        try await send(transport)
        let request = try #require(await transport.requests.first)
        #expect(request.fields.first { $0.name.canonicalName == "soapaction" }?.value == "\"urn:wave\"")
        #expect(
            String(decoding: request.body.bytes ?? [], as: UTF8.self).contains("<m:Wave><m:name>you</m:name></m:Wave>"))
    }

    @Test(
        arguments: [
            (302, nil, "", .redirected), (403, nil, "", .refused), (500, nil, "", .refused),
            (200, "text/html", "<html/>", .notSOAP), (503, "text/html", "<html/>", .refused),
            (200, "text/xml", "<html/>", .notSOAP), (200, "text/xml", "<", .malformedAnswer),
            (200, "text/xml", envelope("", .soap12), .versionMismatch), (401, "text/xml", envelope(""), .refused),
            (503, "text/xml", envelope("<g:Waved/>"), .refused),
        ] as [(Int, String?, String, ServiceError.Code)])
    func redirectsAndFailuresAreErrors(status: Int, contentType: String?, body: String, code: ServiceError.Code) async {
        let error = await #expect(throws: ServiceError.self) {
            try await send(CannedTransport(status: status, contentType: contentType, body))
        }
        #expect(error?.code == code)
    }

    @Test func aFaultIsThrownNevertheless() async {
        let body = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"
        for status in [200, 500] {
            let error = await #expect(throws: SOAPFault.self) {
                try await send(CannedTransport(status: status, envelope(body)))
            }
            #expect(error?.reason == "no")
        }
    }

    static func dispatcher(
        _ handler: @escaping @Sendable (Greeting.Greet, OperationContext) async throws -> Void
    ) -> ServiceDispatcher {
        ServiceDispatcher(name: "Greeting", versions: [.soap11, .soap12], routes: [Greeting.wave.route(handler)])
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func oneWayHandlersRun(version: SOAPVersion) async throws {
        let seen = Mutex<[String]>([])
        let dispatcher = Self.dispatcher { input, context in
            seen.withLock { $0.append("\(input.name) \(context.version) \(context.operation)") }
        }
        try await send(InProcessTransport(dispatcher), version)
        #expect(seen.withLock { $0 } == ["you \(version) Wave"])
    }

    @Test func theServerAcceptsAOneWayMessageBeforeHandlingIt() async throws {
        let ran = Mutex(false)
        let request = Array(envelope("<g:Wave><g:name/></g:Wave>").utf8)
        let answer = await Self.dispatcher { _, _ in ran.withLock { $0 = true } }.respond(to: request, from: .init())
        #expect(answer.status == 202)
        #expect(answer.contentType == nil)
        #expect(answer.body.count == 0)
        #expect(!ran.withLock { $0 })
        await answer.work?()
        #expect(ran.withLock { $0 })
    }

    @Test func laterErrorsAreLogged() async throws {
        let recorder = Recorder()
        var dispatcher = Self.dispatcher { _, _ in throw SOAPFault.server("the disk is full") }
        dispatcher.logger = Logger(label: "test") { _ in recorder }
        try await send(InProcessTransport(dispatcher))
        #expect(recorder.text.contains("the disk is full"))
    }

    @Test(arguments: [(envelope("<g:Wave/>"), 500), (envelope("<g:Wave/>", .soap12), 400), ("<", 400)])
    func malformedOneWayMessagesAreRefused(request: String, status: Int) async {
        let answer = await Self.dispatcher { _, _ in }.respond(to: Array(request.utf8), from: .init())
        #expect(answer.status == status)
        #expect(answer.work == nil)
    }

    /// Middlewares see one-way operations as well.
    @Test func middlewaresSeeOneWayMessages() async throws {
        let seen = Mutex<[String]>([])
        let dispatcher = Self.dispatcher { input, _ in seen.withLock { $0.append(input.name) } }
        var caller = try ServiceCaller(InProcessTransport(dispatcher))
        caller.middlewares = [CallerTests.Adding(suffix: "!")]
        try await caller.send(Greeting.wave, .init(name: "you"))
        #expect(seen.withLock { $0 } == ["you!"])
    }
}
