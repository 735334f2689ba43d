import HTTPTypes
import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
import SignetAuthentication
public import SignetConnection
import SignetCredentials
public import SignetHTTP
package import SignetNIOTLS
import SignetTLS

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// HTTP/1.1 over TCP or TLS, and HTTP/2 over TLS, on SwiftNIO.
///
/// The client judges the server before it sends a certificate or credentials. It sends both to the configured origin
/// only; a proxy on the way has its own. Connections are kept, and lent to one call at a time, or to several over HTTP/2.
/// A connection that was opened with an identity is never used with another, unless the identity is looked up on demand,
/// and never for another origin. A request is sent again only for authentication, when the server says that it did not
/// process it (RFC 9113 §8.7, HTTP_1_1_REQUIRED), or when its connection turned out to be closed and either nothing had been written, or
/// the method is safe (RFC 9110 §9.2.1) and nothing of an answer had arrived.
///
/// Idle connections are closed with the last reference to the transport. ``shutdown()`` closes all connections and
/// waits for that.
public final class NIOTransport: ClientTransport {
    /// All features of a configuration except the system's proxy settings, which this transport does not read.
    public static let capabilities = ConnectionFeature.all.subtracting([.systemProxies])

    /// The surroundings of a transport, which tests replace.
    struct Surroundings: Sendable {
        var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
        /// Resolves names; nil for the system's resolver.
        var resolver: (any Resolver & Sendable)?
        /// What differs from usual connections when a server is examined.
        var probing: TLSProbing?
        /// Seconds since 1970, for judging certificates.
        var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    }

    /// The only origin to which the client sends the identity and the credentials. Other origins can be called without
    /// both.
    public let origin: Origin
    /// The authority of ``origin``.
    private let authority: String
    let configuration: ConnectionConfiguration
    let surroundings: Surroundings
    let pool: ConnectionPool
    let connector: Connector
    private let revocation: RevocationLookups
    let servers = KnownServers()
    /// What is known about the server of ``origin``. Most calls need it.
    let server = KnownServer()
    /// Nil when no connections are kept open in advance.
    let keeper: WarmKeeper?
    private let session: AuthenticationSession
    let proxySession: AuthenticationSession
    let questions: TrustQuestions
    /// The session for origins that get no credentials.
    private let anonymousSession = AuthenticationSession(.init())
    /// The identity of all connections to ``origin``, where it is known in advance.
    private let constantIdentity: (shown: ClientIdentity, key: ConnectionIdentity)?

    /// - Parameters:
    ///   - origin: the service's; the only one to which the client sends the identity and the credentials. Other
    ///     origins can be called without both.
    ///   - connection: how connections are made.
    ///   - eventLoopGroup: whose threads run the connections; nil for the process's own.
    /// - Throws: ``/SignetConnection/ConnectionConfigurationError`` for a setting that could not take effect.
    public convenience init(
        to origin: Origin, _ connection: ConnectionConfiguration = .init(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) throws(ConnectionConfigurationError) {
        var surroundings = Surroundings()
        if let eventLoopGroup { surroundings.eventLoopGroup = eventLoopGroup }
        try self.init(to: origin, connection, in: surroundings)
    }

    /// A transport that examines a server.
    package convenience init(
        to origin: Origin, _ connection: ConnectionConfiguration, probing: TLSProbing,
        at now: @escaping @Sendable () -> Int64
    ) throws(ConnectionConfigurationError) {
        var surroundings = Surroundings()
        surroundings.probing = probing
        surroundings.now = now
        try self.init(to: origin, connection, in: surroundings)
    }

    init(
        to origin: Origin, _ connection: ConnectionConfiguration, in surroundings: Surroundings
    ) throws(ConnectionConfigurationError) {
        try connection.check(for: origin, capabilities: Self.capabilities, of: "NIOTransport")
        self.origin = origin
        authority = origin.authority
        configuration = connection
        self.surroundings = surroundings
        pool = ConnectionPool(
            perOrigin: connection.maximumConnections, total: connection.maximumConnectionsInTotal,
            loop: surroundings.eventLoopGroup.any())
        revocation = try RevocationLookups(for: connection, in: surroundings)
        connector = Connector(
            maximumFieldBytes: connection.maximumFieldBytes, maximumCalls: connection.maximumCallsPerConnection,
            acceptsCompression: connection.acceptsCompression,
            idleTimeout: TimeAmount(limited: connection.idleTimeout),
            toleratedIdentityProblems: connection.toleratedIdentityProblems, resolver: surroundings.resolver,
            revocation: revocation, probing: surroundings.probing, now: surroundings.now)
        session = AuthenticationSession(connection.authentication)
        questions = TrustQuestions(connection.onTrustFailure, connection.trustExceptions, now: surroundings.now)
        proxySession = AuthenticationSession(connection.proxy.authentication, isProxy: true)
        constantIdentity =
            connection.looksForIdentityOnDemand
            ? nil
            : connection.identity?.constant.map {
                (connection.allowsIdentityInRenegotiation ? .late($0) : .given($0), .certificate($0.leaf.sha256))
            }
        keeper = connection.warmConnections.map { [pool] in WarmKeeper($0, pool) }
        keeper?.begin(for: self)
    }

    deinit {
        keeper?.stop()
        for connection in pool.shutDown() { connection.close() }
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let deadline = CallDeadline(request.deadlines)
        var outgoing = try OutgoingRequest(
            request, acceptsCompression: configuration.acceptsCompression,
            authority: request.endpoint.origin == origin ? authority : nil)
        do {
            let call = try await call(to: request.endpoint.origin, deadline: deadline, request.deadlines)
            if call.isPlainProxy { outgoing.makeAbsolute(for: call.key.origin) }
            let (answer, before) = try await authenticated(call, consume outgoing, for: request)
            if let keeper, call.key.origin == origin { keeper.used(call) }
            var report = before
            report.duration = ContinuousClock.now - start
            return response(answer, report)
        } catch is CancellationError {
            throw TransportError.cancelled()
        }
    }

    public func warmUp(_ endpoint: Endpoint, connections count: Int = 1, deadlines: Deadlines = .init()) async throws {
        let deadline = CallDeadline(deadlines)
        do {
            let call = try await call(to: endpoint.origin, deadline: deadline, deadlines)
            let limit = min(count, configuration.maximumConnections, configuration.maximumConnectionsInTotal)
            try await withThrowingTaskGroup(of: HTTPConnection.self) { group in
                for _ in 0..<max(0, limit) { group.addTask { try await call.connection().0 } }
                var opened: [HTTPConnection] = []
                defer {
                    for connection in opened {
                        connection.rest()
                        pool.giveBack(connection)
                    }
                }
                var failure: (any Error)?
                while let result = await group.nextResult() {
                    switch result {
                    case .success(let connection): opened.append(connection)
                    case .failure(let error): failure = failure ?? error
                    }
                }
                if let failure { throw failure }
            }
            if let keeper, call.key.origin == origin { keeper.used(call) }
        } catch is CancellationError {
            throw TransportError.cancelled()
        }
    }

    public func renewConnections() {
        pool.drain()
        keeper?.check()
    }

    public func suspendConnections() {
        keeper?.suspend()
        pool.suspend()
    }

    public func resumeConnections() {
        pool.resume()
        keeper?.resume()
    }

    /// Opens a connection to ``origin`` in advance, for which no call waits.
    ///
    /// - Parameter count: the number of connections that are wanted in all; no more are opened.
    /// - Returns: the key of the connection; nil when there are enough, or no room.
    func openAhead(upTo count: Int, _ deadlines: Deadlines) async throws -> PoolKey? {
        var call = try await call(to: origin, deadline: CallDeadline(deadlines), deadlines)
        call.mayAsk = false
        let key = call.key()
        guard let number = pool.openAhead(key, upTo: count, expecting: 1) else { return nil }
        let connection = try await call.open(number, key)
        // The connection may have closed before the pool knew it.
        guard connection.channel.isActive else {
            call.drop(connection)
            throw TransportError(.connectionClosed, "\(origin) closed the connection as soon as it was open.")
        }
        call.giveBackUnused(connection, isReused: false)
        return key
    }

    public func shutdown() async throws {
        keeper?.stop()
        let connections = pool.shutDown()
        for connection in connections { connection.close() }
        for connection in connections { await connection.closed() }
        try await revocation.shutDown()
    }

    // MARK: Route and identity

    private func route(to origin: Origin) -> Route {
        if let path = configuration.unixSocketPath, origin == self.origin { return .unixSocket(path) }
        return configuration.proxy.rules?.proxy(for: origin).map { .proxy($0) } ?? .direct
    }

    public func isLocal(_ origin: Origin) -> Bool {
        switch route(to: origin) {
        case .direct: origin.isLoopback
        case .unixSocket: true
        // Only the proxy knows the origin's address.
        case .proxy: false
        }
    }

    public func proofs(at origin: Origin) -> ClientProofs? {
        configuration.proofs(at: origin, of: self.origin)
    }

    public var connectionCounts: ConnectionCounts? { pool.counts }

    private func call(to origin: Origin, deadline: CallDeadline, _ deadlines: Deadlines) async throws -> Call {
        let route = route(to: origin)
        let (identity, identityKey) = try await identityAndKey(at: origin, deadline)
        return Call(
            transport: self, key: PoolKey(origin: origin, route: route, identity: identityKey), identity: identity,
            deadline: deadline, deadlines: deadlines)
    }

    private func identityAndKey(
        at origin: Origin, _ deadline: CallDeadline
    ) async throws -> (shown: ClientIdentity, key: ConnectionIdentity) {
        guard origin == self.origin, origin.scheme == .https else { return (.none, .none) }
        if let constantIdentity { return constantIdentity }
        guard let source = configuration.identity else { return (.none, .none) }
        let identity = try await identity(
            source, onDemand: configuration.looksForIdentityOnDemand, deadline: deadline)
        switch identity {
        case .none: return (.none, .none)
        case .onDemand: return (identity, .onDemand)
        case .given(let found), .late(let found):
            return (
                configuration.allowsIdentityInRenegotiation ? .late(found) : .given(found),
                .certificate(found.leaf.sha256)
            )
        }
    }

    func identity(
        _ source: IdentitySource, onDemand: Bool = false, deadline: CallDeadline
    ) async throws -> ClientIdentity {
        if onDemand {
            return .onDemand { [connector] in
                let identity = try await source.current()
                if let identity { try connector.check(identity) }
                return identity
            }
        }
        if let constant = source.constant { return .given(constant) }
        let identity = try await deadline.race(while: "looking for the identity") { try await source.current() }
        return identity.map { .given($0) } ?? .none
    }

    // MARK: Legs

    private func authenticated(
        _ call: Call, _ outgoing: consuming OutgoingRequest, for request: ClientRequest
    ) async throws -> (ReceivedResponse, ExchangeReport) {
        var call = call
        // Credentials that the caller wrote into the request are the caller's own: the transport adds none.
        let callerHandlesCredentials =
            request.callerHandlesCredentials || request.fields.value(of: .authorization) != nil
        let origin = call.key.origin
        // Policies use this for http only.
        let isLocal = origin.scheme == .http && isLocal(origin)
        var peers = AuthenticatingPeers(
            origin: try .origin(
                origin == self.origin && !callerHandlesCredentials ? session : anonymousSession, origin,
                path: outgoing.path,
                isLocal: isLocal))
        var terms = AuthenticationLegs.Request(over: call.isPlainProxy ? .plainProxy : .direct)
        if call.isPlainProxy, case .proxy(let proxy) = call.key.route {
            peers[.proxy] = try .proxy(proxySession, proxy)
        }
        terms.callerHandlesCredentials = callerHandlesCredentials
        terms.callerBindsConnection = callerHandlesCredentials && outgoing.callerBindsConnection
        terms.isStream = outgoing.stream != nil
        terms.expectsContinue = outgoing.expectsContinue
        terms.isSafe = outgoing.isSafe
        call.needsHTTP1 = terms.callerBindsConnection
        var driver = CallLegs(call, consume outgoing, consume peers, receiver: request.contentReceiver)
        do {
            try await AuthenticationLegs(terms).run(&driver)
            return try driver.result()
        } catch {
            request.failureReport?(driver.report)
            throw error
        }
    }

    // MARK: Content

    static func status(of head: HTTPResponseHead) -> HTTPResponse.Status {
        .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
    }

    /// - Parameter isDecoded: whether the content that is passed on differs in length and coding from what arrived.
    static func fields(of head: HTTPResponseHead, isDecoded: Bool) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            if isDecoded, ["content-encoding", "content-length"].contains(name.lowercased()) { continue }
            if let name = AnswerFieldNames.name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    private func response(_ answer: ReceivedResponse, _ report: ExchangeReport) -> ClientResponse {
        ClientResponse(
            status: Self.status(of: answer.head), fields: Self.fields(of: answer.head, isDecoded: answer.isDecoded),
            body: answer.body, report: report)
    }
}
