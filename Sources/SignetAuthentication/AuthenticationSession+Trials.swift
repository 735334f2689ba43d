import Synchronization

/// Finding credentials, and trying new ones in only one exchange at a time.
extension AuthenticationSession {
    // MARK: Choosing credentials

    /// - Parameter others: further methods for credentials that do not fit the first one.
    func findCredentials(
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
                // The call that has this trial may wait for a trial of this exchange.
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
                    question.refused = exchange.trials.refused
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

    /// Gets a token, which may differ each time. A server locks no account because of an old token, so no call waits
    /// for a trial.
    private func renew(
        _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod, in space: ProtectionSpace
    ) async throws {
        guard exchange.trials.tried.count < 2 else { throw CredentialMemory.refusal(in: space) }
        let refused = exchange.trials.refused
        var question = CredentialQuestion(
            space: space, path: exchange.path, scheme: method.scheme,
            reason: refused == nil ? .first : exchange.trials.reason ?? .rejected,
            attempt: exchange.trials.tried.count + 1)
        question.refused = refused
        let answer: Credentials?
        do { answer = try await policy.credentials.search(question) } catch let error as CancellationError {
            throw error
        } catch { throw Self.failure(of: error, in: space) }
        guard let answer else { throw CredentialMemory.noCredentials(in: space) }
        guard !exchange.trials.tried.contains(answer) else { throw CredentialMemory.refusal(in: space) }
        try send(answer, by: method, in: space, &exchange)
    }

    private static func failure(of error: any Error, in space: ProtectionSpace) -> AuthenticationError {
        (error as? AuthenticationError)
            ?? .init(.sourceFailed, "The source of the credentials for \(space) failed.", space: space, cause: error)
    }

    static func unsuitableCredentials(_ method: AuthenticationMethod, in space: ProtectionSpace) -> AuthenticationError
    {
        .init(
            .invalidCredentials,
            "The credentials for \(space) do not fit the scheme \(method.scheme); give those that the question asks for.",
            space: space)
    }

    func send(
        _ credentials: Credentials, by method: AuthenticationMethod, in space: ProtectionSpace,
        _ exchange: inout AuthenticationExchange
    ) throws(AuthenticationError) {
        do throws(AuthenticationError) {
            // Credentials that the scheme cannot carry are refused before they are sent.
            guard method.takes(credentials) else { throw Self.unsuitableCredentials(method, in: space) }
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
        exchange.trials.tried.insert(credentials)
    }

    // MARK: Waiting for a trial

    func release(_ exchange: inout AuthenticationExchange, _ outcome: CredentialMemory.Outcome) {
        var spaces = exchange.trials.held
        if let trial = exchange.trials.current { spaces.append(trial) }
        if spaces.isEmpty { return }
        exchange.trials.held = []
        exchange.trials.current = nil
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
                    // The trial may have ended in between; nothing would resume a continuation that is added now.
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
