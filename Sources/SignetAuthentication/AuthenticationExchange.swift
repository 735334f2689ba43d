/// The state of authentication in one exchange: a request and its repetitions after challenges.
///
/// Between a challenge and ``AuthenticationSession/finish(_:status:)`` it says how the demand is met. Who knows CFHTTPAuthentication finds
/// its questions here: ``isValid``, ``applies(toScheme:host:port:path:)``, ``requiresOrderedRequests``, ``requiresUserNameAndPassword``,
/// ``requiresAccountDomain``, ``scheme`` and ``realm``.
public struct AuthenticationExchange: Sendable {
    let id: UInt64
    let origin: ProtectionSpace
    /// The path of the request, without its query; empty to a proxy.
    let path: String
    /// Whether the way to the peer does not leave this machine.
    let isLocal: Bool
    /// What the next leg carries, and for which space.
    var sent: Sent?
    /// All else; nil while it is empty, as it stays in most exchanges.
    private var boxed: Boxed?

    /// Whether credentials have to be looked for before the first leg.
    public internal(set) var needsPreparation = false

    // MARK: What becomes of credentials

    /// How what is sent is proved.
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
    /// The challenge that came last.
    var asked: Asked {
        get { details.asked }
        set { details.asked = newValue }
    }
    /// The space that credentials have to be looked for in, if it is known, and how they may be sent.
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

    /// An exchange is handed from one step to the next, and would be large with what it mostly does not have.
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

    /// Whether there are credentials, not refused so far, that the next leg carries or has carried. Without them nothing is left to
    /// try.
    public var isValid: Bool { sent != nil }

    /// Whether what this exchange holds may go with another request before the peer asks: to its own origin, with Basic to the
    /// folder of its path and below (RFC 7617 §2.2), with Digest to what the challenge's `domain` names (RFC 7616 §3.3).
    ///
    /// - Parameter path: with or without a query; of no matter to a proxy.
    public func applies(toScheme scheme: String, host: String, port: Int, path: String) -> Bool {
        let other = ProtectionSpace(scheme: scheme, host: host, port: port, realm: "", isProxy: origin.isProxy)
        guard let sent, sent.space.sharesOrigin(with: other) else { return false }
        if origin.isProxy { return true }
        var reach = CredentialReach()
        reach.extend(to: self.path, by: sent.method, in: sent.space)
        return reach.nearness(to: other.path(of: path)) != nil
    }

    /// Whether its legs have to go one after the other over one connection, which is nobody else's: NTLM and Negotiate.
    public var requiresOrderedRequests: Bool { scheme?.bindsToConnection ?? false }

    /// Whether the peer is satisfied with a user name and a password only.
    public var requiresUserNameAndPassword: Bool { scheme?.requiresUserNameAndPassword ?? false }

    /// Whether the account's domain is part of that.
    public var requiresAccountDomain: Bool { scheme?.requiresAccountDomain ?? false }

    /// The method: the strongest scheme of what the peer offered, or the one that was used unasked; nil before anything was.
    public var scheme: AuthenticationScheme? { (sent?.method ?? asked.demand?.method)?.scheme }

    /// The realm that credentials are for, as the peer named it; empty for schemes without, nil before the peer has asked.
    public var realm: String? { (sent?.space ?? asked.demand?.space)?.realm }

    /// The scheme of what the next leg carries, for reports.
    package var carriedScheme: String? { proof.reliesOnConnection ? nil : sent?.method.scheme.description }

    /// The connection that the last or the next leg goes over, as one of several.
    package var handshakeConnection: Int? {
        proof.handshake.flatMap { $0.message == nil ? nil : $0.channel }
    }

    /// The work that is left behind at a deadline goes on with its own copy, and ends the trial when it ends.
    package mutating func leaveTrial() {
        trials.current = nil
        trials.held = []
    }

    /// Says nothing before it is asked, where that would be the first words of a handshake; true when there was something to say.
    package mutating func holdTongue() -> Bool {
        guard sent?.method.scheme.bindsToConnection == true else { return false }
        sent = nil
        return true
    }

    /// The peer has let in a request whose answer is somebody else's question.
    package mutating func endHandshake() { proof.handshake = nil }

    /// Whether what was sent last is enough to be let in or refused; the first words of a handshake are not. When the request is let
    /// in then, its connection is ``user``'s.
    public var isDecided: Bool { proof.handshake?.isDecisive ?? true }

    /// Whether the last word of a handshake was said: a failed login, if it is not answered.
    package var hasSaidLast: Bool { proof.handshake?.isDecisive ?? false }

    /// Whose connection the next leg has to go over, one of theirs or a new one; nil where any will do.
    public var user: ConnectionUser? {
        guard let sent, sent.method.scheme.bindsToConnection else { return nil }
        return .init(space: origin, credentials: sent.credentials)
    }

    /// Whether what is sent covers the content of the answer too, as it comes: it must not be compressed on the way.
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
