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

/// HTTP with Apple's `URLSession`: with the system's proxies, VPN, power management, and all versions of HTTP that it
/// supports.
///
/// Signet's policy judges the server before the client sends its certificate or credentials; both go to the configured
/// origin only. The transport follows no redirects, keeps no cookies and caches nothing. Of ``/SignetHTTP/Deadlines``,
/// `connect` is part of `read`. If an answer has several fields with one name, the system joins them into one. Content
/// is collected in memory in both directions before it is passed on, within
/// ``/SignetHTTP/ClientRequest/maximumResponseBytes`` for answers.
///
/// On other systems than Apple's, `URLSession` cannot be told which servers to trust: there it is for plain HTTP only,
/// and made for tests.
public final class URLSessionTransport: ClientTransport {
    /// The features of a configuration that this transport supports. On other systems than Apple's, `URLSession` cannot
    /// be told which servers to trust.
    public static let capabilities: Set<ConnectionFeature> = {
        #if canImport(Security)
        [.tls, .keychainIdentities, .systemProxies]
        #else
        [.systemProxies]
        #endif
    }()

    /// The limit of content to send. It is kept in memory, even when it is written as a stream.
    static let maximumContent = 256 << 20

    /// The only origin to which the client sends the identity and the credentials. Other origins can be called without
    /// both.
    public let origin: Origin
    private let configuration: ConnectionConfiguration
    private let settings: URLSessionConfiguration
    /// Each session has its own delegate, since each session numbers its tasks from the beginning.
    private let current: Mutex<(session: URLSession, delegate: SessionDelegate)>
    private let authentication: AuthenticationSession
    /// The refused credentials of those that the system sent.
    private let refusals = RefusedCredentials()
    /// The session for origins that get no credentials.
    private let anonymousSession = AuthenticationSession(.init())

    /// - Parameters:
    ///   - origin: the service's; the only one to which the client sends the identity and the credentials.
    ///   - connection: how connections are made. The identity is looked up only when the server asks for a certificate.
    ///     `URLSession` gets the `SecIdentity` that an identity was made from, or else a PKCS#12 file: the key of any
    ///     other identity must be exportable. The system keeps connections and does not say which one it uses: call
    ///     ``renewConnections()`` after the source has another identity, or an exception was withdrawn. Exceptions
    ///     apply to the service, not to proxies. Without ``/SignetConnection/ProxyConfiguration/rules``, the system's
    ///     settings choose the proxies.
    ///   - allowsCellularAccess: whether the system may use mobile data.
    /// - Throws: ``/SignetConnection/ConnectionConfigurationError`` for a setting that could not take effect; see
    ///   ``capabilities``.
    public init(
        to origin: Origin, _ connection: ConnectionConfiguration = .init(), allowsCellularAccess: Bool = true
    ) throws(ConnectionConfigurationError) {
        try connection.check(for: origin, capabilities: Self.capabilities, of: "URLSessionTransport")
        self.origin = origin
        configuration = connection
        // The system does not say which connection it uses, and it handles NTLM and Negotiate itself.
        authentication = AuthenticationSession(connection.authentication, bindsConnections: false)
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.allowsCellularAccess = allowsCellularAccess
        settings.httpMaximumConnectionsPerHost = connection.maximumConnections
        // Rules that name no proxy turn the system's proxies off too.
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
        // Credentials that the caller wrote into the request are the caller's own: the transport adds none.
        let isOurs = origin == self.origin && request.fields[.authorization] == nil
        let engine = isOurs ? authentication : anonymousSession
        let peer = AuthenticatingPeer(
            .origin, engine,
            try engine.begin(
                scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: request.path))
        // The system handles proxies.
        var terms = AuthenticationLegs.Request(over: .clientHandlesProxies)
        terms.callerHandlesCredentials = !isOurs
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
                "URLSession cannot judge servers by a policy here; use NIOTransport for \(request.endpoint).")
        }
        #endif
        guard let url = URL(string: "\(request.endpoint.origin)\(request.path)") else {
            throw TransportError(.invalidRequest, "The path of the request cannot be part of a URL.")
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
