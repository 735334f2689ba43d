import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// Content of answers that is taken while it arrives.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ReceiverTests {
    /// Counts what comes, and keeps no more than is asked for.
    private final class Receiver: ContentReceiver {
        private let state = Mutex((asked: [Int](), count: 0, largest: 0, sum: 0, fields: HTTPFields()))
        private let work: @Sendable (Int) async throws -> Void

        /// - Parameter work: gets how many bytes have come so far.
        init(_ work: @escaping @Sendable (Int) async throws -> Void = { _ in }) { self.work = work }

        var asked: [Int] { state.withLock { $0.asked } }
        var count: Int { state.withLock { $0.count } }
        var largest: Int { state.withLock { $0.largest } }
        var sum: Int { state.withLock { $0.sum } }
        var fields: HTTPFields { state.withLock { $0.fields } }

        func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
            state.withLock {
                $0.asked.append(status.code)
                $0.fields = fields
            }
            return true
        }

        func receive(_ bytes: [UInt8]) async throws {
            let count = state.withLock { state in
                state.count += bytes.count
                state.largest = max(state.largest, bytes.count)
                state.sum = bytes.reduce(state.sum) { $0 &+ Int($1) }
                return state.count
            }
            try await work(count)
        }
    }

    /// So much content takes its time under a sanitizer.
    private static let patience = Duration.seconds(240)

    /// Resident memory in bytes.
    private static func memory() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }

    /// A server of Python's: `/large` sends 64 MB, `/zeros` the same compressed and closes, `/endless` goes on.
    private static let program = #"""
        import socket, threading, zlib
        folder = sys.argv[1]
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        print(listener.getsockname()[1], flush=True)
        sent = 0
        def serve(sock):
            stream = sock.makefile("rb")
            try:
                while True:
                    line = stream.readline()
                    if not line: return
                    while stream.readline().strip(): pass
                    path = line.split()[1]
                    piece = b"x" * 65536
                    if path == b"/large":
                        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n")
                        for _ in range(1024): sock.sendall(piece)
                    elif path == b"/zeros":
                        coder = zlib.compressobj(9, zlib.DEFLATED, 31)
                        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n")
                        for _ in range(1024): sock.sendall(coder.compress(piece))
                        sock.sendall(coder.flush()); sock.close(); return
                    elif path == b"/endless":
                        sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                        total = 0
                        while True:
                            sock.sendall(b"10000\r\n" + piece + b"\r\n"); total += 65536
                            with open(folder + "/log", "w") as log: log.write(str(total) + "\n")
            except OSError:
                with open(folder + "/log", "a") as log: log.write("gone\n")
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=serve, args=(sock,), daemon=True).start()
        """#

    @Test func muchContentTakesLittleMemory() async throws {
        let peer = try PythonProcess(Self.program)
        let url = "http://127.0.0.1:\(peer.ports[0])/large"
        try await withTransport(url) { transport async throws in
            let most = Mutex(0)
            let before = Self.memory()
            for isReused in [false, true] {
                let receiver = Receiver { count in
                    if count % (1 << 22) < 65_536 { most.withLock { $0 = max($0, Self.memory()) } }
                }
                let answer = try await transport.call(url, .get) {
                    $0.contentReceiver = receiver
                    $0.deadlines.total = Self.patience
                }
                #expect(answer.body.isEmpty && receiver.asked == [200])
                #expect(receiver.count == 64 << 20 && receiver.sum == 0x78 * (64 << 20))
                #expect(answer.report.connection.reused == isReused)
            }
            let growth = most.withLock { $0 } - before
            #expect(growth < 24 << 20, "\(growth) bytes more than before")
        }
    }

    /// The connection is closed long before it is all taken.
    @Test func compressedContentIsDeliveredInPieces() async throws {
        let peer = try PythonProcess(Self.program)
        let url = "http://127.0.0.1:\(peer.ports[0])/zeros"
        try await withTransport(url) { transport async throws in
            let receiver = Receiver { if $0 < 20 << 20 { try await Task.sleep(for: .milliseconds(20)) } }
            let answer = try await transport.call(url, .get) {
                $0.contentReceiver = receiver
                $0.deadlines.total = Self.patience
            }
            #expect(receiver.count == 64 << 20 && receiver.largest < 8 << 20)
            #expect(answer.fields[.contentEncoding] == nil && receiver.fields[.contentEncoding] == nil)
            let error = try await transport.failure(url, .get) {
                $0.contentReceiver = Receiver()
                $0.maximumStreamedBytes = 32 << 20
            }
            #expect(error?.code == .responseTooLarge)
        }
    }

    @Test func theServerIsHeldBack() async throws {
        let peer = try PythonProcess(Self.program)
        let url = "http://127.0.0.1:\(peer.ports[0])/endless"
        try await withTransport(url) { transport async throws in
            let task = Task {
                let receiver = Receiver { _ in try await Task.sleep(for: .seconds(60)) }
                return try await transport.failure(url, .get) { $0.contentReceiver = receiver }
            }
            try await until { try !peer.log.isEmpty }
            try await Task.sleep(for: .seconds(2))
            // What the buffers of the system hold.
            let sent = try peer.log.first.flatMap { Int($0) } ?? 0
            #expect(sent < 24 << 20, "\(sent) bytes were sent to a receiver that takes nothing")
            task.cancel()
            #expect(try await task.value?.code == .cancelled)
            try await until { try peer.log.last == "gone" }
        }
    }

    @Test func aReceiverThatThrowsEndsTheConnection() async throws {
        struct Full: Error {}
        let peer = try PythonProcess(Self.program)
        let url = "http://127.0.0.1:\(peer.ports[0])/large"
        try await withTransport(url) { transport async throws in
            let receiver = Receiver { if $0 > 1 << 20 { throw Full() } }
            let error = try await transport.failure(url, .get) { $0.contentReceiver = receiver }
            #expect(error?.code == .contentRefused && error?.cause is Full && error?.mayHaveBeenProcessed == true)
            let next = try await transport.call(url, .get) { $0.contentReceiver = Receiver() }
            #expect(!next.report.connection.reused)
        }
    }

    @Test func aServerThatGoesAwayInTheMiddle() async throws {
        var peer: PythonProcess? = try PythonProcess(Self.program)
        let url = "http://127.0.0.1:\(try #require(peer).ports[0])/endless"
        try await withTransport(url) { transport async throws in
            let receiver = Receiver()
            let task = Task { try await transport.failure(url, .get) { $0.contentReceiver = receiver } }
            try await until { receiver.count > 1 << 20 }
            peer = nil
            #expect(try await task.value?.code == .connectionClosed)
        }
        _ = peer
    }

    @Test func theReceiverIsNotAskedAboutChallengesAndRedirects() async throws {
        let server = try ScriptedServer([
            [
                [
                    .read,
                    .send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 2\r\n\r\nno"),
                    .read, .send("HTTP/1.1 307 Go\r\nLocation: /y\r\nContent-Length: 4\r\n\r\ngone"),
                    .read, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nall"), .stall,
                ]
            ]
        ])
        let endpoint = try Endpoint("http://127.0.0.1:\(try #require(server.ports.first))/x")
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.authentication = .init(
            credentials: .fixed(.account(user: "u", password: "p")), allowsPlaintext: true)
        let transport = RedirectingTransport(try configuration.make(), .sameOrigin(maximum: 3))
        let receiver = Receiver()
        var request = ClientRequest(endpoint, body: [0x61])
        request.contentReceiver = receiver
        let answer = try await transport.send(request)
        #expect(answer.status == .ok && answer.body.isEmpty)
        #expect(receiver.asked == [200] && receiver.count == 3)
        try await transport.shutdown()
    }
}
