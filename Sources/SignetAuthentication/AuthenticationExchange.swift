/// The state of authentication in one exchange: a request and its repetitions after challenges.
package struct AuthenticationExchange: Sendable {
    let id: UInt64
    let origin: ProtectionSpace
    /// The path of the request, without its query; empty to a proxy.
    let path: String
    /// What the next leg carries, and for which space.
    var sent: Sent?
    /// Credentials that legs of this exchange have carried.
    var tried: Set<Credentials> = []
    /// What the server has refused last.
    var refused: Credentials?
    /// The space in which this exchange, and no other, may try new credentials.
    var trial: ProtectionSpace?
    /// Whether the source was asked after a refusal; that is done once.
    var askedAgain = false
    /// Why credentials have to be asked for, where it is not simply that they were refused.
    var reason: CredentialQuestion.Reason?

    /// Whether credentials have to be looked for before the first leg.
    package var needsPreparation = false
    /// The space they are for, if it is known.
    var opening: (space: ProtectionSpace, method: AuthenticationMethod)?
    /// How often the server said in this exchange that only its nonce was too old.
    var staleRounds = 0
    /// What the server must answer if it proves that it knows the password too.
    var expectation: DigestKey.Expectation?

    /// What the peer offered last.
    var offered: [Challenge] = []
    /// What cannot be used in this exchange, and why.
    var ruledOut: [AuthenticationScheme: any Error] = [:]
    var handshake: Handshake?
    /// Whether the last leg went without credentials, since its connection had been accepted.
    var reliesOnConnection = false
    /// Whether the connection does not speak for its user, so that each request must.
    var mustSpeak = false

    /// The scheme of what the next leg carries, for reports.
    package var scheme: String? { reliesOnConnection ? nil : sent?.method.scheme.description }

    /// Whether the last or the next leg is one of several that go over a connection.
    package func isShakingHands(over channel: Int) -> Bool {
        handshake.map { $0.channel == channel && $0.message != nil } ?? false
    }

    /// The peer has let in a request whose answer is somebody else's question.
    package mutating func endHandshake() { handshake = nil }

    /// Whether what was sent last is enough to be let in or refused; the first words of a handshake are not.
    package var isDecided: Bool { handshake?.isDecisive ?? true }

    /// Whether the last word of a handshake was said: a failed login, if it is not answered.
    package var hasSaidLast: Bool { handshake?.isDecisive ?? false }

    /// Whose connection the next leg has to go over; nil where any will do.
    package var user: ConnectionUser? {
        guard let sent, sent.method.scheme.bindsToConnection else { return nil }
        return .init(space: origin, credentials: sent.credentials)
    }

    /// Whether what is sent covers the content of the answer too, as it comes.
    package var coversContent: Bool {
        guard case .digest(let challenge)? = sent?.method else { return false }
        return !challenge.protections.contains(.auth) && challenge.protections.contains(.authInt)
    }

    struct Sent: Sendable {
        let space: ProtectionSpace
        let credentials: Credentials
        let method: AuthenticationMethod
    }

    init(id: UInt64, origin: ProtectionSpace, path: String) {
        self.id = id
        self.origin = origin
        self.path = path
    }
}
