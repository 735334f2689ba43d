import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import SignetHTTP
import SignetNIOTLS
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Bytes that belong to no answer: an answer depends only on what was sent after its request was written.
///
/// A differential test: answers with bytes behind them, cut at every byte, beside the same answers alone. 4,000 cases;
/// `SIGNET_SURPLUS=1000000` makes more of them.
@Suite(.timeLimit(.minutes(20))) struct SurplusTests {
    private static let cases = ProcessInfo.processInfo.environment["SIGNET_SURPLUS"].flatMap { Int($0) } ?? 4_000

    private struct Exchange {
        var method = HTTPMethod.POST
        var isJudged = false
        let bytes: String
        let status: Int
        let body: String
    }

    private static let exchanges = [
        Exchange(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright", status: 200, body: "right"),
        Exchange(
            isJudged: true, bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright", status: 200, body: "right"),
        Exchange(
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nrig\r\n2\r\nht\r\n0\r\n\r\n",
            status: 200, body: "right"),
        Exchange(
            isJudged: true,
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nright\r\n0\r\nTrailer: t\r\n\r\n",
            status: 200, body: "right"),
        Exchange(
            bytes: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno",
            status: 500, body: "no"),
        Exchange(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", status: 200, body: ""),
        Exchange(bytes: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, body: ""),
        Exchange(bytes: "HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n", status: 304, body: ""),
        Exchange(method: .HEAD, bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", status: 200, body: ""),
    ]

    /// Cut anywhere, what a server may send that no request asked for.
    private static let surplus = [
        "HTTP/1.1 302 F\r\nLocation: http://attacker.example/?x=\r\nX-Rest: ",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: http://attacker.example/\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: upgrade\r\n\r\n",
        "\r\n\r\n", "\n", "0\r\n\r\n", "\0", " ", "right", "\u{16}\u{3}\u{1}",
    ]

    private static func connector() -> Connector {
        Connector(
            maximumFieldBytes: 65_536, acceptsCompression: true, idleTimeout: .seconds(30),
            toleratedIdentityProblems: [], resolver: nil,
            revocation: .none,
            now: { 0 })
    }

    /// A connection whose server is the test.
    private struct Line {
        let channel = EmbeddedChannel()
        let handler: ConnectionHandler

        init() throws {
            let peer = SignetNIOTransport.Peer(
                origin: try Endpoint("http://service.example/").origin, via: .direct, identity: .none, trust: .system)
            let opening = try connector().install(on: channel, peer: peer)
            try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 80)).wait()
            var carrier: ConnectionOpening.Result?
            opening.whenReady { carrier = $0 }
            handler = try #require(try carrier?.get() as? ConnectionHandler)
        }

        func receive(_ bytes: some Sequence<UInt8>) {
            let buffer = ByteBuffer(bytes: bytes)
            guard buffer.readableBytes > 0, channel.isActive else { return }
            // What the pipeline says against it has come to the handler.
            _ = try? channel.writeInbound(buffer)
        }

        /// Sends a request, and then `pieces` come one after the other.
        func exchange(_ exchange: Exchange, _ pieces: [ArraySlice<UInt8>]) async throws -> ReceivedResponse {
            var request = try OutgoingRequest(
                ClientRequest(try Endpoint("http://service.example/"), method: .post), acceptsCompression: true)
            request.head.method = exchange.method
            let leg = Leg(deadline: CallDeadline(Deadlines()), receiver: exchange.isJudged ? Taker() : nil)
            handler.start(request, leg)
            for piece in pieces { receive(piece) }
            handler.collect(leg)
            handler.abandon(leg, Unfinished())
            return try await leg.wait().answer
        }

        func close() { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    private struct Unfinished: Error {}

    /// Wants every content, as far as the connection asks.
    private struct Taker: ContentReceiver {
        func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool { true }
        func receive(_ bytes: [UInt8]) async throws {}
    }

    /// All cuts of all surplus behind all answers in order, or as many of them as were asked for, by chance.
    @Test func surplusBytesDoNotChangeLaterAnswers() async throws {
        var random = SeededNumbers(seed: 3)
        var (count, reused) = (0, 0)
        while count < Self.cases {
            let exchanges = (0..<3).compactMap { _ in Self.exchanges.randomElement(using: &random) }
            let gap = Int.random(in: 0..<4, using: &random)
            let all = Array((Self.surplus.randomElement(using: &random) ?? "").utf8)
            let surplus = all.prefix(.random(in: 0...all.count, using: &random))
            var line = try Line()
            if gap == 3 { line.receive(surplus) }
            var isFouled = gap == 3 && !surplus.isEmpty
            for (number, exchange) in exchanges.enumerated() {
                if isFouled {
                    #expect(!line.handler.isUsable, "\(exchanges.map(\.bytes)), gap \(gap), \(surplus)")
                    line.close()
                    line = try Line()
                    isFouled = false
                } else if number > 0 {
                    #expect(line.handler.isUsable)
                    reused += 1
                }
                var bytes = Array(exchange.bytes.utf8)
                if gap == number {
                    bytes += surplus
                    isFouled = !surplus.isEmpty
                }
                let cut = Int.random(in: 0...bytes.count, using: &random)
                let answer = try await line.exchange(exchange, [bytes[..<cut], bytes[cut...]])
                #expect(Int(answer.head.status.code) == exchange.status)
                #expect(String(decoding: answer.body, as: UTF8.self) == exchange.body)
                #expect(answer.head.headers["location"].isEmpty)
                count += 1
            }
            line.close()
        }
        print("answers compared: \(count), \(reused) of them on a connection that had carried another")
        #expect(reused > count / 10)
    }

    /// The same without chance, for what once went wrong: each cut of each prefix behind one answer.
    @Test(arguments: [false, true]) func anIncompleteHeadIsNoBeginning(isJudged: Bool) async throws {
        let exchange = try #require(Self.exchanges.first { $0.isJudged == isJudged })
        let surplus = Array(try #require(Self.surplus.first).utf8)
        for length in 1...surplus.count {
            let bytes = Array(exchange.bytes.utf8) + surplus.prefix(length)
            for cut in stride(from: exchange.bytes.utf8.count - 2, through: bytes.count, by: 3) {
                let line = try Line()
                let answer = try await line.exchange(exchange, [bytes[..<cut], bytes[cut...]])
                #expect(String(decoding: answer.body, as: UTF8.self) == exchange.body)
                #expect(!line.handler.isUsable, "\(length) bytes, cut at \(cut)")
                line.close()
            }
        }
    }

    /// On the wire, where the server still holds the connection open and answers on it.
    @Test(arguments: surplus.indices) func theNextCallTakesAnotherConnection(_ number: Int) async throws {
        let first = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
        let second = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"
        let server = try ScriptedServer([
            // With the answer, and later.
            [
                [.read, .send(first + Self.surplus[number]), .read, .send(second), .stall],
                [.read, .send(second), .stall],
            ],
            [
                [
                    .read, .send(first), .wait(milliseconds: 50), .send(Self.surplus[number]), .read, .send(second),
                    .stall,
                ],
                [.read, .send(second), .stall],
            ],
        ])
        for port in server.ports {
            let url = "http://127.0.0.1:\(port)/"
            try await withTransport(url) { transport async throws in
                let one = try await transport.call(url)
                #expect(one.text == "first")
                try await Task.sleep(for: .milliseconds(150))
                let other = try await transport.call(url)
                #expect(other.status.code == 200 && other.text == "second")
                #expect(other.report.connection.number != one.report.connection.number)
            }
            #expect(server.requests(at: port).map(\.connection) == [1, 2])
        }
    }

    @Test func aServerThatSpeaksFirstIsNamed() async throws {
        let server = try ScriptedServer([[[.send("220 mail.example ESMTP\r\n"), .read, .stall]]])
        let url = "http://127.0.0.1:\(server.ports[0])/"
        try await withTransport(url) { transport async throws in
            let error = try #require(await transport.failure(url) { $0.deadlines.read = .seconds(5) })
            #expect(error.code == .malformedResponse, "\(error)")
        }
    }

    @Test func anotherProtocolIsRefused() async throws {
        let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
        let server = try ScriptedServer([[[.read, .send(answer), .stall]]])
        let url = "http://127.0.0.1:\(server.ports[0])/"
        try await withTransport(url) { transport async throws in
            let error = try #require(await transport.failure(url) { $0.deadlines.read = .seconds(5) })
            #expect(error.code == .malformedResponse)
            #expect(error.message.contains("101"), "\(error)")
        }
    }
}
