import Synchronization

extension AuthenticationExchange {
    /// What a further challenge means for the credentials that were sent before it.
    enum ChallengeStrength: Sendable {
        /// The credentials are refused: they were the password, a token, or a proof for a new nonce.
        case password
        /// The request is refused. The credentials may be right with the next one: with a new ticket, or a signature
        /// whose time is then right.
        case request
        /// Nothing: no credentials were sent, or the peer had no reason to check them.
        case none

        init(of exchange: AuthenticationExchange) {
            guard let sent = exchange.sent, !exchange.proof.reliesOnConnection else {
                self = .none
                return
            }
            switch sent.method {
            case .basic, .bearer: self = .password
            case .oauth1: self = .request
            // A count that was used before, or a nonce that other exchanges have used too, may be the only reason for
            // the refusal.
            case .digest: self = exchange.proof.hasFreshNonce && exchange.isFirstUse ? .password : .none
            case .ntlm, .negotiate:
                guard let handshake = exchange.proof.handshake, handshake.isDecisive else {
                    self = .none
                    return
                }
                self = handshake.provesPassword ? .password : .request
            }
        }
    }

    /// Whether a nonce was used for the first time: by its count, or, after further challenges, since all earlier
    /// proofs came from this exchange and were lost with their connections.
    private var isFirstUse: Bool {
        guard let uses = proof.expectation?.uses else { return false }
        return uses == 1 || (rounds.undecided > 0 && uses == rounds.proofs)
    }

    /// Excludes a scheme from this exchange, although its credentials may be right.
    mutating func ruleOut(_ sent: Sent, _ error: AuthenticationError) {
        asked.ruledOut[sent.method.scheme] = error
        trials.tried.remove(sent.credentials)
        self.sent = nil
        proof.handshake = nil
    }
}

extension AuthenticationSession {
    /// A server may say any number of times that its nonce is too old, or that it requires another one.
    static let maximumUndecidedRounds = 2
    static let maximumBrokenHandshakes = 2
    /// After more unjudged proofs than this, of whatever schemes, no further one is sent: a peer that counts them may
    /// lock the account.
    static let maximumUnjudgedProofs = 1
    /// A nonce that is older at its first use may have expired, whether the server says so or not: asking a person for
    /// a password may have taken long.
    static let freshness = Duration.seconds(20)

    /// Chooses the method and the credentials for the next leg from what the peer offers.
    package func choose(_ exchange: inout AuthenticationExchange) async throws {
        let method: AuthenticationMethod
        let space: ProtectionSpace
        do throws(AuthenticationError) {
            let schemes = policy.schemes(
                in: exchange.origin, without: Set(exchange.asked.ruledOut.keys), bindsConnections: bindsConnections)
            let strongest = try AuthenticationMethod.strongest(
                of: exchange.asked.offered, among: schemes, by: policy, in: exchange.origin, isLocal: exchange.isLocal)
            method = strongest.method
            space = exchange.origin.with(realm: strongest.realm)
            exchange.asked.demand = (method, space)
        } catch {
            let reason = error.code == .noUsableScheme ? exchange.asked.ruledOut.values.first : nil
            throw end(
                &exchange, error, reason,
                wasJudged: exchange.sent.map { Self.wasJudged($0, exchange.asked.offered) } ?? false)
        }
        if let sent = exchange.sent {
            switch try judge(sent, &exchange, by: method, in: space) {
            case .goesAgain: return
            case .isRuledOut:
                if exchange.trials.unjudged.isEmpty { release(&exchange, .lookAgain) }
                return try await choose(&exchange)
            case .isOver: exchange.sent = nil
            }
            exchange.proof.handshake = nil
        }
        if let trial = exchange.trials.current, trial != space {
            if exchange.trials.unjudged.isEmpty {
                release(&exchange, .lookAgain)
            } else {
                // A call that waits for that trial would send the same proof, while this trial may still be refused.
                exchange.trials.held.append(trial)
                exchange.trials.current = nil
            }
        }
        guard !policy.credentials.isNone else { throw CredentialMemory.noCredentials(in: space) }
        do {
            try policy.check(method, in: space, isLocal: exchange.isLocal)
            try await findCredentials(&exchange, by: method, in: space)
        } catch is NothingForScheme {
            exchange.asked.ruledOut[method.scheme] = CredentialMemory.noCredentials(in: space)
            try await choose(&exchange)
        } catch let error as AuthenticationError {
            if error.code == .credentialsRefused { refuseUnjudged(exchange, in: space) }
            leave(&exchange, error)
            throw error
        }
    }

    // MARK: Ends of a call

    /// Ends a call with an answer that no further leg follows. The credentials count as refused when the peer offers
    /// their scheme again in a way that cannot be used. A challenge without schemes, or one that cannot be read, counts
    /// as a refusal of credentials that the peer has never accepted: many peers answer so to a wrong password, which
    /// must not be sent any number of times. It says nothing about credentials that the peer has accepted before: an
    /// application behind the server may have answered.
    ///
    /// - Parameters:
    ///   - reason: why an earlier scheme did not work, which is more informative than the error.
    ///   - wasJudged: whether the answer offers the scheme of the sent credentials.
    /// - Returns: the error of the call, which says what happens to the credentials.
    func end(
        _ exchange: inout AuthenticationExchange, _ error: AuthenticationError, _ reason: AuthenticationError? = nil,
        wasJudged: Bool
    ) -> AuthenticationError {
        var failure = reason ?? error
        if let sent = exchange.sent, exchange.asked.weight == .password {
            let isKnown = state.withLock { $0.memory.isAccepted(sent.credentials, byOriginOf: sent.space) }
            if wasJudged || error.code == .malformedChallenge && !isKnown {
                state.withLock { $0.memory.refuse(sent.credentials, in: sent.space) }
                refuseUnjudged(exchange, in: sent.space)
            } else {
                exchange.trials.unjudged.append(sent)
                failure.message +=
                    " \(sent.space.asker) did not say that the credentials that were sent are wrong; the next call sends them again."
            }
        }
        exchange.sent = nil
        leave(&exchange, failure)
        return failure
    }

    /// Ends the trial of a call whose proof was not judged. A call that waits for it would send the same proof, and
    /// learn nothing either.
    private func leave(_ exchange: inout AuthenticationExchange, _ error: AuthenticationError) {
        if !exchange.trials.unjudged.isEmpty { release(&exchange, .failed(error)) }
    }

    /// Credentials that are refused in one space of an origin count as refused in its other spaces of this exchange
    /// that did not judge them.
    private func refuseUnjudged(_ exchange: AuthenticationExchange, in space: ProtectionSpace) {
        state.withLock { state in
            for sent in exchange.trials.unjudged where state.memory.isRefused(sent.credentials, in: space) {
                state.memory.refuse(sent.credentials, in: sent.space)
            }
        }
    }

    // MARK: The credentials sent before

    private enum JudgedOutcome {
        /// The next leg carries the same credentials with a new proof.
        case goesAgain
        /// The scheme cannot be used.
        case isRuledOut
        /// Other credentials have to be found, or the same for another realm.
        case isOver
    }

    /// Decides about the credentials that were sent, now that the peer asks again. They count as refused only when the
    /// peer must have judged them.
    private func judge(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange,
        by method: AuthenticationMethod, in space: ProtectionSpace
    ) throws(AuthenticationError) -> JudgedOutcome {
        if exchange.asked.weight == .none, sent.method.scheme == method.scheme, sent.method.scheme.bindsToConnection {
            exchange.rounds.brokenHandshakes += 1
            if exchange.rounds.brokenHandshakes <= Self.maximumBrokenHandshakes,
                exchange.trials.unjudged.count <= Self.maximumUnjudgedProofs
            {
                return .goesAgain
            }
            exchange.ruleOut(sent, Self.brokenHandshake(sent, isProved: !exchange.trials.unjudged.isEmpty))
            return .isRuledOut
        }
        if case .digest(let challenge) = method, sent.method.scheme == .digest, sent.space == space,
            challenge.isStale || exchange.asked.weight == .none
        {
            try proveAnew(sent, &exchange, by: method)
            return .goesAgain
        }
        let isPassedOver = exchange.asked.weight == .password && !Self.wasJudged(sent, exchange.asked.offered)
        // A scheme without realms cannot name another realm.
        if sent.space != space, !sent.space.realm.isEmpty, !isPassedOver || !space.realm.isEmpty {
            try changeRealm(sent, &exchange, by: method, to: space)
            return .isOver
        }
        if exchange.asked.weight == .password, !isPassedOver {
            if method == .bearer, BearerScheme.isExpired(exchange.asked.offered) == true {
                exchange.trials.reason = .expired
            }
            state.withLock { state in
                state.memory.refuse(sent.credentials, in: space)
                state.memory.refuse(sent.credentials, in: sent.space)
            }
            refuseUnjudged(exchange, in: space)
            exchange.trials.refused = sent.credentials
        } else if exchange.asked.weight == .request {
            exchange.trials.refused = sent.credentials
        } else {
            if isPassedOver { try passOver(sent, &exchange, by: method, in: space) }
            // Credentials that do not fit the scheme will not be found again.
            if method.takes(sent.credentials) { exchange.trials.tried.remove(sent.credentials) }
        }
        return .isOver
    }

    /// A peer judges credentials if it offers their scheme. A peer that no longer offers it may be another machine than
    /// the one that asked.
    private static func wasJudged(_ sent: AuthenticationExchange.Sent, _ offered: [Challenge]) -> Bool {
        offered.contains { $0.isScheme(sent.method.scheme.description) }
    }

    /// The peer did not judge the credentials. They may be sent by the scheme that it offers now, once for each scheme.
    private func passOver(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod,
        in space: ProtectionSpace
    ) throws(AuthenticationError) {
        let wasSent = exchange.trials.unjudged.contains { $0.method.scheme == method.scheme }
        exchange.trials.unjudged.append(sent)
        guard wasSent || exchange.trials.unjudged.count > Self.maximumUnjudgedProofs else { return }
        exchange.sent = nil
        let error = AuthenticationError(
            .undecided,
            "\(space.asker) wants another scheme each time for \(space), \(method.scheme) last, and did not say that the credentials are wrong. Several machines may answer, each with schemes of its own: have all of them offer the same ones, or name a single one in \(OptIn.settings(of: space)).schemes. The next call tries again.",
            space: space, offeredSchemes: exchange.asked.offered.map(\.scheme))
        leave(&exchange, error)
        throw error
    }

    private func proveAnew(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod
    ) throws(AuthenticationError) {
        guard exchange.rounds.undecided < Self.maximumUndecidedRounds else {
            exchange.sent = nil
            throw .init(
                .undecided,
                "\(sent.space.asker) asked for another proof \(exchange.rounds.undecided + 1) times for \(sent.space), and did not say that the credentials are wrong: its nonces expire at once. Check its clock and its settings for Digest; the next call tries again.",
                space: sent.space)
        }
        exchange.rounds.undecided += 1
        let nonce = exchange.proof.expectation?.nonce
        state.withLock { $0.memory.renew(method, after: nonce, in: sent.space) }
        exchange.sent = .init(space: sent.space, credentials: sent.credentials, method: method)
    }

    /// The challenge of one realm does not judge credentials that were sent for another; they may be right in it as
    /// well.
    private func changeRealm(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod,
        to space: ProtectionSpace
    ) throws(AuthenticationError) {
        state.withLock { $0.memory.leaveUnjudged(sent.credentials, in: sent.space) }
        exchange.rounds.realmChanges += 1
        guard exchange.rounds.realmChanges <= 1 else {
            exchange.sent = nil
            throw .init(
                .undecided,
                "\(space.asker) named another realm each time, \(space) last; the client ended the call. It did not say which credentials are wrong.",
                space: space)
        }
        if exchange.trials.current == nil { exchange.trials.reason = .realmChanged }
        if sent.method == method {
            // The same bytes would be sent again.
            exchange.trials.refused = sent.credentials
        } else {
            exchange.trials.tried.remove(sent.credentials)
        }
    }

    /// - Parameter isProved: whether a last message was sent, and the peer then began again.
    static func brokenHandshake(_ sent: AuthenticationExchange.Sent, isProved: Bool) -> AuthenticationError {
        let password = isProved ? "The password was not judged" : "The password was not tried"
        return .init(
            .undecided,
            "\(sent.method.scheme) for \(sent.space) takes several messages over one connection, and did not get to its end: each connection was closed, or began anew, before the password was looked at. Something on the way, such as a proxy or a load balancer, may not keep connections, or \(sent.space.isProxy ? "the proxy" : "the server") may not support it. \(password): have connections kept, or use another scheme.",
            space: sent.space)
    }
}
