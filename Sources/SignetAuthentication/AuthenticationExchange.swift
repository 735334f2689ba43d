/// The state of authentication in one exchange: a request and its repetitions after challenges.
package struct AuthenticationExchange: Sendable {
    let id: UInt64
    let origin: ProtectionSpace
    /// What the next leg carries, and for which space.
    var sent: Sent?
    /// Credentials that legs of this exchange have carried.
    var tried: Set<Credentials> = []
    /// The space in which this exchange, and no other, may try new credentials.
    var trial: ProtectionSpace?
    /// Whether the source was asked after a refusal; that is done once.
    var askedAgain = false

    /// Whether credentials are to be sent with the first leg and have to be asked for.
    package var needsPreparation = false
    /// How often the server said in this exchange that only its nonce was too old.
    var staleRounds = 0
    /// What the server must answer if it proves that it knows the password too.
    var expectation: DigestKey.Expectation?
    /// The scheme of what the next leg carries, for reports.
    package var scheme: String? { sent?.method.scheme.description }

    struct Sent: Sendable {
        let space: ProtectionSpace
        let credentials: Credentials
        let method: AuthenticationMethod
    }

    init(id: UInt64, origin: ProtectionSpace) {
        self.id = id
        self.origin = origin
    }
}
