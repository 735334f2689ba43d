/// One peer in one exchange: its session, its part of the exchange, and the names of its fields.
package struct AuthenticatingPeer: Sendable {
    /// Whether it is the origin or a proxy on the way.
    package let role: AuthenticationLegs.Peer
    package let session: AuthenticationSession
    /// The state of authentication to this peer.
    package var exchange: AuthenticationExchange

    /// - Parameters:
    ///   - role: the role for which its session was made: with `isProxy` for a proxy.
    ///   - session: the session that answers the peer's challenges.
    ///   - exchange: an exchange that the session has begun.
    package init(
        _ role: AuthenticationLegs.Peer, _ session: AuthenticationSession, _ exchange: AuthenticationExchange
    ) {
        self.role = role
        self.session = session
        self.exchange = exchange
    }

    // MARK: Names, in lower case

    /// The field of its challenges: `www-authenticate` or `proxy-authenticate` (RFC 9110 §11.6.1, §11.7.1).
    package var challengeField: String { role == .origin ? "www-authenticate" : "proxy-authenticate" }

    /// The field of credentials for it: `authorization` or `proxy-authorization` (RFC 9110 §11.6.2, §11.7.2).
    package var credentialsField: String { role == .origin ? "authorization" : "proxy-authorization" }

    /// The field of its statement after it has accepted credentials: `authentication-info` or
    /// `proxy-authentication-info` (RFC 9110 §11.6.3, §11.7.3).
    package var informationField: String {
        role == .origin ? "authentication-info" : "proxy-authentication-info"
    }

    /// The state in the form for the legs.
    package var state: AuthenticationLegs.PeerState {
        var state = AuthenticationLegs.PeerState(user: exchange.user)
        state.isProofComplete = exchange.isProofComplete
        state.hasSentLastMessage = exchange.hasSentLastMessage
        state.coversContent = exchange.coversContent
        state.handshakeConnection = exchange.handshakeConnection
        return state
    }

    fileprivate var isAddressed: Bool { exchange.isValid || exchange.needsPreparation }

    // MARK: Steps of its session

    /// ``AuthenticationSession/prepare(_:)``, if it is needed.
    package mutating func prepare() async throws {
        if exchange.needsPreparation { try await session.prepare(&exchange) }
    }

    /// ``AuthenticationSession/authorization(_:for:over:)``
    package mutating func authorization(
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        try await session.authorization(&exchange, for: request, over: channel)
    }

    /// Processes a challenge, without asking a source for credentials.
    ///
    /// - Parameters:
    ///   - status: of the answer.
    ///   - fields: The lines of ``challengeField``.
    /// - Returns: Whether a handshake continues. If not, ``choose()`` follows.
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    package mutating func handleChallenge(status: Int, fields: [String]) async throws -> Bool {
        try await session.continuesHandshake(&exchange, status: status, fields: fields)
    }

    /// Finds the credentials for the next leg after ``handleChallenge(status:fields:)``.
    ///
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    package mutating func choose() async throws { try await session.choose(&exchange) }

    /// Drops credentials that would begin a handshake before the peer asks.
    package mutating func waitForChallenge() { _ = exchange.deferFirstToken() }

    /// The peer has accepted a request whose answer is the challenge of the other peer.
    package mutating func endHandshake() { exchange.endHandshake() }

    /// ``AuthenticationSession/verify(_:challenges:information:content:)``
    package func verify(challenges: [String], information: [String], content: [UInt8]) async throws {
        try await session.verify(exchange, challenges: challenges, information: information, content: content)
    }

    /// The work of ``AuthenticationSession/keep(_:status:)``; nil when there is nothing to store.
    package mutating func keeping(status: Int) -> (@Sendable () async -> Void)? {
        session.keeping(&exchange, status: status)
    }

    /// ``AuthenticationSession/finish(_:status:)``
    package mutating func finish(status: Int?) { session.finish(&exchange, status: status) }
}

/// The peers of one exchange, one or two.
package struct AuthenticatingPeers: Sendable {
    private var origin: AuthenticatingPeer?
    private var proxy: AuthenticatingPeer?

    /// - Parameters:
    ///   - origin: nil if the origin does not read the request, as with `CONNECT`.
    ///   - proxy: nil if no proxy reads the request.
    package init(origin: AuthenticatingPeer? = nil, proxy: AuthenticatingPeer? = nil) {
        self.origin = origin
        self.proxy = proxy
    }

    /// The peer in a role, if the exchange has one.
    package subscript(_ role: AuthenticationLegs.Peer) -> AuthenticatingPeer? {
        get { role == .origin ? origin : proxy }
        set { if role == .origin { origin = newValue } else { proxy = newValue } }
    }

    /// The peers for which the next or the last leg carries something, and those for which credentials have to be
    /// looked up first; the origin comes first. For other peers there is nothing to authorize, to verify or to keep.
    package var addressed: AuthenticationLegs.Peers {
        .init(origin: origin?.isAddressed == true, proxy: proxy?.isAddressed == true)
    }

    /// The scheme of the next leg's credentials for the origin, for reports.
    package var schemeAtOrigin: String? {
        // The exchange is large, so it is read only when it has something to report.
        addressed.contains(.origin) ? origin?.exchange.carriedScheme : nil
    }

    /// Works on the peer in a role. The changes to its exchange are kept, whether the work succeeds or not.
    ///
    /// - Returns: The result of the work; nil if the exchange has no such peer.
    @discardableResult
    package mutating func update<Value>(
        _ role: AuthenticationLegs.Peer, _ work: (inout AuthenticatingPeer) async throws -> Value
    ) async rethrows -> Value? {
        guard var peer = self[role] else { return nil }
        defer { self[role] = peer }
        return try await work(&peer)
    }

    /// The state of the peer in a role, in the form for the legs.
    package func state(of role: AuthenticationLegs.Peer) -> AuthenticationLegs.PeerState {
        self[role]?.state ?? .init()
    }

    /// The states of all peers, in the form for the legs.
    package var states: AuthenticationLegs.PeerStates {
        var states: AuthenticationLegs.PeerStates = [:]
        states[.origin] = origin?.state
        states[.proxy] = proxy?.state
        return states
    }

    /// Ends the exchanges with all peers.
    ///
    /// - Parameter status: ``AuthenticationLegs/verifiedStatus``
    package mutating func finish(status: Int?) {
        origin?.finish(status: status)
        proxy?.finish(status: status)
    }
}
