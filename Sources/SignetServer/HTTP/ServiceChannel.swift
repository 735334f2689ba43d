#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOTLS
import SignetNIOTLS
import SignetTLS
import Synchronization

/// Sets up an accepted connection: Signet's TLS, and above it Hummingbird's HTTP/1.1 or, if the client chose it, HTTP/2.
///
/// Hummingbird's own TLS channel does not keep the certification path of the client, and cannot change its identity; its
/// channel for HTTP/2 cannot be put upon another TLS.
final class ServiceChannel: ServerChildChannel {
    /// The settings that apply to a connection from its acceptance to its end.
    private struct Terms: Sendable {
        /// Nil for a server without TLS.
        let tls: ServerTLS?
        /// Checks requests against the admission that belongs to ``tls``.
        let handler: RequestHandler
    }

    /// A connection whose protocol is known.
    private enum Served: Sendable {
        case http1(HTTP1Connection)
        case http2(HTTP2Connection)
    }

    /// A connection of HTTP/1.1. A reference, because each copy of what it has is large.
    private final class HTTP1Connection: Sendable {
        let http: HTTP1Channel
        let value: HTTP1Channel.Value

        init(_ http: HTTP1Channel, _ value: HTTP1Channel.Value) { (self.http, self.value) = (http, value) }
    }

    /// The settings for newly accepted connections; nil before the server has an identity to show.
    private let terms: Mutex<Terms?>
    private let handler: RequestHandler
    private let settings: SOAPServer.Settings
    private let budget: PeerBudget
    /// The tasks of the connections. They are separate from the task that accepts connections, because that task must
    /// always end by itself.
    private let connections = RunningTasks()
    private let isShuttingDown = Atomic(false)
    /// The addresses of which it was logged that their connections are refused for the PROXY protocol.
    private let reported = Mutex<Set<String>>([])
    private static let maximumReported = 1000
    /// Counts the connections of the process.
    private static let connections = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - isSecure: whether there is TLS; connections are then closed at once until ``use(_:_:)`` gives it.
    ///   - handler: deals with requests.
    init(isSecure: Bool, settings: SOAPServer.Settings, budget: PeerBudget, handler: RequestHandler) {
        self.handler = handler
        self.settings = settings
        self.budget = budget
        terms = Mutex(isSecure ? nil : Terms(tls: nil, handler: handler))
    }

    /// TLS, and which clients are admitted, for connections accepted from now on.
    func use(_ tls: ServerTLS, _ clients: ClientAdmission) {
        let next = Terms(tls: tls, handler: handler.admitting(clients))
        terms.withLock { $0 = next }
    }

    /// Call this before telling the server to shut down.
    func beginShutdown() { isShuttingDown.store(true, ordering: .sequentiallyConsistent) }

    /// Cancels the tasks of all connections, open ones and future ones.
    func cancelConnections() { connections.cancelAll() }

    /// Adds no handlers to the connection but the reader of a proxy's header, and reads nothing else from it until
    /// ``handle(value:logger:)``. While the server shuts down, a connection may be set up here and never handled: other
    /// handlers added here and never used would stop the process.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        channel.setOption(.autoRead, value: false).flatMapThrowing { [settings] in
            if settings.usesProxyProtocol {
                try channel.pipeline.syncOperations.addHandler(ProxyHeaderReader(allowed: settings.firstHead))
            }
            return AcceptedConnection(channel: channel)
        }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        await connections.run { [self] in
            defer { withExtendedLifetime(value) {} }
            switch await open(value.channel, logger) {
            case .http1(let connection): await connection.http.handle(value: connection.value, logger: logger)
            case .http2(let connection): await connection.run()
            case nil: return
            }
        }
    }

    /// Sets up the handlers of a connection, and waits until its protocol is known; nil for one that was closed. The memory that
    /// this needs is used again while the connection is served.
    private func open(_ channel: any Channel, _ logger: Logger) async -> Served? {
        guard let terms = terms.withLock({ $0 }) else {
            channel.close(promise: nil)
            return nil
        }
        let opening: EventLoopFuture<Served>
        do {
            let client = try await client(of: channel)
            opening = try await channel.eventLoop.submit {
                try self.addHandlers(to: channel, of: client, terms, logger)
            }.get()
        } catch {
            if !(error is Refused) {
                settings.logger.debug(
                    "a connection was closed before it was used", metadata: ["error": "\(error)"])
            }
            channel.close(promise: nil)
            return nil
        }
        if isShuttingDown.load(ordering: .sequentiallyConsistent) {
            // The handlers may have been added too late to receive the event.
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        if settings.usesProxyProtocol { try? await channel.eventLoop.submit { try Self.release(channel) }.get() }
        // This fails on a connection that is closed by now. What follows also notices the close, and cleans up.
        try? await channel.setOption(.autoRead, value: true).get()
        return await withTaskCancellationHandler {
            // When TLS has failed, it has closed the connection.
            try? await opening.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    // MARK: Clients behind proxies

    /// Who is at the other end of a connection.
    private struct Client: Sendable {
        /// Nil for a connection at a socket in the file system.
        var address: SocketAddress?
        /// Whether its connections are not counted.
        var isExempt: Bool
    }

    /// The other end of the connection, or whom a proxy names.
    ///
    /// - Throws: when a proxy should name the client and does not.
    private func client(of channel: any Channel) async throws -> Client {
        let isAtSocket = settings.unixSocketPath != nil
        let peer = channel.remoteAddress
        guard peer != nil || isAtSocket else { throw ChannelError.ioOnClosedChannel }
        let isProxy = isAtSocket || peer.map { budget.isProxy($0) } ?? false
        guard settings.usesProxyProtocol else { return Client(address: peer, isExempt: isProxy) }
        guard isProxy else {
            log("a connection was closed: its address is not among the settings' proxies", peer, nil)
            throw Refused()
        }
        let header = channel.eventLoop.makePromise(of: ProxyHeader.Client.self)
        do {
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.handler(type: ProxyHeaderReader.self).complete(header)
            }.get()
        } catch {
            header.fail(error)
            throw error
        }
        if isShuttingDown.load(ordering: .sequentiallyConsistent) {
            // The connection may have been accepted too late to receive the event.
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        do {
            let named = try await withTaskCancellationHandler {
                try await header.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            return switch named {
            case .address(let client): Client(address: client, isExempt: false)
            case .unknown: Client(address: peer, isExempt: isAtSocket)
            case .proxy: Client(address: peer, isExempt: true)
            }
        } catch let failure as ProxyHeaderReader.Failure where !failure.isEnd {
            log("a proxy's connection was closed", peer, "\(failure)")
            throw Refused()
        }
    }

    /// Logs at notice what is wrong with the connections of an address the first time, and at debug afterwards.
    private func log(_ message: Logger.Message, _ peer: SocketAddress?, _ reason: String?) {
        let isFirst = reported.withLock { reported in
            reported.count < Self.maximumReported && reported.insert(peer?.ipAddress ?? "").inserted
        }
        var metadata: Logger.Metadata = ["peer": "\(peer.map { "\($0)" } ?? "unknown")"]
        if let reason { metadata["reason"] = "\(reason)" }
        settings.logger.log(level: isFirst ? .notice : .debug, message, metadata: metadata)
    }

    /// Lets the handlers of a connection have what follows the proxy's header.
    private static func release(_ channel: any Channel) throws {
        let context = try channel.pipeline.syncOperations.context(handlerType: ProxyHeaderReader.self)
        (context.handler as? ProxyHeaderReader)?.release(context)
    }

    // MARK: Handlers

    /// Adds the handlers of a connection. Returns when its protocol is known, which needs the client's handshake.
    private func addHandlers(
        to channel: any Channel, of client: Client, _ terms: Terms, _ logger: Logger
    ) throws -> EventLoopFuture<Served> {
        let gate = ConnectionGate(
            try place(for: channel, of: client), of: client.address, allowed: settings.firstHead,
            logger: settings.logger)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        try terms.tls?.addHandlers(to: channel)
        try pipeline.addHandler(
            DeliveryDeadline(of: gate.client, allowed: settings.answerDelivery, logger: settings.logger))
        try pipeline.addHandler(ConnectionReporter(gate, logger: settings.logger))
        guard terms.tls != nil else { return addHTTP1(to: channel, of: client.address, terms.handler, gate, logger) }
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Served> { choice, channel in
            guard choice == .negotiated("h2") else {
                return self.addHTTP1(to: channel, of: client.address, terms.handler, gate, logger)
            }
            return channel.eventLoop.makeCompletedFuture {
                try self.addHTTP2(to: channel, of: client.address, terms.handler, gate, logger)
            }
        }
        try pipeline.addHandler(negotiation)
        return negotiation.protocolNegotiationResult
    }

    private func addHTTP1(
        to channel: any Channel, of client: SocketAddress?, _ handler: RequestHandler, _ gate: ConnectionGate,
        _ logger: Logger
    ) -> EventLoopFuture<Served> {
        let http = http(handler, on: channel, of: client, gate.place, isHTTP1: true)
        return http.setup(channel: channel, logger: logger).assumeIsolated().flatMapThrowing { connection in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionPersistence(gate), position: .after(decoder))
            gate.hasProtocol = true
            return .http1(HTTP1Connection(http, connection))
        }.nonisolated()
    }

    private func addHTTP2(
        to channel: any Channel, of client: SocketAddress?, _ handler: RequestHandler, _ gate: ConnectionGate,
        _ logger: Logger
    ) throws -> Served {
        let connection = HTTP2Connection(
            channel, http: http(handler, on: channel, of: client, gate.place, isHTTP1: false), settings: settings,
            logger: logger)
        try connection.addHandlers(gate)
        gate.hasProtocol = true
        return .http2(connection)
    }

    /// Hummingbird's HTTP for the requests of a connection. Call this on its event loop, after the handshake.
    private func http(
        _ handler: RequestHandler, on channel: any Channel, of client: SocketAddress?, _ place: PeerBudget.Place,
        isHTTP1: Bool
    ) -> HTTP1Channel {
        let number = Self.connections.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = ServedConnection(
            channel, number: number, client: client, place, limit: handler.limit, isHTTP1: isHTTP1)
        return HTTP1Channel(
            responder: { request, writer, exchange in
                let channels = RequestChannels(exchange: exchange, connection: connection)
                // A stream of HTTP/2 has a task of its own.
                if channels.isStream { return try await handler.handle(request, writer, channels) }
                let writer = Handover(writer)
                try await Self.apart {
                    guard let writer = writer.content.take() else { throw ChannelError.ioOnClosedChannel }
                    try await handler.handle(request, writer, channels)
                }
            },
            configuration: .init(
                idleTimeout: TimeAmount(settings.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: HeadLimits.fieldBytes, maxHeaderListSize: HeadLimits.bytes,
                    maxHeaderFieldCount: HeadLimits.fields)))
    }

    /// Does work in a task of its own. A task keeps until its end the most memory that it has ever needed, and the task of a connection can
    /// last for days: it would keep what its largest request has needed.
    private static func apart(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            if #available(macOS 26, iOS 26, *) {
                group.addImmediateTask(operation: work)
            } else {
                group.addTask(operation: work)
            }
            try await group.next()
        }
    }

    /// Hands something to the one task that takes it.
    private final class Handover: @unchecked Sendable {
        // The task that makes it does not use it any more, and one task takes it.
        var content: ResponseWriter?

        init(_ content: consuming ResponseWriter) { self.content = consume content }
    }

    /// Takes a place among the connections of an address whose clients have proved nothing; the place is freed with the
    /// connection at the latest.
    ///
    /// - Throws: ``Refused`` when no place is free.
    private func place(for channel: any Channel, of client: Client) throws -> PeerBudget.Place {
        switch budget.admit(client.address, isExempt: client.isExempt) {
        case .admitted(let place):
            channel.closeFuture.whenComplete { _ in place.leave() }
            return place
        case .refused(let isFirst):
            if isFirst {
                settings.logger.notice(
                    settings.usesProxyProtocol
                        ? "too many connections of one client that have proved nothing"
                        : "too many connections of one address that have proved nothing; if it is a proxy, name it in the settings' proxies",
                    metadata: ["peer": "\(client.address?.ipAddress ?? "unknown")"])
            }
            throw Refused()
        }
    }

    /// Closes the socket of a connection at once. Call this on the channel's event loop.
    static func close(_ channel: any Channel) {
        try? channel.pipeline.syncOperations.handler(type: ConnectionGate.self).close()
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
