/// One peer in one exchange: its session, its part of the exchange, and the names of its fields.
public struct AuthenticatingPeer: Sendable {
    /// Whether it is the origin or a proxy on the way.
    public let role: AuthenticationLegs.Peer
    package let session: AuthenticationSession
    /// How far authentication to this peer has come.
    public package(set) var exchange: AuthenticationExchange

    /// - Parameters:
    ///   - role: of a session that was made for it, with `isProxy` for a proxy.
    ///   - exchange: what the session has begun.
    public init(
        _ role: AuthenticationLegs.Peer, _ session: AuthenticationSession, _ exchange: AuthenticationExchange
    ) {
        self.role = role
        self.session = session
        self.exchange = exchange
    }

    // MARK: Names, in lower case

    /// The field of its challenges: `www-authenticate` or `proxy-authenticate` (RFC 9110 §11.6.1, §11.7.1).
    public var challengeField: String { role == .origin ? "www-authenticate" : "proxy-authenticate" }

    /// The field of credentials for it: `authorization` or `proxy-authorization` (RFC 9110 §11.6.2, §11.7.2).
    public var credentialsField: String { role == .origin ? "authorization" : "proxy-authorization" }

    /// The field of what it says of itself behind accepted credentials: `authentication-info` or
    /// `proxy-authentication-info` (RFC 9110 §11.6.3, §11.7.3).
    public var informationField: String {
        role == .origin ? "authentication-info" : "proxy-authentication-info"
    }

    /// The same as the legs have to know it.
    public var state: AuthenticationLegs.PeerState {
        var state = AuthenticationLegs.PeerState(user: exchange.user)
        state.isDecided = exchange.isDecided
        state.hasSaidLast = exchange.hasSaidLast
        state.coversContent = exchange.coversContent
        state.handshakeConnection = exchange.handshakeConnection
        return state
    }

    fileprivate var isAddressed: Bool { exchange.isValid || exchange.needsPreparation }

    // MARK: What its session does

    /// ``AuthenticationSession/prepare(_:)``, where it is needed.
    public mutating func prepare() async throws {
        if exchange.needsPreparation { try await session.prepare(&exchange) }
    }

    /// ``AuthenticationSession/authorization(_:for:over:)``
    public mutating func authorization(
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        try await session.authorization(&exchange, for: request, over: channel)
    }

    /// Takes in a challenge, and asks no source for credentials.
    ///
    /// - Parameters:
    ///   - status: of the answer.
    ///   - fields: The lines of ``challengeField``.
    /// - Returns: Whether a handshake goes on. If not, ``choose()`` follows.
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    public mutating func handleChallenge(status: Int, fields: [String]) async throws -> Bool {
        try await session.goesOn(&exchange, status: status, fields: fields)
    }

    /// Finds out what the next leg has to carry after ``handleChallenge(status:fields:)``.
    ///
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    public mutating func choose() async throws { try await session.choose(&exchange) }

    /// Says nothing before the peer asks, where that would be the first words of a handshake.
    public mutating func waitForChallenge() { _ = exchange.holdTongue() }

    /// The peer has let in a request whose answer is the challenge of another.
    public mutating func endHandshake() { exchange.endHandshake() }

    /// ``AuthenticationSession/verify(_:challenges:information:content:)``
    public func verify(challenges: [String], information: [String], content: [UInt8]) async throws {
        try await session.verify(exchange, challenges: challenges, information: information, content: content)
    }

    /// ``AuthenticationSession/keep(_:status:)``
    public mutating func keep(status: Int) async { await session.keep(&exchange, status: status) }

    /// What ``keep(status:)`` takes its time for; nil when there is nothing to be kept.
    package mutating func keeping(status: Int) -> (@Sendable () async -> Void)? {
        session.keeping(&exchange, status: status)
    }

    /// ``AuthenticationSession/finish(_:status:)``
    public mutating func finish(status: Int?) { session.finish(&exchange, status: status) }
}

/// The peers of one exchange, one or two.
public struct AuthenticatingPeers: Sendable {
    private var origin: AuthenticatingPeer?
    private var proxy: AuthenticatingPeer?

    /// - Parameters:
    ///   - origin: nil where the origin does not read the request, as with `CONNECT`.
    ///   - proxy: nil where no proxy reads the request.
    public init(origin: AuthenticatingPeer? = nil, proxy: AuthenticatingPeer? = nil) {
        self.origin = origin
        self.proxy = proxy
    }

    /// The peer in a role, if the exchange has one.
    public subscript(_ role: AuthenticationLegs.Peer) -> AuthenticatingPeer? {
        get { role == .origin ? origin : proxy }
        set { if role == .origin { origin = newValue } else { proxy = newValue } }
    }

    /// Those that the next leg carries something for, or the last one has carried, and those for which credentials have to be
    /// looked for first; the origin comes first. For the others there is nothing to authorize, to verify and to keep.
    public var addressed: AuthenticationLegs.Peers {
        .init(origin: origin?.isAddressed == true, proxy: proxy?.isAddressed == true)
    }

    /// The scheme of what the next leg carries for the origin, for reports.
    package var schemeAtOrigin: String? {
        // The exchange, which is large, is looked at only where it says something.
        addressed.contains(.origin) ? origin?.exchange.carriedScheme : nil
    }

    /// Works on the peer in a role. What its exchange has become counts, whether the work succeeds or not.
    ///
    /// - Returns: What the work does; nil where the exchange has no such peer.
    @discardableResult
    public mutating func update<Value>(
        _ role: AuthenticationLegs.Peer, _ work: (inout AuthenticatingPeer) async throws -> Value
    ) async rethrows -> Value? {
        guard var peer = self[role] else { return nil }
        defer { self[role] = peer }
        return try await work(&peer)
    }

    /// The peer in a role as the legs have to know it.
    public func state(of role: AuthenticationLegs.Peer) -> AuthenticationLegs.PeerState {
        self[role]?.state ?? .init()
    }

    /// All of them as the legs have to know them.
    public var states: AuthenticationLegs.PeerStates {
        var states: AuthenticationLegs.PeerStates = [:]
        states[.origin] = origin?.state
        states[.proxy] = proxy?.state
        return states
    }

    /// Closes the exchanges with all of them.
    ///
    /// - Parameter status: ``AuthenticationLegs/verifiedStatus``
    public mutating func finish(status: Int?) {
        origin?.finish(status: status)
        proxy?.finish(status: status)
    }
}
