import Synchronization

/// Authenticates the exchanges of one client with one kind of peer, the origin server or a proxy, and remembers what was
/// accepted and refused.
///
/// For every exchange: ``begin(scheme:host:port:)``, a request with ``AuthenticationExchange/authorization``, for every 401 (407 of a
/// proxy) ``challenged(_:status:fields:)`` and another request, and in any case ``finish(_:status:)``.
package final class AuthenticationSession: Sendable {
    private struct State {
        var memory = CredentialMemory()
        var nextID: UInt64 = 0
        var waiting: [ProtectionSpace: [UInt64: CheckedContinuation<CredentialMemory.Outcome, any Error>]] = [:]
    }

    private let policy: AuthenticationPolicy
    private let isProxy: Bool
    private let state = Mutex(State())

    package init(_ policy: AuthenticationPolicy, isProxy: Bool = false) {
        self.policy = policy
        self.isProxy = isProxy
    }

    /// Opens an exchange with an origin. Accepted credentials are there at once.
    package func begin(
        scheme: String, host: String, port: Int
    ) throws(AuthenticationError) -> AuthenticationExchange {
        let origin = ProtectionSpace(scheme: scheme, host: host, port: port, realm: "", isProxy: isProxy)
        var (exchange, opening) = state.withLock { state in
            state.nextID += 1
            return (AuthenticationExchange(id: state.nextID, origin: origin), state.memory.opening(at: origin))
        }
        switch opening {
        case .send(let credentials, let space, let method):
            try send(credentials, by: method, in: space, &exchange)
        case .unknown
        where policy.sendsWithoutChallenge && policy.schemes.contains(.basic) && !policy.credentials.isNone:
            try checkChannel(of: origin)
            exchange.needsPreparation = true
        case .unknown, .awaitChallenge:
            break
        }
        return exchange
    }

    /// Gets credentials for the first leg when ``AuthenticationExchange/needsPreparation`` says so.
    package func prepare(_ exchange: inout AuthenticationExchange) async throws {
        exchange.needsPreparation = false
        do {
            try await obtain(&exchange, by: .basic, in: exchange.origin)
        } catch let error as AuthenticationError
            where error.code == .credentialsRequired || error.code == .credentialsRefused
        {
            // The server may not need any for this request; if it does, its challenge brings the same error.
        }
    }

    /// What the next leg carries; nil when it carries nothing. Never log it.
    ///
    /// - Parameter request: what is about to be sent: with Digest, the value is for this request alone.
    package func authorization(
        _ exchange: inout AuthenticationExchange, for request: DigestKey.Request
    ) throws(AuthenticationError) -> String? {
        guard let sent = exchange.sent else { return nil }
        switch sent.method {
        case .basic: return try BasicScheme.authorization(for: sent.credentials, space: sent.space)
        case .digest(let challenge):
            let (field, expectation) = state.withLock { state in
                state.memory.withKey(sent.credentials, for: challenge, in: sent.space, cnonce: Self.cnonce) {
                    $0.authorization(for: request)
                }
            }
            exchange.expectation = expectation
            return field
        }
    }

    /// 128 bits of chance.
    private static func cnonce() -> String {
        var random = SystemRandomNumberGenerator()
        return Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Finds the answer to a challenge; afterwards the request is to be sent again with the new
    /// ``authorization(_:for:)``.
    ///
    /// - Parameters:
    ///   - status: 401 or 407.
    ///   - fields: The lines of `WWW-Authenticate` or `Proxy-Authenticate`.
    /// - Throws: ``AuthenticationError``, or the `CancellationError` of a call that waited.
    package func challenged(_ exchange: inout AuthenticationExchange, status: Int, fields: [String]) async throws {
        guard status == (isProxy ? 407 : 401) else {
            throw AuthenticationError(
                .unexpectedProxyChallenge,
                "A server that is no proxy answered with \(status), and gets no credentials for that.",
                space: exchange.origin)
        }
        let method: AuthenticationMethod
        let space: ProtectionSpace
        do {
            let strongest = try AuthenticationMethod.strongest(
                of: try challenges(in: fields, origin: exchange.origin), by: policy, in: exchange.origin)
            method = strongest.method
            space = exchange.origin.with(realm: strongest.realm)
        } catch {
            // Whatever the server says with it, or leaves out: what was sent is refused.
            if let sent = exchange.sent { state.withLock { $0.memory.refuse(sent.credentials, in: sent.space) } }
            exchange.sent = nil
            throw error
        }
        if let sent = exchange.sent {
            if isStale(method, after: sent, in: space), exchange.staleRounds < Self.maximumStaleRounds {
                exchange.staleRounds += 1
                state.withLock { $0.memory.renew(method, in: space) }
                exchange.sent = .init(space: space, credentials: sent.credentials, method: method)
                return
            }
            state.withLock { state in
                state.memory.refuse(sent.credentials, in: space)
                if exchange.trial != nil || sent.space == space || sent.space.realm.isEmpty {
                    state.memory.refuse(sent.credentials, in: sent.space)
                }
            }
            exchange.sent = nil
            if let trial = exchange.trial, trial != space { release(&exchange, .lookAgain) }
        }
        guard !policy.credentials.isNone else { throw CredentialMemory.noCredentials(in: space) }
        if method == .basic { try checkChannel(of: space) }
        try await obtain(&exchange, by: method, in: space)
    }

    /// A server may say without end that its nonce is too old.
    private static let maximumStaleRounds = 2

    private func isStale(
        _ method: AuthenticationMethod, after sent: AuthenticationExchange.Sent, in space: ProtectionSpace
    ) -> Bool {
        guard case .digest(let challenge) = method, case .digest(let earlier) = sent.method else { return false }
        return challenge.isStale && sent.space == space && challenge.nonce != earlier.nonce
    }

    /// Looks at what the server says behind accepted credentials.
    ///
    /// - Parameters:
    ///   - fields: The lines of `Authentication-Info` or `Proxy-Authentication-Info`.
    ///   - content: of the answer.
    /// - Throws: ``AuthenticationError`` with `peerNotProved` when it should know the password and does not.
    package func verify(
        _ exchange: AuthenticationExchange, fields: [String], content: [UInt8]
    ) throws(AuthenticationError) {
        guard let sent = exchange.sent, case .digest(let challenge) = sent.method,
            let expectation = exchange.expectation,
            let information = try? AuthenticationInformation(fields)
        else { return }
        if expectation.isProved(by: information, content: content) == false {
            throw .init(
                .peerNotProved,
                "\(sent.space) has accepted our credentials without proving that it knows the password: its rspauth is wrong (RFC 7616 §3.5). Somebody may stand between.",
                space: sent.space)
        }
        guard let next = information["nextnonce"] else { return }
        state.withLock { state in
            state.memory.withKey(sent.credentials, for: challenge, in: sent.space, cnonce: Self.cnonce) {
                $0.use(nonce: next)
            }
        }
    }

    /// Closes an exchange.
    ///
    /// New credentials count as accepted only when the answer shows that the request was worked on: 2xx, or 500, which
    /// carries a SOAP fault. After another answer they remain to be tried, by one exchange at a time.
    ///
    /// - Parameter status: Of the answer to the last leg, if it was no challenge; nil when there was none.
    package func finish(_ exchange: inout AuthenticationExchange, status: Int?) {
        let isAccepted = status.map { (200..<300).contains($0) || $0 == 500 } ?? false
        if isAccepted, let sent = exchange.sent, exchange.trial != nil {
            state.withLock { $0.memory.accept(sent.credentials, by: sent.method, in: sent.space) }
        }
        release(&exchange, .lookAgain)
        exchange.sent = nil
    }

    // MARK: Choosing credentials

    private func challenges(
        in fields: [String], origin: ProtectionSpace
    ) throws(AuthenticationError) -> [Challenge] {
        let challenges: [Challenge]
        do { challenges = try Challenge.read(fields) } catch {
            throw .init(
                .malformedChallenge, "The server's challenge cannot be read at byte \(error.offset): \(error.what).",
                space: origin, cause: error)
        }
        guard !challenges.isEmpty else {
            throw .init(
                .malformedChallenge, "The server asks for credentials but does not say how (RFC 9110 §11.6.1).",
                space: origin)
        }
        return challenges
    }

    private func checkChannel(of space: ProtectionSpace) throws(AuthenticationError) {
        guard space.scheme == "https" || policy.allowsPlaintext else {
            throw .init(
                .insecureChannel,
                "The server asks for Basic credentials for \(space) over plain HTTP, where anybody can read them; "
                    + "use https, or allow plaintext.", space: space)
        }
    }

    private func obtain(
        _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod, in space: ProtectionSpace
    ) async throws {
        while true {
            switch state.withLock({ $0.memory.step(&exchange, in: space) }) {
            case .send(let credentials):
                return try send(credentials, by: method, in: space, &exchange)
            case .wait:
                if case .failed(let error) = try await trialEnd(of: exchange.id, in: space) { throw error }
            case .fail(let error):
                release(&exchange, .failed(error))
                throw error
            case .ask(let isRetry):
                let answer: Credentials?
                do {
                    answer = try await policy.credentials.answer(
                        .init(space: space, scheme: method.scheme.description, isRetry: isRetry))
                } catch let error as CancellationError {
                    release(&exchange, .lookAgain)
                    throw error
                } catch {
                    let failure = AuthenticationError(
                        .sourceFailed, "The source of the credentials for \(space) failed.", space: space, cause: error)
                    release(&exchange, .failed(failure))
                    throw failure
                }
                switch state.withLock({ $0.memory.answered(answer, exchange: exchange, in: space) }) {
                case .send(let credentials):
                    return try send(credentials, by: method, in: space, &exchange)
                case .fail(let error):
                    release(&exchange, .failed(error))
                    throw error
                case .ask, .wait:
                    continue
                }
            }
        }
    }

    private func send(
        _ credentials: Credentials, by method: AuthenticationMethod, in space: ProtectionSpace,
        _ exchange: inout AuthenticationExchange
    ) throws(AuthenticationError) {
        do {
            // What cannot be written is refused before it is sent.
            if method == .basic { _ = try BasicScheme.authorization(for: credentials, space: space) }
        } catch {
            state.withLock { $0.memory.refuse(credentials, in: space) }
            release(&exchange, .failed(error))
            throw error
        }
        exchange.sent = .init(space: space, credentials: credentials, method: method)
        exchange.tried.insert(credentials)
    }

    // MARK: Waiting for a trial

    private func release(_ exchange: inout AuthenticationExchange, _ outcome: CredentialMemory.Outcome) {
        guard let space = exchange.trial else { return }
        exchange.trial = nil
        let waiting = state.withLock { state in
            state.memory.endTrial(of: exchange.id, in: space)
            return state.waiting.removeValue(forKey: space)
        }
        for continuation in (waiting ?? [:]).values { continuation.resume(returning: outcome) }
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
