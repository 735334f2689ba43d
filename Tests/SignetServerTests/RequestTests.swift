import Foundation
import GreetingService
import SignetSOAP
import SignetServer
import SignetTesting
import TestSupport
import Testing

/// What a server makes of requests; over plain HTTP, which is enough here.
@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    let curl: Curl

    init() throws { curl = try Curl() }

    private func withServer<Value: Sendable>(
        _ handler: @escaping Greeting.Handler = { input, _ in .init(text: "Hello \(input.name)") },
        wsdl: String? = nil, _ change: (inout SOAPServer.Settings) -> Void = { _ in },
        during body: (String) async throws -> Value
    ) async throws -> Value {
        try await withPlainServer(Greeting.dispatcher(handler), wsdl: wsdl, change, during: body)
    }

    @Test func onlyPOSTToTheConfiguredPathIsServed() async throws {
        try await withServer { url async throws in
            let post = Greeting.posting(Greeting.envelope("Ada"))
            #expect(try await curl(url, post).status == 200)
            #expect(try await curl(url + "?query", post).status == 200)
            #expect(try await curl(url + "/more", post).status == 404)
            #expect(try await curl(String(url.dropLast(5)) + "/", post).status == 404)
            for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
                let answer = try await curl(url, ["--request", method])
                #expect(answer.status == 405, "\(method)")
                #expect(answer.fields.lowercased().contains("allow: post"))
            }
            #expect(try await curl(url + "?wsdl", []).status == 405)
        }
    }

    @Test func theServerAnswersWithTheWSDLWhenItHasOne() async throws {
        try await withServer({ input, _ in .init(text: input.name) }, wsdl: "<definitions/>") { url in
            let answer = try await curl(url + "?WSDL", [])
            #expect(answer.status == 200)
            #expect(answer.body == "<definitions/>")
            #expect(answer.fields.lowercased().contains("content-type: text/xml"))
            #expect(try await curl(url, []).status == 405)
        }
    }

    @Test(arguments: [
        ("text/xml", 200), ("TEXT/XML;charset=\"UTF-8\"", 200), ("text/xml; charset=us-ascii", 200),
        ("text/xml; charset=iso-8859-1", 200), ("text/xml; charset=shift_jis", 415), ("application/xml", 415),
        ("text/html", 415), ("text/xmlish", 415),
        ("", 415),
    ])
    func mediaType(_ type: String, _ status: Int) async throws {
        try await withServer { url async throws in
            #expect(try await curl(url, Greeting.posting(Greeting.envelope("Ada"), contentType: type)).status == status)
        }
    }

    @Test func contentCodingIsRefused() async throws {
        try await withServer { url async throws in
            let post = Greeting.posting(Greeting.envelope("Ada"))
            #expect(try await curl(url, post + ["--header", "Content-Encoding: gzip"]).status == 415)
            #expect(try await curl(url, post + ["--header", "Content-Encoding: identity"]).status == 200)
        }
    }

    @Test func sizeIsLimitedAnnouncedOrNot() async throws {
        let message = Greeting.envelope("Ada")
        try await withServer(
            { input, _ in .init(text: "Hello \(input.name)") }, { $0.maximumRequestBytes = message.utf8.count }
        ) { url async throws in
            let chunked = ["--header", "Transfer-Encoding: chunked"]
            for more in [[], chunked] {
                #expect(try await curl(url, Greeting.posting(message) + more).status == 200)
                #expect(try await curl(url, Greeting.posting(message + " ") + more).status == 413)
            }
        }
    }

    @Test func largeRequestWaitsForContinue() async throws {
        try await withServer({ input, _ in .init(text: "\(input.name.utf8.count)") }) { url async throws in
            let file = try curl.write(
                Array(Greeting.envelope(String(repeating: "x", count: 3 << 20)).utf8), "large.xml")
            let answer = try await curl(
                url,
                [
                    "--header", "Content-Type: text/xml", "--header", "Expect: 100-continue", "--expect100-timeout",
                    "100",
                ]
                    + ["--data-binary", "@\(file)"])
            #expect(answer.status == 200)
            #expect(answer.fields.hasPrefix("HTTP/1.1 100"))
            #expect(answer.body.contains("<m:text>3145728</m:text>") || answer.body.contains(">3145728<"))
        }
    }

    @Test func faultsAreStatus500AndTellNothingInternal() async throws {
        struct Internal: Error { let path = "/etc/secret" }
        try await withServer({ input, _ in
            if input.name == "fault" { throw SOAPFault.client("Not you.") }
            throw Internal()
        }) { url async throws in
            let fault = try await curl(url, Greeting.posting(Greeting.envelope("fault")))
            #expect(fault.status == 500)
            #expect(fault.body.contains("Not you."))
            let failure = try await curl(url, Greeting.posting(Greeting.envelope("Ada")))
            #expect(failure.status == 500)
            #expect(failure.body.contains("Internal error."))
            #expect(!failure.body.contains("secret"))
        }
    }

    @Test(arguments: ["", "no xml", "<!DOCTYPE a []><a/>", "<a/>"])
    func malformedMessageIsAFault(_ message: String) async throws {
        try await withServer { url async throws in
            let answer = try await curl(url, Greeting.posting(message))
            #expect(answer.status == 500)
            #expect(answer.body.contains("Fault"))
        }
    }

    @Test func contentThatNeverComesEndsTheConnection() async throws {
        try await withServer({ input, _ in .init(text: input.name) }, { $0.requestArrival = .milliseconds(200) }) {
            url in
            let answer = try await curl(
                url,
                ["--header", "Content-Length: 1000", "--header", "Content-Type: text/xml", "--data-binary", "<a"])
            #expect(answer.status == 0)
            #expect(answer.exit != 28, "curl gave up before the server did")
        }
    }

    /// A connection that is kept carries one request after the other.
    private func onOneConnection(
        _ settings: @escaping (inout SOAPServer.Settings) -> Void,
        _ body: @escaping (_ client: FileHandle, _ head: String, _ message: String) async throws -> Void
    ) async throws {
        try await withServer(
            { input, _ in .init(text: input.name) },
            {
                $0.idle = .seconds(3600)
                settings(&$0)
            }
        ) { url async throws in
            let message = Greeting.envelope("Ada")
            let head = """
                POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n\
                Content-Length: \(message.utf8.count)\r\n\r\n
                """
            try await body(try FileHandle.connected(to: #require(URL(string: url)?.port)), head, message)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func timeThatARequestHasWonIsNotForTheNext(isRefused: Bool) async throws {
        try await onOneConnection {
            $0.requestArrival = .milliseconds(300)
            // A second for each byte.
            $0.minimumArrivalRate = 1
        } _: { client, head, message async throws in
            try client.write(contentsOf: Data((head + message.prefix(100)).utf8))
            try await Task.sleep(for: .milliseconds(600))
            try client.write(contentsOf: Data(message.dropFirst(100).utf8))
            #expect(try await client.text(to: "Envelope>").contains(">Ada<"))
            // Content that never comes, of a request that is read or of one that is refused.
            try client.write(contentsOf: Data((isRefused ? head.replacing("/soap", with: "/other") : head).utf8))
            _ = try client.readToEnd()
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPauseBetweenRequestsIsNoSlowRequest() async throws {
        try await onOneConnection {
            $0.requestArrival = .milliseconds(200)
        } _: { client, head, message async throws in
            for _ in 0..<3 {
                try client.write(contentsOf: Data((head + message).utf8))
                #expect(try await client.text(to: "Envelope>").contains(">Ada<"))
                try await Task.sleep(for: .milliseconds(300))
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func clientThatNeverReadsIsCutOff() async throws {
        let logs = LogCollector()
        // Much more than the buffers of both sides hold.
        let text = String(repeating: "x", count: 64 << 20)
        try await withServer(
            { _, _ in .init(text: text) },
            {
                $0.answerDelivery = .milliseconds(200)
                $0.idle = .seconds(3600)
                $0.logger = logs.logger
            }
        ) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let message = Greeting.envelope("Ada")
            let head = """
                POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n\
                Content-Length: \(message.utf8.count)\r\n\r\n
                """
            // It goes on to ask, which must not help it.
            try client.write(contentsOf: Data((head + message + head).utf8))
            while !logs.text.contains("does not take its answer") { try await Task.sleep(for: .milliseconds(5)) }
            let received = (try? client.readToEnd())?.count ?? 0
            #expect(received < text.utf8.count)
            #expect(try await curl(url + "?wsdl", []).status == 405)
        }
    }

    /// RFC 9112 §9.3: a client of HTTP/1.0 reads to the end of the connection.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("HTTP/1.0", "", true), ("HTTP/1.0", "Connection: Keep-Alive\r\n", false), ("HTTP/1.1", "", false),
            ("HTTP/1.1", "Connection: close\r\n", true), ("HTTP/1.1", "Connection: TE, Close\r\n", true),
        ])
    func theServerClosesTheConnectionWhenTheClientExpectsIt(_ version: String, _ field: String, _ isClosed: Bool)
        async throws
    {
        try await withServer(
            { input, _ in .init(text: input.name) }, { $0.idle = .seconds(3600) }
        ) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let message = Greeting.envelope("Ada")
            let head = """
                POST /soap \(version)\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n\(field)\
                Content-Length: \(message.utf8.count)\r\n\r\n
                """
            try client.write(contentsOf: Data((head + message).utf8))
            let answer = try await client.text(to: "Envelope>")
            #expect(answer.contains(">Ada<"), "\(answer)")
            if isClosed {
                #expect(try await client.isClosedByPeer())
            } else {
                try client.write(contentsOf: Data((head + message).utf8))
                #expect(try await !client.isClosedByPeer())
            }
        }
    }

    @Test func clientThatReadsInTimeGetsALargeAnswer() async throws {
        try await withServer({ _, _ in .init(text: String(repeating: "x", count: 32 << 20)) }) { url async throws in
            let answer = try await curl(url, Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 200)
            #expect(answer.body.utf8.count > 32 << 20)
        }
    }
}
