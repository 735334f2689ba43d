import Foundation
import HTTPTypes
import SignetHTTP
import Synchronization
import Testing

@testable import SignetNIOTransport

/// Many calls at a time over a server that closes connections whenever it likes, and callers who lose patience: each
/// call has exactly one outcome, no call gets the answer of another, nothing is done twice, and nothing piles up.
///
/// 2,000 calls; `SIGNET_SOAK=100000` makes more of them.
@Suite(.timeLimit(.minutes(30)), .serialized) struct SoakTests {
    private static let calls = ProcessInfo.processInfo.environment["SIGNET_SOAK"].flatMap { Int($0) } ?? 2_000

    /// A server in Python, which answers with the content and writes down what it has worked on.
    private static let program = #"""
        import asyncio, random
        folder = sys.argv[1]
        log = open(folder + "/log", "w")
        random.seed(7)
        async def serve(reader, writer):
            try:
                while True:
                    mood = random.random()
                    if mood < 0.01: break
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = 0
                    for line in head.split(b"\r\n"):
                        if line.lower().startswith(b"content-length:"): length = int(line[15:])
                    body = await reader.readexactly(length)
                    if mood < 0.02: break
                    log.write(body.decode() + "\n"); log.flush()
                    if mood < 0.03: break
                    if mood < 0.10: await asyncio.sleep(random.random() * 0.05)
                    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
                    if mood < 0.04:
                        writer.write(answer[:random.randrange(len(answer))]); await writer.drain(); break
                    writer.write(answer); await writer.drain()
                    if mood > 0.97: break
            except (asyncio.IncompleteReadError, ConnectionError): pass
            finally:
                writer.close()
        async def main():
            server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
            print(server.sockets[0].getsockname()[1], flush=True)
            await asyncio.Event().wait()
        asyncio.run(main())
        """#

    private enum Outcome: Sendable, Hashable { case answered, closed, cancelled, other(String) }

    private static func outcome(_ transport: NIOTransport, _ endpoint: Endpoint, number: Int) async -> Outcome {
        let content = "call \(number) " + String(repeating: "x", count: number % 500)
        var request = ClientRequest(endpoint, body: .init(Array(content.utf8)))
        request.deadlines.total = .seconds(60)
        do {
            let answer = try await transport.send(request)
            return answer.text == content ? .answered : .other("another's answer: \(answer.text.prefix(40))")
        } catch let error as TransportError {
            switch error.code {
            case .connectionClosed: return .closed
            case .cancelled: return .cancelled
            default: return .other("\(error)")
            }
        } catch { return .other("\(error)") }
    }

    /// Resident memory in bytes.
    private static func memory() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }

    @Test func everyCallHasOneOutcome() async throws {
        let peer = try PythonProcess(Self.program)
        let endpoint = try Endpoint("http://127.0.0.1:\(peer.ports[0])/soak")
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.maximumConnections = 32
        let transport = try configuration.make()
        var outcomes: [Outcome: Int] = [:]
        var halfway = 0
        await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<Self.calls {
                if number >= 256, let outcome = await group.next() { outcomes[outcome, default: 0] += 1 }
                if number == Self.calls / 2 { halfway = Self.memory() }
                group.addTask {
                    guard number % 20 == 0 else { return await Self.outcome(transport, endpoint, number: number) }
                    // This caller goes away at some moment.
                    let task = Task { await Self.outcome(transport, endpoint, number: number) }
                    try? await Task.sleep(for: .microseconds(number % 997 * 20))
                    task.cancel()
                    return await task.value
                }
            }
            for await outcome in group { outcomes[outcome, default: 0] += 1 }
        }
        try await transport.shutdown()
        #expect(outcomes.values.reduce(0, +) == Self.calls)
        let strange = outcomes.keys.filter { if case .other = $0 { true } else { false } }
        #expect(strange.isEmpty, "\(strange.prefix(5))")
        #expect(outcomes[.answered, default: 0] > Self.calls / 2)
        #expect(outcomes[.closed, default: 0] > 0)
        #expect(outcomes[.cancelled, default: 0] > 0)
        #expect(Self.memory() - halfway < 32 << 20, "\(Self.memory()) bytes, after half of the calls \(halfway)")
        // A message that may have been worked on is never sent again.
        let worked = try peer.log
        #expect(Set(worked).count == worked.count)
        #expect(worked.count >= outcomes[.answered, default: 0])
    }
}
