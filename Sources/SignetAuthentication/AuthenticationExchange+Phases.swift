extension AuthenticationExchange {
    /// Credentials, and the method by which they are sent.
    struct Sent: Sendable {
        let space: ProtectionSpace
        let credentials: Credentials
        let method: AuthenticationMethod
    }

    /// How the sent credentials are proved.
    struct Proof: Sendable {
        /// Whether the last proof used a nonce that the server had just named.
        var hasFreshNonce = false
        /// The answer by which the server proves that it knows the password too.
        var expectation: DigestKey.Expectation?
        var handshake: Handshake?
        /// Whether the last leg had no credentials because its connection was already accepted.
        var reliesOnConnection = false
        /// Whether each request must prove its user, since the connection does not.
        var needsProofPerRequest = false
    }

    /// The credentials that were tried, and the results.
    struct Trials: Sendable {
        /// Credentials that legs of this exchange have carried.
        var tried: Set<Credentials> = []
        /// The credentials that the server refused last.
        var refused: Credentials?
        /// The space in which only this exchange may try new credentials.
        var current: ProtectionSpace?
        /// Spaces whose trial continues while another scheme tries the same credentials in ``current``.
        var held: [ProtectionSpace] = []
        /// The proofs of the password in this exchange that were not judged: the peer did not accept the scheme, began
        /// the handshake again, or did not say what it requires.
        var unjudged: [Sent] = []
        /// Whether the source was asked after a refusal; this happens once.
        var askedAgain = false
        /// Why credentials are needed, when the reason is not simply a refusal.
        var reason: CredentialQuestion.Reason?
    }

    /// Counts events that decide nothing. Each of them has a limit.
    struct Rounds: Sendable {
        /// How often a realm has asked other than that for which credentials were sent.
        var realmChanges = 0
        /// How often the server has asked again without judging the credentials.
        var undecided = 0
        /// How often a handshake had to begin again, because its connection was lost or it did not complete.
        var brokenHandshakes = 0
        /// How many proofs were made since the peer asked last: some may have been lost with their connections.
        var proofs = 0
    }

    /// The challenges of the peer.
    struct Asked: Sendable {
        /// When the peer asked last.
        var at: ContinuousClock.Instant?
        /// What the last challenge means for the credentials that were sent before it.
        var weight = ChallengeStrength.none
        /// What the peer offered last.
        var offered: [Challenge] = []
        /// Schemes that cannot be used in this exchange, and why.
        var ruledOut: [AuthenticationScheme: AuthenticationError] = [:]
        /// The method and the space that the peer requires, whether there are credentials for it or not.
        var demand: (method: AuthenticationMethod, space: ProtectionSpace)?
    }
}
