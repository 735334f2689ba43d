import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// Content that is written while it is sent, and what it means that some of it can be written once only.
@Suite struct StreamTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let demand = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
    private static let challenge =
        "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: NTLM TlRMTVNTUAACAAAAAAAAADgAAAAzgoriASNFZ4mrze8AAAAAAAAAACQAJAA4AAAABgBwFwAAAA8CAAwARABvAG0AYQBpAG4AAQAMAFMAZQByAHYAZQByAAAAAAA=\r\n\r\n"
    private static let goOn = "HTTP/1.1 100 Continue\r\n\r\n"

    /// Calls a server that follows scripts, and gives what it has read.
    private func call(
        _ body: HTTPBody, _ scripts: [[ServerStep]], total: Duration = .seconds(20),
        _ configure: (inout TransportSetup) -> Void = { _ in }
    ) async throws -> (answer: Result<ClientResponse, any Error>, requests: [ScriptedRequest]) {
        let server = try ScriptedServer([scripts])
        let port = try #require(server.ports.first)
        let endpoint = try Endpoint("http://127.0.0.1:\(port)/x")
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.authentication = .init(
            credentials: .fixed(.account(user: "u", password: "p")), allowsPlaintext: true)
        configure(&configuration)
        let transport = try configuration.make()
        var request = ClientRequest(endpoint, body: body)
        request.deadlines.total = total
        let answer: Result<ClientResponse, any Error>
        do { answer = .success(try await transport.send(request)) } catch { answer = .failure(error) }
        try await transport.shutdown()
        return (answer, server.requests(at: port))
    }

    /// Content of so many pieces, and how often it was written.
    private func body(
        _ pieces: [String], isReplayable: Bool, length: Int? = nil, _ count: Counter = .init()
    ) -> HTTPBody {
        HTTPBody(length: length, isReplayable: isReplayable) { writer in
            count.value.withLock { $0 += 1 }
            for piece in pieces { try await writer.write(Array(piece.utf8)) }
        }
    }

    private final class Counter: Sendable { let value = Mutex(0) }

    private func code(_ result: Result<ClientResponse, any Error>) -> TransportError.Code? {
        if case .failure(let error) = result { (error as? TransportError)?.code } else { nil }
    }

    @Test(arguments: [nil, 9]) func singleUseContentWaitsFor100Continue(length: Int?) async throws {
        let (answer, requests) = try await call(
            body(["one", "two", "end"], isReplayable: false, length: length),
            [[.readHead, .send(Self.goOn), .readContent, .send(Self.ok), .stall]])
        #expect(try answer.get().status == .ok)
        let head = try #require(requests.first).head.lowercased()
        #expect(head.contains("expect: 100-continue"))
        #expect(head.contains(length == nil ? "transfer-encoding: chunked" : "content-length: 9"))
        #expect(!head.contains(length == nil ? "content-length" : "transfer-encoding"))
        #expect(requests.last?.content == "onetwoend")
    }

    @Test func contentIsSentWhenTheServerDoesNotContinue() async throws {
        let (answer, requests) = try await call(
            body(["content"], isReplayable: false), [[.readHead, .readContent, .send(Self.ok), .stall]])
        #expect(try answer.get().status == .ok && requests.last?.content == "content")
    }

    @Test func aChallengeComesBeforeTheContent() async throws {
        let count = Counter()
        let (answer, requests) = try await call(
            body(["content"], isReplayable: false, count),
            [
                [.readHead, .send(Self.demand), .stall],
                [.readHead, .send(Self.goOn), .readContent, .send(Self.ok), .stall],
            ])
        let response = try answer.get()
        #expect(response.report.legs.map(\.status) == [401, 200])
        #expect(requests.map(\.content) == ["", "", "content"] && count.value.withLock { $0 } == 1)
        #expect(requests.last?.head.lowercased().contains("authorization: basic dtpw") == true)
    }

    @Test(arguments: [true, false]) func aChallengeBehindTheContent(isReplayable: Bool) async throws {
        let count = Counter()
        let (answer, requests) = try await call(
            body(["content"], isReplayable: isReplayable, count),
            [[.readHead, .send(Self.goOn), .readContent, .send(Self.demand), .read, .send(Self.ok), .stall]])
        if isReplayable {
            #expect(try answer.get().status == .ok)
            #expect(requests.last?.content == "content" && count.value.withLock { $0 } == 2)
        } else {
            #expect(code(answer) == .contentUsed)
            #expect(count.value.withLock { $0 } == 1)
        }
    }

    @Test func anExpectationThatIsNotMetIsDropped() async throws {
        let refusal = "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n"
        let (answer, requests) = try await call(
            body(["content"], isReplayable: false),
            [[.readHead, .send(refusal), .stall], [.read, .send(Self.ok), .stall]])
        #expect(try answer.get().status == .ok)
        #expect(requests.map { $0.head.lowercased().contains("expect") } == [true, false])
        #expect(requests.last?.content == "content")
    }

    /// The first words of NTLM cannot be let in: they go without content, which follows with the last.
    @Test(arguments: [true, false]) func handshakesHoldTheContentBack(isReplayable: Bool) async throws {
        let no = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: NTLM"
        let count = Counter()
        let (answer, requests) = try await call(
            body(["content"], isReplayable: isReplayable, count),
            [
                (isReplayable ? [.read] : [.readHead]) + [.send("\(no)\r\n\r\n"), .stall],
                [
                    .read, .send(Self.challenge), .readHead, .send(Self.goOn), .readContent,
                    .send(Self.ok), .stall,
                ],
            ]
        ) {
            $0.authentication.schemes = [.ntlm]
            $0.authentication.ntlmHosts = ["127.0.0.1"]
        }
        #expect(try answer.get().report.legs.map(\.status) == [401, 401, 200])
        #expect(requests.map(\.content) == [isReplayable ? "content" : "", "", "", "content"])
        #expect(requests.dropFirst().first?.head.lowercased().contains("content-length: 0") == true)
        #expect(count.value.withLock { $0 } == (isReplayable ? 2 : 1))
    }

    /// Without a challenge, the server would take the first message of a handshake for the request.
    @Test(arguments: [true, false]) func anEmptyRequestIsSentOnlyAfterAChallenge(isReplayable: Bool) async throws {
        let no = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\nWWW-Authenticate: NTLM\r\n\r\n"
        let server = try ScriptedServer([
            [
                [.read, .send(no)],
                [
                    .read, .send(Self.challenge), .read,
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
                ],
                [.readHead, .send(Self.goOn), .readContent, .send(Self.ok), .stall],
            ]
        ])
        let port = try #require(server.ports.first)
        let endpoint = try Endpoint("http://127.0.0.1:\(port)/x")
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.authentication = .init(
            credentials: .fixed(.account(user: "u", password: "p")), allowsPlaintext: true)
        configuration.authentication.schemes = [.ntlm]
        configuration.authentication.ntlmHosts = ["127.0.0.1"]
        let transport = try configuration.make()
        #expect(try await transport.send(ClientRequest(endpoint, method: .get)).status == .ok)
        let answer = try await transport.send(
            ClientRequest(endpoint, body: body(["content"], isReplayable: isReplayable)))
        #expect(answer.report.legs.map(\.status) == [200])
        let requests = server.requests(at: port).dropFirst(3)
        #expect(requests.map(\.content) == ["", "content"])
        #expect(requests.allSatisfy { !$0.head.lowercased().contains("authorization") })
        #expect(requests.first?.head.lowercased().contains("expect: 100-continue") == true)
        try await transport.shutdown()
    }

    /// Early hints say of the answer what may not hold for it (RFC 8297).
    @Test func hintsAreNoHeadOfTheAnswer() async throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n"
        let (answer, _) = try await call(
            body(["content"], isReplayable: true), [[.read, .send(hints + Self.ok), .stall]])
        #expect(try answer.get().body == Array("ok".utf8))
    }

    @Test(arguments: [["a", "b"], ["abcd"]]) func lengthsAreKept(pieces: [String]) async throws {
        let (answer, requests) = try await call(
            body(pieces, isReplayable: true, length: 3), [[.readHead, .readContent, .send(Self.ok), .stall]])
        #expect(code(answer) == .contentFailed)
        #expect(requests.allSatisfy { $0.content.isEmpty })
        let (_, none) = try await call(body([], isReplayable: true, length: -1), [[.read, .send(Self.ok), .stall]])
        #expect(none.isEmpty)
    }

    @Test func anEarlyAnswerEndsTheWriter() async throws {
        let (begun, ended) = (Counter(), Counter())
        let endless = HTTPBody(length: nil, isReplayable: true) { writer in
            begun.value.withLock { $0 += 1 }
            defer { ended.value.withLock { $0 += 1 } }
            while true { try await writer.write(Array(repeating: 0x61, count: 100_000)) }
        }
        // Where the answer is there first, the writer does not begin.
        for _ in 0..<20 where begun.value.withLock({ $0 }) == 0 {
            let (answer, _) = try await call(
                endless, [[.readHead, .send("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno"), .stall]])
            #expect(try answer.get().status.code == 413)
        }
        // The call does not wait for the writer of the content.
        for _ in 0..<500 where ended.value.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(begun.value.withLock { $0 } == 1 && ended.value.withLock { $0 } == 1)
    }

    @Test func aLostConnectionIsReported() async throws {
        let endless = HTTPBody(length: nil, isReplayable: true) { writer in
            while true { try await writer.write(Array(repeating: 0x61, count: 100_000)) }
        }
        let (answer, _) = try await call(endless, [[.readHead, .readBytes(200_000), .reset]])
        #expect(code(answer) == .connectionClosed)
        if case .failure(let error as TransportError) = answer { #expect(error.mayHaveBeenProcessed) }
    }

    /// The writer of the content may heed neither cancellation nor errors.
    @Test func deadlinesHoldAgainstAnUncooperativeWriter() async throws {
        let deaf = HTTPBody(length: nil, isReplayable: true) { writer in
            await Task.detached { try? await Task.sleep(for: .seconds(5)) }.value
            try await writer.write([0x61])
        }
        let start = ContinuousClock.now
        let (answer, _) = try await call(deaf, [[.read, .send(Self.ok), .stall]], total: .milliseconds(300))
        #expect(code(answer) == .deadlineExceeded)
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    @Test func cancellationEndsAStreamedRequest() async throws {
        let started = AsyncStream<Void>.makeStream()
        let body = HTTPBody(length: nil, isReplayable: true) { writer in
            try await writer.write([0x61])
            started.continuation.yield()
            try await Task.sleep(for: .seconds(30))
        }
        let task = Task { try await call(body, [[.read, .stall]]) }
        for await _ in started.stream { break }
        task.cancel()
        let answer = try await task.value.answer
        #expect(code(answer) == .cancelled)
        // The server has the head, and may do something about it.
        if case .failure(let error as TransportError) = answer { #expect(error.mayHaveBeenProcessed) }
    }

    /// A proof over the content cannot be computed for content that is unknown before it is sent.
    @Test func aProofOverTheContentNeedsTheContent() async throws {
        let demand =
            "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"\r\n\r\n"
        let (answer, _) = try await call(
            body(["content"], isReplayable: true), [[.read, .send(demand), .stall], [.stall]])
        guard case .failure(let error as AuthenticationError) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.code == .noUsableScheme && error.message.contains("memory"))
    }

    /// Not even a redirect writes it twice.
    @Test func redirectsDoNotWriteSingleUseContentTwice() async throws {
        let move = "HTTP/1.1 307 There\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([
            [[.readHead, .send(Self.goOn), .readContent, .send(move), .read, .send(Self.ok), .stall]]
        ])
        let endpoint = try Endpoint("http://127.0.0.1:\(try #require(server.ports.first))/x")
        let inner = try NIOTransport(to: endpoint.origin)
        let transport = RedirectingTransport(inner, .sameOrigin(maximum: 3))
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(ClientRequest(endpoint, body: body(["content"], isReplayable: false)))
        }
        #expect(error?.code == .contentUsed)
        try await transport.shutdown()
    }

    /// Two concurrent runs of a writer that reads one file would mix.
    @Test func runsOfAWriterDoNotOverlap() async throws {
        let running = Mutex((now: 0, most: 0))
        let body = HTTPBody(length: 1, isReplayable: true) { writer in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.detached { try? await Task.sleep(for: .milliseconds(50)) }.value
            running.withLock { $0.now -= 1 }
            try await writer.write([0x61])
        }
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<4 { group.addTask { try await body.collected(limit: 10) } }
            for try await bytes in group { #expect(bytes == [0x61]) }
        }
        #expect(running.withLock { $0.most } == 1)
    }

    @Test func onceIsOnceForAllTasks() async {
        let body = body(["a"], isReplayable: false)
        let used = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { ((try? await body.collected(limit: 10)) ?? []).isEmpty }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(used == 19)
    }

    /// What comes behind the end would be the beginning of another request.
    @Test func writingAfterTheEndIsAnError() async throws {
        let kept = Mutex<HTTPBodyWriter?>(nil)
        let body = HTTPBody(length: nil, isReplayable: true) { writer in
            kept.withLock { $0 = writer }
            try await writer.write([0x61])
        }
        #expect(try await body.collected(limit: 10) == [0x61])
        let late = kept.withLock { $0 }
        await #expect(throws: TransportError.self) { try await late?.write([0x62]) }
    }

    @Test func aStreamIsCollectedUpToTheLimit() async throws {
        #expect(try await body(["a", "b"], isReplayable: true).collected(limit: 2) == Array("ab".utf8))
        let error = await #expect(throws: TransportError.self) {
            try await body(["a", "bc"], isReplayable: true).collected(limit: 2)
        }
        #expect(error?.code == .invalidRequest)
        let once = body(["a"], isReplayable: false)
        #expect(try await once.collected(limit: 2) == [0x61])
        let again = await #expect(throws: TransportError.self) { try await once.collected(limit: 2) }
        #expect(again?.code == .contentUsed)
    }
}
