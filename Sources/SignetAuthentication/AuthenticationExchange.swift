/// The state of authentication in one exchange: a request and its repetitions after challenges.
package struct AuthenticationExchange: Sendable {
    let id: UInt64
    let origin: ProtectionSpace
    /// What the next leg carries, and for which space.
    var sent: (space: ProtectionSpace, credentials: Credentials)?
    /// Credentials that legs of this exchange have carried.
    var tried: Set<Credentials> = []
    /// The space in which this exchange, and no other, may try new credentials.
    var trial: ProtectionSpace?
    /// Whether the source was asked after a refusal; that is done once.
    var askedAgain = false

    /// Whether credentials are to be sent with the first leg and have to be asked for.
    package var needsPreparation = false
    /// The value of the field that the next leg carries; nil when it carries none. Never log it.
    package var authorization: String?
    /// The scheme of ``authorization``, for reports.
    package var scheme: String? { authorization == nil ? nil : BasicScheme.name }

    init(id: UInt64, origin: ProtectionSpace) {
        self.id = id
        self.origin = origin
    }
}
