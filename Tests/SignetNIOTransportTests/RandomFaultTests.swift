import Foundation
import SignetHTTP
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// A server that does on every connection what chance wants, and many calls at a time over one transport.
///
/// 500 calls; `SIGNET_FAULTS=10000` makes more of them.
@Suite(.timeLimit(.minutes(20)), .serialized) struct RandomFaultTests {
    private static let calls = ProcessInfo.processInfo.environment["SIGNET_FAULTS"].flatMap { Int($0) } ?? 500

    /// Answers that no call may receive as the answer of another: they contain the word "script".
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nscripted", "HTTP/1.0 200 OK\r\n\r\nscripted",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nscript\r\n2\r\ned\r\n0\r\n\r\n",
        "HTTP/1.1 500 No\r\nContent-Length: 8\r\nConnection: close\r\n\r\nscripted",
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nscripted", "HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\nscripted",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\nscripted",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nscripted",
    ]

    private static func script(_ random: inout SeededNumbers) -> [ServerStep] {
        var steps: [ServerStep] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let answer = answers.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10: steps += [.read, .echo]
            case 10: steps += [.read, .send(answer)]
            case 11: steps += [.read, .send(String(answer.prefix(Int.random(in: 0...answer.count, using: &random))))]
            // Apart, the text might come after the next request, whose answer it would be by all that a client can
            // know.
            case 12: steps += [.read, .echoAnd(answer)]
            case 13:
                var bytes = Array(answer.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                steps += [.read, .bytes(bytes)]
            case 14: steps += [.wait(milliseconds: Int.random(in: 0...30, using: &random))]
            case 15: steps += [.readBytes(Int.random(in: 0...200, using: &random))]
            case 16: steps += [.read, .drip(answer, milliseconds: 10)]
            case 17: steps += [.read, .flood(answer)]
            case 18: steps += [.reset]
            default: steps += [.close]
            }
        }
        return steps + [[.close], [.reset], [.stall]][Int.random(in: 0..<3, using: &random)]
    }

    @Test func everyCallEndsAsExpected() async throws {
        var random = SeededNumbers(seed: 11)
        let scripts = (0..<Self.calls).map { _ in Self.script(&random) }
        let peer = try ScriptedServer([scripts, [[.read, .echo]]])
        let endpoint = try Endpoint("http://127.0.0.1:\(peer.ports[0])/")
        // The event loops are started by their first use.
        let healthy = "http://127.0.0.1:\(peer.ports[1])/"
        try await withTransport(healthy) { transport async throws in _ = try await transport.call(healthy) }
        let before = openDescriptors()
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.maximumConnections = 32
        let transport = try configuration.make()
        let answered = await withTaskGroup(of: Bool.self) { group in
            var answered = 0
            for number in 0..<Self.calls {
                if number >= 64, await group.next() == true { answered += 1 }
                group.addTask { await Self.call(number, endpoint, transport) }
            }
            for await isAnswered in group where isAnswered { answered += 1 }
            return answered
        }
        // Half of the steps are as they should be.
        #expect(answered > Self.calls / 8)
        try await transport.shutdown()
        try await untilClosed(before)
        // Where a script takes bytes off, the rest of a request may look like one without content.
        let contents = peer.requests(at: peer.ports[0]).map(\.content).filter { !$0.isEmpty }
        #expect(contents.count > Self.calls / 4)
        #expect(Set(contents).count == contents.count, "a message was sent twice")
    }

    /// Makes a call.
    ///
    /// - Returns: whether it had the answer that it must have when nothing goes wrong.
    private static func call(_ number: Int, _ endpoint: Endpoint, _ transport: NIOTransport) async -> Bool {
        let content = "call \(number) of many"
        var request = ClientRequest(endpoint, body: .init(Array(content.utf8)))
        request.deadlines.connect = .milliseconds(200)
        request.deadlines.read = .milliseconds(100)
        request.deadlines.total = .milliseconds(2_000)
        request.maximumResponseBytes = 100_000
        let start = ContinuousClock.now
        let result = await Result(catching: { try await transport.send(request) })
        #expect(ContinuousClock.now - start < .seconds(15))
        switch result {
        case .success(let answer):
            if answer.text == content { return true }
            // Chance may have changed what a script says, but never makes another's message of it.
            #expect(!answer.text.contains("call "), "\(content) has another's answer: \(answer.text)")
        case .failure(let error as TransportError):
            let expected: [TransportError.Code] = [
                .connectionClosed, .readTimeout, .connectTimeout, .deadlineExceeded, .malformedResponse,
                .responseTooLarge,
            ]
            #expect(expected.contains(error.code), "\(error.code): \(error)")
        case .failure(let error): Issue.record("\(error)")
        }
        return false
    }
}
