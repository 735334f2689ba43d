import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import SignetAuthentication
import SignetHTTP
import SignetTLS

/// Carries out the legs with a proxy that is asked for a tunnel, over connections that do not belong to the pool.
struct TunnelLegs: AuthenticationDriver {
    var peers: AuthenticatingPeers
    private let call: Call
    private let peer: Peer
    private let proxy: Proxy
    private let proxyPeer: Peer
    private let number: Int
    private let loop: any EventLoop
    private let owner: Connector.Owner
    private var request: OutgoingRequest
    private var connection: HTTPConnection?
    /// Whether the connection was opened for this leg and has not been answered yet.
    private var isFresh = false
    private var answer: ReceivedResponse?
    private var opened: HTTPConnection?

    init(
        _ call: Call, to peer: Peer, through proxy: Proxy, _ proxyPeer: Peer, _ asking: AuthenticatingPeer,
        _ number: Int, on loop: any EventLoop, owner: Connector.Owner
    ) {
        peers = .init(proxy: asking)
        self.call = call
        self.peer = peer
        self.proxy = proxy
        self.proxyPeer = proxyPeer
        self.number = number
        self.loop = loop
        self.owner = owner
        request = OutgoingRequest(tunnelTo: call.key.origin, deadlines: call.deadlines)
    }

    /// The connection to the origin, after the last leg.
    func result() throws -> HTTPConnection {
        guard let opened else { throw AuthenticationLegs.undecided(.outOfOrder, by: "The proxy \(proxy)") }
        return opened
    }

    mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event? {
        switch action {
        case .prepare(let role):
            try await peers.update(role) { [call] in try await $0.prepare(call.deadline) }
            return .prepared(peers.state(of: role))
        case .lease(_, let overKept): return try await lease(overKept: overKept)
        case .authorize(let roles): return try await authorize(roles)
        case .send: return try await send()
        case .handleChallenge(let role):
            guard let answer else { return nil }
            let continuesHandshake = try await peers.update(role) { [call] in
                try await $0.handleChallenge(answer, call.deadline)
            }
            return continuesHandshake.map { .challengeHandled(continuesHandshake: $0, peers.state(of: role)) }
        case .choose(let role):
            try await peers.update(role) { [call] in try await $0.choose(call.deadline) }
            return .chosen(peers.state(of: role))
        case .verify:
            guard let answer else { return nil }
            for role in peers.addressed { try await peers[role]?.verify(answer.head, content: answer.body) }
            return .verified
        case .openTunnel: return try await openTunnel()
        case .keepCredentials(let role):
            await keepCredentials(of: role)
        case .drop:
            connection?.close()
            connection = nil
        // None of these occurs when a proxy is asked for a tunnel: the request has no content, and its connection no
        // user.
        case .expectContinue, .dropExpectation, .accept, .endHandshake, .giveBack, .giveBackUnused, .deliver, .fail:
            break
        }
        return nil
    }

    // MARK: The request

    private mutating func lease(overKept: Bool) async throws -> AuthenticationLegs.Event? {
        isFresh = false
        if !overKept {
            connection = try await call.openingWithTrustExceptions(proxyPeer) { [call, number, loop] in
                try await call.transport.connector.open(to: $0, call.attempt(number), on: loop, owner: nil)
            }
            isFresh = true
        }
        return connection.map { .leased(.init(number: $0.identifier, isReused: !isFresh)) }
    }

    private mutating func authorize(_ roles: AuthenticationLegs.Peers) async throws -> AuthenticationLegs.Event? {
        guard let connection else { return nil }
        for role in roles {
            guard var peer = peers[role] else { continue }
            defer { peers[role] = peer }
            try await peer.authorize(&request, over: connection, call.deadline)
        }
        return .authorized(peers.states)
    }

    private mutating func send() async throws -> AuthenticationLegs.Event? {
        guard let connection else { return nil }
        let answer = try await connection.exchange(request, deadline: call.deadline)
        self.answer = answer
        isFresh = false
        let status = Int(answer.head.status.code)
        call.logger.trace(
            "proxy", metadata: ["connection": "\(number)", "proxy": "\(proxy)", "status": "\(status)"])
        return .answered(.init(status: status, isReusable: answer.isReusable))
    }

    private mutating func openTunnel() async throws -> AuthenticationLegs.Event? {
        guard let connection else { return nil }
        do {
            opened = try await call.transport.connector.tunnel(
                through: connection, to: peer, call.attempt(number), owner: owner)
        } catch let error as TransportError { throw portal(error) ?? error }
        return .tunnelOpened
    }

    private mutating func keepCredentials(of role: AuthenticationLegs.Peer) async {
        guard let answer else { return }
        let (status, deadline) = (Int(answer.head.status.code), call.deadline)
        await peers.update(role) { await $0.keep(status, deadline) }
    }

    // MARK: Errors

    func event(for error: any Error) -> AuthenticationLegs.Event { lossEvent(for: error) }

    func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
        switch (failure, error) {
        case (.reported(let role), .some(let error)):
            let reported = reported(error, amidHandshakeOf: role)
            guard isFresh, var lost = reported as? TransportError else { return reported }
            // Nothing of the call itself has been sent.
            lost.mayHaveBeenProcessed = false
            return lost
        case (.tunnelRefused(let status), _): return refusal(status)
        default: return AuthenticationLegs.undecided(failure, by: "The proxy \(proxy)")
        }
    }

    /// What stands in the way may answer as if it opened a tunnel, and send a page that says what it demands.
    ///
    /// - Returns: nil when the answer was no page, or a server was reached behind it.
    private func portal(_ error: TransportError) -> TransportError? {
        let type = answer?.head.headers.first(name: "content-type")?.lowercased() ?? ""
        let codes: [TransportError.Code] = [.tlsHandshakeFailed, .connectionClosed, .malformedResponse]
        guard type.hasPrefix("text/html"), codes.contains(error.code) else { return nil }
        if let failure = error.cause as? HandshakeFailure {
            guard failure.hello == nil else { return nil }
        } else {
            // The page came where TLS should begin; what is wrong with HTTP/2 comes from a server.
            guard error.code == .malformedResponse, !(error.cause is any NIOHTTP2Error) else { return nil }
        }
        return TransportError(
            .proxyRefused,
            "The proxy \(proxy) answered the request for a tunnel to \(call.key.origin) with a web page, and opened none. It may want a login or a consent first: open any page in a browser, or ask its administrator.",
            cause: error)
    }

    private func refusal(_ status: Int) -> TransportError {
        let advice =
            switch status {
            case 403: "its rules do not allow this host or port"
            case 404, 502: "it could not reach or resolve the host"
            case 503: "it has no capacity, or the host is down"
            case 504: "the host did not answer it in time"
            case 400, 405, 501: "it may not be a proxy, or may not allow tunnels"
            default: "ask its administrator"
            }
        // NIO's decoder skips the content of an answer to CONNECT.
        let after = answer?.head.headers.first(name: "retry-after").map {
            " It asks to be tried again after \($0.printable)."
        }
        return TransportError(
            .proxyRefused,
            "The proxy \(proxy) answered \(status) to the request for a tunnel to \(call.key.origin): \(advice).\(after ?? "")"
        )
    }
}
