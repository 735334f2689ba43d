import Logging
import NIOCore
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetTLS

/// A peer that is not trusted, and for which there is no exception.
private struct RefusedPeer: Error {
    var error: TrustError

    /// The subject of a certificate does not show whose it is, so the message names the peer.
    init(_ error: TrustError, _ peer: Peer) {
        let advice =
            peer.isProxy && [.unknownAuthority, .selfSigned].contains(error.code)
            ? " Give the authority of a proxy with proxy.trust (signet: --proxy-ca)." : ""
        self.error = error
        self.error.message =
            "The \(peer.isProxy ? "proxy" : "server") \(peer.origin) is not trusted. \(error.message)\(advice)"
    }
}

/// The part of a call that is the same for all its legs.
struct Call: Sendable {
    let transport: NIOTransport
    /// Of its connections, without the users and the version of HTTP, which may change from leg to leg.
    let key: PoolKey
    let identity: ClientIdentity
    let deadline: CallDeadline
    let deadlines: Deadlines
    /// Whether a person may be asked to overrule a failure of trust.
    var mayAsk = true
    /// Whether the call cannot use HTTP/2, which does not concern other calls.
    var needsHTTP1 = false

    /// Whether requests go to a proxy directly, without a tunnel.
    var isPlainProxy: Bool {
        if case .proxy = key.route { key.origin.scheme == .http } else { false }
    }

    /// What is known about the server to which the call's connections lead.
    private var server: KnownServer {
        key.origin == transport.origin ? transport.server : transport.servers.server(of: key)
    }

    var logger: Logger { transport.configuration.logger }

    // MARK: Connections

    /// Ends a leg.
    func giveBack(_ connection: HTTPConnection, after answer: ReceivedResponse) {
        if answer.isReusable { transport.pool.giveBack(connection) } else { transport.pool.remove(connection.number) }
    }

    /// Returns a connection to the pool over which this call has sent nothing.
    func giveBackUnused(_ connection: HTTPConnection, isReused: Bool) {
        if !isReused { connection.rest() }
        transport.pool.giveBack(connection)
    }

    /// Ends the use of a connection after an exchange that failed. A connection that carries several calls ends itself
    /// if it cannot be used any more.
    func drop(_ connection: HTTPConnection) {
        if connection.isShared, connection.channel.isActive {
            connection.rest()
            return transport.pool.giveBack(connection)
        }
        transport.pool.remove(connection.number)
        connection.close()
    }

    /// The key of connections for the next leg.
    func key(as users: Set<ConnectionUser> = []) -> PoolKey {
        var key = key
        key.users = users
        guard transport.configuration.offersHTTP2, key.origin.scheme == .https, !needsHTTP1 else { return key }
        // What is authenticated is a connection, which HTTP/2 shares between calls.
        if !users.isEmpty { server.needsHTTP1 = true }
        key.offersHTTP2 = !server.needsHTTP1
        return key
    }

    func connection(as users: Set<ConnectionUser> = []) async throws -> (HTTPConnection, isReused: Bool) {
        do {
            return try await connection(for: key(as: users), as: users)
        } catch is HTTP1Required {
            server.needsHTTP1 = true
            return try await connection(for: key(as: users), as: users)
        }
    }

    private func connection(
        for key: PoolKey, as users: Set<ConnectionUser>
    ) async throws -> (HTTPConnection, isReused: Bool) {
        let pool = transport.pool
        let capacity = key.offersHTTP2 ? server.expectedCapacity : 1
        switch try await pool.lease(key, expecting: capacity, deadline: deadline) {
        case .use(let connection):
            // An exception may have been revoked, or may have expired.
            var isTrusted = connection.exceptions.isEmpty
            if !isTrusted { isTrusted = (try? await transport.questions.hold(connection.exceptions)) ?? false }
            if !isTrusted {
                pool.retire(connection.number)
                pool.giveBack(connection)
                return try await self.connection(as: users)
            }
            return (connection, true)
        case .open(let number): return (try await open(number, key), false)
        }
    }

    // MARK: Opening

    func attempt(_ number: Int) -> Connector.Attempt {
        .init(number: number, allowed: deadlines.connect, deadline: deadline)
    }

    /// Opens a connection to which the pool has given a number, and reports it to the pool.
    func open(_ number: Int, _ key: PoolKey) async throws -> HTTPConnection {
        let (pool, keeper, server) = (transport.pool, transport.keeper, server)
        let owner = Connector.Owner(
            mayExpire: { atServersLimit in
                pool.expire(number, keeping: atServersLimit ? 0 : keeper?.floor(of: key) ?? 0)
            },
            resize: { capacity in
                server.http2Capacity = capacity
                pool.resize(number, to: capacity)
            },
            retire: { pool.retire(number) }, fallBack: { server.needsHTTP1 = true },
            closed: {
                pool.remove(number)
                keeper?.check()
            },
            idleLimit: server.idleLimit)
        let connection: HTTPConnection
        do {
            connection = try await open(number, key, owner: owner)
        } catch {
            pool.openingFailed(key: key)
            let error = (error as? RefusedPeer)?.error ?? error
            logger.debug(
                "connection failed",
                metadata: ["connection": "\(number)", "origin": "\(key.origin)", "error": "\(error)"])
            throw error
        }
        if key.offersHTTP2 { server.http2Capacity = connection.isShared ? connection.capacity : nil }
        try pool.opened(connection, key: key, capacity: connection.isShared ? connection.capacity : 1)
        if connection.isShared { connection.reportCapacity() }
        for mismatch in connection.report.tls?.pinMismatches ?? [] {
            logger.warning("pins do not hold", metadata: ["connection": "\(number)", "seen": "\(mismatch)"])
        }
        logger.debug(
            "connection opened",
            metadata: [
                "connection": "\(number)", "origin": "\(key.origin)",
                "remote": "\(connection.report.remoteAddress)", "proxy": "\(connection.report.proxy ?? "none")",
                "tls": "\(connection.report.tls.map { "\($0.version) \($0.cipherSuite)" } ?? "none")",
                "http": "\(connection.report.httpVersion ?? "")",
            ])
        return connection
    }

    private func open(_ number: Int, _ key: PoolKey, owner: Connector.Owner) async throws -> HTTPConnection {
        let loop = transport.surroundings.eventLoopGroup.next()
        let configuration = transport.configuration
        var peer = Peer(origin: key.origin, via: key.route, identity: identity, trust: configuration.trust)
        peer.allowsInsecureCipherSuites = configuration.allowsInsecureCipherSuites
        peer.isOfferedHTTP2 = key.offersHTTP2
        guard case .proxy(let proxy) = key.route else {
            return try await openingWithTrustExceptions(peer) {
                try await transport.connector.open(to: $0, attempt(number), on: loop, owner: owner)
            }
        }
        var proxyPeer = Peer(
            proxy: proxy, identity: try await proxyIdentity(proxy), trust: configuration.proxy.trust)
        proxyPeer.allowsInsecureCipherSuites = configuration.proxy.allowsInsecureCipherSuites
        if isPlainProxy {
            return try await openingWithTrustExceptions(proxyPeer) {
                try await transport.connector.open(to: $0, attempt(number), on: loop, owner: owner)
            }
        }
        return try await openingWithTrustExceptions(peer) { [proxyPeer] in
            try await tunnel(to: $0, through: proxy, proxyPeer, number, on: loop, owner: owner)
        }
    }

    /// Opens a connection to `peer`, and tries once more when the peer is refused and an exception overrules the
    /// refusal.
    func openingWithTrustExceptions(
        _ peer: Peer, _ open: (Peer) async throws -> HTTPConnection
    ) async throws -> HTTPConnection {
        guard peer.origin.scheme == .https else { return try await open(peer) }
        var peer = peer
        peer.exceptions = try await transport.questions.exceptions()
        do {
            return try await open(peer)
        } catch let error as TrustError {
            guard mayAsk else { throw RefusedPeer(error, peer) }
            let questions = transport.questions
            let isOverruled = try await deadline.race(
                while: "asking whether to trust \(peer)"
            ) { [peer] in try await questions.overrules(error, peer) }
            guard isOverruled else { throw RefusedPeer(error, peer) }
            peer.exceptions = try await questions.exceptions()
            do { return try await open(peer) } catch let error as TrustError { throw RefusedPeer(error, peer) }
        }
    }

    private func proxyIdentity(_ proxy: Proxy) async throws -> ClientIdentity {
        guard proxy.origin.scheme == .https, let source = transport.configuration.proxy.identity else { return .none }
        return try await transport.identity(source, deadline: deadline)
    }

    /// Asks the proxy for a tunnel, answers its challenges, and connects to the origin through the tunnel.
    private func tunnel(
        to peer: Peer, through proxy: Proxy, _ proxyPeer: Peer, _ number: Int, on loop: any EventLoop,
        owner: Connector.Owner
    ) async throws -> HTTPConnection {
        var driver = TunnelLegs(
            self, to: peer, through: proxy, proxyPeer, try .proxy(transport.proxySession, proxy), number, on: loop,
            owner: owner)
        try await AuthenticationLegs(.init(over: .tunnel)).run(&driver)
        return try driver.result()
    }
}
