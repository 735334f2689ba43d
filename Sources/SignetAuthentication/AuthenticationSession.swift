import Synchronization

/// Authenticates the exchanges of one client with one kind of peer, the origin server or a proxy, and remembers which
/// credentials were accepted and refused (RFC 9110 §11). It does no I/O: a program with its own HTTP client asks it
/// what to send.
///
/// For every exchange: ``begin(scheme:host:port:path:isLocal:)``, and ``prepare(_:)`` if it says so; for each leg a
/// connection of ``AuthenticationExchange/user`` and a request with ``authorization(_:for:over:)``; for every 401
/// (407 of a proxy) ``challenged(_:status:fields:)`` and another leg, a few at most; for any other answer
/// ``verify(_:challenges:information:content:)`` and ``keep(_:status:)``; and in any case ``finish(_:status:)``.
///
/// Answers to redirects and requests to other origins belong to separate exchanges. The session does not handle
/// credentials that the caller wrote into the request.
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
    ///   - policy: the source of credentials, and when they may be sent.
    ///   - isProxy: whether the session answers a proxy's 407, or an origin's 401. A client has one session for each.
    ///   - bindsConnections: whether the client can send several legs over one connection that no other user has.
    ///     Without this, NTLM and Negotiate are not used.
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

    /// Begins an exchange with an origin. Accepted credentials are available at once.
    ///
    /// - Parameters:
    ///   - scheme: `https` or `http`: that of the origin, or of the connection to the proxy.
    ///   - host: as ``ProtectionSpace/host``.
    ///   - port: as ``ProtectionSpace/port``.
    ///   - path: that of the request; a query is ignored. Empty for a proxy.
    ///   - isLocal: whether the traffic stays on this machine: to a loopback address or a socket in the file system,
    ///     without a proxy. Answers from which a password can be guessed may then travel over plain HTTP.
    /// - Throws: ``AuthenticationError``: `insecureChannel` when credentials would be sent over plain HTTP before a
    ///   challenge, `invalidCredentials`.
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

    /// The schemes that need no challenge, in the order in which credentials are looked up.
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
        // A source that asks and does not distinguish schemes most likely gives an account, so Basic comes first.
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
                return try await findCredentials(&exchange, by: method, or: opening.methods, in: opening.space)
            } catch let error as AuthenticationError
                where error.code == .credentialsRequired || error.code == .credentialsRefused
            {
                // The server may not need credentials for this request; if it does, its challenge leads to the same
                // error.
                return
            } catch is NothingForScheme {}
        }
    }

    /// The value of `Authorization` (`Proxy-Authorization`) for the next leg; nil for none. Never log it.
    ///
    /// - Parameters:
    ///   - exchange: the exchange that the leg belongs to; what the scheme has to remember is added to it.
    ///   - request: the request that will be sent; with some schemes, the value is valid for this request only.
    ///   - channel: the connection that will be used; it must belong to ``AuthenticationExchange/user``.
    /// - Throws: ``AuthenticationError``; ``ConnectionOfOtherUser`` when it belongs to another user.
    public func authorization(
        _ exchange: inout AuthenticationExchange, for request: AuthenticationRequest,
        over channel: AuthenticationChannel
    ) async throws -> String? {
        exchange.proof.reliesOnConnection = false
        guard let sent = exchange.sent else { return nil }
        // Every value passes this check, whatever its source.
        try policy.check(sent.method, in: sent.space, isLocal: exchange.isLocal)
        switch (sent.method, sent.credentials.kind) {
        case (.basic, .account(let account)):
            return try BasicScheme.authorization(for: account, space: sent.space)
        case (.bearer, .token(let token, let certificate)):
            guard certificate == nil || certificate == channel.certificate else {
                throw AuthenticationError(
                    .invalidCredentials,
                    "The token for \(sent.space) is bound to a client certificate with which this connection was not opened (RFC 8705 §3); give the transport the identity with which the token was obtained.",
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
            exchange.proof.expectation = expectation
            exchange.rounds.proofs += 1
            exchange.proof.hasFreshNonce = exchange.asked.at.map { now() - $0 < Self.freshness } ?? false
            return field
        case (.negotiate, _), (.ntlm, _):
            return try await handshakeMessage(&exchange, sent, for: request, over: channel)
        default:
            throw Self.unsuitableCredentials(sent.method, in: sent.space)
        }
    }

    /// The next leg cannot use this connection: lease another.
    public struct ConnectionOfOtherUser: Error {}

    /// 128 random bits.
    private static func cnonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    // MARK: Challenges

    /// Finds the answer to a challenge. Afterwards, send the request again with the new ``authorization(_:for:over:)``.
    ///
    /// - Parameters:
    ///   - exchange: the exchange that was challenged; the next credentials are put into it.
    ///   - status: 401 or 407.
    ///   - fields: The lines of `WWW-Authenticate` or `Proxy-Authenticate`.
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    public func challenged(_ exchange: inout AuthenticationExchange, status: Int, fields: [String]) async throws {
        if try await !continuesHandshake(&exchange, status: status, fields: fields) { try await choose(&exchange) }
    }

    /// The first half of ``challenged(_:status:fields:)``, which asks no credential source. Returns whether a handshake
    /// continues on its connection. If not, the connection is no longer needed, and ``choose(_:)`` follows.
    package func continuesHandshake(
        _ exchange: inout AuthenticationExchange, status: Int, fields: [String]
    ) async throws -> Bool {
        guard status == (isProxy ? 407 : 401) else {
            throw AuthenticationError(
                .unexpectedProxyChallenge,
                "A server that is not a proxy answered with \(status); the client sends it no credentials for that.",
                space: exchange.origin)
        }
        exchange.asked.weight = .init(of: exchange)
        exchange.asked.at = now()
        exchange.rounds.proofs = 0
        do {
            exchange.asked.offered = try challenges(in: fields, origin: exchange.origin)
            return try await continueHandshake(&exchange)
        } catch let error as AuthenticationError {
            throw end(&exchange, error, wasJudged: false)
        } catch {
            exchange.sent = nil
            throw error
        }
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

    /// Checks the server's proof in the answer to accepted credentials.
    ///
    /// - Parameters:
    ///   - exchange: the exchange that the answer belongs to.
    ///   - challenges: The lines of `WWW-Authenticate` or `Proxy-Authenticate`, which may carry the last message of a
    ///     handshake.
    ///   - information: The lines of `Authentication-Info` or `Proxy-Authentication-Info`.
    ///   - content: the content of the answer.
    /// - Throws: ``AuthenticationError`` with `peerNotProved` when the server must prove that it knows the secret, and
    ///   does not.
    public func verify(
        _ exchange: AuthenticationExchange, challenges: [String], information: [String], content: [UInt8]
    ) async throws {
        guard let sent = exchange.sent else { return }
        if let handshake = exchange.proof.handshake {
            let words = (try? Challenge.read(challenges + information)) ?? []
            let word = words.first { $0.isScheme(sent.method.scheme.description) }?.token68
            return try await handshake.verify(word.flatMap { Base64.decode($0) })
        }
        guard case .digest(let challenge) = sent.method, let account = sent.credentials.account,
            let expectation = exchange.proof.expectation, let information = try? AuthenticationInformation(information)
        else { return }
        if expectation.isProved(by: information, content: content) == false {
            throw AuthenticationError(
                .peerNotProved,
                "\(sent.space) has accepted the credentials without proving that it knows the password: its rspauth is wrong (RFC 7616 §3.5). An attacker may intercept the connection.",
                space: sent.space)
        }
        guard let next = information["nextnonce"] else { return }
        state.withLock { state in
            state.memory.withKey(account, for: challenge, in: sent.space, cnonce: Self.cnonce) {
                $0.use(nonce: next, cnonce: Self.cnonce())
            }
        }
    }

    /// Lets the source store new credentials that were accepted, if it does that. This may take as long as the store
    /// needs; other calls do not wait for it.
    ///
    /// - Parameters:
    ///   - exchange: the exchange that the answer belongs to.
    ///   - status: as for ``finish(_:status:)``, which must follow.
    public func keep(_ exchange: inout AuthenticationExchange, status: Int) async {
        await keeping(&exchange, status: status)?()
    }

    /// The work of ``keep(_:status:)``; nil when there is nothing to store.
    package func keeping(
        _ exchange: inout AuthenticationExchange, status: Int
    ) -> (@Sendable () async -> Void)? {
        guard let keep = policy.credentials.keep, exchange.trials.current != nil, isAccepted(status),
            exchange.isProofComplete,
            let sent = exchange.sent
        else { return nil }
        state.withLock { [path = exchange.path] in
            $0.memory.accept(sent.credentials, by: sent.method, in: sent.space, path: path)
        }
        release(&exchange, .lookAgain)
        let question = CredentialQuestion(space: sent.space, path: exchange.path, scheme: sent.method.scheme)
        return { await keep(sent.credentials, question) }
    }

    /// Errors that a proxy does not produce before it has checked credentials.
    private static let origins: Set<Int> = [401, 404, 405, 409, 410, 412, 415, 422, 500]

    /// Whether an answer shows that the origin processed the request, or that a proxy has passed it on.
    private func isAccepted(_ status: Int) -> Bool {
        isProxy
            ? status < 400 || Self.origins.contains(status) : (200..<300).contains(status) || status == 500
    }

    /// Ends an exchange.
    ///
    /// New credentials count as accepted only when the answer shows that the request was processed: 2xx, or 500, which
    /// carries a SOAP fault; for a proxy, that it was passed on. After another answer they are still to be tried, by
    /// one exchange at a time.
    ///
    /// - Parameters:
    ///   - exchange: the exchange to end; it has no credentials afterwards.
    ///   - status: Of the answer to the last leg, unless that was a challenge; nil when there was none.
    public func finish(_ exchange: inout AuthenticationExchange, status: Int?) {
        if status.map(isAccepted) == true, exchange.isProofComplete, let sent = exchange.sent {
            let isNew = exchange.trials.current != nil || policy.credentials.isRenewing
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

    private static func unknownContent(_ sent: AuthenticationExchange.Sent) -> AuthenticationError {
        .init(
            .noUsableScheme,
            "\(sent.method.scheme) for \(sent.space) covers the content, which is sent in pieces and not known before; send it from memory.",
            space: sent.space)
    }
}
