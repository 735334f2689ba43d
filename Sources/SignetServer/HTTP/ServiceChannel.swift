#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import SignetNIOTLS
import SignetTLS
import Synchronization

/// What happens to a connection that was accepted: our TLS, and above it Hummingbird's HTTP/1.1.
///
/// Hummingbird's own TLS channel does not keep the certification path of the client, and cannot change its identity.
final class ServiceChannel: ServerChildChannel {
    /// What holds for a connection from when it is accepted to its end.
    private struct Terms: Sendable {
        /// Nil for a server without TLS.
        let tls: ServerTLS?
        /// Its handler judges requests by the admission that belongs to ``tls``.
        let http: HTTP1Channel
    }

    /// For connections that are accepted; nil before there is an identity to show.
    private let terms: Mutex<Terms?>
    private let handler: RequestHandler
    private let configuration: HTTP1Channel.Configuration
    private let logger: Logger
    private let answerDelivery: Duration
    private let firstHead: Duration
    private let budget: PeerBudget
    /// Apart from the task that accepts new connections: that one must always come to its end by itself.
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
        terms = Mutex(isSecure ? nil : Self.terms(nil, .anyone, handler, configuration))
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

    /// To be called before the server is told to shut down.
    func beginShutdown() { isShuttingDown.store(true, ordering: .sequentiallyConsistent) }

    /// Cancels the tasks of all connections, open ones and those to come.
    func cancelConnections() { connections.cancelAll() }

    /// Leaves the connection as it is: nothing is read from it until ``handle(value:logger:)``, because what is set up
    /// here and then never handled, as may happen while the server shuts down, would stop the process.
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
                // The handlers may have come too late to hear of it.
                channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
            // It fails on a connection that is closed by now, which `handle` finds out as well, and cleans up.
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

    /// A place among the connections of an address that have proved nothing; given back with the connection at the latest.
    ///
    /// - Throws: ``Refused`` when there is none.
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

    /// The place that a connection has among those that have proved nothing. Call it on the channel's event loop.
    static func place(of channel: any Channel) -> PeerBudget.Place? {
        try? channel.pipeline.syncOperations.handler(type: ConnectionGate.self).place
    }

    private struct Refused: Error {}
}

/// A connection that nothing was done with yet. It is closed with the last reference to it.
final class AcceptedConnection: ServerChildChannelValue {
    let channel: any Channel

    init(channel: any Channel) { self.channel = channel }

    deinit { channel.close(promise: nil) }
}
#endif
