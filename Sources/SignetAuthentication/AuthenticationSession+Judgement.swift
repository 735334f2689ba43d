import Synchronization

extension AuthenticationExchange {
    /// How much a further challenge says of what was sent before it.
    enum Weight: Sendable {
        /// What was sent is refused: it was the password, a token, or a proof for a nonce that was new.
        case password
        /// The request is refused. What was sent may be right with the next one: a ticket that is got anew, a signature whose time is
        /// right by then.
        case request
        /// Nothing: nothing was sent, or the peer had no reason to look at it.
        case none

        init(of exchange: AuthenticationExchange) {
            guard let sent = exchange.sent, !exchange.proof.reliesOnConnection else {
                self = .none
                return
            }
            switch sent.method {
            case .basic, .bearer: self = .password
            case .oauth1: self = .request
            // A number that was counted before, or a nonce that others have used too, may be refused for that alone.
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

    /// Whether a nonce was used for the first time: by its number, or, where that happens again, since all proofs before were ours and were
    /// lost with their connections.
    private var isFirstUse: Bool {
        guard let uses = proof.expectation?.uses else { return false }
        return uses == 1 || (rounds.undecided > 0 && uses == rounds.proofs)
    }

    /// A scheme cannot be used in this exchange, though its credentials may be right.
    mutating func ruleOut(_ sent: Sent, _ error: AuthenticationError) {
        asked.ruledOut[sent.method.scheme] = error
        trials.tried.remove(sent.credentials)
        self.sent = nil
        proof.handshake = nil
    }
}

extension AuthenticationSession {
    /// A server may say without end that its nonce is too old, or that it wants another one.
    static let maximumUndecidedRounds = 2
    static let maximumBrokenHandshakes = 2
    /// How many proofs that were not judged, by whatever schemes, a further one may follow: a peer that counts them may lock the account.
    static let maximumUnjudgedProofs = 1
    /// A nonce that is older when it is first used may have become too old, whether the server says so or not: who was asked for
    /// a password may have taken long.
    static let freshness = Duration.seconds(20)

    /// Chooses among what the peer offers, how and as whom to go on.
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
                wasLookedAt: exchange.sent.map { Self.wasLookedAt($0, exchange.asked.offered) } ?? false)
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
                // A call that waits there would prove the same, while it may be refused here.
                exchange.trials.held.append(trial)
                exchange.trials.current = nil
            }
        }
        guard !policy.credentials.isNone else { throw CredentialMemory.noCredentials(in: space) }
        do {
            try policy.check(method, in: space, isLocal: exchange.isLocal)
            try await obtain(&exchange, by: method, in: space)
        } catch is NothingForScheme {
            exchange.asked.ruledOut[method.scheme] = CredentialMemory.noCredentials(in: space)
            try await choose(&exchange)
        } catch let error as AuthenticationError {
            if error.code == .credentialsRefused { condemnUnjudged(exchange, in: space) }
            leave(&exchange, error)
            throw error
        }
    }

    // MARK: Ends of a call

    /// Ends a call with an answer that no further leg follows. What was sent is refused where the peer offers its scheme again, in a way
    /// that cannot be used. A peer that offers nothing, or what cannot be read, refuses what it has never accepted: many do so for a wrong
    /// password, which must not be sent without end. Of what it has accepted before it says nothing so: an application behind the
    /// server that has let the request in may have answered.
    ///
    /// - Parameters:
    ///   - reason: why an earlier scheme led nowhere, which says more than the error.
    ///   - wasLookedAt: whether the answer offers the scheme of what was sent.
    /// - Returns: what the call fails with; it says what becomes of the credentials.
    func end(
        _ exchange: inout AuthenticationExchange, _ error: AuthenticationError, _ reason: AuthenticationError? = nil,
        wasLookedAt: Bool
    ) -> AuthenticationError {
        var failure = reason ?? error
        if let sent = exchange.sent, exchange.asked.weight == .password {
            let isKnown = state.withLock { $0.memory.isAccepted(sent.credentials, byOriginOf: sent.space) }
            if wasLookedAt || error.code == .malformedChallenge && !isKnown {
                state.withLock { $0.memory.refuse(sent.credentials, in: sent.space) }
                condemnUnjudged(exchange, in: sent.space)
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

    /// Ends the trial of a call whose proof was not judged. A call that waited for it would prove the same, and learn nothing either.
    private func leave(_ exchange: inout AuthenticationExchange, _ error: AuthenticationError) {
        if !exchange.trials.unjudged.isEmpty { release(&exchange, .failed(error)) }
    }

    /// What is refused in one space of an origin is not tried again where the origin did not judge it before in the same exchange.
    private func condemnUnjudged(_ exchange: AuthenticationExchange, in space: ProtectionSpace) {
        state.withLock { state in
            for sent in exchange.trials.unjudged where state.memory.isRefused(sent.credentials, in: space) {
                state.memory.refuse(sent.credentials, in: sent.space)
            }
        }
    }

    // MARK: What was sent before

    private enum Fate {
        /// The next leg carries the same credentials, proved anew.
        case goesAgain
        /// Its scheme leads nowhere.
        case isRuledOut
        /// Others have to be found, or the same for another realm.
        case isOver
    }

    /// Says what becomes of what was sent, now that the peer asks again, and condemns it only where the peer had to find it right or wrong.
    private func judge(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange,
        by method: AuthenticationMethod, in space: ProtectionSpace
    ) throws(AuthenticationError) -> Fate {
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
        let isPassedOver = exchange.asked.weight == .password && !Self.wasLookedAt(sent, exchange.asked.offered)
        // A scheme without realms names no other one.
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
            condemnUnjudged(exchange, in: space)
            exchange.trials.refused = sent.credentials
        } else if exchange.asked.weight == .request {
            exchange.trials.refused = sent.credentials
        } else {
            if isPassedOver { try passOver(sent, &exchange, by: method, in: space) }
            // What the scheme does not take is not found again.
            if method.takes(sent.credentials) { exchange.trials.tried.remove(sent.credentials) }
        }
        return .isOver
    }

    /// What was sent is looked at by those who take its scheme. A peer that no longer offers it may be another machine than the one that
    /// had asked.
    private static func wasLookedAt(_ sent: AuthenticationExchange.Sent, _ offered: [Challenge]) -> Bool {
        offered.contains { $0.isScheme(sent.method.scheme.description) }
    }

    /// The peer did not look at what was sent; the same credentials may go by the scheme that it wants, by each scheme once.
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
                "\(sent.space.asker) asked for another proof \(exchange.rounds.undecided + 1) times for \(sent.space), and did not say that the credentials are wrong: its nonces are too old as soon as they are there. Look at its clock and its settings for Digest; the next call tries again.",
                space: sent.space)
        }
        exchange.rounds.undecided += 1
        let nonce = exchange.proof.expectation?.nonce
        state.withLock { $0.memory.renew(method, after: nonce, in: sent.space) }
        exchange.sent = .init(space: sent.space, credentials: sent.credentials, method: method)
    }

    /// What was sent for one realm is not judged by the challenge of another, in which it may be right as well.
    private func changeRealm(
        _ sent: AuthenticationExchange.Sent, _ exchange: inout AuthenticationExchange, by method: AuthenticationMethod,
        to space: ProtectionSpace
    ) throws(AuthenticationError) {
        exchange.rounds.realmChanges += 1
        guard exchange.rounds.realmChanges <= 1 else {
            exchange.sent = nil
            throw .init(
                .undecided,
                "\(space.asker) named another realm each time, \(space) last; the call was given up. It did not say which credentials are wrong.",
                space: space)
        }
        if exchange.trials.current == nil { exchange.trials.reason = .realmChanged }
        if sent.method == method {
            // The same bytes would come again.
            exchange.trials.refused = sent.credentials
        } else {
            exchange.trials.tried.remove(sent.credentials)
        }
    }

    /// - Parameter isProved: whether a last message was sent, and answered as if it had been none.
    static func brokenHandshake(_ sent: AuthenticationExchange.Sent, isProved: Bool) -> AuthenticationError {
        let password = isProved ? "The password was not judged" : "The password was not tried"
        return .init(
            .undecided,
            "\(sent.method.scheme) for \(sent.space) takes several messages over one connection, and did not get to its end: each connection was closed, or began anew, before the password was looked at. Something on the way, such as a proxy or a load balancer, may not keep connections, or \(sent.space.isProxy ? "the proxy" : "the server") may not speak it. \(password): have connections kept, or use another scheme.",
            space: sent.space)
    }
}
