import GreetingService
import HTTPTypes
import Logging
import SignetSOAP
import SignetTesting
import Synchronization
import TestSupport
import Testing

@Suite struct ServiceMiddlewareTests {
    /// Notes what it sees of each operation.
    private struct Noting: ServiceMiddleware {
        let name: String
        let notes: Notes

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            notes.append("\(name) before \(context.operation) of \(context.peer.user ?? "nobody")")
            do {
                let answer = try await Trace.$current.withValue(Trace.current + name) { try await next(context) }
                notes.append("\(name) after")
                return answer
            } catch {
                notes.append("\(name) failed \(error)")
                throw error
            }
        }
    }

    private struct Failing: ServiceMiddleware {
        let error: any Error

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            _ = try await next(context)
            throw error
        }
    }

    private typealias Next = @Sendable (OperationContext) async throws -> OperationAnswer

    /// Does what a closure says.
    private struct Middleware: ServiceMiddleware {
        let body: @Sendable (OperationContext, Next) async throws -> OperationAnswer

        init(_ body: @escaping @Sendable (OperationContext, Next) async throws -> OperationAnswer) { self.body = body }

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer { try await body(context, next) }
    }

    private final class Notes: Sendable {
        private let texts = Mutex<[String]>([])
        func append(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }
    }

    private enum Trace { @TaskLocal static var current = "" }

    private struct Internal: Error, CustomStringConvertible {
        var description: String { "database password hunter2 refused" }
    }

    private let notes = Notes()

    private var noting: [Noting] { ["a", "b"].map { Noting(name: $0, notes: notes) } }

    private func respond(
        _ body: String, header: String = "", _ middlewares: [any ServiceMiddleware], logger: Logger? = nil,
        in request: ServerRequest? = nil,
        _ handler: @escaping @Sendable (OperationContext) async throws -> Void = { _ in }
    ) async -> (answer: ServiceDispatcher.Response, text: String) {
        var dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11],
            routes: [
                Greeting.greet.route { input, context in
                    try await handler(context)
                    return .init(text: input.name)
                }, Greeting.wave.route { _, context in try await handler(context) },
            ])
        dispatcher.middlewares = middlewares
        if let logger { dispatcher.logger = logger }
        var peer = PeerDescription()
        peer.user = "ada"
        let answer = await dispatcher.respond(to: Array(envelope(body, header: header).utf8), from: peer, in: request)
        return (answer, String(decoding: answer.body.bytes ?? [], as: UTF8.self))
    }

    private let greet = "<g:Greet><g:name>n</g:name></g:Greet>"
    private let wave = "<g:Wave><g:name>n</g:name></g:Wave>"

    @Test func theFirstMiddlewareIsOutermost() async {
        let (answer, text) = await respond(greet, noting) { [notes] _ in notes.append("handler in \(Trace.current)") }
        #expect(answer.status == 200)
        #expect(text.contains("<m:text>n</m:text>"))
        #expect(
            notes.all == ["a before Greet of ada", "b before Greet of ada", "handler in ab", "b after", "a after"])
    }

    @Test func middlewareEnclosesOneWayWork() async throws {
        let (answer, _) = await respond(wave, noting) { [notes] _ in notes.append("handler in \(Trace.current)") }
        #expect(answer.status == 202)
        #expect(notes.all.isEmpty)
        let work = try #require(answer.work)
        await work()
        #expect(notes.all == ["a before Wave of ada", "b before Wave of ada", "handler in ab", "b after", "a after"])
    }

    @Test func faultsAreSeenAsTheHandlerThrewThem() async {
        let (answer, text) = await respond(greet, noting) { _ in throw SOAPFault.client("Not you.") }
        #expect(answer.status == 500)
        #expect(text.contains("Not you."))
        #expect(notes.all.last?.hasPrefix("a failed") == true)
        #expect(notes.all.last?.contains("Not you.") == true)
    }

    @Test func declaredFaultsPassThrough() async {
        let (_, text) = await respond(greet, noting) { _ in
            throw DeclaredFault(Greeting.NobodyThere(looked: 5), reason: "nobody")
        }
        #expect(text.contains("looked>5</"), "\(text)")
    }

    @Test func aMiddlewareMayThrowAFault() async {
        let fault = DeclaredFault(Greeting.NobodyThere(looked: 5), reason: "nobody")
        let (_, text) = await respond(greet, [Failing(error: fault)])
        #expect(text.contains("looked>5</"), "\(text)")
        #expect(await respond(greet, [Failing(error: SOAPFault.client("No."))]).text.contains("No."))
    }

    @Test(arguments: [true, false]) func onlyTheLogHasTheErrorOfAMiddleware(isOneWay: Bool) async {
        let logs = LogCollector()
        let (answer, text) = await respond(
            isOneWay ? wave : greet, [Failing(error: Internal())], logger: logs.logger)
        await answer.work?()
        #expect(answer.status == (isOneWay ? 202 : 500))
        #expect(isOneWay || text.contains("<faultstring>Internal error.</faultstring>"))
        #expect(!text.contains("hunter2"))
        #expect(logs.text.contains("hunter2"))
    }

    @Test func theHandlerSeesTheContextThatIsHandedOn() async {
        let renaming = Middleware { context, next in
            var context = context
            context.peer.user = "renamed"
            context.request = ServerRequest(path: "/changed")
            context.headerBlocks = []
            return try await next(context)
        }
        let header = "<s:Header><g:block/></s:Header>"
        _ = await respond(greet, header: header, noting + [renaming, Noting(name: "c", notes: notes)]) { [notes] in
            notes.append("\($0.peer.user ?? "nil") \($0.request?.path ?? "nil") \($0.headerBlocks.count)")
        }
        #expect(notes.all[2...3] == ["c before Greet of renamed", "renamed /changed 0"])
    }

    /// What decides about the answer is that of the request, also where a middleware hands on a context of its own.
    @Test func theAnswerIsThatOfTheRequest() async {
        let wrong = Middleware { context, next in
            var other = OperationContext(peer: context.peer, operation: "Other", version: .soap12)
            other.sendsAnswer = false
            other.sendsFault = false
            other.attachments = [MessageAttachment([1], contentType: "text/plain")]
            other.soapAction = "other"
            return try await next(other)
        }
        let (answer, text) = await respond(greet, [wrong]) { [notes] context in
            context.answerHeaderBlocks.append(HeaderBlock(XMLName("urn:h", "Ticket"), text: "1"))
            notes.append("\(context.operation) \(context.version) \(context.service) \(context.attachments.count)")
            notes.append("\(context.soapAction ?? "nil")")
        }
        #expect(answer.status == 200)
        #expect(text.contains(SOAPVersion.soap11.namespace.uri))
        #expect(text.contains("Ticket"), "\(text)")
        #expect(notes.all == ["Greet \(SOAPVersion.soap11) Greeting 0", "nil"])
        #expect(await respond(greet, [wrong]) { _ in throw SOAPFault.client("No.") }.text.contains("No."))
    }

    @Test(arguments: [false, true]) func anOperationIsPerformedOnce(hasFailed: Bool) async {
        let logs = LogCollector()
        let twice = Middleware { context, next in
            _ = try? await next(context)
            return try await next(context)
        }
        let (answer, text) = await respond(greet, [twice], logger: logs.logger) { [notes] _ in
            notes.append("called")
            if hasFailed { throw SOAPFault.client("No.") }
        }
        #expect(answer.status == 500)
        #expect(text.contains("<faultstring>Internal error.</faultstring>"))
        #expect(notes.all == ["called"])
        #expect(logs.text.contains("called next twice"))
    }

    @Test(arguments: [false, true]) func anAnswerIsSentToItsOwnCaller(isPerformed: Bool) async {
        let logs = LogCollector()
        let kept = Mutex<OperationAnswer?>(nil)
        let keeping = Middleware { context, next in
            if let answer = kept.withLock({ $0 }) {
                if isPerformed { _ = try await next(context) }
                return answer
            }
            let answer = try await next(context)
            kept.withLock { $0 = answer }
            return answer
        }
        #expect(await respond(greet, [keeping], logger: logs.logger).answer.status == 200)
        let (answer, text) = await respond(greet, [keeping], logger: logs.logger)
        #expect(answer.status == 500)
        #expect(text.contains("<faultstring>Internal error.</faultstring>"))
        #expect(logs.text.contains("the answer to another request"))
    }

    @Test(arguments: ["<g:Unknown/>", "<g:Greet/>"]) func malformedRequestsDoNotReachMiddleware(body: String) async {
        #expect(await respond(body, noting).answer.status == 500)
        #expect(notes.all.isEmpty)
    }

    // MARK: HTTP

    @Test func theContextHoldsTheHTTPRequest() async {
        let request = ServerRequest(path: "/soap?a", fields: [.authorization: "Bearer abc"], id: "r1")
        for body in [greet, wave] {
            let (answer, _) = await respond(body, [], in: request) { [notes] context in
                notes.append("\(context.request?.fields[.authorization] ?? "nil") \(context.requestID)")
            }
            await answer.work?()
        }
        _ = await respond(greet, []) { [notes] in notes.append($0.request == nil ? "none" : "some") }
        #expect(notes.all == ["Bearer abc r1", "Bearer abc r1", "none"])
    }

    @Test func aTransportWithinTheProcessHandsItsFieldsOn() async throws {
        let dispatcher = Greeting.dispatcher { _, context in
            let request = context.request
            return .init(
                text: [request?.authority, request?.path, request?.fields[.contentType]].map { $0 ?? "nil" }
                    .joined(separator: " "))
        }
        let caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost:81/soap"), transport: InProcessTransport(dispatcher))
        let answer = try await Greeting.Client(caller).greet(.init(name: ""))
        #expect(answer.text.hasPrefix("localhost:81 /soap text/xml"))
    }

    @Test func descriptionsHoldNoValues() {
        var context = OperationContext()
        let request = ServerRequest(
            path: "/soap?token=hunter2", fields: [.authorization: "Bearer hunter2", .cookie: "a=hunter2"])
        context.request = request
        #expect("\(request)" == "POST /soap?… (Authorization, Cookie)")
        var dumped = ""
        dump(context, to: &dumped)
        for text in ["\(context)", String(reflecting: request), dumped] {
            #expect(text.contains("Authorization, Cookie"))
            #expect(!text.contains("hunter2"))
        }
    }
}
