import Foundation
import GreetingService
import HTTPTypes
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

/// Requests over HTTP/2, as curl, nghttp and a client made of single frames send them.
@Suite(.timeLimit(.minutes(5))) struct HTTP2Tests {
    let curl: Curl

    init() throws { curl = try Curl() }

    private func greet(_ server: TestServer, _ arguments: [String]) async throws -> Curl.Answer {
        try await curl(
            server.url,
            try curl.trusting(server.authority)
                + curl.showing(try server.authority.issueClient(commonName: "device"))
                + Greeting.posting(Greeting.envelope("Ada")) + arguments)
    }

    // MARK: The version

    @Test(arguments: [
        ("--http2", true, "HTTP/2 200"), ("--http1.1", true, "HTTP/1.1 200"), ("--http2", false, "HTTP/1.1 200"),
    ])
    func theClientChoosesTheVersion(asked: String, isAllowed: Bool, status: String) async throws {
        var settings = SOAPServer.Settings()
        settings.allowsHTTP2 = isAllowed
        try await TestServer.run(settings: settings) { server in
            let answer = try await greet(server, [asked])
            #expect(answer.fields.hasPrefix(status), "\(answer)")
            #expect(answer.body.contains("Hello Ada, CN=device, none"))
        }
    }

    @Test func withoutTLSThereIsOnlyHTTP11() async throws {
        try await withPlainServer(Greeting.dispatcher, { $0.allowsHTTP2 = true }) { url async throws in
            let post = Greeting.posting(Greeting.envelope("Ada"))
            let upgrade = try await curl(url, ["--http2"] + post)
            #expect(upgrade.fields.hasPrefix("HTTP/1.1 200"), "\(upgrade)")
            let prior = try await curl(url, ["--http2-prior-knowledge"] + post)
            #expect(prior.exit != 0 && prior.status == 0, "\(prior)")
            #expect(try await curl(url, post).status == 200)
        }
    }

    @Test(arguments: [(0, true), (5, false)]) func aLimitOfCallsMustHaveAnEffect(limit: Int, isAllowed: Bool) throws {
        var settings = SOAPServer.Settings()
        settings.maximumCallsPerConnection = limit
        settings.allowsHTTP2 = isAllowed
        let tls = ServerTLSConfiguration(
            identity: .fixed(try CertificateAuthority().issueServer(dnsNames: ["localhost"])))
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try SOAPServer(Greeting.dispatcher, tls: tls, settings: settings)
        }
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
        }
    }

    // MARK: What handlers and middlewares see

    private struct Watch: ServerHTTPMiddleware {
        let seen: @Sendable (ServerRequest, ServerResponse) -> Void

        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse {
            let response = try await next(request)
            seen(request, response)
            return response
        }
    }

    @Test func handlersMiddlewaresAndTheLogKnowTheClient() async throws {
        let logs = LogCollector()
        let seen = Mutex<[String]>([])
        let peers = Mutex<[PeerDescription]>([])
        var settings = SOAPServer.Settings()
        settings.logger = logs.logger
        settings.httpMiddlewares = [
            Watch { request, response in
                let host = request.authority ?? "none"
                seen.withLock { $0.append("\(request.method) \(host) \(request.path) \(response.status.code)") }
            }
        ]
        let authority = try CertificateAuthority()
        let identity = try authority.issueClient(commonName: "device")
        try await TestServer.run(
            authority: authority,
            handler: { input, context in
                peers.withLock { $0.append(context.peer) }
                return .init(text: input.name)
            }, settings: settings
        ) { server in
            let client = try HTTP2Client(
                server.port, showing: identity,
                """
                client = Client()
                streams = [client.post(), client.post(fields=[("host", "localhost")]),
                           client.post(fields=[("host", "other")]), client.post(path="/other")]
                print(*[client.answer(stream) for stream in streams], sep=", ")
                """)
            #expect(await client.line() == "200 whole, 200 whole, 400 whole, 404 whole")
        }
        #expect(
            seen.withLock { $0.sorted() } == [
                "POST localhost /other 404", "POST localhost /soap 200", "POST localhost /soap 200",
                "POST localhost /soap 400",
            ])
        for peer in peers.withLock({ $0 }) {
            #expect(peer.certificate == identity.leaf.der && peer.certificateSubject == "CN=device")
            #expect(peer.remoteAddress?.hasPrefix("127.0.0.1:") == true)
        }
        #expect(peers.withLock { $0.count } == 2)
        #expect(logs.text.contains("answered"))
    }

    @Test func aClientWithoutACertificateIsRefusedByTLS() async throws {
        try await TestServer.run { server in
            let answer = try await curl(
                server.url,
                try curl.trusting(server.authority) + ["--http2"] + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.exit != 0 && answer.status == 0, "\(answer)")
        }
    }

    // MARK: Many requests

    @Test func aThousandRequestsShareAConnection() async throws {
        try await TestServer.run { server in
            let identity = try server.authority.issueClient(commonName: "device")
            let client = try HTTP2Client(
                server.port, showing: identity,
                """
                client = Client()
                streams = []
                for _ in range(10):
                    streams.append([client.post() for _ in range(100)])
                    client.read(lambda: all(client.answers[stream].ended for stream in streams[-1]))
                print(sum(answer.status == 200 and answer.ended for answer in client.answers.values()), client.goaway)
                """)
            #expect(await client.line() == "1000 None")
        }
    }

    /// It sends all at once, as far as the server allows. `SIGNET_HTTP2_CALLS` sets another number for a long run.
    @Test func nghttpGetsAThousandAnswersOverAConnection() async throws {
        let calls = ProcessInfo.processInfo.environment["SIGNET_HTTP2_CALLS"].flatMap { Int($0) } ?? 1000
        let count = Mutex(0)
        try await TestServer.run(
            handler: { input, _ in
                count.withLock { $0 += 1 }
                return .init(text: input.name)
            }
        ) { server in
            let identity = try server.authority.issueClient(commonName: "device")
            let pem = try curl.write(try identity.pem(password: nil), "nghttp.pem")
            let message = try curl.write(Array(Greeting.envelope("Ada").utf8), "message.xml")
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/nghttp")
            process.arguments = [
                "--null-out", "--no-verify-peer", "--multiply=\(calls)", "--cert=\(pem)", "--key=\(pem)",
                "--data=\(message)", "--header=content-type: text/xml", "--header=soapaction: \"\"", server.url,
            ]
            process.standardInput = FileHandle.nullDevice
            let status = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch {
                    process.terminationHandler = nil
                    done.resume(throwing: error)
                }
            }
            #expect(status == 0)
            #expect(count.withLock { $0 } == calls)
        }
    }

    /// RFC 9110 §10.1.1
    @Test func aClientThatExpects100GetsIt() async throws {
        try await TestServer.run { server in
            let answer = try await greet(server, ["--http2", "--header", "Expect: 100-continue"])
            #expect(answer.fields.contains("HTTP/2 100") && answer.fields.contains("HTTP/2 200"), "\(answer)")
        }
    }

    // MARK: One stream and the others

    @Test func theErrorOfAStreamIsNotThatOfOthers() async throws {
        try await TestServer.run { server in
            let client = try HTTP2Client(
                server.port, showing: try server.authority.issueClient(commonName: "device"),
                """
                client = Client()
                open = client.begin()
                short = client.begin(fields=[("content-length", "500")])
                client.send(client.data(short))
                print(client.answer(short))
                upper = client.post(fields=[("connection", "close")])
                print(client.answer(upper))
                given = client.begin()
                client.send(RstStreamFrame(given, error_code=8))
                client.send(client.data(open))
                print(client.answer(open), client.goaway)
                """)
            // PROTOCOL_ERROR is 1.
            #expect(await client.rest() == ["None 1", "None 1", "200 whole None"])
        }
    }

    @Test func aRenewedCertificateIsShownOnNewConnections() async throws {
        let authority = try CertificateAuthority()
        let source = SteeredSource(.success(try authority.issueServer(dnsNames: ["localhost"])))
        let trust = TrustPolicy.anchors(authority.bundle)
        try await TestServer.run(
            .init(identity: source.source, clients: .certificateRequired(trust)), authority: authority
        ) { server in
            let client = try HTTP2Client(
                server.port, showing: try authority.issueClient(commonName: "device"),
                """
                first = Client()
                print(first.answer(first.post()))
                wait()
                second = Client()
                print(first.answer(first.post()), second.answer(second.post()))
                print(first.socket.getpeercert(True) == second.socket.getpeercert(True))
                """)
            #expect(await client.line() == "200 whole")
            source.give(.success(try authority.issueServer(dnsNames: ["localhost"])))
            try await server.server.reloadIdentity()
            try client.step()
            #expect(await client.rest() == ["200 whole 200 whole", "False"])
        }
    }
}
