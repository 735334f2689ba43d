/// Decides the order of the legs of one exchange: a request, and its repetitions after challenges (RFC 9110 §11.3).
///
/// It does no I/O. A driver reports each ``Event`` to ``handle(_:)`` and carries out the returned actions in order;
/// ``run(_:)`` is the loop that does so. Only the last action of a list leads to the next event. The list that ends the
/// exchange has ``Action/deliver`` or ``Action/fail(_:)`` as its last action.
///
/// An exchange takes ``maximum`` legs at most.
package struct AuthenticationLegs: ~Copyable, Sendable {
    /// More legs than an honest peer needs: without credentials, with remembered, new and corrected ones, each of them
    /// in several messages, for a proxy and for the origin.
    package static let maximum = 16

    private enum Stage: Sendable {
        case idle
        case preparing(Peer)
        case leasing
        case authorizing
        case sending
        case verifying(status: Int)
        case openingTunnel
        case handlingChallenge(Peer)
        case choosing(Peer)
        case over
    }

    /// The state of the current leg.
    private struct Leg: Sendable {
        var users: Set<ConnectionUser> = []
        /// Whether it began on the connection of the previous leg.
        var beganOverKept = false
        /// Whether its current connection is that of the previous leg.
        var isOverKept = false
        var connection: Connection?
        /// Whether the request was repeated because its connection was lost before an answer arrived.
        var wasRepeated = false
        /// Whether the connection turned out to be unfit.
        var wasUnfit = false
        var withholdsContent = false
        /// Whether the connection can carry another request after the answer.
        var isReusable = false
        /// Whether the exchange keeps the connection while it handles the challenge.
        var holdsConnection = false
    }

    private let route: Route
    private let callerHandlesCredentials: Bool
    private let callerBindsConnection: Bool
    private let isStream: Bool
    private let isSafe: Bool
    /// The peers for which the request carries something, for which credentials have to be looked up, or that have
    /// asked. For other peers there is nothing to prepare, to authorize, to verify or to keep.
    var addressed: Peers
    private var expectsContinue: Bool
    private var stage = Stage.idle
    private var states = PeerStates()
    private var leg = Leg()
    private var count = 0
    /// How often a peer has refused to process the request, by the limit of ``Loss/refused(atMost:)``.
    private var refusals: [Int: Int] = [:]
    /// Whether a peer has asked for credentials in this exchange.
    private var wasAsked = false

    /// The status with which the exchanges of all peers end, see ``AuthenticationSession/finish(_:status:)``; nil until
    /// the peers have given their proofs.
    package private(set) var verifiedStatus: Int?

    /// Legs that have not begun: the first event to handle is ``Event/started``.
    package init(_ request: Request) {
        route = request.route
        callerHandlesCredentials = request.callerHandlesCredentials
        callerBindsConnection = request.callerBindsConnection
        isStream = request.isStream
        isSafe = request.isSafe
        addressed = request.route.peers
        expectsContinue = request.expectsContinue
    }

    /// Processes an event, and returns the next actions.
    ///
    /// - Returns: The actions in order. An event that cannot follow the actions before it ends the exchange with
    ///   ``Failure/outOfOrder``.
    package mutating func handle(_ event: Event) -> Actions {
        switch (stage, event) {
        case (.idle, .started):
            return prepare(addressed.first { _ in true })
        case (.preparing(let peer), .prepared(let state)):
            states[peer] = state
            return prepare(peer == .origin ? addressed.first { $0 == .proxy } : nil)
        case (.leasing, .leased(let connection)):
            leg.connection = connection
            guard !authorizedPeers.isEmpty else { return send() }
            stage = .authorizing
            return Actions(.authorize(authorizedPeers))
        case (.authorizing, .authorized(let states)):
            learn(states)
            return send()
        case (.authorizing, .unfit(let states)):
            learn(states)
            return unfit()
        case (.sending, .answered(let answer)):
            return answered(answer)
        case (.handlingChallenge(let peer), .challengeHandled(let continuesHandshake, let state)):
            states[peer] = state
            return continuesHandshake ? continueHandshake(of: peer) : choose(peer)
        case (.choosing(let peer), .chosen(let state)):
            states[peer] = state
            return nextLeg(overKept: leg.holdsConnection)
        case (.verifying(let status), .verified):
            return deliver(status)
        case (.openingTunnel, .tunnelOpened):
            return finish(keepingFor: [.proxy])
        default:
            return ended(by: event)
        }
    }

    /// Processes an event of a failed action.
    private mutating func ended(by event: Event) -> Actions {
        switch (stage, event) {
        case (.sending, .lost(let loss)):
            return lost(loss)
        case (.leasing, .lost(let loss)), (.authorizing, .lost(let loss)):
            return fail(.reported(amidHandshakeOf: loss.isClosed ? peerAmidHandshake : nil))
        case (_, .lost), (_, .failed):
            return fail(.reported(amidHandshakeOf: nil))
        default:
            return fail(.outOfOrder)
        }
    }

    private mutating func learn(_ states: PeerStates) { self.states.learn(states) }

    // MARK: Before the request

    private mutating func prepare(_ peer: Peer?) -> Actions {
        if let peer {
            stage = .preparing(peer)
            return Actions(.prepare(peer))
        }
        // A handshake begins without content that is not in memory, and only with a peer that has asked: a server that
        // accepts every client would take its first message for the request.
        let states = states
        let deferred = isStream ? route.peers.those { states[$0]?.user != nil } : []
        guard !deferred.isEmpty else { return nextLeg(overKept: false) }
        for peer in deferred { self.states.deferToken(peer) }
        expectsContinue = true
        return [.expectContinue(deferringTokensTo: deferred)] + nextLeg(overKept: false)
    }

    private mutating func nextLeg(overKept: Bool) -> Actions {
        guard count < Self.maximum else {
            stage = .over
            return (overKept ? [.drop] : []) + [.fail(.tooManyLegs)]
        }
        count += 1
        leg = Leg(users: states.users(), beganOverKept: overKept)
        return lease(overKept: overKept)
    }

    private mutating func lease(overKept: Bool) -> Actions {
        leg.isOverKept = overKept
        leg.connection = nil
        leg.wasUnfit = false
        stage = .leasing
        return Actions(.lease(as: leg.users, overKept: overKept))
    }

    /// The peers whose fields the request carries, without fields that the caller has written.
    private var authorizedPeers: Peers { addressed.those { !(callerHandlesCredentials && $0 == .origin) } }

    private mutating func send() -> Actions {
        stage = .sending
        leg.withholdsContent = wasAsked && isStream && states.contains { !$0.isProofComplete }
        return Actions(
            .send(
                .init(
                    withholdsContent: leg.withholdsContent,
                    mayPassOnContent: !leg.withholdsContent && !coversContent,
                    reading: reading)))
    }

    private var coversContent: Bool { states.contains(where: \.coversContent) }

    private var reading: Reading {
        .init(route: route, callerHandlesCredentials: callerHandlesCredentials, expectsContinue: expectsContinue)
    }

    /// The peers need another connection than the one that was leased.
    private mutating func unfit() -> Actions {
        guard route == .tunnel else { return releaseUnused() + nextLeg(overKept: false) }
        // A connection to the proxy without a tunnel has no user, so it is fit for the scheme that follows.
        guard !leg.wasUnfit else { return fail(.reported(amidHandshakeOf: nil)) }
        leg.wasUnfit = true
        return [.authorize(authorizedPeers)]
    }

    /// The end of a connection over which this leg has sent nothing.
    private func releaseUnused() -> Actions {
        [leg.isOverKept || route == .tunnel ? .drop : .giveBackUnused]
    }

    // MARK: Answers

    private mutating func answered(_ answer: LegResponse) -> Actions {
        leg.isReusable = answer.isReusable
        if !leg.withholdsContent, reading.isExpectationRefused(answer.status) {
            // RFC 9110 §15.5.18: the server does not support the expectation.
            expectsContinue = false
            return [.drop, .dropExpectation] + nextLeg(overKept: false)
        }
        if leg.withholdsContent, answer.status != 401, answer.status != 407 {
            stage = .over
            return [.drop, .fail(.firstMessageAnswered(status: answer.status))]
        }
        if let peer = reading.challenger(answer.status) { return challenged(by: peer) }
        if route == .tunnel, !(200..<300).contains(answer.status) {
            stage = .over
            return [.drop, .fail(.tunnelRefused(status: answer.status))]
        }
        guard !addressed.isEmpty else { return deliver(answer.status) }
        stage = .verifying(status: answer.status)
        return Actions(.verify(handsOnContent: coversContent))
    }

    private mutating func challenged(by peer: Peer) -> Actions {
        wasAsked = true
        addressed.insert(peer)
        var actions: Actions = []
        // A proxy that did not ask again has accepted the request.
        if peer == .origin, isAmidHandshake(with: .proxy), let state = states[.proxy], state.isProofComplete,
            let user = state.user
        {
            states.endHandshake(with: .proxy)
            actions += [.accept([user]), .endHandshake(.proxy)]
        }
        // A handshake continues on its connection, which no other call gets before it has succeeded.
        leg.holdsConnection = route == .tunnel || isAmidHandshake(with: peer)
        if !leg.holdsConnection { actions.append(release()) }
        stage = .handlingChallenge(peer)
        return actions + [.handleChallenge(peer)]
    }

    /// Whether a handshake with a peer is in progress on the leg's connection.
    private func isAmidHandshake(with peer: Peer) -> Bool {
        guard let connection = leg.connection, let used = states[peer]?.handshakeConnection else { return false }
        return connection.number == used
    }

    /// The end of a connection after an answer. If the caller's own credentials bind to it, no other call may use it.
    private func release() -> Action { callerBindsConnection ? .drop : .giveBack }

    private mutating func continueHandshake(of peer: Peer) -> Actions {
        guard leg.holdsConnection else { return nextLeg(overKept: false) }
        let isNeeded = route == .tunnel || isAmidHandshake(with: peer)
        guard isNeeded, leg.isReusable else { return [.drop] + nextLeg(overKept: false) }
        return nextLeg(overKept: true)
    }

    private mutating func choose(_ peer: Peer) -> Actions {
        stage = .choosing(peer)
        // Choosing may take long, since the source may ask a person. The connection to a proxy that is asked for a
        // tunnel is kept.
        guard leg.holdsConnection, route != .tunnel || !leg.isReusable else { return [.choose(peer)] }
        leg.holdsConnection = false
        return [.drop, .choose(peer)]
    }

    // MARK: Ends

    /// A peer that has not proved its identity has accepted nothing, so this comes after the proofs.
    private mutating func deliver(_ status: Int) -> Actions {
        verifiedStatus = status
        guard route != .tunnel else {
            stage = .openingTunnel
            return [.openTunnel]
        }
        let users = states.users(where: \.isProofComplete)
        var actions: Actions = []
        if !users.isEmpty { actions.append(.accept(users)) }
        actions.append(release())
        return finish(keepingFor: addressed, after: actions)
    }

    private mutating func finish(keepingFor peers: Peers, after earlier: Actions = []) -> Actions {
        stage = .over
        var actions = earlier
        for peer in peers { actions.append(.keepCredentials(peer)) }
        actions.append(.deliver)
        return actions
    }

    /// The connection was lost, or the call was cancelled before anything was sent.
    private mutating func lost(_ loss: Loss) -> Actions {
        if loss == .untouched, route != .tunnel {
            stage = .over
            return releaseUnused() + [.fail(.reported(amidHandshakeOf: nil))]
        }
        if isRepeated(after: loss) { return [.drop] + lease(overKept: false) }
        return fail(.reported(amidHandshakeOf: loss.isClosed ? peerAmidHandshake : nil))
    }

    /// Whether the leg is repeated over another connection.
    private mutating func isRepeated(after loss: Loss) -> Bool {
        if route == .tunnel {
            // A proxy may have closed the connection that it kept open after its challenge.
            guard leg.isOverKept else { return false }
            return loss == .stale || loss.isClosed && !states.contains(where: \.hasSentLastMessage)
        }
        switch loss {
        case .stale: return true
        // During a handshake, a repetition would be another login.
        case _ where leg.isOverKept: return false
        // A server may close an idle connection at the moment in which it is used again (RFC 9112 §9.3.1).
        case .unanswered:
            guard leg.connection?.isReused == true, isSafe, !leg.wasRepeated else { return false }
            leg.wasRepeated = true
            return true
        case .refused(let limit):
            refusals[limit, default: 0] += 1
            return refusals[limit, default: 0] <= limit
        case .untouched, .closed, .other: return false
        }
    }

    /// The peer that may have refused a password by closing the connection. A new attempt could be another failed
    /// login.
    private var peerAmidHandshake: Peer? {
        guard route == .tunnel ? leg.isOverKept : leg.beganOverKept else { return nil }
        return route.peers.first { states[$0]?.hasSentLastMessage == true }
    }

    /// Ends the exchange, and releases its connection.
    private mutating func fail(_ failure: Failure) -> Actions {
        defer { stage = .over }
        switch stage {
        case .authorizing:
            return releaseUnused() + [.fail(failure)]
        case .sending, .verifying, .openingTunnel:
            return [.drop, .fail(failure)]
        case .handlingChallenge, .choosing:
            return (leg.holdsConnection ? [.drop] : []) + [.fail(failure)]
        case .idle, .preparing, .leasing, .over:
            return [.fail(failure)]
        }
    }
}
