import Synchronization

/// Authenticates the exchanges of one client with one kind of peer, the origin server or a proxy, and remembers what was
/// accepted and refused (RFC 9110 §11). It does no I/O: whoever has an HTTP client of their own asks it what to send.
///
/// For every exchange: ``begin(scheme:host:port:path:)``, and ``prepare(_:)`` if it says so; for each leg a connection of
/// ``AuthenticationExchange/user`` and a request with ``authorization(_:for:over:)``; for every 401 (407 of a proxy)
/// ``challenged(_:status:fields:)`` and another leg, a few at most; for what is none ``verify(_:challenges:information:content:)``
/// and ``keep(_:status:)``; and in any case ``finish(_:status:)``. ``AuthenticationLegs`` decides the order of these steps for a client
/// that has connections, proxies or streams to deal with.
///
/// Answers to redirects and to other origins belong to exchanges of their own; what the caller wrote into the request by hand is
/// none of its business.
public final class AuthenticationSession: Sendable {
    struct State {
        var memory = CredentialMemory()
        var nextID: UInt64 = 0
        var waiting: [ProtectionSpace: [UInt64: CheckedContinuation<CredentialMemory.Outcome, any Error>]] = [:]
    }

    let policy: AuthenticationPolicy
    private let isProxy: Bool
    let bindsConnections: Bool
    let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - policy: whose credentials, and when they may be sent.
    ///   - isProxy: whether it answers a proxy's 407, and not an origin's 401. One client has one session for each.
    ///   - bindsConnections: whether several legs can be sent over one connection, which nobody else uses then. Without, NTLM and
    ///     Negotiate are out.
    public convenience init(_ policy: AuthenticationPolicy, isProxy: Bool = false, bindsConnections: Bool = true) {
        self.init(policy, isProxy: isProxy, bindsConnections: bindsConnections, now: { ContinuousClock.now })
    }

    init(
        _ policy: AuthenticationPolicy, isProxy: Bool = false, bindsConnections: Bool = true,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.policy = policy
        self.isProxy = isProxy
        self.bindsConnections = bindsConnections
        self.now = now
    }

    /// Opens an exchange with an origin. Accepted credentials are there at once.
    ///
    /// - Parameters:
    ///   - scheme: `https` or `http`: of the origin, or of the connection to the proxy.
    ///   - host: as ``ProtectionSpace/host``.
    ///   - path: of the request; a query is left out. Empty to a proxy.
    ///   - isLocal: whether what is sent does not leave this machine: to a loopback address or a socket in the file system, without a
    ///     proxy. What a password can be guessed from may go over plain HTTP then.
    /// - Throws: ``AuthenticationError``: `insecureChannel` when credentials would go unasked over plain HTTP, `invalidCredentials`.
    public func begin(
        scheme: String, host: String, port: Int, path: String, isLocal: Bool = false
    ) throws(AuthenticationError) -> AuthenticationExchange {
        let origin = ProtectionSpace(scheme: scheme, host: host, port: port, realm: "", isProxy: isProxy)
        var (exchange, opening) = state.withLock { state in
            state.nextID += 1
            let exchange = AuthenticationExchange(id: state.nextID, origin: origin, path: path, isLocal: isLocal)
            return (exchange, state.memory.opening(at: origin, path: exchange.path))
        }
        switch opening {
        case .send(let credentials, let space, let method):
            if policy.credentials.isRenewing {
                exchange.needsPreparation = true
                exchange.opening = (space, [method])
            } else {
                try send(credentials, by: method, in: space, &exchange)
            }
        case .unknown where policy.sendsWithoutChallenge && !policy.credentials.isNone:
            let methods = unasked()
            let safe = methods.filter { policy.allows($0.scheme, in: origin, isLocal: isLocal) }
            if safe.isEmpty, let first = methods.first { try policy.check(first, in: origin, isLocal: isLocal) }
            exchange.needsPreparation = !safe.isEmpty
            exchange.opening = (origin, safe)
        case .unknown, .awaitChallenge:
            break
        }
        return exchange
    }

    /// The schemes that need no challenge, in the order in which credentials are looked for.
    private func unasked() -> [AuthenticationMethod] {
        let methods = policy.schemes.lazy.filter { self.policy.credentials.serves($0) }
            .compactMap { scheme -> AuthenticationMethod? in
                switch scheme {
                case .bearer: .bearer
                case .basic: .basic
                case .oauth1: .oauth1
                default: nil
                }
            }
        // Who is asked without knowing what for has an account.
        guard policy.credentials.isAsking, !policy.credentials.tellsSchemesApart else { return Array(methods) }
        return methods.filter { $0 == .basic } + methods.filter { $0 != .basic }
    }

    /// Gets credentials for the first leg when ``AuthenticationExchange/needsPreparation`` says so.
    ///
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    public func prepare(_ exchange: inout AuthenticationExchange) async throws {
        exchange.needsPreparation = false
        guard let opening = exchange.opening else { return }
        exchange.opening = nil
        for method in opening.methods {
            do {
                return try await obtain(&exchange, by: method, or: opening.methods, in: opening.space)
            } catch let error as AuthenticationError
                where error.code == .credentialsRequired || error.code == .credentialsRefused
            {
                // The server may not need any for this request; if it does, its challenge brings the same error.
                return
            } catch is NothingForScheme {}
        }
    }

    /// What the next leg carries in `Authorization` (`Proxy-Authorization`); nil when it carries nothing. Never log it.
    ///
    /// - Parameters:
    ///   - request: what is about to be sent: with some schemes, the value is for this request alone.
    ///   - channel: the connection it is about to be sent over, which is ``AuthenticationExchange/user``'s.
    /// - Throws: ``AuthenticationError``; ``UnfitConnection`` when it is somebody else's after all.
    public func authorization(
        _ exchange: inout AuthenticationExchange, for request: AuthenticationRequest,
        over channel: AuthenticationChannel
    ) async throws -> String? {
        exchange.reliesOnConnection = false
        guard let sent = exchange.sent else { return nil }
        // Wherever it comes from: nothing gets past this.
        try policy.check(sent.method, in: sent.space, isLocal: exchange.isLocal)
        switch (sent.method, sent.credentials.kind) {
        case (.basic, .account(let account)):
            return try BasicScheme.authorization(for: account, space: sent.space)
        case (.bearer, .token(let token, let certificate)):
            guard certificate == nil || certificate == channel.certificate else {
                throw AuthenticationError(
                    .invalidCredentials,
                    "The token for \(sent.space) is bound to a client certificate that this connection was not opened with (RFC 8705 §3); give the transport the identity that the token was got with.",
                    space: sent.space)
            }
            return try BearerScheme.authorization(for: token, space: sent.space)
        case (.oauth1, .consumer(let consumer)):
            if request.content == nil, request.isForm { throw Self.unknownContent(sent) }
            return try consumer.authorization(for: request, at: sent.space)
        case (.digest(let challenge), .account(let account)):
            if request.content == nil, exchange.coversContent { throw Self.unknownContent(sent) }
            let (field, expectation) = state.withLock { state in
                state.memory.withKey(account, for: challenge, in: sent.space, cnonce: Self.cnonce) {
                    $0.authorization(for: request)
                }
            }
            exchange.expectation = expectation
            exchange.proofs += 1
            exchange.hasFreshNonce = exchange.askedAt.map { now() - $0 < Self.freshness } ?? false
            return field
        case (.negotiate, _), (.ntlm, _):
            return try await shakeHands(&exchange, sent, for: request, over: channel)
        default:
            throw Self.misfit(sent.method, in: sent.space)
        }
    }

    private func shakeHands(
        _ exchange: inout AuthenticationExchange, _ sent: AuthenticationExchange.Sent,
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        if exchange.handshake?.channel != channel.number {
            if exchange.handshake != nil {
                exchange.brokenHandshakes += 1
                guard exchange.brokenHandshakes <= Self.maximumBrokenHandshakes else {
                    let error = Self.brokenHandshake(sent, isProved: !exchange.unjudged.isEmpty)
                    return try await doWithout(sent, error, &exchange, for: request, over: channel)
                }
            }
            exchange.handshake = nil
            let isAccepted = exchange.user.map(channel.users.contains) ?? false
            if isAccepted, !exchange.mustSpeak, !state.withLock({ $0.memory.mustSpeak(in: sent.space) }) {
                exchange.reliesOnConnection = true
                return nil
            }
            do {
                exchange.handshake = try await handshake(sent, over: channel, isLocal: exchange.isLocal)
            } catch let error as AuthenticationError where error.code == .noTicket {
                // Something else may do; nothing was sent.
                return try await doWithout(sent, error, &exchange, for: request, over: channel)
            } catch let error as AuthenticationError where error.code == .credentialsRefused {
                // Kerberos has asked its servers already: that was a failed login.
                state.withLock { $0.memory.refuse(sent.credentials, in: sent.space) }
                exchange.sent = nil
                release(&exchange, .failed(error))
                throw error
            }
        }
        return exchange.handshake?.message.map { "\(sent.method.scheme) \(Base64.encode($0))" }
    }

    /// Another scheme may do for this exchange.
    private func doWithout(
        _ sent: AuthenticationExchange.Sent, _ error: AuthenticationError, _ exchange: inout AuthenticationExchange,
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        exchange.ruleOut(sent, error)
        if exchange.unjudged.isEmpty { release(&exchange, .lookAgain) }
        guard !exchange.offered.isEmpty else { return nil }
        try await choose(&exchange)
        guard exchange.user == nil else { throw UnfitConnection() }
        return try await authorization(&exchange, for: request, over: channel)
    }

    /// The connection is not the one that the next leg has to go over: lease another.
    public struct UnfitConnection: Error {}

    private func handshake(
        _ sent: AuthenticationExchange.Sent, over channel: AuthenticationChannel, isLocal: Bool
    ) async throws -> Handshake {
        let account = sent.credentials.account
        if sent.method == .ntlm, let account { return .ntlm(account, at: sent.space, over: channel) }
        var failure: any Error = AuthenticationError(
            .noTicket, "\(sent.space) wants Negotiate, for which there is neither Kerberos nor leave to use NTLM.",
            space: sent.space)
        if let kerberos = policy.kerberos {
            do {
                return try await .kerberos(kerberos, sent.credentials, at: sent.space, over: channel)
            } catch let error as AuthenticationError where error.code == .noTicket {
                failure = error
            }
        }
        guard let account, policy.allowsNTLM(at: sent.space) else { throw failure }
        try policy.check(.ntlm, in: sent.space, isLocal: isLocal)
        return try .ntlmWithinNegotiate(account, at: sent.space, over: channel)
    }

    /// 128 bits of chance.
    private static func cnonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    // MARK: Challenges

    /// Finds the answer to a challenge; afterwards the request is to be sent again with the new
    /// ``authorization(_:for:over:)``.
    ///
    /// - Parameters:
    ///   - status: 401 or 407.
    ///   - fields: The lines of `WWW-Authenticate` or `Proxy-Authenticate`.
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    public func challenged(_ exchange: inout AuthenticationExchange, status: Int, fields: [String]) async throws {
        if try await !goesOn(&exchange, status: status, fields: fields) { try await choose(&exchange) }
    }

    /// The first half of ``challenged(_:status:fields:)``, which asks nobody: whether a handshake goes on over its connection. If not, the
    /// connection is of no use any more, and ``choose(_:)`` follows.
    package func goesOn(
        _ exchange: inout AuthenticationExchange, status: Int, fields: [String]
    ) async throws -> Bool {
        guard status == (isProxy ? 407 : 401) else {
            throw AuthenticationError(
                .unexpectedProxyChallenge,
                "A server that is no proxy answered with \(status), and gets no credentials for that.",
                space: exchange.origin)
        }
        exchange.weight = .init(of: exchange)
        exchange.askedAt = now()
        exchange.proofs = 0
        do {
            exchange.offered = try challenges(in: fields, origin: exchange.origin)
            return try await shakesOn(&exchange)
        } catch let error as AuthenticationError {
            throw end(&exchange, error, wasLookedAt: false)
        } catch {
            exchange.sent = nil
            throw error
        }
    }

    private func shakesOn(_ exchange: inout AuthenticationExchange) async throws -> Bool {
        guard let sent = exchange.sent, sent.method.scheme.bindsToConnection else { return false }
        let challenge = exchange.offered.first { $0.isScheme(sent.method.scheme.description) }
        if exchange.reliesOnConnection {
            // Nothing was refused: nothing was said.
            exchange.reliesOnConnection = false
            exchange.mustSpeak = true
            guard challenge != nil else {
                exchange.sent = nil
                return false
            }
            if sent.method == .negotiate { state.withLock { $0.memory.speak(in: sent.space) } }
            return true
        }
        guard var handshake = exchange.handshake, let text = challenge?.token68 else {
            exchange.handshake = nil
            return false
        }
        exchange.handshake = nil
        guard let token = Base64.decode(text) else {
            throw AuthenticationError(
                .malformedChallenge, "The \(sent.method.scheme) message of \(sent.space) is no base64 (RFC 4648 §4).",
                space: sent.space)
        }
        if handshake.beginsAnew(with: token) {
            exchange.weight = .none
            exchange.unjudged.append(sent)
            return false
        }
        try await handshake.take(token)
        guard handshake.message != nil else {
            if exchange.weight == .none {
                let error = AuthenticationError(
                    .noUsableScheme,
                    "\(sent.space) offers \(sent.method.scheme), and takes nothing within it that is spoken here.",
                    space: sent.space, offeredSchemes: exchange.offered.map(\.scheme))
                exchange.ruleOut(sent, error)
                if exchange.unjudged.isEmpty { release(&exchange, .lookAgain) }
            }
            return false
        }
        exchange.handshake = handshake
        return true
    }

    private func challenges(
        in fields: [String], origin: ProtectionSpace
    ) throws(AuthenticationError) -> [Challenge] {
        let challenges: [Challenge]
        do { challenges = try Challenge.read(fields) } catch {
            throw .init(
                .malformedChallenge,
                "The challenge of \(origin) cannot be read at byte \(error.offset): \(error.what).",
                space: origin, cause: error)
        }
        guard !challenges.isEmpty else {
            throw .init(
                .malformedChallenge,
                "\(origin.asker) asks for credentials for \(origin), and does not say how (RFC 9110 §11.6.1).",
                space: origin)
        }
        return challenges
    }

    // MARK: Success

    /// Looks at what the server says behind accepted credentials.
    ///
    /// - Parameters:
    ///   - challenges: The lines of `WWW-Authenticate` or `Proxy-Authenticate`, which may carry a last word.
    ///   - information: The lines of `Authentication-Info` or `Proxy-Authentication-Info`.
    ///   - content: of the answer.
    /// - Throws: ``AuthenticationError`` with `peerNotProved` when it should know what we know, and does not.
    public func verify(
        _ exchange: AuthenticationExchange, challenges: [String], information: [String], content: [UInt8]
    ) async throws {
        guard let sent = exchange.sent else { return }
        if let handshake = exchange.handshake {
            let words = (try? Challenge.read(challenges + information)) ?? []
            let word = words.first { $0.isScheme(sent.method.scheme.description) }?.token68
            return try await handshake.verify(word.flatMap { Base64.decode($0) })
        }
        guard case .digest(let challenge) = sent.method, let account = sent.credentials.account,
            let expectation = exchange.expectation, let information = try? AuthenticationInformation(information)
        else { return }
        if expectation.isProved(by: information, content: content) == false {
            throw AuthenticationError(
                .peerNotProved,
                "\(sent.space) has accepted our credentials without proving that it knows the password: its rspauth is wrong (RFC 7616 §3.5). Somebody may stand between.",
                space: sent.space)
        }
        guard let next = information["nextnonce"] else { return }
        state.withLock { state in
            state.memory.withKey(account, for: challenge, in: sent.space, cnonce: Self.cnonce) {
                $0.use(nonce: next, cnonce: Self.cnonce())
            }
        }
    }

    /// Has the source keep new credentials that were accepted, if it does such a thing. It may take the time that a store takes; other
    /// calls do not wait for it.
    ///
    /// - Parameter status: as for ``finish(_:status:)``, which has to follow.
    public func keep(_ exchange: inout AuthenticationExchange, status: Int) async {
        await keeping(&exchange, status: status)?()
    }

    /// What ``keep(_:status:)`` takes its time for; nil when there is nothing to be kept.
    package func keeping(
        _ exchange: inout AuthenticationExchange, status: Int
    ) -> (@Sendable () async -> Void)? {
        guard let keep = policy.credentials.keep, exchange.trial != nil, isAccepted(status), exchange.isDecided,
            let sent = exchange.sent
        else { return nil }
        state.withLock { [path = exchange.path] in
            $0.memory.accept(sent.credentials, by: sent.method, in: sent.space, path: path)
        }
        release(&exchange, .lookAgain)
        let question = CredentialQuestion(space: sent.space, path: exchange.path, scheme: sent.method.scheme)
        return { await keep(sent.credentials, question) }
    }

    /// Errors that a proxy does not invent before it has looked at credentials.
    private static let origins: Set<Int> = [401, 404, 405, 409, 410, 412, 415, 422, 500]

    /// Whether an answer shows that the request was worked on, or that a proxy has passed it on.
    private func isAccepted(_ status: Int) -> Bool {
        isProxy
            ? status < 400 || Self.origins.contains(status) : (200..<300).contains(status) || status == 500
    }

    /// Closes an exchange.
    ///
    /// New credentials count as accepted only when the answer shows that the request was worked on: 2xx, or 500, which
    /// carries a SOAP fault; of a proxy, that it was passed on. After another answer they remain to be tried, by one exchange at a time.
    ///
    /// - Parameter status: Of the answer to the last leg, if it was no challenge; nil when there was none.
    public func finish(_ exchange: inout AuthenticationExchange, status: Int?) {
        if status.map(isAccepted) == true, exchange.isDecided, let sent = exchange.sent {
            let isNew = exchange.trial != nil || policy.credentials.isRenewing
            state.withLock { [path = exchange.path] state in
                if isNew {
                    state.memory.accept(sent.credentials, by: sent.method, in: sent.space, path: path)
                } else {
                    state.memory.extend(sent.credentials, in: sent.space, to: path)
                }
            }
        }
        release(&exchange, .lookAgain)
        exchange.sent = nil
    }

    // MARK: Choosing credentials

    /// - Parameter others: in which what is found may be sent as well, where it is for one of them.
    func obtain(
        _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod,
        or others: [AuthenticationMethod] = [],
        in space: ProtectionSpace
    ) async throws {
        func fitting(_ credentials: Credentials) -> AuthenticationMethod {
            ([method] + others).first { $0.takes(credentials) } ?? method
        }
        if policy.credentials.isRenewing { return try await renew(&exchange, by: method, in: space) }
        while true {
            switch state.withLock({ $0.memory.step(&exchange, in: space) }) {
            case .send(let credentials):
                return try send(credentials, by: fitting(credentials), in: space, &exchange)
            case .wait:
                // The call that holds this one may wait for what is held here.
                release(&exchange, .lookAgain)
                if case .failed(let error) = try await trialEnd(of: exchange.id, in: space) { throw error }
            case .fail(let error):
                release(&exchange, .failed(error))
                throw error
            case .ask(let reason, let attempt, let everRefused):
                let answer: Credentials?
                do {
                    var question = CredentialQuestion(
                        space: space, path: exchange.path, scheme: method.scheme, reason: reason, attempt: attempt)
                    question.refused = exchange.refused
                    question.everRefused = everRefused
                    answer = try await policy.credentials.search(question)
                } catch let error where error is CancellationError || error is NothingForScheme {
                    release(&exchange, .lookAgain)
                    throw error
                } catch {
                    let failure = Self.failure(of: error, in: space)
                    release(&exchange, .failed(failure))
                    throw failure
                }
                switch state.withLock({ $0.memory.answered(answer, exchange: exchange, in: space) }) {
                case .send(let credentials):
                    return try send(credentials, by: fitting(credentials), in: space, &exchange)
                case .fail(let error):
                    release(&exchange, .failed(error))
                    throw error
                case .ask, .wait:
                    continue
                }
            }
        }
    }

    /// Gets what may be another token each time. Nobody's account is locked for an old one, so that nobody waits for a trial.
    private func renew(
        _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod, in space: ProtectionSpace
    ) async throws {
        guard exchange.tried.count < 2 else { throw CredentialMemory.refusal(in: space) }
        let refused = exchange.refused
        var question = CredentialQuestion(
            space: space, path: exchange.path, scheme: method.scheme,
            reason: refused == nil ? .first : exchange.reason ?? .rejected,
            attempt: exchange.tried.count + 1)
        question.refused = refused
        let answer: Credentials?
        do { answer = try await policy.credentials.search(question) } catch let error as CancellationError {
            throw error
        } catch { throw Self.failure(of: error, in: space) }
        guard let answer else { throw CredentialMemory.noCredentials(in: space) }
        guard !exchange.tried.contains(answer) else { throw CredentialMemory.refusal(in: space) }
        try send(answer, by: method, in: space, &exchange)
    }

    private static func failure(of error: any Error, in space: ProtectionSpace) -> AuthenticationError {
        (error as? AuthenticationError)
            ?? .init(.sourceFailed, "The source of the credentials for \(space) failed.", space: space, cause: error)
    }

    private static func unknownContent(_ sent: AuthenticationExchange.Sent) -> AuthenticationError {
        .init(
            .noUsableScheme,
            "\(sent.method.scheme) for \(sent.space) covers the content, which is sent in pieces and not known before; send it from memory.",
            space: sent.space)
    }

    private static func misfit(_ method: AuthenticationMethod, in space: ProtectionSpace) -> AuthenticationError {
        .init(
            .invalidCredentials,
            "The credentials for \(space) are of another kind than \(method.scheme) takes; look at what the question asks for.",
            space: space)
    }

    private func send(
        _ credentials: Credentials, by method: AuthenticationMethod, in space: ProtectionSpace,
        _ exchange: inout AuthenticationExchange
    ) throws(AuthenticationError) {
        do throws(AuthenticationError) {
            // What cannot be written is refused before it is sent.
            guard method.takes(credentials) else { throw Self.misfit(method, in: space) }
            switch (method, credentials.kind) {
            case (.basic, .account(let account)): _ = try BasicScheme.authorization(for: account, space: space)
            case (.ntlm, .account(let account)), (.negotiate, .account(let account)):
                try NTLMClient.check(account, in: space)
            case (.bearer, .token(let token, _)): _ = try BearerScheme.authorization(for: token, space: space)
            default: break
            }
        } catch {
            state.withLock { $0.memory.withdraw(credentials, in: space) }
            release(&exchange, .failed(error))
            throw error
        }
        exchange.sent = .init(space: space, credentials: credentials, method: method)
        exchange.tried.insert(credentials)
    }

    // MARK: Waiting for a trial

    func release(_ exchange: inout AuthenticationExchange, _ outcome: CredentialMemory.Outcome) {
        var spaces = exchange.heldTrials
        if let trial = exchange.trial { spaces.append(trial) }
        exchange.heldTrials = []
        exchange.trial = nil
        for space in spaces {
            let waiting = state.withLock { state in
                state.memory.endTrial(of: exchange.id, in: space)
                return state.waiting.removeValue(forKey: space)
            }
            for continuation in (waiting ?? [:]).values { continuation.resume(returning: outcome) }
        }
    }

    private func trialEnd(of id: UInt64, in space: ProtectionSpace) async throws -> CredentialMemory.Outcome {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ended = state.withLock { state in
                    // The trial may have ended since, and its end would never be told again.
                    guard state.memory.isTried(space), !Task.isCancelled else { return true }
                    state.waiting[space, default: [:]][id] = continuation
                    return false
                }
                if ended {
                    continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(.lookAgain))
                }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting[space]?.removeValue(forKey: id) }
            waiting?.resume(throwing: CancellationError())
        }
    }
}
