import Foundation
import HTTPTypes
import Logging
import SignetAuthentication
public import SignetConnection
import SignetCredentials
public import SignetHTTP
import SignetTLS
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP by Apple's `URLSession`: with the system's proxies, VPN, power management, and whatever HTTP it speaks.
///
/// The server is judged by Signet's policy before our certificate or a credential is sent; both go to the configured origin only.
/// No redirect is followed, no cookie kept, nothing cached. Of ``Deadlines``, `connect` is part of `read`. Where an answer has several
/// fields of one name, the system hands them on as one. Content is gathered in memory both ways before it is handed on, within
/// ``ClientRequest/maximumResponseBytes`` when it comes.
///
/// On systems that are not Apple's, `URLSession` cannot be told whom to believe: there it is for plain HTTP alone, and made for tests.
public final class URLSessionTransport: ClientTransport {
    /// What of a configuration is possible here. On systems that are not Apple's, `URLSession` cannot be told which servers to trust.
    public static let capabilities: Set<ConnectionFeature> = {
        #if canImport(Security)
        [.tls, .keychainIdentities, .systemProxies]
        #else
        [.systemProxies]
        #endif
    }()

    /// What is sent stands in memory here, also what is written as a stream.
    static let maximumContent = 256 << 20

    /// The only origin that gets the identity and the credentials. Another origin can be called, without either.
    public let origin: Origin
    private let configuration: ConnectionConfiguration
    private let settings: URLSessionConfiguration
    /// Each session has a delegate of its own, since sessions number their tasks for themselves.
    private let current: Mutex<(session: URLSession, delegate: SessionDelegate)>
    private let authentication: AuthenticationSession
    /// Of what the system gives for us.
    private let refusals = RefusedCredentials()
    /// For origins that get no credentials.
    private let stranger = AuthenticationSession(.init())

    /// - Parameters:
    ///   - origin: of the service; the only one that gets the identity and the credentials.
    ///   - connection: how connections are made. The identity is looked for when the server wants a certificate, and not before.
    ///     `URLSession` is handed the `SecIdentity` that an identity was made of, or else a PKCS#12 file: of any other identity
    ///     the key must be one that can be taken out. The system keeps connections and does not say which it uses: after the source has another identity, or an exception was withdrawn, call ``renewConnections()``.
    ///     Exceptions are for the service, not for proxies. Without
    ///     ``ProxyConfiguration/rules``, the system's settings say which proxies are used.
    ///   - allowsCellularAccess: whether the system may use mobile data.
    /// - Throws: ``ConnectionConfigurationError`` for a setting that could not take effect; see ``capabilities``.
    public init(
        to origin: Origin, _ connection: ConnectionConfiguration = .init(), allowsCellularAccess: Bool = true
    ) throws(ConnectionConfigurationError) {
        try connection.check(for: origin, capabilities: Self.capabilities, of: "URLSessionTransport")
        self.origin = origin
        configuration = connection
        // The system does not say which connection it uses; NTLM and Negotiate are its own there.
        authentication = AuthenticationSession(connection.authentication, bindsConnections: false)
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.allowsCellularAccess = allowsCellularAccess
        settings.httpMaximumConnectionsPerHost = connection.maximumConnections
        // Rules without a proxy: the system's do not count either.
        if connection.proxy.rules != nil { settings.connectionProxyDictionary = [:] }
        self.settings = settings
        current = Mutex(Self.session(settings))
    }

    private static func session(_ settings: URLSessionConfiguration) -> (URLSession, SessionDelegate) {
        let delegate = SessionDelegate()
        return (URLSession(configuration: settings, delegate: delegate, delegateQueue: nil), delegate)
    }

    deinit { current.withLock { $0.session.finishTasksAndInvalidate() } }

    public func renewConnections() {
        current.withLock { current in
            guard !current.delegate.isOver else { return }
            current.delegate.retire()
            current.session.finishTasksAndInvalidate()
            current = Self.session(settings)
        }
    }

    public func shutdown() async throws {
        current.withLock { current in
            current.delegate.shutDown()
            current.session.invalidateAndCancel()
        }
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        do { return try await authenticated(request) } catch is CancellationError { throw TransportError.cancelled() }
    }

    public func proofs(at origin: Origin) -> ClientProofs? {
        configuration.proofs(at: origin, of: self.origin)
    }

    private func authenticated(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let deadline = SessionDeadline(total: request.deadlines.total, since: start)
        let origin = request.endpoint.origin
        // Credentials that the caller wrote into the request are the caller's: the engine keeps out.
        let isOurs = origin == self.origin && request.fields[.authorization] == nil
        let engine = isOurs ? authentication : stranger
        let peer = AuthenticatingPeer(
            .origin, engine,
            try engine.begin(
                scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: request.path))
        // The system deals with proxies.
        var terms = AuthenticationLegs.Request(over: .clientsOwn)
        terms.isByCaller = !isOurs
        var driver = SessionLegs(request, peer, isOurs: isOurs, deadline) { [self] content, authorization in
            try await leg(request, content, authorization, isOurs, deadline)
        }
        try await AuthenticationLegs(terms).run(&driver)
        var answer = try driver.result()
        answer.report.duration = ContinuousClock.now - start
        configuration.logger.debug("exchange", metadata: ["origin": "\(origin)", "exchange": "\(answer.report)"])
        return answer
    }

    private func leg(
        _ request: ClientRequest, _ content: [UInt8], _ authorization: String?, _ isOurs: Bool,
        _ deadline: SessionDeadline
    ) async throws -> ClientResponse {
        let native = try Self.native(request, content, authorization)
        var rules = SessionChallenge.Rules(
            target: request.endpoint.origin, origin: origin, trust: configuration.trust)
        rules.exceptions = try await deadline.race { [configuration] in
            try await configuration.trustExceptions.exceptions()
        }
        rules.proxyTrust = configuration.proxy.trust
        rules.hasIdentity = configuration.identity != nil
        rules.givesCredentials = isOurs
        rules.authentication = configuration.authentication
        rules.proxyAuthentication = configuration.proxy.authentication
        let exchange = SessionExchange(
            configuration, rules, host: request.endpoint.origin.host, limit: request.maximumResponseBytes,
            refusals: refusals)
        let begun = current.withLock { current in
            current.delegate.begin(exchange, make: { current.session.dataTask(with: native) })
        }
        guard let task = begun else { throw TransportError.shutDown() }
        let timer = Task {
            try await Task.sleep(until: deadline.end)
            exchange.fail { deadline.exceeded(mayHaveBeenProcessed: $0) }
            task.cancel()
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if exchange.begin(continuation) { task.resume() }
            }
        } onCancel: {
            exchange.fail { .cancelled(mayHaveBeenProcessed: $0) }
            task.cancel()
        }
    }

    private static func native(
        _ request: ClientRequest, _ content: [UInt8], _ authorization: String?
    ) throws -> URLRequest {
        #if !canImport(Security)
        guard request.endpoint.origin.scheme == .http else {
            throw TransportError(
                .invalidRequest,
                "URLSession cannot be told here which servers to trust; use NIOTransport for \(request.endpoint).")
        }
        #endif
        guard let url = URL(string: "\(request.endpoint.origin)\(request.path)") else {
            throw TransportError(.invalidRequest, "The path of the request is none that a URL can have.")
        }
        var native = URLRequest(url: url)
        native.httpMethod = request.method.rawValue
        native.timeoutInterval = Double(request.deadlines.read / .milliseconds(1)) / 1_000
        native.httpShouldHandleCookies = false
        for field in request.fields { native.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if let authorization { native.setValue(authorization, forHTTPHeaderField: "Authorization") }
        if request.method != .get, request.method != .head { native.httpBody = Data(content) }
        return native
    }
}
