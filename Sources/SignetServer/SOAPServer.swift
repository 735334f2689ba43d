import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOPosix
import SignetAuthentication
import SignetNIOTLS
public import SignetSOAP
public import SignetTLS
import Synchronization

/// Hosts a SOAP service over HTTPS (HTTP/1.1), in every version of SOAP that its dispatcher speaks, on one path.
///
/// A client is looked at in this order: its certificate by TLS, then by ``ClientAdmission``; path and method; its
/// credentials; the request's media type and size; and only then the service sees the message. What goes wrong inside
/// is logged and never told to the peer.
///
/// ```swift
/// let server = try SOAPServer(
///     WebEase.dispatcher(Diary()), path: "/soap", identity: serverIdentity,
///     clients: .certificateRequired(.anchors(deviceAuthority)),
///     authentication: .basic(realm: "WebEase") { user, password in await accounts.check(user, password) })
/// try await server.run()
/// ```
public final class SOAPServer: Sendable {
    private let settings: Settings
    private let clients: ClientAdmission
    private let channel: ServiceChannel
    private let background = RunningTasks()
    private let state = Mutex(State.new)

    private struct Running: Sendable {
        let server: Server<ServiceChannel>
        /// Accepts connections until the server is shut down. It must never be cancelled: connections accepted and not
        /// yet handled would be lost, and with them the process.
        let work: Task<Void, any Error>
        /// Gives the port.
        let listening: Task<Int, any Error>
    }

    private enum State: Sendable {
        case new
        case running(Running)
        case ended
    }

    /// A server over TLS.
    ///
    /// - Parameters:
    ///   - dispatcher: the service; generated code makes it.
    ///   - path: where the service is found, beginning with `/`.
    ///   - identity: the server's own.
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public convenience init(
        _ dispatcher: ServiceDispatcher, path: String = "/", identity: Identity, clients: ClientAdmission,
        authentication: ServerAuthentication = .none, settings: Settings = .init()
    ) throws {
        let tls = try Self.tls(identity, clients, settings)
        try self.init(
            dispatcher, path: path, tls: tls, clients: clients, authentication: authentication, settings: settings)
    }

    /// A server that speaks plain HTTP: everybody on the way can read and change what is said, credentials included.
    /// For a machine-local proxy that ends TLS, and for tests.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    public static func withoutTLS(
        _ dispatcher: ServiceDispatcher, path: String = "/", authentication: ServerAuthentication = .none,
        settings: Settings = .init()
    ) throws -> SOAPServer {
        try SOAPServer(
            dispatcher, path: path, tls: nil, clients: .anyone, authentication: authentication, settings: settings)
    }

    /// - Parameter intake: what takes the content of a request, unless it is the dispatcher's.
    init(
        _ dispatcher: ServiceDispatcher, path: String, tls: ServerTLS?, clients: ClientAdmission,
        authentication: ServerAuthentication, settings: Settings,
        intake: (@Sendable (HTTPFields) -> (any MessageIntake)?)? = nil
    ) throws {
        let (dispatcher, settings) = Self.withOneLog(dispatcher, settings)
        guard path.hasPrefix("/"), !path.contains("?") else {
            throw SOAPServerError(
                .invalidConfiguration, "The path “\(path)” cannot be used: it must begin with / and hold no query.")
        }
        try settings.check()
        let bounds = try settings.bounds(of: dispatcher)
        let credentials: CredentialCheck?
        do { credentials = try CredentialCheck(authentication) } catch {
            throw SOAPServerError(.invalidConfiguration, error.message, cause: error)
        }
        self.settings = settings
        self.clients = clients
        channel = ServiceChannel(
            tls: tls, settings: settings, budget: try settings.budget(),
            handler: RequestHandler(
                versions: dispatcher.versions,
                intake: { fields, id in
                    guard let intake else { return dispatcher.intake(for: fields, bounds, requestID: id) }
                    return intake(fields)
                }, limit: bounds.bytes, path: path, clients: clients,
                credentials: credentials, settings: settings, background: background))
    }

    /// What happens to a message belongs beside what happens to its request: where only one of the two has a log, both use it.
    private static func withOneLog(
        _ dispatcher: ServiceDispatcher, _ settings: Settings
    ) -> (ServiceDispatcher, Settings) {
        var (dispatcher, settings) = (dispatcher, settings)
        if dispatcher.logger.isSilent { dispatcher.logger = settings.logger }
        if settings.logger.isSilent { settings.logger = dispatcher.logger }
        return (dispatcher, settings)
    }

    /// Listens, and serves until the task is cancelled, which does what ``shutdown()`` does, or that is called. Returns
    /// when the handlers of one-way operations have ended too.
    ///
    /// - Parameter whenListening: gets the port, once it is listened at.
    /// - Throws: ``SOAPServerError`` when it cannot listen.
    public func run(whenListening: @Sendable (_ port: Int) -> Void = { _ in }) async throws {
        let running = try begin()
        whenListening(try await listeningPort(of: running))
        let result = await withTaskCancellationHandler {
            await running.work.result
        } onCancel: {
            Task { await shutdown() }
        }
        // A program often ends with this call, and one-way messages that were accepted would be lost with it.
        let watchdog = watchdog()
        await background.waitForAll()
        watchdog.cancel()
        try result.get()
    }

    /// Listens, and serves in the background until ``shutdown()`` is called.
    ///
    /// - Returns: the port listened at.
    /// - Throws: ``SOAPServerError`` when it cannot listen.
    @discardableResult public func start() async throws -> Int { try await listeningPort(of: try begin()) }

    /// Takes no more connections, lets requests in progress end, and closes. When ``Settings/shutdownGrace`` has
    /// passed, the tasks of the handlers are cancelled. Does nothing when the server is not running.
    public func shutdown() async {
        let state = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .running(let running) = state else { return }
        // A server that cannot listen is none to shut down.
        guard (try? await running.listening.value) != nil else { return }
        let watchdog = watchdog()
        channel.beginShutdown()
        do { try await running.server.shutdownGracefully() } catch {
            settings.logger.error("the server did not shut down by itself", metadata: ["error": "\(error)"])
            channel.cancelConnections()
        }
        // Its error, if any, was given to whoever started the server.
        _ = await running.work.result
        await background.waitForAll()
        watchdog.cancel()
    }

    /// Cancels what still runs after the time of grace.
    private func watchdog() -> Task<Void, any Error> {
        Task { [grace = settings.shutdownGrace, channel, background] in
            try await Task.sleep(for: grace)
            channel.cancelConnections()
            background.cancelAll()
        }
    }

    /// Shows another certificate to clients that connect from now on; open connections stay.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity`, or with `invalidConfiguration` for a server without TLS.
    public func replaceIdentity(with identity: Identity) throws {
        guard channel.isSecure else {
            throw SOAPServerError(.invalidConfiguration, "A server without TLS has no identity to replace.")
        }
        channel.use(try Self.tls(identity, clients, settings))
    }

    private static func tls(
        _ identity: Identity, _ clients: ClientAdmission, _ settings: Settings
    ) throws -> ServerTLS {
        let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
        let tls: ServerTLS
        do {
            tls = try ServerTLS(
                identity: identity, clients: clients.policy, tolerating: settings.toleratedIdentityProblems, now: now)
        } catch {
            throw SOAPServerError(.unusableIdentity, "\(error)", cause: error)
        }
        for problem in identity.problems(at: now(), for: .server) {
            settings.logger.notice("our certificate: \(problem)", metadata: ["code": "\(problem.code)"])
        }
        return tls
    }

    private func begin() throws -> Running {
        try state.withLock { state in
            guard case .new = state else {
                throw SOAPServerError(
                    .alreadyStarted,
                    "A server can be started once only, and not after it was shut down; make a new one.")
            }
            let (ports, port) = AsyncThrowingStream<Int, any Error>.makeStream()
            // What Hummingbird traces are errors of other libraries, which name their files.
            var logger = settings.logger
            logger.logLevel = max(logger.logLevel, .debug)
            let server = Server(
                childChannelSetup: channel,
                configuration: ServerConfiguration(
                    address: .hostname(settings.host, port: settings.port), serverName: nil,
                    availableConnectionsDelegate: MaximumAvailableConnections(
                        settings.maximumConnections, logger: settings.logger)),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
            let work = Task {
                do {
                    try await server.run()
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

    /// Waits for the port, also in a task that is cancelled: what was begun must come to a state that can be ended.
    private func listeningPort(of running: Running) async throws -> Int {
        do { return try await running.listening.value } catch {
            state.withLock { $0 = .ended }
            throw SOAPServerError(
                .cannotListen,
                "Cannot listen at \(settings.host), port \(settings.port). Is it in use, or is the address not of this machine? (\(error))",
                cause: error)
        }
    }
}

extension Logger {
    /// Whether it is the one that stands where none is given.
    fileprivate var isSilent: Bool { handler is SwiftLogNoOpLogHandler }
}
