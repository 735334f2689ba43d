/// The state of authentication in one exchange: a request and its repetitions after challenges.
///
/// Between a challenge and ``AuthenticationSession/finish(_:status:)`` it says how the client answers the challenge. It
/// answers the questions of CFHTTPAuthentication: ``isValid``, ``applies(toScheme:host:port:path:)``,
/// ``requiresOrderedRequests``, ``requiresUserNameAndPassword``, ``requiresAccountDomain``, ``scheme`` and ``realm``.
public struct AuthenticationExchange: Sendable {
    let id: UInt64
    let origin: ProtectionSpace
    /// The path of the request, without its query; empty for a proxy.
    let path: String
    /// Whether the traffic to the peer stays on this machine.
    let isLocal: Bool
    /// The credentials of the next leg, with their space.
    var sent: Sent?
    /// All other state; nil while it is empty, as in most exchanges.
    private var boxed: Boxed?

    /// Whether credentials have to be looked up before the first leg.
    public internal(set) var needsPreparation = false

    // MARK: State of the credentials

    /// How the sent credentials are proved.
    var proof: Proof {
        get { details.proof }
        set { details.proof = newValue }
    }
    /// The credentials that were tried.
    var trials: Trials {
        get { details.trials }
        set { details.trials = newValue }
    }
    /// How often the peer has asked without deciding.
    var rounds: Rounds {
        get { details.rounds }
        set { details.rounds = newValue }
    }
    /// The last challenge.
    var asked: Asked {
        get { details.asked }
        set { details.asked = newValue }
    }
    /// The space in which credentials have to be looked up, if it is known, and the methods by which they may be sent.
    var opening: (space: ProtectionSpace, methods: [AuthenticationMethod])? {
        get { details.opening }
        set { details.opening = newValue }
    }

    private struct Details {
        var proof = Proof()
        var trials = Trials()
        var rounds = Rounds()
        var asked = Asked()
        var opening: (space: ProtectionSpace, methods: [AuthenticationMethod])?
    }

    /// An exchange is copied from one step to the next; most exchanges do not have this state, which would make it
    /// large.
    private indirect enum Boxed {
        case details(Details)
    }

    private var details: Details {
        get {
            if case .details(let details)? = boxed { details } else { Details() }
        }
        set { boxed = .details(newValue) }
    }

    // MARK: Questions

    /// Whether there are credentials that were not refused so far and that the next leg carries or has carried. Without
    /// them, nothing is left to try.
    public var isValid: Bool { sent != nil }

    /// Whether the credentials of this exchange may be sent with another request before the peer asks: to their own
    /// origin, with Basic to the folder of the path and below (RFC 7617 §2.2), with Digest to the URIs of the
    /// challenge's `domain` (RFC 7616 §3.3).
    ///
    /// - Parameters:
    ///   - scheme: `https` or `http`: that of the other request's origin, or of the connection to the proxy.
    ///   - host: as ``ProtectionSpace/host``.
    ///   - port: as ``ProtectionSpace/port``.
    ///   - path: with or without a query; ignored for a proxy.
    public func applies(toScheme scheme: String, host: String, port: Int, path: String) -> Bool {
        let other = ProtectionSpace(scheme: scheme, host: host, port: port, realm: "", isProxy: origin.isProxy)
        guard let sent, sent.space.sharesOrigin(with: other) else { return false }
        if origin.isProxy { return true }
        var reach = CredentialReach()
        reach.extend(to: self.path, by: sent.method, in: sent.space)
        return reach.nearness(to: other.path(of: path)) != nil
    }

    /// Whether its legs must follow each other over one connection that no other user has: NTLM and Negotiate.
    public var requiresOrderedRequests: Bool { scheme?.bindsToConnection ?? false }

    /// Whether the peer's scheme takes a user name and a password.
    public var requiresUserNameAndPassword: Bool { scheme?.requiresUserNameAndPassword ?? false }

    /// Whether these include the account's domain.
    public var requiresAccountDomain: Bool { scheme?.requiresAccountDomain ?? false }

    /// The strongest scheme that the peer offered, or the one that was used before a challenge; nil before there was
    /// one.
    public var scheme: AuthenticationScheme? { (sent?.method ?? asked.demand?.method)?.scheme }

    /// The realm of the credentials, as the peer named it; empty for schemes without realms, nil before the peer has
    /// asked.
    public var realm: String? { (sent?.space ?? asked.demand?.space)?.realm }

    /// The scheme of the next leg's credentials, for reports.
    package var carriedScheme: String? { proof.reliesOnConnection ? nil : sent?.method.scheme.description }

    /// The number of the connection on which a handshake continues.
    package var handshakeConnection: Int? {
        proof.handshake.flatMap { $0.message == nil ? nil : $0.channel }
    }

    /// Work that is no longer waited for after a deadline continues with its own copy of the exchange, and ends the
    /// trial when it ends.
    package mutating func detachTrial() {
        trials.current = nil
        trials.held = []
    }

    /// Removes the credentials if they would begin a handshake before the peer asks; returns whether it did.
    package mutating func deferFirstToken() -> Bool {
        guard sent?.method.scheme.bindsToConnection == true else { return false }
        sent = nil
        return true
    }

    /// The peer has accepted a request whose answer is the challenge of another peer.
    package mutating func endHandshake() { proof.handshake = nil }

    /// Whether the peer decides by the credentials that were sent last; the first message of a handshake does not
    /// suffice for that. When the peer then accepts the request, the connection belongs to ``user``.
    public var isProofComplete: Bool { proof.handshake?.isDecisive ?? true }

    /// Whether the last message of a handshake was sent: without an answer, it may be a failed login.
    package var hasSentLastMessage: Bool { proof.handshake?.isDecisive ?? false }

    /// The user whose connection the next leg needs: one of that user's or a new one. Nil when any connection will do.
    public var user: ConnectionUser? {
        guard let sent, sent.method.scheme.bindsToConnection else { return nil }
        return .init(space: origin, credentials: sent.credentials)
    }

    /// Whether the proof covers the content of the answer too, as it is sent: it must not be compressed.
    public var coversContent: Bool {
        guard case .digest(let challenge)? = sent?.method else { return false }
        return !challenge.protections.contains(.auth) && challenge.protections.contains(.authInt)
    }

    init(id: UInt64, origin: ProtectionSpace, path: String, isLocal: Bool) {
        self.id = id
        self.isLocal = isLocal
        self.origin = origin
        self.path = origin.path(of: path)
    }
}
