import NIOCore
import NIOHTTP1
import SignetAuthentication
import SignetHTTP
import SignetTLS
import Synchronization

/// An open connection, as the pool and the calls use it.
final class HTTPConnection: Sendable {
    /// The pool's number. The connections to a proxy that lead to one tunnel share it.
    let number: Int
    /// The connection's own number: ``AuthenticationChannel/number``.
    let identifier = HTTPConnection.count.withLock {
        $0 += 1
        return $0
    }
    private static let count = Mutex(0)
    /// The connection's report for the exchange for which it was opened.
    let firstReport: ExchangeReport.SharedConnection
    /// The connection's report for later exchanges.
    let laterReport: ExchangeReport.SharedConnection
    /// The exceptions without which it would not have been opened.
    let exceptions: [TrustException]
    /// `tls-server-end-point` of RFC 5929 §4; nil without TLS.
    let binding: [UInt8]?
    /// SHA-256 of the client certificate with which it was opened.
    let certificate: [UInt8]?
    /// How many calls it could carry at once when it was opened.
    let capacity: Int
    private let accepted = Mutex<Set<ConnectionUser>>([])
    let channel: any Channel
    let carrier: NIOLoopBound<any ExchangeCarrier>

    init(
        number: Int, report: ExchangeReport.Connection, exceptions: [TrustException], binding: [UInt8]?,
        certificate: [UInt8]?, capacity: Int, channel: any Channel,
        carrier: NIOLoopBound<any ExchangeCarrier>
    ) {
        self.exceptions = exceptions
        self.binding = binding
        self.certificate = certificate
        self.number = number
        self.capacity = capacity
        firstReport = .init(report)
        var report = report
        report.reused = true
        (report.establishment, report.nameResolution, report.handshake) = (.zero, .zero, .zero)
        laterReport = .init(report)
        self.channel = channel
        self.carrier = carrier
    }

    /// How the connection was opened.
    var report: ExchangeReport.Connection { firstReport.connection }

    /// Whether it carries several calls at once.
    var isShared: Bool { report.httpVersion == "2" }

    /// The connection as schemes see it that bind to a connection.
    var asChannel: AuthenticationChannel {
        .init(number: identifier, binding: binding, certificate: certificate, users: accepted.withLock { $0 })
    }

    /// Records that the connection is now authenticated as this user.
    func accept(_ user: ConnectionUser) { _ = accepted.withLock { $0.insert(user) } }

    /// Returns whether the receiver takes the content of an answer with this head; otherwise it is kept in memory.
    typealias Judge = @Sendable (HTTPResponseHead) async throws -> Bool

    /// Sends a request and waits for the complete answer.
    ///
    /// - Parameters:
    ///   - receiver: may take the content of the answer; nil to keep it in memory.
    ///   - judge: returns the ``Judge`` of an answer whose content the receiver may take. It is called only for such an
    ///     answer, since most calls have no receiver.
    func exchange(
        _ request: OutgoingRequest, deadline: CallDeadline, receiver: (any ContentReceiver)?, judge: () -> Judge
    ) async throws -> ReceivedResponse {
        guard let stream = request.stream else {
            return try await answer(to: request, Leg(deadline: deadline, receiver: receiver), judge)
        }
        try stream.check()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let leg = Leg(deadline: deadline, start: start, receiver: receiver)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in starts { return await self.send(stream, of: leg) } }
            defer { group.cancelAll() }
            return try await self.answer(to: request, leg, judge)
        }
    }

    /// Sends a request and keeps the complete answer in memory.
    func exchange(_ request: OutgoingRequest, deadline: CallDeadline) async throws -> ReceivedResponse {
        try await exchange(request, deadline: deadline, receiver: nil) { { _ in false } }
    }

    private func answer(to request: OutgoingRequest, _ leg: Leg, _ judge: () -> Judge) async throws -> ReceivedResponse
    {
        let outcome = try await waiting(for: leg) { [channel, carrier] in
            channel.eventLoop.execute { carrier.value.start(request, leg) }
        }
        guard case .head(let head) = outcome else { return try outcome.answer }
        let judge = judge()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.receive(head, of: leg, judge) }
            defer { group.cancelAll() }
            return try await self.waiting(for: leg).answer
        }
    }

    /// Writes the content of a request. An error ends the leg.
    private func send(_ stream: HTTPBody.Stream, of leg: Leg) async {
        let failure: any Error
        // The caller's closure may ignore cancellation.
        do {
            return try await leg.deadline.race(while: "sending the content") {
                try await stream.run { try await self.write($0, of: leg) }
                try await self.endContent(of: leg)
            }
        } catch is UnwantedContent {
            return
        } catch var error as TransportError {
            // The server has the head, and may have all that it needs.
            error.mayHaveBeenProcessed = error.code != .contentUsed
            failure = error
        } catch {
            failure = error
        }
        abandon(leg, failure)
    }

    /// Passes the content of an answer to the receiver. An error ends the leg.
    private func receive(_ head: HTTPResponseHead, of leg: Leg, _ judge: @escaping Judge) async {
        let failure: any Error
        // The receiver may ignore cancellation.
        do {
            return try await leg.deadline.race(while: "taking the content of the answer") {
                guard let receiver = leg.receiver, try await judge(head) else { return self.collect(leg) }
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
        channel.eventLoop.execute { [carrier] in carrier.value.abandon(leg, failure) }
    }

    private func collect(_ leg: Leg) { channel.eventLoop.execute { [carrier] in carrier.value.collect(leg) } }

    private func demand(_ leg: Leg) async throws -> [UInt8]? {
        try await channel.eventLoop.flatSubmit { [carrier, loop = channel.eventLoop] in
            carrier.value.demand(leg, on: loop)
        }.get()
    }

    private func write(_ bytes: [UInt8], of leg: Leg) async throws {
        try await channel.eventLoop.flatSubmit { [carrier, loop = channel.eventLoop] in
            carrier.value.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))), of: leg, on: loop)
        }.get()
    }

    private func endContent(of leg: Leg) async throws {
        try await channel.eventLoop.flatSubmit { [carrier, loop = channel.eventLoop] in
            carrier.value.write(.end(nil), of: leg, on: loop)
        }.get()
    }

    private func waiting(for leg: Leg, _ begin: () -> Void = {}) async throws -> Leg.Outcome {
        try await withTaskCancellationHandler {
            try await leg.wait(begin)
        } onCancel: {
            leg.cancel()
            abandon(leg, TransportError.cancelled(mayHaveBeenProcessed: true))
        }
    }

    /// Tells its owner again what it can carry, since the pool knows it only now.
    func reportCapacity() {
        channel.eventLoop.execute { [carrier] in
            let carrier = carrier.value
            if let capacity = carrier.capacity { carrier.owner?.resize(capacity) } else { carrier.owner?.retire() }
        }
    }

    /// Waits for a first call, for a limited time.
    func rest() {
        channel.eventLoop.execute { [carrier] in carrier.value.rest() }
    }

    func close(_ error: TransportError = .shutDown()) {
        channel.eventLoop.execute { [carrier] in carrier.value.close(error) }
    }

    func closed() async { try? await channel.closeFuture.get() }
}
