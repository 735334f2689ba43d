import NIOCore
import NIOHTTP1
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

    /// Says who takes the content of an answer with this head; nil where it is kept in memory.
    struct Judge: Sendable {
        /// Asked on the event loop; false keeps it in memory at once.
        let mayTake: @Sendable (HTTPResponseHead) -> Bool
        let decide: @Sendable (HTTPResponseHead) async throws -> (any ContentReceiver)?
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter judge: asked when the head of the answer is there.
    func exchange(_ request: OutgoingRequest, deadline: CallDeadline, judge: Judge? = nil) async throws -> Answer {
        let current = Current()
        guard request.stream != nil || judge != nil else { return try await leg(request, current, deadline: deadline) }
        try request.stream?.check()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let (heads, head) = AsyncStream<HTTPResponseHead>.makeStream()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            if let stream = request.stream {
                group.addTask {
                    for await _ in starts {
                        guard let leg = current.leg.withLock({ $0 }) else { break }
                        await self.send(stream, of: leg)
                        break
                    }
                }
            }
            if let judge {
                group.addTask {
                    for await head in heads {
                        guard let leg = current.leg.withLock({ $0 }) else { break }
                        await self.receive(head, of: leg, judge)
                        break
                    }
                }
            }
            defer { group.cancelAll() }
            return try await leg(request, current, start, judge.map { (head, $0.mayTake) }, deadline: deadline)
        }
    }

    /// The leg of one exchange, for whoever writes or cancels it.
    private final class Current: Sendable {
        let leg = Mutex<Leg?>(nil)
    }

    /// Writes the content of a request. What goes wrong ends the leg.
    private func send(_ stream: HTTPBody.Stream, of leg: Leg) async {
        let failure: any Error
        // Whoever writes may not heed cancellation.
        do {
            return try await leg.deadline.race(while: "sending the content") {
                try await stream.run { try await self.write($0, of: leg) }
                try await self.endContent(of: leg)
            }
        } catch is UnwantedContent {
            return
        } catch var error as TransportError {
            // The server has the head, and may have all that it wants.
            error.mayHaveBeenProcessed = error.code != .contentUsed
            failure = error
        } catch {
            failure = error
        }
        abandon(leg, failure)
    }

    /// Has the content of an answer taken by whoever wants it. What goes wrong ends the leg.
    private func receive(_ head: HTTPResponseHead, of leg: Leg, _ judge: Judge) async {
        let failure: any Error
        // Whoever takes it may not heed cancellation.
        do {
            return try await leg.deadline.race(while: "taking the content of the answer") {
                guard let receiver = try await judge.decide(head) else { return self.collect(leg) }
                while let piece = try await self.demand(leg) { try await receiver.take(piece) }
            }
        } catch is UnwantedContent {
            return
        } catch var error as TransportError {
            error.mayHaveBeenProcessed = true
            failure = error
        } catch {
            failure = error
        }
        abandon(leg, failure)
    }

    private func abandon(_ leg: Leg, _ failure: any Error) {
        channel.eventLoop.execute { [handler] in handler.value.abandon(leg, failure) }
    }

    private func collect(_ leg: Leg) { channel.eventLoop.execute { [handler] in handler.value.collect(leg) } }

    private func demand(_ leg: Leg) async throws -> [UInt8]? {
        try await channel.eventLoop.flatSubmit { [handler, loop = channel.eventLoop] in
            handler.value.demand(leg, on: loop)
        }.get()
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
        _ request: OutgoingRequest, _ current: Current, _ start: AsyncStream<Void>.Continuation? = nil,
        _ heads: Leg.Judging? = nil, deadline: CallDeadline
    ) async throws -> Answer {
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let leg = Leg(deadline: deadline, start: start, heads: heads, continuation)
                current.leg.withLock { $0 = leg }
                // Looked at after the leg can be found by the cancellation handler, which may have run already.
                if Task.isCancelled { leg.cancel() }
                channel.eventLoop.execute { [handler] in handler.value.start(request, leg) }
            }
        } onCancel: {
            guard let leg = current.leg.withLock({ $0 }) else { return }
            leg.cancel()
            abandon(leg, TransportError.cancelled(mayHaveBeenProcessed: true))
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
