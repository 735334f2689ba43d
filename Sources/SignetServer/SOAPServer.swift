#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import SignetAuthentication
import SignetNIOTLS
public import SignetSOAP
import Synchronization

/// Hosts SOAP services over HTTPS (HTTP/2 and HTTP/1.1), each at a path of its own, in every version of SOAP that its dispatcher
/// speaks.
///
/// The server checks a client in this order: its certificate by TLS, then by ``ClientAdmission``; path and method; whether the
/// service requires a certificate; its credentials; the media type and size of the request. Only then does the service see the message. Errors inside the
/// server are logged, and the client never learns about them.
///
/// ```swift
/// let server = try SOAPServer(
///     WebEase.dispatcher(Diary()), path: "/soap",
///     tls: .init(identity: .fixed(serverIdentity), clients: .certificateRequired(.anchors(deviceAuthority))),
///     authentication: .basic(realm: "WebEase") { await accounts.check($0.user, $0.password) })
/// try await server.run()
/// ```
///
/// It is a service of swift-service-lifecycle: a `ServiceGroup` runs it, and its graceful shutdown does what
/// ``shutdown()`` does.
public final class SOAPServer: Service {
    let settings: Settings
    private let channel: ServiceChannel
    /// Nil for a server without TLS.
    private let tls: CurrentTLS?
    /// Whether a service requires certificates of its clients by itself.
    private let demandsCertificates: Bool
    /// Nil for a server without a proxy that hands on certificates.
    private let forwarded: ForwardedClients?
    private let background = RunningTasks()
    private let state = Mutex(State.new)

    private struct Running: Sendable {
        let server: Server<ServiceChannel>
        /// Accepts connections until the server is shut down. It must never be cancelled: connections that are accepted
        /// and not yet handled would be lost, which stops the process.
        let work: Task<Void, any Error>
        /// Returns the port that the server listens at.
        let listening: Task<Int, any Error>
    }

    private enum State: Sendable {
        case new
        /// The server asks the source for its identity.
        case starting(Task<Void, any Error>)
        case running(Running)
        case ended
    }

    /// Makes a server over TLS.
    ///
    /// - Parameters:
    ///   - services: the services, each at a path of its own.
    ///   - tls: how the server proves its identity, and which clients it admits. A fixed identity is checked here, the
    ///     identity of any other source when the server starts.
    ///   - settings: where the server listens, and its limits.
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public convenience init(
        _ services: [HostedService], tls: ServerTLSConfiguration, settings: Settings = .init()
    ) throws {
        try self.init(serving: services, tls: tls, settings: settings)
    }

    /// Makes a server over TLS for one service.
    ///
    /// - Parameters:
    ///   - dispatcher: the service; generated code makes it.
    ///   - path: the path of the service, beginning with `/`.
    ///   - tls: how the server proves its identity, and which clients it admits. A fixed identity is checked here, the
    ///     identity of any other source when the server starts.
    ///   - authentication: how clients prove their identity over HTTP, besides their certificate.
    ///   - settings: where the server listens, and its limits.
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public convenience init(
        _ dispatcher: ServiceDispatcher, path: String = "/", tls: ServerTLSConfiguration,
        authentication: ServerAuthentication = .none, settings: Settings = .init()
    ) throws {
        try self.init(
            [HostedService(dispatcher, path: path, authentication: authentication)], tls: tls, settings: settings)
    }

    /// Makes a server that speaks plain HTTP/1.1: an attacker on the network path can read and change all messages,
    /// credentials included. Use it behind a proxy on the same machine that terminates TLS, and for tests.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    public static func withoutTLS(_ services: [HostedService], settings: Settings = .init()) throws -> SOAPServer {
        try SOAPServer(serving: services, tls: nil, settings: settings)
    }

    /// Makes a server of plain HTTP/1.1 for one service, as ``withoutTLS(_:settings:)`` does for several.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    public static func withoutTLS(
        _ dispatcher: ServiceDispatcher, path: String = "/", authentication: ServerAuthentication = .none,
        settings: Settings = .init()
    ) throws -> SOAPServer {
        try withoutTLS(
            [HostedService(dispatcher, path: path, authentication: authentication)], settings: settings)
    }

    /// - Parameters:
    ///   - tls: nil for a server without TLS.
    ///   - intake: makes the receiver of the content of a request; nil for the dispatcher's.
    package init(
        serving services: [HostedService], tls: ServerTLSConfiguration?, settings: Settings,
        intake: (@Sendable (HTTPFields, _ request: ServerRequest) -> (any RequestReceiver)?)? = nil
    ) throws {
        let (services, settings) = Self.withOneLog(services, settings)
        try settings.check(isSecure: tls != nil)
        let spool = try settings.spool(of: services)
        let entrances = try services.map { try ServiceEntrance($0, settings, spool, intake: intake) }
        try settings.check(paths: entrances.map(\.path))
        demandsCertificates = entrances.contains(where: \.requiresCertificate)
        let forwarded = try settings.tlsProxy.map { try ForwardedClients($0, settings.logger) }
        if let forwarded { try forwarded.check(isSecure: tls != nil, settings) }
        self.forwarded = forwarded
        self.settings = settings
        try Self.check(tls?.clients, forwarded, demandsCertificates)
        let registration = try settings.registration.map {
            try RegistrationHost(
                $0, beside: entrances.map(\.path) + settings.healthPaths, clients: forwarded?.admission ?? tls?.clients,
                logger: settings.logger)
        }
        let channel = ServiceChannel(
            isSecure: tls != nil, settings: settings, budget: try settings.budget(),
            handler: RequestHandler(
                entrances, registration: registration, forwarded: forwarded, isSecure: tls != nil, settings: settings,
                background: background))
        self.channel = channel
        self.tls = try tls.map {
            try CurrentTLS($0, channel: channel, settings: settings)
        }
    }

    /// Entries about a message belong beside the entries about its request: when only one of the two loggers is set,
    /// both parts use it.
    static func withOneLog(
        _ services: [HostedService], _ settings: Settings
    ) -> ([HostedService], Settings) {
        var (services, settings) = (services, settings)
        let own = services.map(\.dispatcher.logger).first { !$0.isSilent }
        if settings.logger.isSilent, let own { settings.logger = own }
        for place in services.indices where services[place].dispatcher.logger.isSilent {
            services[place].dispatcher.logger = settings.logger
        }
        return (services, settings)
    }

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for services that no client could call.
    private static func check(
        _ clients: ClientAdmission?, _ forwarded: ForwardedClients?, _ demandsCertificates: Bool
    ) throws(SOAPServerError) {
        let asksForCertificates = clients?.asksForCertificates == true
        guard !demandsCertificates || asksForCertificates || forwarded != nil else {
            throw SOAPServerError(
                .invalidConfiguration,
                "A service has requiresCertificate, or accounts by certificate, and the server requests no certificate, so that no client could call it: set clients of the ServerTLSConfiguration."
            )
        }
        if let forwarded, forwarded.recognition != .socket, !asksForCertificates {
            throw SOAPServerError(
                .invalidConfiguration,
                "The proxy of tlsProxy is recognised by its certificate, and the server requests none: set clients of the ServerTLSConfiguration."
            )
        }
    }

    /// Listens, and serves until ``shutdown()`` is called, the task is cancelled, or a `ServiceGroup` that runs the
    /// server triggers graceful shutdown. All three have the same effect: the server refuses new connections, lets
    /// accepted calls end, and cancels calls that have not ended after ``Settings/shutdownGrace``. Returns when the
    /// handlers of one-way operations have ended too.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` when the source of the identity fails or returns no usable
    ///   identity, with `cannotListen`, or with `alreadyStarted`.
    public func run() async throws { try await run { _ in } }

    /// Does the same as ``run()``, and reports the port.
    ///
    /// - Parameter whenListening: receives the port as soon as the server listens at it, 0 for a socket in the file system; not called
    ///   when the server ends before.
    /// - Throws: ``SOAPServerError`` as ``run()``.
    public func run(whenListening: @Sendable (_ port: Int) -> Void) async throws {
        guard let running = try await begin() else { return }
        whenListening(try await listeningPort(of: running))
        let result = await withTaskCancellationHandler {
            await running.work.result
        } onCancel: {
            Task { await shutdown() }
        }
        // A program often ends with this call, and would lose accepted one-way messages with it.
        let watchdog = watchdog()
        await background.waitForAll()
        watchdog.cancel()
        try result.get()
    }

    /// Listens, and serves in the background until ``shutdown()`` is called, or until a `ServiceGroup` in whose task
    /// this is called triggers graceful shutdown.
    ///
    /// - Returns: the port that the server listens at, 0 for a socket in the file system.
    /// - Throws: ``SOAPServerError`` as ``run()``; also `alreadyStarted` when the server was shut down before it
    ///   listened.
    @discardableResult public func start() async throws -> Int {
        guard let running = try await begin() else {
            throw SOAPServerError(.alreadyStarted, "The server was shut down before it listened; make a new one.")
        }
        return try await listeningPort(of: running)
    }

    /// Accepts no more connections, lets requests in progress end, and closes. When ``Settings/shutdownGrace`` has
    /// passed, it cancels the tasks of the handlers. It does nothing when the server is not running.
    public func shutdown() async {
        let state = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .starting(let question) = state { question.cancel() }
        guard case .running(let running) = state else { return }
        // A server that could not listen needs no shutdown.
        guard (try? await running.listening.value) != nil else { return }
        let watchdog = watchdog()
        channel.beginShutdown()
        do { try await running.server.shutdownGracefully() } catch {
            settings.logger.error("the server did not shut down by itself", metadata: ["error": "\(error)"])
            channel.cancelConnections()
        }
        // The caller that started the server got its error, if there was one.
        _ = await running.work.result
        await background.waitForAll()
        watchdog.cancel()
    }

    /// Cancels the requests that still run when the time of grace has passed.
    private func watchdog() -> Task<Void, any Error> {
        Task { [grace = settings.shutdownGrace, channel, background] in
            try await Task.sleep(for: grace)
            channel.cancelConnections()
            background.cancelAll()
        }
    }

    // MARK: TLS

    /// Replaces the source of the identity, the admission of clients (not that of a ``TLSTerminatingProxy``) and the versions of TLS, for connections that the
    /// server accepts from now on. Open connections stay; their requests are checked against the admission under which
    /// the server accepted the connection. The server asks the new source before it replaces anything. When two calls
    /// overlap, the later one counts.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` when the source fails or returns no usable identity, or
    ///   with `invalidConfiguration`, also for a server without TLS. The server then keeps its settings.
    public func replaceTLS(with configuration: ServerTLSConfiguration) async throws {
        try Self.check(configuration.clients, forwarded, demandsCertificates)
        try await secured().replace(with: configuration)
    }

    /// Asks the source for the identity now, without waiting for ``ServerTLSConfiguration/identityCheckInterval``. If
    /// the identity has another certificate or another chain, the server shows it on connections that it accepts from
    /// then on; open connections stay.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` when the source fails or returns no usable identity, or
    ///   with `invalidConfiguration` for a server without TLS. The server then keeps its identity.
    public func reloadIdentity() async throws { try await secured().reload() }

    private func secured() throws(SOAPServerError) -> CurrentTLS {
        guard let tls else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The server was made without TLS, which cannot change; make another server for TLS.")
        }
        return tls
    }

    // MARK: Starting

    /// Begins to listen as soon as the server has an identity to show; nil when the server is told to end before.
    private func begin() async throws -> Running? {
        let question = try state.withLock { state in
            guard case .new = state else {
                throw SOAPServerError(
                    .alreadyStarted,
                    "A server can be started once only, and not after it was shut down; make a new one.")
            }
            // The question runs in a task of its own, which a shutdown can cancel.
            let question = Task { [tls] in if let tls { try await tls.prepare() } }
            state = .starting(question)
            return question
        }
        do {
            // No connection is accepted yet, so a graceful shutdown has nothing to wait for.
            try await cancelWhenGracefulShutdown {
                try await withTaskCancellationHandler {
                    try await question.value
                } onCancel: {
                    question.cancel()
                }
            }
        } catch {
            let isShutDown = state.withLock { state in
                defer { state = .ended }
                if case .ended = state { return true }
                return false
            }
            if isShutDown || Task.isCancelled || Task.isShuttingDownGracefully { return nil }
            throw error
        }
        do { try await settings.checkSocket() } catch {
            state.withLock { $0 = .ended }
            throw error
        }
        return listen()
    }

    /// Nil when the server was shut down in the meantime.
    private func listen() -> Running? {
        state.withLock { state in
            guard case .starting = state else { return nil }
            let (ports, port) = AsyncThrowingStream<Int, any Error>.makeStream()
            // At trace level Hummingbird logs errors of other libraries, which name their source files.
            var logger = settings.logger
            logger.logLevel = max(logger.logLevel, .debug)
            let server = Server(
                childChannelSetup: channel,
                configuration: ServerConfiguration(
                    address: settings.unixSocketPath.map { .unixDomainSocket(path: $0) }
                        ?? .hostname(settings.host, port: settings.port), serverName: nil,
                    availableConnectionsDelegate: MaximumAvailableConnections(
                        settings.maximumConnections, logger: settings.logger)),
                onServerRunning: { [settings] channel in
                    guard settings.restrictSocket() else {
                        port.finish(throwing: SocketFailure())
                        return channel.close(promise: nil)
                    }
                    port.yield(channel.localAddress?.port ?? 0)
                },
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
            let work = Task {
                do {
                    try await serve(by: server)
                    port.finish()
                } catch {
                    port.finish(throwing: error)
                    throw error
                }
            }
            let listening = Task {
                for try await port in ports { return port }
                throw CancellationError()
            }
            let running = Running(server: server, work: work, listening: listening)
            state = .running(running)
            return running
        }
    }

    /// Accepts connections until `server` is shut down, and renews the server's identity during that time.
    private func serve(by server: Server<ServiceChannel>) async throws {
        try await withThrowingTaskGroup { group in
            if let tls { group.addTask { await tls.check() } }
            // Hummingbird also ends at a graceful shutdown. This handler is registered before Hummingbird's, and
            // therefore runs first.
            try await withGracefulShutdownHandler {
                try await server.run()
            } onGracefulShutdown: { [self] in
                channel.beginShutdown()
                Task { await shutdown() }
            }
            group.cancelAll()
        }
    }

    /// Waits for the port, also in a cancelled task: a start must reach a state that can be shut down.
    private func listeningPort(of running: Running) async throws -> Int {
        do { return try await running.listening.value } catch {
            state.withLock { $0 = .ended }
            throw SOAPServerError(
                .cannotListen,
                settings.unixSocketPath.map {
                    "Cannot listen at the socket “\($0)”. Is its folder there, may the server write into it, and is the file no other one? (\(error.socketReason))"
                }
                    ?? "Cannot listen at \(settings.host), port \(settings.port). Is it in use, or is the address not of this machine? (\(error.socketReason))",
                cause: error)
        }
    }
}

/// The file of a socket could not be made private.
private struct SocketFailure: Error, CustomStringConvertible {
    var description: String { "the mode of the file cannot be set" }
}

extension Logger {
    /// Whether this is the default logger, which logs nothing.
    fileprivate var isSilent: Bool { handler is SwiftLogNoOpLogHandler }
}
#endif
