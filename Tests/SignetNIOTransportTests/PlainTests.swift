import HTTPTypes
import SignetHTTP
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct PlainTests {
    let peer: Peer
    let base: String

    init() throws {
        peer = try Peer()
        base = "http://127.0.0.1:\(peer.port)"
    }

    @Test func theRequestIsSentAndReported() async throws {
        try await withTransport(base) { transport async throws in
            let response = try await transport.call("\(base)/ok", body: "world", fields: [.contentType: "text/xml"])
            #expect(response.status == .ok)
            #expect(response.text == "hello world")
            #expect(response.report.connection.number == 1)
            #expect(response.report.connection.remoteAddress == "127.0.0.1:\(peer.port)")
            #expect(response.report.connection.tls == nil)
            #expect(!response.report.connection.reused)
            #expect(response.report.connection.establishment > .zero)
            #expect(response.report.connection.nameResolution <= response.report.connection.establishment)
            #expect(response.report.connection.handshake == .zero)
            #expect(response.report.wait > .zero && response.report.reception > .zero)
            #expect(
                response.report.duration
                    >= response.report.connection.establishment + response.report.wait + response.report.reception)
            #expect(response.report.legs == [.init(status: 200)])
        }
        let request = try #require(try peer.requests.first)
        #expect(request.fields?["host"] == "127.0.0.1:\(peer.port)")
        #expect(request.fields?["content-length"] == "5")
        #expect(request.fields?["content-type"] == "text/xml")
    }

    @Test func everyKindOfFraming() async throws {
        try await withTransport(base) { transport async throws in
            for (path, method, status, text) in [
                ("/chunked", HTTPRequest.Method.get, 200, "abcdefg"), ("/interim", .post, 200, "final"),
                ("/204", .post, 204, ""), ("/304", .get, 304, ""), ("/head", .head, 200, ""),
                ("/head", .get, 200, "hello"),
                ("/500", .post, 500, "fault"), ("/redirect", .post, 302, ""), ("/eof", .get, 200, "until the end"),
                ("/close", .post, 200, "last"), ("/ok", .post, 200, "hello "),
            ] {
                let response = try await transport.call(base + path, method)
                #expect(response.status.code == status)
                #expect(response.text == text, "\(path)")
            }
        }
        // Until an answer ended with its connection, one connection carried everything; no redirect was followed.
        #expect(try peer.requests.map(\.connection) == [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3])
    }

    @Test func largeBodiesAreSentAndReceived() async throws {
        try await withTransport(base) { transport async throws in
            let body = String(repeating: "0123456789", count: 300_000)
            #expect(try await transport.call("\(base)/ok", body: body).text == "hello " + body)
            let again = try await transport.call("\(base)/ok", body: "x")
            #expect(again.report.connection.reused)
            #expect(again.report.connection.establishment == .zero)
        }
    }

    @Test func answersThatEndTooEarly() async throws {
        try await withTransport(base) { transport async throws in
            for path in ["/half", "/halfchunked", "/drop"] {
                let error = try await transport.failure(base + path)
                #expect(error?.code == .connectionClosed, "\(path)")
                #expect(error?.mayHaveBeenProcessed == true)
            }
        }
        #expect(try peer.requests.count == 3)
    }

    @Test func answersThatAreNotHTTP() async throws {
        try await withTransport(base) { transport async throws in
            for path in ["/garbage", "/badlength", "/negative", "/both"] {
                #expect(try await transport.failure(base + path)?.code == .malformedResponse, "\(path)")
            }
        }
    }

    @Test func limits() async throws {
        try await withTransport(base) { transport async throws in
            for path in ["/large", "/largechunked"] {
                let error = try await transport.failure(base + path) { $0.maximumResponseBytes = 1_000_000 }
                #expect(error?.code == .responseTooLarge, "\(path)")
            }
            let exact = try await transport.call("\(base)/large") { $0.maximumResponseBytes = 1_000_001 }
            #expect(exact.body.count == 1_000_001)
            for path in ["/fields", "/manyfields"] {
                #expect(try await transport.failure(base + path)?.code == .responseTooLarge, "\(path)")
            }
        }
    }

    @Test func bytesBehindAnAnswerNeverReachTheNextCall() async throws {
        try await withTransport(base) { transport async throws in
            #expect(try await transport.call("\(base)/extra", .get).text == "ok")
            for _ in 0..<5 { #expect(try await transport.call("\(base)/ok", .get).text == "hello ") }
        }
    }

    @Test func aConnectionThatTheServerLeftIsReplaced() async throws {
        try await withTransport(base) { transport async throws in
            for _ in 0..<20 {
                // Safe to repeat: whether the close is seen before or after writing, there is an answer.
                #expect(try await transport.call("\(base)/leave", .get).text == "left")
            }
        }
    }

    @Test func aRequestThatMayHaveBeenProcessedIsNotSentAgain() async throws {
        try await withTransport(base) { transport async throws in
            #expect(try await transport.call("\(base)/ok").text == "hello ")
            let error = try await transport.failure("\(base)/drop")
            #expect(error?.code == .connectionClosed)
            #expect(error?.mayHaveBeenProcessed == true)
            #expect(try peer.requests.map(\.path) == ["/ok", "/drop"])
            _ = try await transport.call("\(base)/ok")
            // Idempotent is not safe: what is deleted twice may have been put back between.
            #expect(try await transport.failure("\(base)/drop", .delete)?.code == .connectionClosed)
            #expect(try peer.requests.map(\.path) == ["/ok", "/drop", "/ok", "/drop"])
            _ = try await transport.call("\(base)/ok")
            #expect(try await transport.failure("\(base)/drop", .get)?.code == .connectionClosed)
            // A method that is safe is tried once more, on a new connection.
            #expect(try peer.requests.map(\.path) == ["/ok", "/drop", "/ok", "/drop", "/ok", "/drop", "/drop"])
        }
    }

    @Test func aRequestIsNotSentAgainOnceAnAnswerHasBegun() async throws {
        try await withTransport(base) { transport async throws in
            for path in ["/half", "/halfchunked", "/parthead"] {
                _ = try await transport.call("\(base)/ok")
                #expect(try await transport.failure(base + path, .get)?.code == .connectionClosed)
                #expect(try peer.requests.count { $0.path == path } == 1, "\(path)")
            }
        }
    }

    @Test func aCancelledCallLeavesItsConnectionToOthers() async throws {
        try await withTransport(base) { transport async throws in
            for _ in 0..<10 {
                #expect(try await transport.call("\(base)/connection").text == "1")
                let cancelled = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    _ = try await transport.call("\(base)/ok")
                }
                await #expect(throws: TransportError(.cancelled, "")) { try await cancelled.value }
            }
        }
        #expect(try peer.requests.allSatisfy { $0.path == "/connection" })
    }

    @Test func parallelCallsShareFewConnections() async throws {
        try await withTransport(base, { $0.maximumConnections = 3 }) { transport async throws in
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<60 { group.addTask { try await transport.call("\(base)/connection").text } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(connections.count <= 3)
        }
    }

    @Test func requestsThatCannotBeSent() async throws {
        try await withTransport(base) { transport async throws in
            for name in ["Content-Length", "Transfer-Encoding", "Connection", "Host", "Proxy-Authorization", "TE"] {
                let name = try #require(HTTPField.Name(name))
                let error = try await transport.failure("\(base)/ok") { $0.fields[name] = "1" }
                #expect(error?.code == .invalidRequest, "\(name)")
                #expect(error?.mayHaveBeenProcessed == false)
            }
            let origin = try Endpoint(base).origin
            for path in ["/a b", "/a\r\nX: y", "x", "", "/\u{E4}", "/\u{0}"] {
                let request = ClientRequest(Endpoint(origin: origin, path: path))
                await #expect(throws: TransportError(.invalidRequest, "")) { try await transport.send(request) }
            }
        }
        #expect(try peer.requests.isEmpty)
    }

    @Test func lineBreaksInFieldsDoNotReachTheWire() async throws {
        try await withTransport(base) { transport async throws in
            let name = try #require(HTTPField.Name("SOAPAction"))
            for value in ["a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\u{0}b", "a\r\n\r\nGET /evil HTTP/1.1\r\n\r\n"] {
                _ = try? await transport.call("\(base)/ok", fields: [name: value])
            }
            _ = try await transport.call("\(base)/ok")
        }
        for request in try peer.requests {
            #expect(request.fields?["x-evil"] == nil)
            #expect(request.path == "/ok")
        }
    }

    /// Whatever the decoder does not take is refused in words that name it.
    @Test(
        arguments: [
            ("/folded", "RFC 9112 §5"), ("/spacedcolon", "RFC 9112 §5"), ("/spacedchunk", "RFC 9112 §7.1"),
            ("/gzipchunks", "“gzip” (Transfer-Encoding)"), ("/fields/1001", "more than 1000 fields"),
            ("/fields", "maximumFieldBytes"), ("/both", "Transfer-Encoding"), ("/badlength", "Content-Length"),
            ("/garbage", "status line"),
        ])
    func theErrorNamesTheViolatedRule(path: String, words: String) async throws {
        let peer = try Peer()
        let base = "http://127.0.0.1:\(peer.port)"
        try await withTransport(base) { transport async throws in
            let error = try #require(await transport.failure(base + path))
            #expect(error.message.contains(words), "\(error)")
        }
    }

    @Test func takesManyFields() async throws {
        let peer = try Peer()
        let base = "http://127.0.0.1:\(peer.port)"
        try await withTransport(base) { transport async throws in
            #expect(try await transport.call(base + "/fields/900").fields.count == 901)
        }
    }
}
