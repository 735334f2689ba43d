import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct InProcessTransportTests {
    /// Holds handlers that do not heed cancellation until it is opened.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }
        private let state = Mutex(State())

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                defer { state = State(isOpen: true) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private let gate = Gate()

    /// A handler that does not return before the test is over, or until it is cancelled where it heeds that.
    private func transport(
        heedsCancellation: Bool, begun: @escaping @Sendable () -> Void = {}
    ) -> InProcessTransport {
        InProcessTransport(
            Greeting.dispatcher { [gate] input, _ in
                begun()
                if heedsCancellation { try await Task.sleep(for: .seconds(3600)) } else { await gate.wait() }
                return .init(text: input.name)
            })
    }

    private func message(_ body: HTTPBody, total: Duration = .seconds(60)) throws -> ClientRequest {
        var deadlines = Deadlines()
        deadlines.total = total
        return try ClientRequest(
            Endpoint("http://localhost/soap"), fields: [.contentType: "text/xml"], body: body, deadlines: deadlines)
    }

    private static let greet = HTTPBody(Array(envelope("<g:Greet><g:name>n</g:name></g:Greet>").utf8))

    @Test(arguments: [false, true]) func theDeadlineHolds(heedsCancellation: Bool) async throws {
        defer { gate.open() }
        let service = transport(heedsCancellation: heedsCancellation)
        let request = try message(Self.greet, total: .milliseconds(50))
        let error = await #expect(throws: TransportError.self) { try await service.send(request) }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.mayHaveBeenProcessed == true)
    }

    @Test(arguments: [false, true]) func aCancelledCallEndsAsCancelled(heedsCancellation: Bool) async throws {
        defer { gate.open() }
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let service = transport(heedsCancellation: heedsCancellation) { hasBegun.yield() }
        // A handler that does not heed it is left behind by a call with a deadline of its own.
        let request = try message(Self.greet, total: heedsCancellation ? .seconds(60) : .seconds(59))
        let call = Task { try await service.send(request) }
        for await _ in begun { break }
        call.cancel()
        let error = await #expect(throws: TransportError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(error?.mayHaveBeenProcessed == true)
    }

    @Test(arguments: [false, true]) func tooLargeRequestsGetStatus413(isStream: Bool) async throws {
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        let stream = HTTPBody(length: nil, isReplayable: true) { writer in
            for _ in 0...64 { try await writer.write(piece) }
        }
        let body = isStream ? stream : HTTPBody(Array(repeating: 0x20, count: 64 << 20 + 1))
        let answer = try await transport(heedsCancellation: true).send(message(body))
        #expect(answer.status == .contentTooLarge)
    }
}
