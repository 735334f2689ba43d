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
    /// Credentials that legs of this exchange have carried.
    var tried: Set<Credentials> = []
    /// How often another realm has asked than the one that credentials were sent for.
    var realmChanges = 0
    /// What the server has refused last.
    var refused: Credentials?
    /// The space in which this exchange, and no other, may try new credentials.
    var trial: ProtectionSpace?
    /// Spaces whose trial goes on while the same credentials are tried in ``trial``, as another scheme has it.
    var heldTrials: [ProtectionSpace] = []
    /// What proved the password in this exchange, and was not judged: the peer did not take its scheme, began the handshake anew, or
    /// did not say what it wants.
    var unjudged: [Sent] = []
    /// Whether the source was asked after a refusal; that is done once.
    var askedAgain = false
    /// Why credentials have to be asked for, where it is not simply that they were refused.
    var reason: CredentialQuestion.Reason?

    /// Whether credentials have to be looked for before the first leg.
    public internal(set) var needsPreparation = false
    /// The space they are for, if it is known, and how they may be sent.
    var opening: (space: ProtectionSpace, methods: [AuthenticationMethod])?
    /// How often the server has asked again without having judged what was sent.
    var undecidedRounds = 0
    /// How often a handshake had to begin anew, since its connection was lost or it led nowhere.
    var brokenHandshakes = 0
    /// When the peer has asked last.
    var askedAt: ContinuousClock.Instant?
    /// How many proofs were made since: some may have been lost with their connections.
    var proofs = 0
    /// Whether what was sent last was made for a nonce that the server had just named.
    var hasFreshNonce = false
    /// What the challenge that came last says of what was sent before it.
    var weight = Weight.none
    /// What the server must answer if it proves that it knows the password too.
    var expectation: DigestKey.Expectation?

    /// How the peer is to be satisfied, and in which space, whether there are credentials for it or not.
    var demand: (method: AuthenticationMethod, space: ProtectionSpace)?
    /// What the peer offered last.
    var offered: [Challenge] = []
    /// What cannot be used in this exchange, and why.
    var ruledOut: [AuthenticationScheme: AuthenticationError] = [:]
    var handshake: Handshake?
    /// Whether the last leg went without credentials, since its connection had been accepted.
    var reliesOnConnection = false
    /// Whether the connection does not speak for its user, so that each request must.
    var mustSpeak = false

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
    public var scheme: AuthenticationScheme? { (sent?.method ?? demand?.method)?.scheme }

    /// The realm that credentials are for, as the peer named it; empty for schemes without, nil before the peer has asked.
    public var realm: String? { (sent?.space ?? demand?.space)?.realm }

    /// The scheme of what the next leg carries, for reports.
    package var carriedScheme: String? { reliesOnConnection ? nil : sent?.method.scheme.description }

    /// The connection that the last or the next leg goes over, as one of several.
    package var handshakeConnection: Int? {
        handshake.flatMap { $0.message == nil ? nil : $0.channel }
    }

    /// The work that is left behind at a deadline goes on with its own copy, and ends the trial when it ends.
    package mutating func leaveTrial() {
        trial = nil
        heldTrials = []
    }

    /// Says nothing before it is asked, where that would be the first words of a handshake; true when there was something to say.
    package mutating func holdTongue() -> Bool {
        guard sent?.method.scheme.bindsToConnection == true else { return false }
        sent = nil
        return true
    }

    /// The peer has let in a request whose answer is somebody else's question.
    package mutating func endHandshake() { handshake = nil }

    /// Whether what was sent last is enough to be let in or refused; the first words of a handshake are not. When the request is let
    /// in then, its connection is ``user``'s.
    public var isDecided: Bool { handshake?.isDecisive ?? true }

    /// Whether the last word of a handshake was said: a failed login, if it is not answered.
    package var hasSaidLast: Bool { handshake?.isDecisive ?? false }

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

    struct Sent: Sendable {
        let space: ProtectionSpace
        let credentials: Credentials
        let method: AuthenticationMethod
    }

    init(id: UInt64, origin: ProtectionSpace, path: String, isLocal: Bool) {
        self.id = id
        self.isLocal = isLocal
        self.origin = origin
        self.path = origin.path(of: path)
    }
}
