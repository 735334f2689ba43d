#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import SignetNIOTLS
import SignetTLS
import Synchronization

/// Sets up an accepted connection: Signet's TLS, and above it Hummingbird's HTTP/1.1.
///
/// Hummingbird's own TLS channel does not keep the certification path of the client, and cannot change its identity.
final class ServiceChannel: ServerChildChannel {
    /// The settings that apply to a connection from its acceptance to its end.
    private struct Terms: Sendable {
        /// Nil for a server without TLS.
        let tls: ServerTLS?
        /// The HTTP channel, whose handler checks requests against the admission that belongs to ``tls``.
        let http: HTTP1Channel
    }

    /// The settings for newly accepted connections; nil before the server has an identity to show.
    private let terms: Mutex<Terms?>
    private let handler: RequestHandler
    private let configuration: HTTP1Channel.Configuration
    private let logger: Logger
    private let answerDelivery: Duration
    private let firstHead: Duration
    private let budget: PeerBudget
    /// The tasks of the connections. They are separate from the task that accepts connections, because that task must
    /// always end by itself.
    private let connections = RunningTasks()
    private let isShuttingDown = Atomic(false)

    /// - Parameters:
    ///   - isSecure: whether there is TLS; connections are then closed at once until ``use(_:_:)`` gives it.
    ///   - handler: deals with requests.
    init(isSecure: Bool, settings: SOAPServer.Settings, budget: PeerBudget, handler: RequestHandler) {
        self.handler = handler
        logger = settings.logger
        answerDelivery = settings.answerDelivery
        firstHead = settings.firstHead
        self.budget = budget
        configuration = .init(
            idleTimeout: TimeAmount(settings.idle),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 128))
        terms = Mutex(isSecure ? nil : Self.terms(nil, .noCertificateRequested, handler, configuration))
    }

    /// TLS, and which clients are admitted, for connections accepted from now on.
    func use(_ tls: ServerTLS, _ clients: ClientAdmission) {
        let next = Self.terms(tls, clients, handler, configuration)
        terms.withLock { $0 = next }
    }

    private static func terms(
        _ tls: ServerTLS?, _ clients: ClientAdmission, _ handler: RequestHandler,
        _ configuration: HTTP1Channel.Configuration
    ) -> Terms {
        let handler = handler.admitting(clients)
        return Terms(
            tls: tls,
            http: HTTP1Channel(responder: { try await handler.handle($0, $1, $2) }, configuration: configuration))
    }

    /// Call this before telling the server to shut down.
    func beginShutdown() { isShuttingDown.store(true, ordering: .sequentiallyConsistent) }

    /// Cancels the tasks of all connections, open ones and future ones.
    func cancelConnections() { connections.cancelAll() }

    /// Adds no handlers to the connection, and reads nothing from it until ``handle(value:logger:)``. While the server
    /// shuts down, a connection may be set up here and never handled: handlers added here and never used would stop the
    /// process.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.setOption(.autoRead, value: false).map { AcceptedConnection(channel: channel) }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await connections.run { [self] in
            defer { withExtendedLifetime(value) {} }
            let channel = value.channel
            guard let terms = terms.withLock({ $0 }) else { return channel.close(promise: nil) }
            let connection: HTTP1Channel.Value
            do {
                connection = try await channel.eventLoop.flatSubmit {
                    self.addHandlers(to: channel, terms, logger)
                }.get()
            } catch {
                if !(error is Refused) {
                    self.logger.debug("a connection was closed before it was used", metadata: ["error": "\(error)"])
                }
                channel.close(promise: nil)
                return
            }
            if isShuttingDown.load(ordering: .sequentiallyConsistent) {
                // The handlers may have been added too late to receive the event.
                channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
            // This fails on a connection that is closed by now. `handle` also notices the close, and cleans up.
            try? await channel.setOption(.autoRead, value: true).get()
            await terms.http.handle(value: connection, logger: logger)
        }
    }

    private func addHandlers(
        to channel: any Channel, _ terms: Terms, _ logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        do {
            let place = try place(for: channel)
            let gate = ConnectionGate(place, allowed: firstHead, logger: self.logger)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(gate)
            try terms.tls?.addHandlers(to: channel)
            try pipeline.addHandler(DeliveryDeadline(allowed: answerDelivery, logger: self.logger))
            try pipeline.addHandler(ConnectionReporter(gate, logger: self.logger))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return terms.http.setup(channel: channel, logger: logger).flatMapThrowing { connection in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let gate = try pipeline.handler(type: ConnectionGate.self)
            try pipeline.addHandler(ConnectionPersistence(gate), position: .after(decoder))
            return connection
        }
    }

    /// Takes a place among the connections of an address whose clients have proved nothing; the place is freed with the
    /// connection at the latest.
    ///
    /// - Throws: ``Refused`` when no place is free.
    private func place(for channel: any Channel) throws -> PeerBudget.Place {
        guard let address = channel.remoteAddress else { throw ChannelError.ioOnClosedChannel }
        switch budget.admit(address) {
        case .admitted(let place):
            channel.closeFuture.whenComplete { _ in place.leave() }
            return place
        case .refused(let isFirst):
            if isFirst {
                logger.notice(
                    "too many connections of one address that have proved nothing; if it is a proxy, name it in the settings' proxies",
                    metadata: ["peer": "\(address.ipAddress ?? "unknown")"])
            }
            throw Refused()
        }
    }

    /// The place of a connection among those whose clients have proved nothing. Call this on the channel's event loop.
    static func place(of channel: any Channel) -> PeerBudget.Place? {
        try? channel.pipeline.syncOperations.handler(type: ConnectionGate.self).place
    }

    private struct Refused: Error {}
}

/// An accepted connection that is not used yet. It is closed when the last reference to it goes.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel

    init(channel: any Channel) { self.channel = channel }

    deinit { channel.close(promise: nil) }
}
#endif
