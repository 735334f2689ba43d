import NIOCore
import SignetAuthentication
import SignetHTTP
import SignetTLS
import Synchronization

/// An open connection, as the pool and the calls hold it.
final class HTTPConnection: Sendable {
    /// Of the pool's; the connections to a proxy that lead to one tunnel share it.
    let number: Int
    /// Its own.
    private let identifier = HTTPConnection.count.withLock {
        $0 += 1
        return $0
    }
    private static let count = Mutex(0)
    let report: ExchangeReport.Connection
    /// Without which it would not have been opened.
    let exceptions: [TrustException]
    /// `tls-server-end-point` of RFC 5929 §4; nil without TLS.
    let binding: [UInt8]?
    /// SHA-256 of the client certificate that it was opened with.
    let certificate: [UInt8]?
    private let accepted = Mutex<Set<ConnectionUser>>([])
    let channel: any Channel
    let handler: NIOLoopBound<ConnectionHandler>

    init(
        number: Int, report: ExchangeReport.Connection, exceptions: [TrustException], binding: [UInt8]?,
        certificate: [UInt8]?,
        channel: any Channel,
        handler: NIOLoopBound<ConnectionHandler>
    ) {
        self.exceptions = exceptions
        self.binding = binding
        self.certificate = certificate
        self.number = number
        self.report = report
        self.channel = channel
        self.handler = handler
    }

    /// As schemes see it that bind to a connection.
    var asChannel: AuthenticationChannel {
        .init(number: identifier, binding: binding, certificate: certificate, users: accepted.withLock { $0 })
    }

    /// From now on it speaks for a user.
    func accept(_ user: ConnectionUser) { _ = accepted.withLock { $0.insert(user) } }

    /// Sends a request and waits for the whole answer.
    func exchange(_ request: OutgoingRequest, deadline: CallDeadline) async throws -> Answer {
        guard let stream = request.stream else { return try await leg(request, Current(), nil, deadline: deadline) }
        try stream.check()
        let current = Current()
        let (starts, start) = AsyncStream<Void>.makeStream()
        return try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await self.leg(request, current, start, deadline: deadline) }
            group.addTask {
                for await _ in starts {
                    guard let leg = current.leg.withLock({ $0 }) else { break }
                    // Whoever writes may not heed cancellation.
                    do {
                        try await deadline.race(while: "sending the content") {
                            try await stream.run { try await self.write($0, of: leg) }
                            try await self.endContent(of: leg)
                        }
                    } catch is UnwantedContent {
                    } catch var error as TransportError {
                        // The server has the head, and may have all that it wants.
                        error.mayHaveBeenProcessed = error.code != .contentUsed
                        throw error
                    }
                    break
                }
                return nil
            }
            while let result = try await group.next() {
                if let answer = result {
                    group.cancelAll()
                    return answer
                }
            }
            throw TransportError.cancelled()
        }
    }

    /// The leg of one exchange, for whoever writes or cancels it.
    private final class Current: Sendable {
        let leg = Mutex<Leg?>(nil)
    }

    private func write(_ bytes: [UInt8], of leg: Leg) async throws {
        try await channel.eventLoop.flatSubmit { [handler, loop = channel.eventLoop] in
            handler.value.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))), of: leg, on: loop)
        }.get()
    }

    private func endContent(of leg: Leg) async throws {
        try await channel.eventLoop.flatSubmit { [handler, loop = channel.eventLoop] in
            handler.value.write(.end(nil), of: leg, on: loop)
        }.get()
    }

    /// - Parameter current: is given the leg.
    private func leg(
        _ request: OutgoingRequest, _ current: Current, _ start: AsyncStream<Void>.Continuation?,
        deadline: CallDeadline
    ) async throws -> Answer {
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let leg = Leg(deadline: deadline, start: start, continuation)
                current.leg.withLock { $0 = leg }
                // Looked at after the leg can be found by the cancellation handler, which may have run already.
                if Task.isCancelled { leg.cancel() }
                channel.eventLoop.execute { [handler] in handler.value.start(request, leg) }
            }
        } onCancel: {
            guard let leg = current.leg.withLock({ $0 }) else { return }
            leg.cancel()
            channel.eventLoop.execute { [handler] in
                handler.value.abandon(leg, .cancelled(mayHaveBeenProcessed: true))
            }
        }
    }

    /// Waits for a first call, but not for ever.
    func rest(for idle: TimeAmount) {
        channel.eventLoop.execute { [handler] in handler.value.rest(for: idle) }
    }

    func close(_ error: TransportError = .shutDown()) {
        channel.eventLoop.execute { [handler] in handler.value.close(error) }
    }

    func closed() async { try? await channel.closeFuture.get() }
}
