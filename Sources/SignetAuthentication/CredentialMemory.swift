/// What one client knows about the credentials of its protection spaces: which were accepted, which were refused, and
/// which exchange is trying new ones. A value without I/O; ``AuthenticationSession`` carries out its decisions.
///
/// Only one exchange at a time tries credentials that the server has not accepted yet. Otherwise ten calls with a wrong
/// password would be ten failed logins, and the account would be locked.
struct CredentialMemory {
    typealias ExchangeID = UInt64

    /// How a trial ended, for the calls that waited for it.
    enum Outcome {
        /// Check again: there are accepted credentials now, or the trial was ended without a result.
        case lookAgain
        case failed(AuthenticationError)
    }

    enum Step {
        case send(Credentials)
        case ask(CredentialQuestion.Reason, attempt: Int, refused: Set<Credentials>)
        /// Another exchange is trying new credentials for this space.
        case wait
        case fail(AuthenticationError)
    }

    enum Limit {
        /// The limit of realms of one origin, since a server could invent any number.
        static let spaces = 64
        /// The limit of refused credentials in one space. Beyond it, no further credentials are tried: forgetting one
        /// would send it again.
        static let refused = 256
        /// How many realms of one origin get a password that none of them accepts. A server that names a new realm each
        /// time would otherwise get it with each call, and might lock the account.
        static let realms = 3
        /// The limit of nonces that one space uses at the same time.
        static let keys = 16
        /// The limit of refused tokens of one space that are remembered. Refused tokens lock no account.
        static let tokens = 16
    }

    private struct Space {
        var accepted: Credentials?
        /// The method by which they were accepted, or the last challenge for them.
        var method = AuthenticationMethod.basic
        /// The Digest keys, each with its account, the oldest first.
        var keys: [(user: Credentials.Account, key: DigestKey)] = []
        /// The answer of the source that was neither accepted nor refused so far.
        var candidate: Credentials?
        var refused: Set<Credentials> = []
        /// Credentials after which the server named another realm, so that it did not judge them in this one.
        var unjudged: Set<Credentials> = []
        var trial: ExchangeID?
        /// How often the source was asked.
        var questions = 0
        var reach = CredentialReach()
        /// Whether each request must prove its user, although the scheme binds to a connection.
        var needsProofPerRequest = false
    }

    private var spaces: [ProtectionSpace: Space] = [:]

    /// Which credentials may be sent with a first request to an origin.
    enum Opening {
        case send(Credentials, ProtectionSpace, AuthenticationMethod)
        /// The origin has not named a realm yet.
        case unknown
        /// The origin has named one realm without accepting any credentials there, or several: its challenge must say
        /// which one it means.
        case awaitChallenge
    }

    /// Credentials are sent without another challenge to the paths where they were accepted and to those below (RFC
    /// 7617 §2.2), or to those that a Digest challenge names (RFC 7616 §3.3, `domain`). When two realms are equally
    /// near, no credentials are sent: those that one realm accepted may be a failed login in the other.
    func opening(at origin: ProtectionSpace, path: String) -> Opening {
        if spaces.isEmpty { return .unknown }
        let known = spaces.filter { $0.key.sharesOrigin(with: origin) }
        let near = known.compactMap { space, known in
            known.accepted == nil
                ? nil : known.reach.nearness(to: path).map { (space: space, known: known, nearness: $0) }
        }
        guard let best = near.map(\.nearness).max() else {
            return known.keys.allSatisfy(\.realm.isEmpty) ? .unknown : .awaitChallenge
        }
        let nearest = near.filter { $0.nearness == best }
        guard nearest.count == 1, let one = nearest.first, let accepted = one.known.accepted else {
            return .awaitChallenge
        }
        return .send(accepted, one.space, one.known.method)
    }

    /// The next step of an exchange that needs credentials.
    mutating func step(_ exchange: inout AuthenticationExchange, in space: ProtectionSpace) -> Step {
        guard spaces[space] != nil || spaces.count < Limit.spaces else {
            return .fail(
                .init(.malformedChallenge, "The server has named more than \(Limit.spaces) realms.", space: space))
        }
        var known = spaces[space] ?? Space()
        defer { spaces[space] = known }
        if let accepted = known.accepted, !exchange.trials.tried.contains(accepted) {
            return .send(accepted)
        }
        if let owner = known.trial, owner != exchange.id { return .wait }
        known.trial = exchange.id
        exchange.trials.current = space
        if let candidate = known.candidate, !exchange.trials.tried.contains(candidate) {
            return isHopeless(candidate, in: space) ? .fail(Self.refusalInAllRealms(before: space)) : .send(candidate)
        }
        if !known.refused.isEmpty || exchange.trials.refused != nil {
            guard !exchange.trials.askedAgain, known.refused.count < Limit.refused else {
                return .fail(Self.refusal(in: space))
            }
            exchange.trials.askedAgain = true
        }
        known.questions += 1
        return .ask(
            exchange.trials.reason ?? (known.refused.isEmpty ? .first : .rejected), attempt: known.questions,
            refused: known.refused)
    }

    /// The next step after the source's answer.
    mutating func answered(
        _ answer: Credentials?, exchange: borrowing AuthenticationExchange, in space: ProtectionSpace
    ) -> Step {
        let refused = spaces[space]?.refused ?? []
        guard let answer else {
            return .fail(refused.isEmpty ? Self.noCredentials(in: space) : Self.refusal(in: space))
        }
        guard !refused.contains(answer) else { return .fail(Self.refusal(in: space)) }
        guard !isHopeless(answer, in: space) else { return .fail(Self.refusalInAllRealms(before: space)) }
        guard !exchange.trials.tried.contains(answer) else { return .fail(Self.refusalOfRequest(in: space)) }
        spaces[space]?.candidate = answer
        return .send(answer)
    }

    /// The server answered a request that carried `credentials` with another challenge for `space`.
    mutating func refuse(_ credentials: Credentials, in space: ProtectionSpace) {
        guard spaces[space] != nil || spaces.count < Limit.spaces else { return }
        var known = spaces[space] ?? Space()
        if case .token = credentials.kind, known.refused.count >= Limit.tokens { known.refused = [] }
        known.refused.insert(credentials)
        if known.accepted == credentials { known.accepted = nil }
        if known.candidate == credentials { known.candidate = nil }
        spaces[space] = known
    }

    /// The server named another realm after a request that carried `credentials`.
    mutating func leaveUnjudged(_ credentials: Credentials, in space: ProtectionSpace) {
        guard let known = spaces[space], known.accepted != credentials, known.unjudged.count < Limit.refused else {
            return
        }
        spaces[space]?.unjudged.insert(credentials)
    }

    /// Whether the origin of a space has had a password in several other realms, and accepted it in none.
    private func isHopeless(_ credentials: Credentials, in space: ProtectionSpace) -> Bool {
        guard case .account = credentials.kind, !isAccepted(credentials, byOriginOf: space) else { return false }
        let realms = spaces.count { other, known in
            other != space && other.sharesOrigin(with: space)
                && (known.refused.contains(credentials) || known.unjudged.contains(credentials))
        }
        return realms >= Limit.realms
    }

    /// Whether the origin, or the proxy, of a space has accepted them, in any realm.
    func isAccepted(_ credentials: Credentials, byOriginOf space: ProtectionSpace) -> Bool {
        spaces.contains { $0.value.accepted == credentials && $0.key.sharesOrigin(with: space) }
    }

    func isRefused(_ credentials: Credentials, in space: ProtectionSpace) -> Bool {
        spaces[space]?.refused.contains(credentials) ?? false
    }

    /// The scheme cannot carry the source's answer: the source is asked again next time.
    mutating func withdraw(_ credentials: Credentials, in space: ProtectionSpace) {
        if spaces[space]?.candidate == credentials { spaces[space]?.candidate = nil }
    }

    /// The server processed a request that carried `credentials`.
    mutating func accept(
        _ credentials: Credentials, by method: AuthenticationMethod, in space: ProtectionSpace, path: String
    ) {
        guard spaces[space] != nil || spaces.count < Limit.spaces else { return }
        var known = spaces[space] ?? Space()
        defer { spaces[space] = known }
        guard !known.refused.contains(credentials) else { return }
        known.accepted = credentials
        known.method = method
        known.candidate = nil
        known.reach.extend(to: path, by: method, in: space)
    }

    /// Accepted credentials were accepted at `path` too.
    mutating func extend(_ credentials: Credentials, in space: ProtectionSpace, to path: String) {
        guard var known = spaces[space], known.accepted == credentials else { return }
        known.reach.extend(to: path, by: known.method, in: space)
        spaces[space] = known
    }

    // MARK: Schemes that bind to a connection

    func needsProofPerRequest(in space: ProtectionSpace) -> Bool { spaces[space]?.needsProofPerRequest ?? false }

    /// A peer asked again on a connection that it had accepted.
    mutating func requireProofPerRequest(in space: ProtectionSpace) { spaces[space]?.needsProofPerRequest = true }

    // MARK: Digest

    /// The server sent another challenge for credentials that it has not refused.
    ///
    /// - Parameter nonce: the nonce of the last proof. If the server names it again, counting restarts with another
    ///   cnonce: some servers accept only the first count.
    mutating func renew(_ method: AuthenticationMethod, after nonce: String?, in space: ProtectionSpace) {
        spaces[space]?.method = method
        if case .digest(let challenge) = method, challenge.nonce == nonce {
            spaces[space]?.keys.removeAll { $0.key.challenge.nonce == nonce }
        }
    }

    /// Uses the key for a challenge. All exchanges share it, since each use of a nonce counts.
    ///
    /// - Parameter cnonce: for a new key.
    mutating func withKey<Value>(
        _ account: Credentials.Account, for challenge: DigestChallenge, in space: ProtectionSpace, cnonce: () -> String,
        _ use: (inout DigestKey) -> Value
    ) -> Value {
        var known = spaces[space] ?? Space()
        defer { if spaces[space] != nil { spaces[space] = known } }
        let place = known.keys.firstIndex { $0.user == account && $0.key.challenge.makesSameProofs(as: challenge) }
        if let place { return use(&known.keys[place].key) }
        var key = DigestKey(account, for: challenge, cnonce: cnonce())
        let value = use(&key)
        if known.keys.count >= Limit.keys { known.keys.removeFirst() }
        known.keys.append((account, key))
        return value
    }

    func isTried(_ space: ProtectionSpace) -> Bool { spaces[space]?.trial != nil }

    /// Ends the exchange's right to try credentials.
    mutating func endTrial(of exchange: ExchangeID, in space: ProtectionSpace) {
        guard spaces[space]?.trial == exchange else { return }
        spaces[space]?.trial = nil
    }

    static func noCredentials(in space: ProtectionSpace) -> AuthenticationError {
        .init(
            .credentialsRequired,
            "\(space.asker) asks for credentials for \(space), and there are none for it; give some.", space: space)
    }

    static func refusal(in space: ProtectionSpace) -> AuthenticationError {
        .init(
            .credentialsRefused,
            "\(space.asker) refused the credentials for \(space). They will not be sent to it again; correct them.",
            space: space)
    }

    static func refusalInAllRealms(before space: ProtectionSpace) -> AuthenticationError {
        .init(
            .credentialsRefused,
            "\(space.asker) has had these credentials in \(Limit.realms) other realms and accepted them in none, so they were not sent for \(space). Correct them.",
            space: space)
    }

    /// A request was refused, but the credentials may be right for another request, or later.
    static func refusalOfRequest(in space: ProtectionSpace) -> AuthenticationError {
        .init(
            .credentialsRefused,
            "\(space.asker) refused the request with these credentials, and asks for those of \(space); there are no others for it.",
            space: space)
    }
}
