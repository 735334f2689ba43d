import Logging
import NIOCore
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetTLS

/// A peer that is not believed, and nobody overruled it.
private struct RefusedPeer: Error {
    let error: TrustError

    /// The certificate says little of whose it is: a proxy is named.
    init(_ error: TrustError, _ peer: Peer) {
        var error = error
        if peer.isProxy {
            let advice =
                [.unknownAuthority, .selfSigned].contains(error.code)
                ? " Give the authority of a proxy with proxy.trust (signet: --proxy-ca)." : ""
            error.message = "The proxy \(peer.origin) is not believed. \(error.message)\(advice)"
        }
        self.error = error
    }
}

/// What stays the same for all legs of a call.
struct Call: Sendable {
    let transport: NIOTransport
    let key: PoolKey
    let identity: ClientIdentity
    let deadline: CallDeadline
    let deadlines: Deadlines

    /// Whether requests are given to a proxy as they are, without a tunnel.
    var isPlainProxy: Bool {
        if case .proxy = key.route { key.origin.scheme == .http } else { false }
    }

    private var logger: Logger { transport.configuration.logger }

    // MARK: One leg on some connection

    /// - Parameters:
    ///   - users: whose connection it has to be.
    ///   - kept: the connection of the last leg, where the next one has to go over it. It is closed where the leg fails.
    ///   - write: makes the request for the connection that it will go over.
    func run(
        as users: Set<ConnectionUser>, over kept: HTTPConnection?, _ report: inout ExchangeReport,
        _ write: (HTTPConnection) async throws -> Outgoing
    ) async throws -> (HTTPConnection, Answer) {
        var mayRepeat = true
        var kept = kept
        while true {
            let (connection, isReused) =
                if let kept { (kept, true) } else { try await self.connection(as: users) }
            let isKept = kept != nil
            kept = nil
            let outgoing: Outgoing
            do { outgoing = try await write(connection) } catch {
                if isKept {
                    drop(connection)
                } else {
                    if !isReused { connection.rest(for: TimeAmount(limited: deadlines.idle)) }
                    transport.pool.giveBack(connection)
                }
                throw error
            }
            do {
                let answer = try await connection.exchange(
                    outgoing.request, deadline: deadline, judge: outgoing.judge)
                if !isReused || report.connection.number != connection.number {
                    report.connection = connection.report
                    report.connection.reused = isReused
                    if isReused { report.connection.establishment = .zero }
                }
                report.legs.append(.init(status: Int(answer.head.status.code), authorization: outgoing.scheme))
                logger.trace(
                    "exchange",
                    metadata: [
                        "connection": "\(connection.number)", "status": "\(answer.head.status.code)",
                        "sent":
                            "\(outgoing.request.stream.map { $0.length.map(String.init) ?? "unknown" } ?? "\(outgoing.request.body.readableBytes)")",
                        "received": "\(answer.taken ?? Int64(answer.body.count))",
                    ])
                return (connection, answer)
            } catch is UntouchedConnection {
                transport.pool.giveBack(connection)
                throw TransportError.cancelled()
            } catch {
                drop(connection)
                let unanswered = error as? UnansweredRequest
                let failure: any Error = unanswered?.failure ?? error
                logger.debug(
                    "connection lost", metadata: ["connection": "\(connection.number)", "error": "\(failure)"])
                if error is StaleConnection { continue }
                // A server may close an idle connection in the moment in which it is used again.
                // In the middle of a handshake that would be another login.
                guard unanswered != nil, isReused, !isKept, mayRepeat, outgoing.request.isSafe else { throw failure }
                mayRepeat = false
            }
        }
    }

    /// A request, and the scheme of the credentials that it carries for the origin.
    struct Outgoing {
        let request: OutgoingRequest
        let scheme: String?
        /// Says who takes the content of the answer.
        let judge: HTTPConnection.Judge?
    }

    /// Ends a leg.
    func giveBack(_ connection: HTTPConnection, after answer: Answer) {
        if answer.isReusable { transport.pool.giveBack(connection) } else { transport.pool.remove(connection.number) }
    }

    /// Makes an end of a connection that nobody can use any more.
    func drop(_ connection: HTTPConnection) {
        transport.pool.remove(connection.number)
        connection.close()
    }

    func connection(as users: Set<ConnectionUser> = []) async throws -> (HTTPConnection, isReused: Bool) {
        let pool = transport.pool
        var key = key
        key.users = users
        switch try await pool.lease(key, deadline: deadline) {
        case .use(let connection):
            // An exception may have been revoked, or have expired.
            var isBelieved = connection.exceptions.isEmpty
            if !isBelieved { isBelieved = (try? await transport.questions.hold(connection.exceptions)) ?? false }
            if !isBelieved {
                pool.remove(connection.number)
                connection.close()
                return try await self.connection(as: users)
            }
            return (connection, true)
        case .open(let number):
            let connection: HTTPConnection
            do {
                connection = try await open(
                    number, owner: .init(mayExpire: { pool.expire(number) }, closed: { pool.remove(number) }))
            } catch {
                pool.openingFailed(key: key)
                let error = (error as? RefusedPeer)?.error ?? error
                logger.debug(
                    "connection failed",
                    metadata: ["connection": "\(number)", "origin": "\(key.origin)", "error": "\(error)"])
                throw error
            }
            try pool.opened(connection, key: key)
            for mismatch in connection.report.tls?.pinMismatches ?? [] {
                logger.warning("pins do not hold", metadata: ["connection": "\(number)", "seen": "\(mismatch)"])
            }
            logger.debug(
                "connection opened",
                metadata: [
                    "connection": "\(number)", "origin": "\(key.origin)",
                    "remote": "\(connection.report.remoteAddress)", "proxy": "\(connection.report.proxy ?? "none")",
                    "tls": "\(connection.report.tls.map { "\($0.version) \($0.cipherSuite)" } ?? "none")",
                ])
            return (connection, false)
        }
    }

    // MARK: Opening

    private func attempt(_ number: Int) -> Connector.Attempt {
        .init(number: number, allowed: deadlines.connect, deadline: deadline)
    }

    private func open(_ number: Int, owner: Connector.Owner) async throws -> HTTPConnection {
        let loop = transport.surroundings.eventLoopGroup.next()
        let configuration = transport.configuration
        var peer = Peer(origin: key.origin, via: key.route, identity: identity, trust: configuration.trust)
        peer.allowsInsecureCipherSuites = configuration.allowsInsecureCipherSuites
        guard case .proxy(let proxy) = key.route else {
            return try await believing(peer) {
                try await transport.connector.open(to: $0, attempt(number), on: loop, owner: owner)
            }
        }
        var proxyPeer = Peer(
            proxy: proxy, identity: try await proxyIdentity(proxy), trust: configuration.proxy.trust)
        proxyPeer.allowsInsecureCipherSuites = configuration.proxy.allowsInsecureCipherSuites
        if isPlainProxy {
            return try await believing(proxyPeer) {
                try await transport.connector.open(to: $0, attempt(number), on: loop, owner: owner)
            }
        }
        return try await believing(peer) { [proxyPeer] in
            try await tunnel(to: $0, through: proxy, proxyPeer, number, on: loop, owner: owner)
        }
    }

    /// Opens a connection to `peer`, and once more when it is refused and that refusal is overruled.
    private func believing(
        _ peer: Peer, _ open: (Peer) async throws -> HTTPConnection
    ) async throws -> HTTPConnection {
        guard peer.origin.scheme == .https else { return try await open(peer) }
        var peer = peer
        peer.exceptions = try await transport.questions.exceptions()
        do {
            return try await open(peer)
        } catch let error as TrustError {
            let questions = transport.questions
            let isOverruled = try await deadline.race(
                while: "asking whether \(peer) is to be believed"
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

    /// Asks the proxy for a tunnel, answering its challenges, and goes on to the origin in it.
    private func tunnel(
        to peer: Peer, through proxy: Proxy, _ proxyPeer: Peer, _ number: Int, on loop: any EventLoop,
        owner: Connector.Owner
    ) async throws -> HTTPConnection {
        var asker = try Asker.proxy(transport.proxySession, proxy)
        var last: Int?
        defer { asker.session.finish(&asker.exchange, status: last) }
        try await asker.prepare(deadline)
        var kept: HTTPConnection?
        for _ in 0..<NIOTransport.maximumLegs {
            let (connection, answer) = try await ask(proxyPeer, &asker, over: kept, number, on: loop)
            kept = answer.isReusable ? connection : nil
            let status = Int(answer.head.status.code)
            logger.trace("proxy", metadata: ["connection": "\(number)", "proxy": "\(proxy)", "status": "\(status)"])
            do {
                switch status {
                case 200..<300:
                    try await asker.verify(answer.head, content: answer.body)
                    last = status
                    let opened = try await transport.connector.tunnel(
                        through: connection, to: peer, attempt(number), owner: owner)
                    await asker.keep(status, deadline)
                    return opened
                case 407:
                    if try await !asker.goesOn(answer, deadline) {
                        try await asker.choose(deadline)
                    }
                default:
                    throw Self.refusal(of: proxy, answer, to: key.origin)
                }
            } catch {
                connection.close()
                throw error
            }
        }
        kept?.close()
        throw AuthenticationError(
            .undecided,
            "The proxy \(proxy) asked for credentials \(NIOTransport.maximumLegs) times, and neither accepted any nor refused them for good; the call was given up."
        )
    }

    /// One leg with the proxy. A connection that it kept open after a challenge may be closed by now.
    private func ask(
        _ peer: Peer, _ asker: inout Asker, over kept: HTTPConnection?, _ number: Int,
        on loop: any EventLoop
    ) async throws -> (HTTPConnection, Answer) {
        if let kept {
            do { return try await ask(&asker, over: kept) } catch is StaleConnection {
            } catch let error as TransportError
                where error.code == .connectionClosed && !asker.exchange.hasSaidLast
            {
            } catch let error as TransportError {
                throw error.amidHandshake(of: [asker])
            }
        }
        let fresh = try await believing(peer) {
            try await transport.connector.open(to: $0, attempt(number), on: loop, owner: nil)
        }
        do {
            return try await ask(&asker, over: fresh)
        } catch var error as TransportError {
            // Nothing of the call itself has been sent.
            error.mayHaveBeenProcessed = false
            throw error
        }
    }

    private func ask(
        _ asker: inout Asker, over connection: HTTPConnection
    ) async throws -> (HTTPConnection, Answer) {
        do {
            var request = OutgoingRequest(tunnelTo: key.origin, deadlines: deadlines)
            do { try await asker.authorize(&request, over: connection, deadline) } catch is AuthenticationSession
                .UnfitConnection
            {
                // Another scheme, for which this one is as good: it is nobody's yet.
                try await asker.authorize(&request, over: connection, deadline)
            }
            return (connection, try await connection.exchange(request, deadline: deadline))
        } catch {
            connection.close()
            throw (error as? UnansweredRequest)?.failure
                ?? (error is UntouchedConnection ? TransportError.cancelled() : error)
        }
    }

    private static func refusal(of proxy: Proxy, _ answer: Answer, to origin: Origin) -> TransportError {
        let status = Int(answer.head.status.code)
        let advice =
            switch status {
            case 403: "its rules do not allow this host or port"
            case 404, 502: "it could not reach or resolve the host"
            case 503: "it has no capacity, or the host is down"
            case 504: "the host did not answer it in time"
            case 400, 405, 501: "it may not be a proxy, or may not allow tunnels"
            default: "ask whoever runs it"
            }
        // NIO's decoder passes over the content of an answer to CONNECT.
        let after = answer.head.headers.first(name: "retry-after").map {
            " It asks to be tried again after \($0.printable)."
        }
        return TransportError(
            .proxyRefused,
            "The proxy \(proxy) answered \(status) to the wish for a tunnel to \(origin): \(advice).\(after ?? "")")
    }
}
