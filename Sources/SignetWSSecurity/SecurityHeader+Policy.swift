public import SignetSOAP

/// Who calls, for a header block that holds what policies ask for.
struct DemandedSecurity: Sendable {
    /// Those of the port.
    var requirements: [ServiceRequirement]
    /// What a message may have besides.
    var accepted: [ServiceRequirement]
    var user: String?
    /// Nil when there is no password.
    var account: (@Sendable (UsernameTokenQuestion) async throws -> (user: String, password: String))?
    /// Of all the tokens that are made.
    let refusals = RefusalCount()
}

extension SecurityHeader {
    /// The header block that the policies of a port, and of the operation that is called, ask for: a Timestamp, a UsernameToken in the
    /// right form, both, or none (WS-SecurityPolicy 1.3 §5.4.1, §6.2).
    ///
    /// ```swift
    /// var service = try ServiceConfiguration(Ledger.Ports.ledgerPort)
    /// service.headerProviders = [SecurityHeader(for: Ledger.Ports.ledgerPort, user: "clerk", password: password)]
    /// ```
    ///
    /// A token that they only allow is sent where there is a user, with a Timestamp if that is allowed too.
    ///
    /// A call ends with ``WSSecurityError`` and `missingCredentials`, before anything is sent, when its policies ask for a user or a
    /// password that is not given here. What is set by hand, ``usernameToken`` or ``lifetime``, is sent in the place of what they ask
    /// for.
    ///
    /// - Parameters:
    ///   - user: nil where no operation wants one.
    ///   - password: nil where none is wanted.
    public init(
        for port: ServicePort, user: String? = nil, password: String? = nil, clock: ServerClock = ServerClock()
    ) {
        self.init(clock: clock)
        demanded = DemandedSecurity(requirements: port.requirements, accepted: port.accepted, user: user)
        if let user, let password { demanded?.account = { _ in (user, password) } }
    }

    /// The same with a user and a password that are asked for at each attempt of a call that needs them.
    public init(
        for port: ServicePort, clock: ServerClock = ServerClock(),
        asking account: @escaping @Sendable (UsernameTokenQuestion) async throws -> (user: String, password: String)
    ) {
        self.init(clock: clock)
        demanded = DemandedSecurity(requirements: port.requirements, accepted: port.accepted, account: account)
    }

    /// How long a message may take where policies ask for a Timestamp and nobody says how long it is good.
    static let usualLifetime = Duration.seconds(300)

    /// What goes into the block of an attempt.
    func parts(for attempt: CallAttempt) throws -> (usernameToken: UsernameToken?, lifetime: Duration?) {
        guard let demanded else { return (usernameToken, lifetime) }
        // What an operation asks for stands behind what the port asks for, and counts more.
        let requirements = demanded.requirements + attempt.requirements
        var token = usernameToken
        var lifetime = lifetime
        for requirement in requirements {
            switch requirement {
            case .timestamp: lifetime = lifetime ?? Self.usualLifetime
            case .usernameToken(let form) where usernameToken == nil:
                token = try demanded.token(form, requirement, attempt)
            default: break
            }
        }
        if token == nil, demanded.user != nil || demanded.account != nil {
            for case .usernameToken(let form) in demanded.accepted {
                // Nobody insists on it.
                token = try? demanded.token(form, .usernameToken(form), attempt)
            }
        }
        if token != nil, demanded.accepted.contains(.timestamp) { lifetime = lifetime ?? Self.usualLifetime }
        return (token, lifetime)
    }
}

extension DemandedSecurity {
    fileprivate func token(
        _ form: ServiceRequirement.UsernameTokenForm, _ requirement: ServiceRequirement, _ attempt: CallAttempt
    ) throws(WSSecurityError) -> UsernameToken {
        var token: UsernameToken?
        if form == .noPassword {
            token = user.map { UsernameToken(user: $0) } ?? account.map { UsernameToken(withoutPassword: $0) }
        } else if let account {
            token = UsernameToken(form == .digest ? .digest : .text, asking: account)
            token?.hasNonce = form != .text
        }
        if var token {
            token.refusals = refusals
            return token
        }
        throw WSSecurityError(
            .missingCredentials,
            "The WSDL demands \(requirement) for the operation \(attempt.operation) at \(attempt.endpoint). Nothing was sent: give "
                + "SecurityHeader(for:) \(user == nil ? "a user" : "a password")\(form == .noPassword || user != nil ? "" : " and a password")."
        )
    }
}
