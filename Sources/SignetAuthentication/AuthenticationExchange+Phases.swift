extension AuthenticationExchange {
    /// Credentials, and the way in which they go.
    struct Sent: Sendable {
        let space: ProtectionSpace
        let credentials: Credentials
        let method: AuthenticationMethod
    }

    /// How the credentials that are sent are proved.
    struct Proof: Sendable {
        /// Whether what was sent last was made for a nonce that the server had just named.
        var hasFreshNonce = false
        /// What the server must answer if it proves that it knows the password too.
        var expectation: DigestKey.Expectation?
        var handshake: Handshake?
        /// Whether the last leg went without credentials, since its connection had been accepted.
        var reliesOnConnection = false
        /// Whether the connection does not speak for its user, so that each request must.
        var mustSpeak = false
    }

    /// Which credentials were tried, and what became of them.
    struct Trials: Sendable {
        /// Credentials that legs of this exchange have carried.
        var tried: Set<Credentials> = []
        /// What the server has refused last.
        var refused: Credentials?
        /// The space in which this exchange, and no other, may try new credentials.
        var current: ProtectionSpace?
        /// Spaces whose trial goes on while the same credentials are tried in ``current``, as another scheme has it.
        var held: [ProtectionSpace] = []
        /// What proved the password in this exchange, and was not judged: the peer did not take its scheme, began the
        /// handshake anew, or did not say what it wants.
        var unjudged: [Sent] = []
        /// Whether the source was asked after a refusal; that is done once.
        var askedAgain = false
        /// Why credentials have to be asked for, where it is not simply that they were refused.
        var reason: CredentialQuestion.Reason?
    }

    /// How often something happened that decides nothing, each of which has a limit.
    struct Rounds: Sendable {
        /// How often another realm has asked than the one that credentials were sent for.
        var realmChanges = 0
        /// How often the server has asked again without having judged what was sent.
        var undecided = 0
        /// How often a handshake had to begin anew, since its connection was lost or it led nowhere.
        var brokenHandshakes = 0
        /// How many proofs were made since the peer asked last: some may have been lost with their connections.
        var proofs = 0
    }

    /// What the peer asks for.
    struct Asked: Sendable {
        /// When the peer has asked last.
        var at: ContinuousClock.Instant?
        /// What the challenge that came last says of what was sent before it.
        var weight = Weight.none
        /// What the peer offered last.
        var offered: [Challenge] = []
        /// What cannot be used in this exchange, and why.
        var ruledOut: [AuthenticationScheme: AuthenticationError] = [:]
        /// How the peer is to be satisfied, and in which space, whether there are credentials for it or not.
        var demand: (method: AuthenticationMethod, space: ProtectionSpace)?
    }
}
