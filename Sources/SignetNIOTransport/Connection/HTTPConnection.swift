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
        let current = Mutex<Leg?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let leg = Leg(deadline: deadline, continuation)
                current.withLock { $0 = leg }
                // Looked at after the leg can be found by the cancellation handler, which may have run already.
                if Task.isCancelled { leg.cancel() }
                channel.eventLoop.execute { [handler] in handler.value.start(request, leg) }
            }
        } onCancel: {
            guard let leg = current.withLock({ $0 }) else { return }
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
