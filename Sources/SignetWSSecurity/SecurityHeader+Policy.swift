public import SignetSOAP
public import SignetTLS

/// The account and the requirements from which a header block is made that satisfies the policies of a WSDL.
struct DemandedSecurity: Sendable {
    /// The requirements of the port.
    var requirements: [ServiceRequirement]
    /// The requirements of single operations of the port.
    var operations: [String: [ServiceRequirement]] = [:]
    /// What a message may contain in addition.
    var accepted: [ServiceRequirement]
    var user: String?
    /// Asks for the user and the password; nil when there is no password.
    var account: (@Sendable (UsernameTokenRequest) async throws -> (user: String, password: String))?
    /// Whose key signs requests, and decrypts answers.
    var identity: Identity?
    /// The certificate for which requests are encrypted.
    var recipient: EncodedCertificate?
    /// The refusals of all tokens that are made from this account.
    let refusals = RefusalCount()
}

extension SecurityHeader {
    /// Makes the header block that the policies of a port and of the called operation demand: a Timestamp, a
    /// UsernameToken in the right form, a signature and an encryption by certificates, or no block (WS-SecurityPolicy 1.3
    /// §5.4.1, §6.2, §7.4).
    ///
    /// ```swift
    /// var service = try ServiceConfiguration(Ledger.Ports.ledgerPort)
    /// service.headerProviders = [SecurityHeader(for: Ledger.Ports.ledgerPort, user: "clerk", password: password)]
    /// ```
    ///
    /// When the policies allow a token but do not demand it, the client sends one if it has a user, with a Timestamp if
    /// the policies allow that too.
    ///
    /// A call throws ``WSSecurityError`` with `missingCredentials`, before it sends anything, when its policies demand
    /// something for which this initializer is not given a value, and with `weakAlgorithm` when they demand SHA-1 without ``allowsSHA1``,
    /// or answers that are encrypted with CBC without a `decryption` of the answers that accepts it. A ``usernameToken``, ``lifetime``, ``signature`` or ``encryption`` that the program sets is sent
    /// instead of what the policies demand.
    ///
    /// - Parameters:
    ///   - port: the port that is called, with the requirements of its policies.
    ///   - user: nil when no operation demands one.
    ///   - password: nil when no operation demands one.
    ///   - identity: whose key signs requests; nil when no operation demands it.
    ///   - answers: who signs the answers (``answers``), and how encrypted ones are decrypted; nil when no operation demands
    ///     signed answers. Where the policies demand no Timestamp in answers, these need not have one.
    ///   - recipient: the service's certificate, for which requests are encrypted; nil when no operation demands it.
    ///   - clock: the clock of the receiver; unless given, the client assumes that the receiver's clock agrees with its
    ///     own.
    public init(
        for port: ServicePort, user: String? = nil, password: String? = nil, identity: Identity? = nil,
        answers: SignaturePolicy? = nil, encryptingFor recipient: EncodedCertificate? = nil,
        clock: ServerClock = ServerClock()
    ) {
        self.init(clock: clock)
        self.answers = answers
        demanded = DemandedSecurity(
            requirements: port.requirements, operations: port.operations, accepted: port.accepted, user: user,
            identity: identity, recipient: recipient)
        if let user, let password { demanded?.account = { _ in (user, password) } }
    }

    /// Makes the same header block with a user and a password that are asked for at each attempt of a call that needs
    /// them.
    public init(
        for port: ServicePort, identity: Identity? = nil, answers: SignaturePolicy? = nil,
        encryptingFor recipient: EncodedCertificate? = nil, clock: ServerClock = ServerClock(),
        asking account: @escaping @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)
    ) {
        self.init(for: port, identity: identity, answers: answers, encryptingFor: recipient, clock: clock)
        demanded?.account = account
    }

    /// The lifetime of a message when policies demand a Timestamp and the program sets no ``lifetime``.
    static let usualLifetime = Duration.seconds(300)

    /// Refuses a call without the token that its WSDL demands.
    private func checkIssued(_ demand: IssuedTokenDemand, _ attempt: CallAttempt) throws(WSSecurityError) {
        guard !attempt.uncheckedRequirements.contains(.issuedToken(demand)), SOAPRole.isFor(role, []) else { return }
        guard let issuedTokens, demand.keyType != .publicKey || issuedTokens.holder != nil else {
            throw WSSecurityError(
                .missingCredentials,
                "The WSDL demands \(demand) for the operation \(attempt.operation) at \(attempt.endpoint). Nothing was sent: set issuedTokens of the SecurityHeader\(issuedTokens == nil ? "" : " with the identity of the holder")."
            )
        }
    }

    /// The parts of the block for one attempt.
    func parts(for attempt: CallAttempt) throws -> (usernameToken: UsernameToken?, lifetime: Duration?) {
        guard let demanded else {
            for case .issuedToken(let demand) in attempt.requirements { try checkIssued(demand, attempt) }
            return (usernameToken, lifetime)
        }
        // The demands of the operation come after those of the port, and take precedence.
        let requirements = demanded.requirements(of: attempt)
        var token = usernameToken
        var lifetime = lifetime
        for requirement in requirements {
            switch requirement {
            case .timestamp: lifetime = lifetime ?? Self.usualLifetime
            case .usernameToken(let form) where usernameToken == nil:
                token = try demanded.token(form, requirement, attempt)
            case .issuedToken(let demand):
                lifetime = lifetime ?? (demand.keyType == .publicKey ? Self.usualLifetime : nil)
                try checkIssued(demand, attempt)
            default: break
            }
        }
        // A signed message has the token only where the WSDL says how it is protected.
        if token == nil, demands(on: attempt).isEmpty, demanded.user != nil || demanded.account != nil {
            for case .usernameToken(let form) in demanded.accepted {
                // The policies allow the token without demanding it.
                token = try? demanded.token(form, .usernameToken(form), attempt)
            }
        }
        if token != nil, demanded.accepted.contains(.timestamp) { lifetime = lifetime ?? Self.usualLifetime }
        return (token, lifetime)
    }
}

extension DemandedSecurity {
    /// Those of the operation come after those of the port, and take precedence.
    func requirements(of attempt: CallAttempt) -> [ServiceRequirement] {
        requirements + attempt.requirements + (operations[attempt.operation] ?? [])
    }

    fileprivate func token(
        _ form: UsernameTokenForm, _ requirement: ServiceRequirement, _ attempt: CallAttempt
    ) throws(WSSecurityError) -> UsernameToken {
        var token: UsernameToken?
        if form == .noPassword {
            token = user.map { UsernameToken(user: $0) } ?? account.map { UsernameToken(form, asking: $0) }
        } else if let account {
            token = UsernameToken(form, asking: account)
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
