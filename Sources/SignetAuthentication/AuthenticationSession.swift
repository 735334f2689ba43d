import Synchronization

/// Authenticates the exchanges of one client with one kind of peer, the origin server or a proxy, and remembers what
/// was accepted and refused (RFC 9110 §11). It does no I/O: a program with an HTTP client of its own asks it what to
/// send.
///
/// For every exchange: ``begin(scheme:host:port:path:)``, and ``prepare(_:)`` if it says so; for each leg a
/// connection of ``AuthenticationExchange/user`` and a request with ``authorization(_:for:over:)``; for every 401
/// (407 of a proxy) ``challenged(_:status:fields:)`` and another leg, a few at most; for any other answer
/// ``verify(_:challenges:information:content:)`` and ``keep(_:status:)``; and in any case ``finish(_:status:)``.
/// ``AuthenticationLegs`` decides the order of these steps for a client that has connections, proxies or streams to
/// deal with.
///
/// Answers to redirects and to other origins belong to exchanges of their own. The session leaves credentials alone that
/// the caller wrote into the request by hand.
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
        exchange.proof.reliesOnConnection = false
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
            exchange.proof.expectation = expectation
            exchange.rounds.proofs += 1
            exchange.proof.hasFreshNonce = exchange.asked.at.map { now() - $0 < Self.freshness } ?? false
            return field
        case (.negotiate, _), (.ntlm, _):
            return try await shakeHands(&exchange, sent, for: request, over: channel)
        default:
            throw Self.misfit(sent.method, in: sent.space)
        }
    }

    /// The connection is not the one that the next leg has to go over: lease another.
    public struct UnfitConnection: Error {}

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
        exchange.asked.weight = .init(of: exchange)
        exchange.asked.at = now()
        exchange.rounds.proofs = 0
        do {
            exchange.asked.offered = try challenges(in: fields, origin: exchange.origin)
            return try await shakesOn(&exchange)
        } catch let error as AuthenticationError {
            throw end(&exchange, error, wasLookedAt: false)
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
        guard let keep = policy.credentials.keep, exchange.trials.current != nil, isAccepted(status),
            exchange.isDecided,
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
