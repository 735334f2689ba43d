import Synchronization

/// Schemes whose messages go over one connection: NTLM and Negotiate.
extension AuthenticationSession {
    func handshakeMessage(
        _ exchange: inout AuthenticationExchange, _ sent: AuthenticationExchange.Sent,
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        if exchange.proof.handshake?.channel != channel.number {
            if exchange.proof.handshake != nil {
                exchange.rounds.brokenHandshakes += 1
                guard exchange.rounds.brokenHandshakes <= Self.maximumBrokenHandshakes else {
                    let error = Self.brokenHandshake(sent, isProved: !exchange.trials.unjudged.isEmpty)
                    return try await doWithout(sent, error, &exchange, for: request, over: channel)
                }
            }
            exchange.proof.handshake = nil
            let isAccepted = exchange.user.map(channel.users.contains) ?? false
            if isAccepted, !exchange.proof.needsProofPerRequest,
                !state.withLock({ $0.memory.needsProofPerRequest(in: sent.space) })
            {
                exchange.proof.reliesOnConnection = true
                return nil
            }
            do {
                exchange.proof.handshake = try await handshake(sent, over: channel, isLocal: exchange.isLocal)
            } catch let error as AuthenticationError where error.code == .noTicket {
                // Another scheme may do, since nothing was sent.
                return try await doWithout(sent, error, &exchange, for: request, over: channel)
            } catch let error as AuthenticationError where error.code == .credentialsRefused {
                // Kerberos has already asked its servers, so this was a failed login.
                state.withLock { $0.memory.refuse(sent.credentials, in: sent.space) }
                exchange.sent = nil
                release(&exchange, .failed(error))
                throw error
            }
        }
        return exchange.proof.handshake?.message.map { "\(sent.method.scheme) \(Base64.encode($0))" }
    }

    /// Tries another scheme for this exchange.
    private func doWithout(
        _ sent: AuthenticationExchange.Sent, _ error: AuthenticationError, _ exchange: inout AuthenticationExchange,
        for request: AuthenticationRequest, over channel: AuthenticationChannel
    ) async throws -> String? {
        exchange.ruleOut(sent, error)
        if exchange.trials.unjudged.isEmpty { release(&exchange, .lookAgain) }
        guard !exchange.asked.offered.isEmpty else { return nil }
        try await choose(&exchange)
        guard exchange.user == nil else { throw ConnectionOfOtherUser() }
        return try await authorization(&exchange, for: request, over: channel)
    }

    private func handshake(
        _ sent: AuthenticationExchange.Sent, over channel: AuthenticationChannel, isLocal: Bool
    ) async throws -> Handshake {
        let account = sent.credentials.account
        if sent.method == .ntlm, let account { return .ntlm(account, at: sent.space, over: channel) }
        var failure: any Error = AuthenticationError(
            .noTicket, "\(sent.space) wants Negotiate, for which there is neither Kerberos nor permission to use NTLM.",
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

    func continueHandshake(_ exchange: inout AuthenticationExchange) async throws -> Bool {
        guard let sent = exchange.sent, sent.method.scheme.bindsToConnection else { return false }
        let challenge = exchange.asked.offered.first { $0.isScheme(sent.method.scheme.description) }
        if exchange.proof.reliesOnConnection {
            // Nothing was refused, since no credentials were sent.
            exchange.proof.reliesOnConnection = false
            exchange.proof.needsProofPerRequest = true
            guard challenge != nil else {
                exchange.sent = nil
                return false
            }
            if sent.method == .negotiate { state.withLock { $0.memory.requireProofPerRequest(in: sent.space) } }
            return true
        }
        guard var handshake = exchange.proof.handshake, let text = challenge?.token68 else {
            exchange.proof.handshake = nil
            return false
        }
        exchange.proof.handshake = nil
        guard let token = Base64.decode(text) else {
            throw AuthenticationError(
                .malformedChallenge, "The \(sent.method.scheme) message of \(sent.space) is not base64 (RFC 4648 §4).",
                space: sent.space)
        }
        if handshake.beginsAnew(with: token) {
            exchange.asked.weight = .none
            exchange.trials.unjudged.append(sent)
            return false
        }
        try await handshake.take(token)
        guard handshake.message != nil else {
            if exchange.asked.weight == .none {
                let error = AuthenticationError(
                    .noUsableScheme,
                    "\(sent.space) offers \(sent.method.scheme), and accepts no mechanism within it that Signet supports.",
                    space: sent.space, offeredSchemes: exchange.asked.offered.map(\.scheme))
                exchange.ruleOut(sent, error)
                if exchange.trials.unjudged.isEmpty { release(&exchange, .lookAgain) }
            }
            return false
        }
        exchange.proof.handshake = handshake
        return true
    }
}
