import Foundation
import GreetingService
import SignetSOAP
import SignetServer
import Synchronization
import Testing

/// One answer a request, in order, and nothing read behind a framing error.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FramingTests {
    /// The names that a handler has greeted.
    private final class Greeted: Sendable {
        let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
    }

    private func withServer<Value: Sendable>(
        _ greeted: Greeted, pausing: Duration = .zero, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let dispatcher = Greeting.dispatcher { input, _ in
            greeted.names.withLock { $0.append(input.name) }
            // The sooner it was asked, the longer it takes.
            try await Task.sleep(for: pausing * max(0, 5 - (Int(input.name) ?? 5)))
            return .init(text: "Hello \(input.name)")
        }
        return try await withPlainServer(dispatcher) { url in try await body(#require(URL(string: url)?.port)) }
    }

    private static func greetings(_ text: String) -> [String] {
        text.components(separatedBy: "Hello ").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let greeted = Greeted()
        try await withServer(greeted, pausing: .milliseconds(20)) { port async throws in
            let client = try FileHandle.connected(to: port)
            let requests = (0..<5).map { Wire.request("\($0)") }.joined()
            try client.write(contentsOf: Data((requests + Wire.request("5", fields: "Connection: close\r\n")).utf8))
            let answers = try #require(try await Wire.all(of: client))
            #expect(Self.greetings(answers) == ["0", "1", "2", "3", "4", "5"])
            #expect(Wire.statuses(answers) == Array(repeating: 200, count: 6))
        }
    }

    /// RFC 9112 §2.2.
    @Test func anEmptyLineBeforeARequestIsIgnored() async throws {
        let greeted = Greeted()
        try await withServer(greeted) { port async throws in
            let client = try FileHandle.connected(to: port)
            let last = Wire.request("b", fields: "Connection: close\r\n")
            try client.write(contentsOf: Data("\r\n\(Wire.request("a"))\r\n\(last)".utf8))
            let answers = try #require(try await Wire.all(of: client))
            #expect(Self.greetings(answers) == ["a", "b"])
        }
    }

    @Test func framingDoesNotDependOnHowBytesArrive() async throws {
        let greeted = Greeted()
        try await withServer(greeted) { port async throws in
            let bytes = Array((Wire.request("a") + Wire.request("b", fields: "Connection: close\r\n")).utf8)
            for cut in stride(from: 1, to: bytes.count, by: 5) {
                let client = try FileHandle.connected(to: port)
                client.offer(bytes[..<cut])
                try await Task.sleep(for: .milliseconds(1))
                client.offer(bytes[cut...])
                let answers = try #require(try await Wire.all(of: client), "cut at \(cut)")
                #expect(Self.greetings(answers) == ["a", "b"], "cut at \(cut)")
            }
        }
    }

    /// Beginnings of requests whose end cannot be determined.
    private static let broken = [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", "hello\r\n\r\n", "POST\r\n\r\n", "POST /soap\r\n\r\n",
        "POST /soap HTTP/2.0\r\nHost: x\r\n\r\n", "POST /soap HTTP/1.1 x\r\nHost: x\r\n\r\n",
        head("Content-Length: 5\r\nContent-Length: 6") + "hello", head("Content-Length: 5, 6") + "hello",
        head("Content-Length: -1"), head("Content-Length: +5") + "hello", head("Content-Length: 0x5") + "hello",
        head("Content-Length: 99999999999999999999999"), head("Content-Length: 5 5") + "hello",
        head("Content-Length: 5\r\nTransfer-Encoding: chunked") + "0\r\n\r\n",
        head("Transfer-Encoding: chunked\r\nContent-Length: 5") + "0\r\n\r\n",
        head("Transfer-Encoding: gzip") + "hello", head("Transfer-Encoding: chunked, gzip") + "0\r\n\r\n",
        head("Transfer-Encoding: xchunked") + "0\r\n\r\n", head("Transfer-Encoding: chunked") + "zz\r\n",
        head("Transfer-Encoding: chunked") + "fffffffffffffffff\r\n", head("Transfer-Encoding: chunked") + "-1\r\n",
        head("Transfer-Encoding: chunked") + "5\r\nhelloworld\r\n0\r\n\r\n",
        head("Transfer-Encoding: chunked") + "\r\n0\r\n\r\n",
        head("Content-Length : 5") + "hello", head("no colon here") + "", head(": empty") + "",
        head("X: a\u{0}b") + "", head("Transfer-Encoding : chunked") + "0\r\n\r\n",
    ]

    private static func head(_ fields: String) -> String {
        "POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n\(fields)\r\n\r\n"
    }

    @Test(arguments: broken.indices) func nothingIsReadBehindAFramingError(_ index: Int) async throws {
        let greeted = Greeted()
        let broken = Self.broken[index]
        try await withServer(greeted) { port async throws in
            let bytes = Array((Wire.request("a") + broken + Wire.request("smuggled")).utf8)
            let first = Wire.request("a").utf8.count
            for cut in [bytes.count, first, first + broken.utf8.count / 2, first + broken.utf8.count] {
                let client = try FileHandle.connected(to: port)
                client.offer(bytes[..<cut])
                try await Task.sleep(for: .milliseconds(2))
                client.offer(bytes[cut...])
                let answers = try #require(try await Wire.all(of: client), "not closed")
                #expect(Wire.statuses(answers) == [200, 400], "\(answers)")
                #expect(answers.lowercased().contains("connection: close"))
            }
        }
        #expect(greeted.all == Array(repeating: "a", count: 4))
    }

    /// The answer came before the content: a second one would be taken for that of the next request.
    @Test func aRefusedRequestWithWrongContentHasOneAnswer() async throws {
        let greeted = Greeted()
        try await withServer(greeted) { port async throws in
            let client = try FileHandle.connected(to: port)
            let other = "POST /other HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            client.offer(other.utf8)
            #expect(try await client.text(to: "Not Found.\n").contains("404"))
            client.offer("zz\r\n\(Wire.request("smuggled"))".utf8)
            #expect(try await Wire.all(of: client) == "")
        }
        #expect(greeted.all.isEmpty)
    }

    /// The server switches to no other protocol, and the decoder reads nothing behind a request for it (RFC 9110 §7.8).
    @Test(arguments: [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
        "Connection: upgrade\r\nUpgrade: websocket\r\n",
    ])
    func aRequestToSwitchProtocolsIsAnsweredAndTheLast(_ fields: String) async throws {
        let greeted = Greeted()
        try await withServer(greeted) { port async throws in
            let client = try FileHandle.connected(to: port)
            client.offer((Wire.request("a", fields: fields) + Wire.request("b")).utf8)
            let answers = try #require(try await Wire.all(of: client))
            #expect(Wire.statuses(answers) == [200])
            #expect(answers.lowercased().contains("connection: close"))
        }
        #expect(greeted.all == ["a"])
    }

    /// RFC 9112 §6.1.
    @Test func chunksOfHTTP10EndTheConnection() async throws {
        let greeted = Greeted()
        try await withServer(greeted) { port async throws in
            let client = try FileHandle.connected(to: port)
            let message = Greeting.envelope("a")
            let head =
                "POST /soap HTTP/1.0\r\nHost: localhost\r\nContent-Type: text/xml\r\nConnection: keep-alive\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
            let chunks = "\(String(message.utf8.count, radix: 16))\r\n\(message)\r\n0\r\n\r\n"
            client.offer((head + chunks + Wire.request("smuggled")).utf8)
            #expect(try await Wire.all(of: client) != nil)
        }
        #expect(!greeted.all.contains("smuggled"))
    }
}
