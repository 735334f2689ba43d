import Foundation
import GreetingService
import HTTPTypes
import Hummingbird
import Logging
import SignetSOAP
import SignetServer
import Synchronization
import TestSupport
import Testing

/// A service in the router of an application of Hummingbird.
@Suite(.timeLimit(.minutes(5))) struct MountedServiceTests {
    private let curl: Curl

    init() throws { curl = try Curl() }

    private static let post = Greeting.posting(Greeting.envelope("Ada"))

    /// Runs an application with the service at `/soap`, and something else at `/other`, while `body` runs.
    private func run(
        _ service: HostedService, requestArrival: Duration = .seconds(60), logger: Logger? = nil,
        peer: PeerDescription = .init(), during body: (_ url: String, _ soap: MountedService) async throws -> Void
    ) async throws {
        let soap = try MountedService(service, requestArrival: requestArrival, logger: logger)
        let router = Router()
        router.get("/other") { _, _ in "other" }
        for method in [HTTPRequest.Method.post, .get, .put, .head] {
            router.on("/soap", method: method) { request, _ in try await soap.respond(to: request, from: peer) }
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            do { try await body("http://127.0.0.1:\(number)/soap", soap) } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
        await soap.waitForHandlers()
    }

    @Test func theServiceAnswersBesideOtherRoutes() async throws {
        var peer = PeerDescription()
        peer.certificateSubject = "CN=device-7"
        try await run(HostedService(Greeting.dispatcher), peer: peer) { url, _ async throws in
            let answer = try await curl(url, Self.post)
            #expect(answer.status == 200)
            #expect(answer.body.contains("Hello Ada, CN=device-7, none"))
            #expect(answer.fields.lowercased().contains("content-type: text/xml; charset=utf-8"))
            #expect(try await curl(url.replacing("/soap", with: "/other"), []).body == "other")
            #expect(try await curl(url, Greeting.posting("<x/>")).status == 500)
            let wrong = try await curl(url, ["--request", "PUT"])
            #expect(wrong.status == 405 && wrong.fields.lowercased().contains("allow: post"))
            #expect(try await curl(url, []).status == 405)
            // An answer to HEAD has no content, which the client would take for the next answer.
            let connection = try FileHandle.connected(to: try #require(URL(string: url)?.port))
            let head = "HEAD /soap HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.offer(Array((head + Wire.request("Ada", fields: "Connection: close\r\n")).utf8))
            let text = try await Wire.all(of: connection) ?? ""
            #expect(Wire.statuses(text) == [405, 200] && !text.contains("Method Not Allowed.\n"), "\(text)")
        }
    }

    /// What handlers throw is in the log of the application.
    @Test func failuresOfHandlersAreLogged() async throws {
        struct Broken: Error {}
        let log = LogCollector()
        try await run(HostedService(Greeting.dispatcher { _, _ in throw Broken() }), logger: log.logger) {
            url, _ async throws in
            #expect(try await curl(url, Self.post).status == 500)
        }
        #expect(log.text.contains("Broken"), "\(log.text)")
    }

    @Test func credentialsMediaTypeAndSizeAreChecked() async throws {
        var service = HostedService(
            Greeting.dispatcher, authentication: .basic(realm: "r") { $0.user == "ada" && $0.password == "pässword" })
        service.maximumRequestBytes = 1000
        let log = LogCollector()
        try await run(service, logger: log.logger) { url, _ async throws in
            let without = try await curl(url, Self.post)
            #expect(without.status == 401 && without.fields.contains("Basic realm=\"r\""))
            #expect(try await curl(url, Self.post + ["--user", "ada:wrong"]).status == 401)
            let user = ["--user", "ada:pässword"]
            #expect(try await curl(url, Self.post + user).body.contains("Hello Ada, nobody, ada"))
            let large = Greeting.posting(Greeting.envelope(String(repeating: "x", count: 2000)))
            #expect(try await curl(url, large + user).status == 413)
            #expect(try await curl(url, large + user + ["--header", "Transfer-Encoding: chunked"]).status == 413)
            #expect(try await curl(url, user + ["--header", "Content-Type: text/plain", "--data", "x"]).status == 415)
            #expect(log.text.contains("wrong credentials") && !log.text.contains("pässword"))
        }
    }

    @Test func aCertificateIsWhatTheApplicationSays() async throws {
        var service = HostedService(Greeting.dispatcher)
        service.requiresCertificate = true
        try await run(service) { url, _ async throws in #expect(try await curl(url, Self.post).status == 403) }
        var peer = PeerDescription()
        (peer.certificate, peer.certificateSubject) = ([1], "CN=known")
        try await run(service, peer: peer) { url, _ async throws in
            #expect(try await curl(url, Self.post).body.contains("CN=known"))
        }
    }

    @Test func theWSDLIsGiven() async throws {
        let wsdl = PublishedWSDL(Array("<definitions/>".utf8))
        try await run(HostedService(Greeting.dispatcher, wsdl: wsdl)) { url, _ async throws in
            let answer = try await curl(url + "?wsdl", [])
            #expect(answer.status == 200 && answer.body == "<definitions/>")
            #expect(try await curl(url, []).fields.lowercased().contains("allow: post, get"))
        }
    }

    /// The handler of a one-way operation runs after the answer, and is waited for.
    @Test func oneWayOperationsAreAnsweredAtOnce() async throws {
        let ended = Mutex(0)
        let gate = AsyncStream<Void>.makeStream()
        let dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11],
            routes: [
                Greeting.wave.route { _, _ in
                    for await _ in gate.stream { break }
                    ended.withLock { $0 += 1 }
                }
            ])
        try await run(HostedService(dispatcher)) { url, soap async throws in
            let message = Greeting.envelope("Ada", operation: "Wave")
            #expect(try await curl(url, Greeting.posting(message)).status == 202)
            #expect(ended.withLock { $0 } == 0)
            gate.continuation.yield()
            await soap.waitForHandlers()
            #expect(ended.withLock { $0 } == 1)
            // One that hangs is cancelled.
            #expect(try await curl(url, Greeting.posting(message)).status == 202)
            await soap.waitForHandlers(atMost: .milliseconds(50))
            #expect(ended.withLock { $0 } == 2)
        }
    }

    @Test func contentThatTakesTooLongIsRefused() async throws {
        try await run(HostedService(Greeting.dispatcher), requestArrival: .milliseconds(200)) { url, _ async throws in
            let port = try #require(URL(string: url)?.port)
            let connection = try FileHandle.connected(to: port)
            let request = Array(Wire.request("Ada", fields: "Connection: close\r\n").utf8)
            connection.offer(request.dropLast(20))
            try await Task.sleep(for: .milliseconds(400))
            connection.offer(request.suffix(20).prefix(10))
            #expect(try await connection.text(to: "\r\n").hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test func settingsWithoutMeaningAreErrors() {
        var service = HostedService(Greeting.dispatcher)
        service.maximumConcurrentRequests = 0
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) { try MountedService(service) }
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try MountedService(HostedService(Greeting.dispatcher), requestArrival: .zero)
        }
    }
}
