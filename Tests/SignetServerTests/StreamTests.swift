import Foundation
import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

@testable import SignetServer

/// Content of requests and answers that is not in memory, or takes its time.
@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private let curl: Curl

    init() throws { curl = try Curl() }

    /// Sends a message in pieces with pauses, and gives how the server answers.
    private func answer(_ pieces: Int, _ pause: Duration, rate: Int, arrival: Duration) async throws -> String {
        try await withPlainServer(
            Greeting.dispatcher { input, _ in .init(text: "\(input.name.utf8.count)") },
            {
                $0.requestArrival = arrival
                $0.minimumArrivalRate = rate
            }
        ) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let message = Greeting.envelope(String(repeating: "x", count: pieces * 10_000))
            let head = """
                POST /soap HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n\
                Content-Length: \(message.utf8.count)\r\n\r\n
                """
            try client.write(contentsOf: Data(head.utf8))
            var rest = Array(message.utf8)[...]
            while !rest.isEmpty {
                guard (try? client.write(contentsOf: Data(rest.prefix(10_000)))) != nil else { return "" }
                rest = rest.dropFirst(10_000)
                try await Task.sleep(for: pause)
            }
            return try await client.text(to: "Envelope>")
        }
    }

    @Test func theServerWaitsForASteadySender() async throws {
        let answer = try await answer(20, .milliseconds(100), rate: 50_000, arrival: .milliseconds(600))
        #expect(answer.contains(">200000<"), "\(answer.prefix(200))")
    }

    @Test func theServerCutsOffASlowSender() async throws {
        let answer = try await answer(20, .milliseconds(100), rate: 1_000_000, arrival: .milliseconds(600))
        #expect(answer.isEmpty, "\(answer.prefix(200))")
    }

    /// Counts what comes, and answers with a stream.
    private final class Counting: RequestReceiver {
        let limit = 1 << 30
        private let count = Mutex(0)
        private let body: HTTPBody
        private let work: @Sendable (Int) async throws -> Void

        init(_ body: HTTPBody, _ work: @escaping @Sendable (Int) async throws -> Void) {
            self.body = body
            self.work = work
        }

        func receive(_ bytes: [UInt8]) async throws {
            try await work(
                count.withLock {
                    $0 += bytes.count
                    return $0
                })
        }

        func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response {
            .init(status: 200, contentType: "text/plain", body: body, work: nil)
        }
    }

    private func withStreams<Value: Sendable>(
        _ body: HTTPBody, _ work: @escaping @Sendable (Int) async throws -> Void = { _ in },
        during run: (_ url: String) async throws -> Value
    ) async throws -> Value {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            serving: [HostedService(Greeting.dispatcher, path: "/soap")], tls: nil, settings: settings
        ) { _, _ in Counting(body, work) }
        let port = try await server.start()
        let result: Result<Value, any Error>
        do { result = .success(try await run("http://127.0.0.1:\(port)/soap")) } catch { result = .failure(error) }
        await server.shutdown()
        return try result.get()
    }

    /// Resident memory in bytes.
    private static func memory() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }

    @Test(arguments: [nil, 64 << 20]) func muchContentTakesLittleMemory(length: Int?) async throws {
        let most = Mutex(0)
        let count = Mutex(0)
        let body = HTTPBody(length: length, isReplayable: true) { writer in
            for number in 0..<64 {
                try await writer.write(Array(repeating: 0x79, count: 1 << 20))
                if number % 8 == 0 { most.withLock { $0 = max($0, Self.memory()) } }
            }
        }
        let file = curl.path("large")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        for _ in 0..<64 { try handle.write(contentsOf: Data(repeating: 0x78, count: 1 << 20)) }
        try handle.close()
        let before = Self.memory()
        try await withStreams(
            body,
            { now in
                count.withLock { $0 = now }
                if now % (1 << 22) < 65_536 { most.withLock { $0 = max($0, Self.memory()) } }
            }
        ) { url async throws in
            let answer = try await curl(
                url, ["--header", "Content-Type: text/xml", "--data-binary", "@\(file)", "--limit-rate", "64M"])
            #expect(answer.status == 200 && answer.exit == 0)
            #expect(count.withLock { $0 } == 64 << 20)
            // What curl gives back, 64 MiB, is kept here as it comes.
            #expect(most.withLock { $0 } - before < 96 << 20, "\(most.withLock { $0 } - before) bytes more")
            #expect(answer.body.utf8.count == 64 << 20)
            let fields = answer.fields.lowercased()
            #expect(fields.contains("transfer-encoding: chunked") == (length == nil))
            #expect(fields.contains("content-length: 67108864") == (length != nil))
        }
    }

    /// An end of chunks would make it look complete.
    @Test(arguments: [nil, 1_000]) func aStreamThatFailsEndsTheConnection(length: Int?) async throws {
        struct Broken: Error {}
        let body = HTTPBody(length: length, isReplayable: true) { writer in
            try await writer.write(Array(repeating: 0x79, count: 500))
            throw Broken()
        }
        try await withStreams(body) { url async throws in
            let answer = try await curl(url, ["--header", "Content-Type: text/xml", "--data-binary", "x"])
            #expect([18, 56].contains(answer.exit), "\(answer)")
        }
    }

    /// RFC 9112 §6.1: it knows no chunks.
    @Test func anHTTP10ClientGetsAStreamUntilTheConnectionCloses() async throws {
        let body = HTTPBody(length: nil, isReplayable: true) { try await $0.write(Array("all of it".utf8)) }
        try await withStreams(body) { url async throws in
            let arguments = ["--http1.0", "--header", "Content-Type: text/xml", "--data-binary", "x"]
            for more in [[], ["--header", "Connection: keep-alive"]] {
                let answer = try await curl(url, arguments + more)
                #expect(answer.exit == 0 && answer.body == "all of it", "\(answer)")
                #expect(!answer.fields.lowercased().contains("chunked"))
            }
        }
    }

    @Test func aRefusalDuringReceptionIsAnswered() async throws {
        try await withStreams([], { if $0 > 1_000 { throw MessageRefusal.tooLarge(1_000) } }) { url async throws in
            let long = String(repeating: "x", count: 100_000)
            let answer = try await curl(url, ["--header", "Content-Type: text/xml", "--data-binary", long])
            #expect(answer.status == 413)
        }
    }

    @Test func largeMessagesComeInAndGoOut() async throws {
        try await withPlainServer(
            Greeting.dispatcher { input, _ in .init(text: input.name) }, { $0.maximumRequestBytes = 80 << 20 }
        ) { url async throws in
            let text = String(repeating: "x", count: 24 << 20)
            let file = try curl.write(Array(Greeting.envelope(text).utf8), "large.xml")
            let answer = try await curl(
                url,
                ["--header", "Content-Type: text/xml", "--header", "SOAPAction: \"\"", "--data-binary", "@\(file)"])
            #expect(answer.status == 200 && answer.body.utf8.count > 24 << 20)
        }
    }

    /// A middleware may have kept the answer to another request.
    @Test func onlyContentOfKnownLengthMayAnswerHEAD() {
        for length in [nil, 3] {
            let body = HTTPBody(length: length, isReplayable: true) { try await $0.write([1, 2, 3]) }
            let answer = ServerResponse(.ok, body: body)
            #expect((answer.problem(answering: .head) == nil) == (length != nil))
            #expect(answer.problem(answering: .post) == nil)
        }
    }
}
