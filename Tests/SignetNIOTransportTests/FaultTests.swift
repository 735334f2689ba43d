import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Servers and proxies that fail at every state of a connection: the right error comes within the deadline, nothing is
/// sent twice that must not be, and nothing is left open.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FaultTests {
    enum Way: Sendable { case plain, tls, plainProxy, tunnel }

    /// How a call must end.
    enum End: Sendable, CustomStringConvertible {
        case answer(Int)
        case transport([TransportError.Code])
        case authentication(AuthenticationError.Code)

        var description: String {
            switch self {
            case .answer(let status): "\(status)"
            case .transport(let codes): codes.map(\.description).joined(separator: " or ")
            case .authentication(let code): "\(code)"
            }
        }

        static func error(_ codes: TransportError.Code...) -> End { .transport(codes) }
    }

    struct Fault: Sendable, CustomStringConvertible {
        let name: String
        /// Its place among all.
        var number = 0
        var way = Way.plain
        var method = HTTPRequest.Method.post
        let scripts: [[ServerStep]]
        /// How each of the calls ends, one after the other over one transport.
        let ends: [End]
        /// Requests that the server must have read at the end; nil where that is a matter of chance.
        var requests: Int?

        var description: String { "\(name) (\(way))" }

        init(
            _ name: String, way: Way = .plain, method: HTTPRequest.Method = .post, _ scripts: [[ServerStep]],
            _ ends: End...,
            requests: Int? = nil
        ) {
            self.name = name
            self.way = way
            self.method = method
            self.scripts = scripts
            self.ends = ends
            self.requests = requests
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let ten = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let open = "HTTP/1.1 200 Connection established\r\n\r\n"
    private static let asked = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"

    private static func answer(_ text: String) -> [[ServerStep]] { [[.read, .send(text), .stall]] }

    static let faults: [Fault] = list.enumerated().map { number, fault in
        var fault = fault
        fault.number = number
        return fault
    }

    private static let list: [Fault] = [
        // Before a request.
        Fault("closes at once", [[.close]], .error(.connectionClosed), requests: 0),
        Fault("resets at once", [[.reset]], .error(.connectionClosed), requests: 0),
        Fault("never reads", [[.stall]], .error(.readTimeout)),
        Fault("closes while the request is sent", [[.readBytes(10), .close]], .error(.connectionClosed)),
        Fault("resets while the request is sent", [[.readBytes(10), .reset]], .error(.connectionClosed)),
        // Before an answer.
        Fault("reads and closes", [[.read, .close]], .error(.connectionClosed), requests: 1),
        Fault("reads and resets", [[.read, .reset]], .error(.connectionClosed), requests: 1),
        Fault("reads and is silent", [[.read, .stall]], .error(.readTimeout), requests: 1),
        // Inside the head.
        Fault(
            "half a status line, then the end", [[.read, .send("HTTP/1.1 2"), .close]], .error(.connectionClosed),
            requests: 1),
        Fault(
            "half a status line, then a reset", [[.read, .send("HTTP/1.1 2"), .reset]], .error(.connectionClosed),
            requests: 1),
        Fault("half a status line, then silence", answer("HTTP/1.1 2"), .error(.readTimeout), requests: 1),
        Fault(
            "half a head, then the end", [[.read, .send("HTTP/1.1 200 OK\r\nA: b\r\n"), .close]],
            .error(.connectionClosed), requests: 1),
        Fault("half a head, then silence", answer("HTTP/1.1 200 OK\r\nA: b\r\n"), .error(.readTimeout), requests: 1),
        Fault(
            "a head byte by byte", [[.read, .drip("HTTP/1.1 200 OK\r\nA: b\r\n", milliseconds: 20)]],
            .error(.deadlineExceeded, .readTimeout, .malformedResponse)),
        Fault("garbage", answer("SSH-2.0-OpenSSH_9.2\r\n\r\n"), .error(.malformedResponse), requests: 1),
        Fault("zeros", [[.read, .bytes(.init(repeating: 0, count: 100)), .stall]], .error(.malformedResponse)),
        Fault(
            "TLS in answer to HTTP", [[.read, .bytes([0x15, 3, 1, 0, 2, 2, 70]), .stall]], .error(.malformedResponse)),
        Fault("HTTP/2", [[.read, .bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]), .stall]], .error(.malformedResponse)),
        Fault("a status of two digits", answer("HTTP/1.1 20 OK\r\n\r\n"), .error(.malformedResponse)),
        Fault("a status that is no number", answer("HTTP/1.1 2x0 OK\r\n\r\n"), .error(.malformedResponse)),
        Fault(
            "another protocol", answer("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n"), .error(.malformedResponse, .readTimeout)),
        Fault("a field without a colon", answer("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), .error(.malformedResponse)),
        Fault("a field with a zero", answer("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"), .error(.malformedResponse)),
        Fault("a name with a space", answer("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n"), .error(.malformedResponse)),
        Fault(
            "an endless status line", [[.read, .send("HTTP/1.1 200 "), .flood("x")]],
            .error(.responseTooLarge, .malformedResponse)),
        Fault("an endless field", [[.read, .send("HTTP/1.1 200 OK\r\nA: "), .flood("x")]], .error(.responseTooLarge)),
        Fault(
            "endless fields", [[.read, .send("HTTP/1.1 200 OK\r\n"), .flood("A: b\r\n")]], .error(.responseTooLarge)),
        Fault(
            "endless interim answers", [[.read, .flood("HTTP/1.1 100 Continue\r\n\r\n")]],
            .error(.responseTooLarge)),
        // Framing.
        Fault("a negative length", answer("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), .error(.malformedResponse)),
        Fault(
            "a length that is no number", answer("HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n"),
            .error(.malformedResponse)),
        Fault(
            "a length beyond all numbers", answer("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
            .error(.malformedResponse, .responseTooLarge)),
        Fault(
            "two lengths", answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
            .error(.malformedResponse)),
        Fault(
            "a length and chunks",
            answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            .error(.malformedResponse)),
        Fault("a chunk without a size", answer(chunked + "xyz\r\n"), .error(.malformedResponse)),
        Fault("a chunk of any size", answer(chunked + "ffffffffffffffffff\r\n"), .error(.malformedResponse)),
        Fault("a chunk longer than its size", answer(chunked + "2\r\nabcdef\r\n0\r\n\r\n"), .error(.malformedResponse)),
        Fault(
            "an endless chunk size", [[.read, .send(chunked), .flood("0")]],
            .error(.malformedResponse, .responseTooLarge)),
        Fault(
            "endless trailers", [[.read, .send(chunked + "0\r\n"), .flood("A: b\r\n")]],
            .error(.responseTooLarge, .malformedResponse)),
        // Inside the content.
        Fault("no content", [[.read, .send(ten), .close]], .error(.connectionClosed)),
        Fault("half the content, then the end", [[.read, .send(ten + "01234"), .close]], .error(.connectionClosed)),
        Fault(
            "half the content, then a reset", [[.read, .send(ten + "01234"), .wait(milliseconds: 50), .reset]],
            .error(.connectionClosed)),
        Fault("half the content, then silence", answer(ten + "01234"), .error(.readTimeout)),
        Fault(
            "content byte by byte",
            [[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"), .drip("x", milliseconds: 20)]],
            .error(.deadlineExceeded)),
        Fault("half a chunk, then the end", [[.read, .send(chunked + "5\r\nab"), .close]], .error(.connectionClosed)),
        Fault("half a chunk, then silence", answer(chunked + "5\r\nab"), .error(.readTimeout)),
        Fault("no last chunk", [[.read, .send(chunked + "2\r\nab\r\n"), .close]], .error(.connectionClosed)),
        Fault(
            "too much by its length", answer("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n"),
            .error(.responseTooLarge)),
        Fault(
            "too much in chunks",
            [[.read, .send(chunked), .flood("100\r\n\(String(repeating: "x", count: 256))\r\n")]],
            .error(.responseTooLarge)),
        Fault(
            "too much until the end", [[.read, .send("HTTP/1.1 200 OK\r\n\r\n"), .flood("x")]],
            .error(.responseTooLarge)),
        // Kept connections.
        Fault(
            "more than the answer",
            [
                [.read, .send(ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .stall],
                [.read, .send(ok), .stall],
            ], .answer(200), .answer(200), requests: 2),
        Fault(
            "an answer to no request",
            [[.read, .send(ok), .wait(milliseconds: 50), .send(ok), .stall], [.read, .send(ok), .stall]], .answer(200),
            .answer(200)),
        Fault(
            "content where there is none",
            [[.read, .send("HTTP/1.1 204 No Content\r\n\r\nevil"), .stall], [.read, .send(ok), .stall]], .answer(204),
            .answer(200)),
        Fault(
            "closes what was kept", [[.read, .send(ok), .close], [.read, .send(ok), .stall]], .answer(200),
            .answer(200), requests: 2),
        Fault(
            "closes in the second request", [[.read, .send(ok), .read, .close], [.read, .send(ok), .stall]],
            .answer(200), .error(.connectionClosed), requests: 2),
        Fault(
            "resets in the second request", [[.read, .send(ok), .read, .reset], [.read, .send(ok), .stall]],
            .answer(200), .error(.connectionClosed), requests: 2),
        Fault(
            "closes in the second request, which may be repeated", method: .get,
            [[.read, .send(ok), .read, .close], [.read, .send(ok), .stall]], .answer(200), .answer(200), requests: 3),
        Fault(
            "half an answer to the second request", method: .get,
            [[.read, .send(ok), .read, .send("HTTP/1.1 2"), .close], [.read, .send(ok), .stall]], .answer(200),
            .error(.connectionClosed), requests: 2),
        // TLS.
        Fault("closes before the handshake", way: .tls, [[.close]], .error(.tlsHandshakeFailed, .connectionClosed)),
        Fault(
            "closes in the handshake", way: .tls, [[.readBytes(50), .close]],
            .error(.tlsHandshakeFailed, .connectionClosed)),
        Fault(
            "resets in the handshake", way: .tls, [[.readBytes(50), .reset]],
            .error(.tlsHandshakeFailed, .connectionClosed)),
        Fault("is silent in the handshake", way: .tls, [[.readBytes(50), .stall]], .error(.connectTimeout)),
        Fault(
            "garbage in the handshake", way: .tls,
            [[.readBytes(50), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .stall]],
            .error(.tlsHandshakeFailed)),
        Fault(
            "a refusal in the handshake", way: .tls, [[.readBytes(50), .bytes([0x15, 3, 3, 0, 2, 2, 40]), .stall]],
            .error(.tlsHandshakeFailed)),
        Fault(
            "half a record", way: .tls, [[.readBytes(50), .bytes([0x16, 3, 3, 0x10]), .stall]], .error(.connectTimeout)),
        Fault(
            "an endless record", way: .tls, [[.readBytes(50), .bytes([0x16, 3, 3, 0xFF, 0xFF]), .flood("x")]],
            .error(.tlsHandshakeFailed)),
        // Proxies.
        Fault("closes at once", way: .tunnel, [[.close]], .error(.connectionClosed)),
        Fault("resets at once", way: .tunnel, [[.reset]], .error(.connectionClosed)),
        Fault("never answers", way: .tunnel, [[.read, .stall]], .error(.readTimeout)),
        Fault("reads and closes", way: .tunnel, [[.read, .close]], .error(.connectionClosed), requests: 1),
        Fault("half an answer", way: .tunnel, [[.read, .send("HTTP/1.1 200 Con"), .close]], .error(.connectionClosed)),
        Fault("garbage", way: .tunnel, [[.read, .send("nonsense\r\n\r\n"), .stall]], .error(.malformedResponse)),
        Fault(
            "endless fields", way: .tunnel, [[.read, .send("HTTP/1.1 200 OK\r\n"), .flood("A: b\r\n")]],
            .error(.responseTooLarge)),
        Fault("refuses", way: .tunnel, answer("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno"), .error(.proxyRefused)),
        Fault(
            "leads elsewhere", way: .tunnel,
            answer("HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"),
            .error(.proxyRefused)),
        Fault(
            "sends a page", way: .tunnel,
            answer("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"),
            .error(.proxyRefused)),
        Fault(
            "opens and closes", way: .tunnel, [[.read, .send(open), .close]],
            .error(.tlsHandshakeFailed, .connectionClosed)),
        Fault(
            "opens and resets", way: .tunnel, [[.read, .send(open), .wait(milliseconds: 50), .reset]],
            .error(.tlsHandshakeFailed, .connectionClosed)),
        Fault("opens and is silent", way: .tunnel, [[.read, .send(open), .stall]], .error(.connectTimeout)),
        Fault(
            "opens to a server without TLS", way: .tunnel,
            [[.read, .send(open), .readBytes(50), .send("SSH-2.0-x\r\n"), .stall]], .error(.tlsHandshakeFailed)),
        Fault(
            "opens with content", way: .tunnel,
            [[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .stall]],
            .error(.malformedResponse)),
        Fault(
            "opens with the beginning of another answer", way: .tunnel,
            [[.read, .send(open + "HTTP/1.1 302 F\r\nLocation: http://evil.example/?"), .stall]],
            .error(.malformedResponse)),
        Fault(
            "opens with a single byte more", way: .tunnel, [[.read, .send(open + "\n"), .stall]],
            .error(.malformedResponse)),
        Fault(
            "asks, with the beginning of another answer", way: .tunnel,
            [[.read, .send(asked + "HTTP/1.1 200 OK\r\nX: "), .read, .send(open), .stall], [.read, .close]],
            .error(.connectionClosed), requests: 2),
        Fault(
            "asks without end", way: .tunnel,
            [[.read, .send(asked), .read, .send(asked), .read, .send(asked), .stall]],
            .authentication(.credentialsRefused), requests: 2),
        Fault(
            "asks and closes", way: .tunnel, [[.read, .send(asked), .close], [.read, .send(open), .stall]],
            .error(.connectTimeout), requests: 2),
        Fault(
            "asks without saying how", way: .tunnel, answer("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"),
            .authentication(.malformedChallenge)),
        Fault(
            "asks for a scheme that the client does not have", way: .tunnel,
            answer("HTTP/1.1 407 No\r\nProxy-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n"),
            .authentication(.noUsableScheme)),
        Fault("passes nothing on", way: .plainProxy, [[.read, .close]], .error(.connectionClosed), requests: 1),
        Fault(
            "answers itself", way: .plainProxy, answer("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno"),
            .answer(502), requests: 1),
        Fault(
            "asks for the origin's password", way: .plainProxy,
            answer("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"),
            .authentication(.credentialsRequired), requests: 1),
    ]

    /// Each fault has three ports, so that no test finds a script half played.
    private static let servers = Result { try ScriptedServer((0..<3).flatMap { _ in faults.map(\.scripts) }) }

    private static func port(_ fault: Fault, round: Int) throws -> Int {
        try servers.get().ports[round * faults.count + fault.number]
    }

    private static func transport(_ fault: Fault, port: Int) throws -> (NIOTransport, Endpoint) {
        let url =
            switch fault.way {
            case .plain: "http://127.0.0.1:\(port)/"
            case .tls: "https://127.0.0.1:\(port)/"
            case .plainProxy: "http://origin.example/"
            case .tunnel: "https://origin.example/"
            }
        let endpoint = try Endpoint(url)
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.trust = .anchors(try CertificateAuthority().bundle)
        if fault.way == .plainProxy || fault.way == .tunnel {
            configuration.proxy = .init(.init(try Proxy("http://127.0.0.1:\(port)")))
            configuration.proxy.authentication = AuthenticationPolicy(
                credentials: .fixed(.account(user: "u", password: "p")), allowsPlaintext: true)
        }
        return (try configuration.make(), endpoint)
    }

    @Test(arguments: faults) func everyFaultEndsTheCallAsExpected(_ fault: Fault) async throws {
        let port = try Self.port(fault, round: 0)
        let (transport, endpoint) = try Self.transport(fault, port: port)
        for (number, end) in fault.ends.enumerated() {
            var request = ClientRequest(
                endpoint, method: fault.method, body: .init(Array("<message>\(number)</message>".utf8)))
            request.deadlines.connect = .milliseconds(400)
            request.deadlines.read = .milliseconds(400)
            request.deadlines.total = .milliseconds(1_500)
            request.maximumResponseBytes = 100_000
            let start = ContinuousClock.now
            switch (end, await Result(catching: { try await transport.send(request) })) {
            case (.answer(let status), .success(let answer)):
                #expect(answer.status.code == status)
                if status == 200 { #expect(answer.text == "ok") }
            case (.transport(let codes), .failure(let error as TransportError)):
                #expect(codes.contains(error.code), "\(fault): \(error.code): \(error)")
                // What was never written cannot have been worked on.
                if fault.way == .tunnel || fault.way == .tls {
                    #expect(!error.mayHaveBeenProcessed, "\(fault): \(error)")
                }
            case (.authentication(let code), .failure(let error as AuthenticationError)):
                #expect(error.code == code, "\(fault): \(error)")
            case (_, let result):
                Issue.record("\(fault): expected \(end), came \(result)")
            }
            // Generous, for a machine with other work.
            #expect(ContinuousClock.now - start < .seconds(10), "\(fault)")
            // A server closes what it has kept.
            try await Task.sleep(for: .milliseconds(100))
        }
        let requests = try Self.servers.get().requests(at: port)
        if let count = fault.requests { #expect(requests.count == count, "\(fault): \(requests.map(\.head))") }
        try await transport.shutdown()
    }

    /// After all faults, one after the other, no descriptor is left.
    @Test func nothingIsLeftOpen() async throws {
        func round(_ number: Int) async throws {
            for fault in Self.faults where fault.ends.count == 1 {
                let (transport, endpoint) = try Self.transport(fault, port: Self.port(fault, round: number))
                var request = ClientRequest(endpoint, method: fault.method)
                request.deadlines.connect = .milliseconds(50)
                request.deadlines.read = .milliseconds(50)
                request.deadlines.total = .milliseconds(200)
                _ = try? await transport.send(request)
                try await transport.shutdown()
            }
        }
        try await round(1)
        let before = openDescriptors()
        try await round(2)
        try await untilClosed(before)
    }
}

/// How many descriptors this process has open.
func openDescriptors() -> Int { descriptors().count }

/// What is open, for a person who looks for what was left so.
func descriptors() -> [String] {
    let folder = "/proc/self/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { name in
        "\(name): \((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) ?? "gone")"
    }
}

/// Waits until no more descriptors are open than before, and says which are if that never comes. A few may be those of
/// timers and pipes of the system's own; what is left by calls would be many.
func untilClosed(_ before: Int) async throws {
    do { try await until { openDescriptors() <= before + 4 } } catch {
        Issue.record("\(before) were open before, and now: \(descriptors().sorted())")
    }
}

extension Result where Failure == any Error {
    init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
