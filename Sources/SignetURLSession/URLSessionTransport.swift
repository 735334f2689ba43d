import Foundation
import HTTPTypes
public import SignetAuthentication
public import SignetHTTP
public import SignetTLS

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by Apple's `URLSession`: with the system's proxies, VPN, power management, and whatever HTTP it speaks.
///
/// The server is judged by Signet's policy before our certificate or a credential is sent; both go to the configured origin only.
/// No redirect is followed, no cookie kept, nothing cached. Of ``Deadlines``, `connect` is part of `read`.
///
/// On systems that are not Apple's, `URLSession` cannot be told whom to believe: there it is for plain HTTP alone, and made for tests.
public final class URLSessionTransport: ClientTransport {
    /// How a transport reaches a service.
    public struct Configuration: Sendable {
        /// The only origin that gets the identity and the credentials.
        public var origin: Origin
        /// Asked when a server wants a certificate. Its key must be one that can be taken out: `URLSession` is handed a PKCS#12 file.
        public var identity: (@Sendable (Origin) async throws -> Identity?)?
        /// Errors of the identity with which it is shown all the same.
        public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
        public var trust: TrustPolicy = .system
        /// Where exceptions to ``trust`` are kept.
        public var exceptions: any TrustExceptionStore = MemoryTrustExceptions()
        /// For proxies of the system's that are spoken to over TLS.
        public var proxyTrust: TrustPolicy = .system
        public var authentication = AuthenticationPolicy()
        public var proxyAuthentication = AuthenticationPolicy()
        /// Whether the system may use mobile data and networks that cost much.
        public var allowsCellularAccess = true
        /// Connections open at a time to the origin.
        public var maximumConnections = 8
        /// Seconds since 1970, to judge certificates by.
        package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

        public init(origin: Origin) { self.origin = origin }
    }

    /// More legs than an honest peer needs.
    private static let maximumLegs = 6

    private let configuration: Configuration
    private let session: URLSession
    private let delegate: SessionDelegate
    private let authentication: AuthenticationSession

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        authentication = AuthenticationSession(configuration.authentication)
        delegate = SessionDelegate()
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.allowsCellularAccess = configuration.allowsCellularAccess
        settings.httpMaximumConnectionsPerHost = max(1, configuration.maximumConnections)
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func shutdown() async throws {
        delegate.shutDown()
        session.invalidateAndCancel()
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let origin = request.endpoint.origin
        let isOurs = origin == configuration.origin && request.fields[.authorization] == nil
        var exchange = try authentication.begin(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port)
        var last: Int?
        defer { authentication.finish(&exchange, status: last) }
        if isOurs, exchange.needsPreparation { try await authentication.prepare(&exchange) }
        var legs: [ExchangeReport.Leg] = []
        for _ in 0..<Self.maximumLegs {
            let authorization = isOurs ? exchange.authorization : nil
            var answer = try await leg(request, authorization, since: start)
            legs.append(
                .init(status: answer.status.code, authorization: authorization == nil ? nil : exchange.scheme))
            guard isOurs, answer.status == .unauthorized else {
                last = answer.status.code
                answer.report.legs = legs
                answer.report.duration = ContinuousClock.now - start
                return answer
            }
            let fields = answer.fields[fields: .wwwAuthenticate].map(\.value)
            try await authentication.challenged(&exchange, status: answer.status.code, fields: fields)
        }
        throw AuthenticationError(
            .credentialsRefused, "\(origin) went on asking for credentials; the call was given up.")
    }

    private func leg(
        _ request: ClientRequest, _ authorization: String?, since start: ContinuousClock.Instant
    ) async throws -> ClientResponse {
        let native = try Self.native(request, authorization)
        var rules = SessionChallenge.Rules(origin: configuration.origin, trust: configuration.trust)
        rules.exceptions = try await configuration.exceptions.exceptions()
        rules.proxyTrust = configuration.proxyTrust
        rules.hasIdentity = configuration.identity != nil
        rules.authentication = configuration.authentication
        rules.proxyAuthentication = configuration.proxyAuthentication
        let exchange = SessionExchange(
            configuration, rules, host: request.endpoint.origin.host, limit: request.maximumResponseBytes)
        guard let task = delegate.begin(exchange, make: { session.dataTask(with: native) }) else {
            throw TransportError(.shutDown, "The transport was shut down.")
        }
        let total = request.deadlines.total
        let timer = Task {
            try await Task.sleep(until: start + total)
            exchange.fail(
                TransportError(
                    .deadlineExceeded, "The call took longer than the \(total) that it may.",
                    mayHaveBeenProcessed: true))
            task.cancel()
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.begin(continuation)
                if Task.isCancelled {
                    task.cancel()
                    exchange.end(with: TransportError(.cancelled, "The call was cancelled."))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            exchange.fail(TransportError(.cancelled, "The call was cancelled.", mayHaveBeenProcessed: true))
            task.cancel()
        }
    }

    private static func native(_ request: ClientRequest, _ authorization: String?) throws -> URLRequest {
        #if !canImport(Security)
            guard request.endpoint.origin.scheme == .http else {
                throw TransportError(
                    .invalidRequest,
                    "URLSession cannot be told here whom to believe; use NIOTransport for \(request.endpoint).")
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
        if request.method != .get, request.method != .head { native.httpBody = Data(request.body.bytes) }
        return native
    }
}
