import Testing

@testable import SignetAuthentication

/// Which actions follow which events. Each table is one exchange.
@Suite struct AuthenticationLegsTests {
    typealias Legs = AuthenticationLegs
    typealias Step = (event: Legs.Event, actions: [Legs.Action])

    // MARK: No authentication

    @Test func noAuthentication() {
        play(.init(over: .direct), status: 200, opening + answer(200) + delivered())
    }

    @Test func errorsOfTheServerAreAnswers() {
        play(.init(over: .direct), status: 500, opening + answer(500) + delivered())
        // It has not sent an expectation.
        play(.init(over: .direct), status: 417, opening + answer(417) + delivered())
    }

    @Test func failedPreparation() {
        play(
            .init(over: .direct),
            [
                (.started, [.prepare(.origin)]),
                (.failed, [.fail(.reported(amidHandshakeOf: nil))]),
                // Nothing follows the end.
                (.started, [.fail(.outOfOrder)]),
            ])
    }

    // MARK: Challenges

    @Test func challengeThenSuccess() {
        play(
            .init(over: .direct), status: 200,
            opening + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.chosen(.init()), [.lease(as: [], overKept: false)]),
            ] + leg() + answer(200) + delivered())
    }

    @Test func failedChoice() {
        play(
            .init(over: .direct),
            opening + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.failed, [.fail(.reported(amidHandshakeOf: nil))]),
            ])
    }

    @Test func proxyThenOrigin() {
        play(
            .init(over: .plainProxy), status: 200,
            [
                (.started, [.prepare(.origin)]),
                (.prepared(.init()), [.prepare(.proxy)]),
                (.prepared(.init()), [.lease(as: [], overKept: false)]),
            ] + leg([.origin, .proxy]) + [
                (.answered(.init(status: 407, isReusable: true)), [.giveBack, .handleChallenge(.proxy)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.proxy)]),
                (.chosen(.init()), [.lease(as: [], overKept: false)]),
            ] + leg([.origin, .proxy]) + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.chosen(.init()), [.lease(as: [], overKept: false)]),
            ] + leg([.origin, .proxy]) + answer(200) + delivered(keepingFor: [.origin, .proxy]))
    }

    /// The proxy has let the request in when the origin asks: the connection is its user's from now on.
    @Test func originAsksBehindHandshakeWithProxy() {
        let last = Self.handshake(isProofComplete: true)
        play(
            .init(over: .plainProxy),
            [
                (.started, [.prepare(.origin)]),
                (.prepared(.init()), [.prepare(.proxy)]),
                (.prepared(.init(user: Self.user)), [.lease(as: [Self.user], overKept: false)]),
                (.leased(Self.new), [.authorize([.origin, .proxy])]),
                (.authorized([.origin: .init(), .proxy: last]), [Self.send()]),
                (
                    .answered(.init(status: 401, isReusable: true)),
                    [.accept([Self.user]), .endHandshake(.proxy), .giveBack, .handleChallenge(.origin)]
                ),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.chosen(.init()), [.lease(as: [Self.user], overKept: false)]),
            ])
    }

    /// A 407 of an origin is its challenge, which its session refuses.
    @Test func proxyChallengeOfAnOrigin() {
        play(
            .init(over: .direct),
            opening + [
                (.answered(.init(status: 407, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.failed, [.fail(.reported(amidHandshakeOf: nil))]),
            ])
        play(.init(over: .clientHandlesProxies), status: 407, opening + answer(407) + delivered())
    }

    @Test func callersMayHandleTheirOwnCredentials() {
        var request = Legs.Request(over: .direct)
        request.callerHandlesCredentials = true
        let opening = [(Legs.Event.started, [Legs.Action.prepare(.origin)]), (.prepared(.init()), [Self.leaseAny])]
        let leg = [(Legs.Event.leased(Self.new), [Self.send()])]
        play(request, status: 401, opening + leg + answer(401) + delivered())
        // The connection may have become the caller's.
        request.callerBindsConnection = true
        play(request, status: 200, opening + leg + answer(200) + delivered(.drop))
    }

    /// A peer for which the first request carries nothing takes no step before it asks.
    @Test func aPeerWithoutCredentialsTakesNoStep() {
        var request = Legs.Request(over: .direct)
        let opening = [(Legs.Event.started, [Self.leaseAny]), (.leased(Self.new), [Self.send()])]
        func asked(_ status: Int, by peer: Legs.Peer) -> [Step] {
            [
                (.answered(.init(status: status, isReusable: true)), [.giveBack, .handleChallenge(peer)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(peer)]),
                (.chosen(.init()), [.lease(as: [], overKept: false)]),
            ]
        }
        play(
            request, to: [], status: 200,
            opening + [(.answered(.init(status: 200, isReusable: true)), [.giveBack, .deliver])])
        play(request, to: [], status: 200, opening + asked(401, by: .origin) + leg() + answer(200) + delivered())
        play(request, to: [], opening + [(.lost(.stale), [.drop, Self.leaseAny]), (.leased(Self.new), [Self.send()])])
        play(request, to: [], opening + [(.lost(.closed), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
        // The other peer keeps its steps.
        request = .init(over: .plainProxy)
        play(
            request, to: [], status: 200,
            opening + asked(407, by: .proxy) + leg([.proxy]) + answer(200) + delivered(keepingFor: [.proxy]))
        play(
            request, to: [.proxy], status: 200,
            [(.started, [.prepare(.proxy)]), (.prepared(.init()), [Self.leaseAny])] + leg([.proxy])
                + asked(401, by: .origin)
                + leg([.origin, .proxy]) + answer(200) + delivered(keepingFor: [.origin, .proxy]))
    }

    // MARK: Handshakes

    @Test func handshakeOverOneConnection() {
        let users: Set = [Self.user]
        play(
            .init(over: .direct), status: 200,
            opening + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.chosen(.init(user: Self.user)), [.lease(as: users, overKept: false)]),
                (.leased(Self.new), [.authorize([.origin])]),
                (.authorized([.origin: Self.handshake(isProofComplete: false)]), [Self.send()]),
                (.answered(.init(status: 401, isReusable: true)), [.handleChallenge(.origin)]),
                (
                    .challengeHandled(continuesHandshake: true, Self.handshake(isProofComplete: true)),
                    [.lease(as: users, overKept: true)]
                ),
                (.leased(Self.used), [.authorize([.origin])]),
                (.authorized([.origin: Self.handshake(isProofComplete: true)]), [Self.send()]),
                (.answered(.init(status: 200, isReusable: true)), [.verify(handsOnContent: false)]),
                (.verified, [.accept(users), .giveBack, .keepCredentials(.origin), .deliver]),
            ])
    }

    /// A handshake cannot go on over a connection that the server closes, and no call may use it once it is broken
    /// off.
    @Test func handshakeLosesItsConnection() {
        let begun: [Step] = [
            (.started, [.prepare(.origin)]),
            (.prepared(.init(user: Self.user)), [.lease(as: [Self.user], overKept: false)]),
            (.leased(Self.new), [.authorize([.origin])]),
            (.authorized([.origin: Self.handshake(isProofComplete: false)]), [Self.send()]),
        ]
        play(
            .init(over: .direct),
            begun + [
                (.answered(.init(status: 401, isReusable: false)), [.handleChallenge(.origin)]),
                (
                    .challengeHandled(continuesHandshake: true, Self.handshake(isProofComplete: true)),
                    [.drop, .lease(as: [Self.user], overKept: false)]
                ),
            ])
        play(
            .init(over: .direct),
            begun + [
                (.answered(.init(status: 401, isReusable: true)), [.handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init(user: Self.user)), [.drop, .choose(.origin)]),
                (.failed, [.fail(.reported(amidHandshakeOf: nil))]),
            ])
        play(
            .init(over: .direct),
            begun + [
                (.answered(.init(status: 401, isReusable: true)), [.handleChallenge(.origin)]),
                (.failed, [.drop, .fail(.reported(amidHandshakeOf: nil))]),
            ])
    }

    /// A leg that relied on its connection was refused: the next one speaks, over any connection of its user.
    @Test func aRefusedBoundConnectionIsNotRequiredAgain() {
        play(
            .init(over: .direct),
            [
                (.started, [.prepare(.origin)]),
                (.prepared(.init(user: Self.user)), [.lease(as: [Self.user], overKept: false)]),
                (.leased(Self.used), [.authorize([.origin])]),
                (.authorized([.origin: .init(user: Self.user)]), [Self.send()]),
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (
                    .challengeHandled(continuesHandshake: true, .init(user: Self.user)),
                    [.lease(as: [Self.user], overKept: false)]
                ),
            ])
    }

    @Test func lostAmidHandshake() {
        let last = begunHandshake + [(.authorized([.origin: Self.handshake(isProofComplete: true)]), [Self.send()])]
        var request = Legs.Request(over: .direct)
        request.isSafe = true
        for loss in [Legs.Loss.unanswered, .closed] {
            play(request, last + [(.lost(loss), [.drop, .fail(.reported(amidHandshakeOf: .origin))])])
        }
        play(request, last + [(.lost(.other), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
        // The peer did not look at the password, but the handshake ends with its connection.
        play(request, last + [(.lost(.refused(atMost: 32)), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
        // The server waits for the next message of the handshake: the connection is of no use to another call.
        play(request, last + [(.lost(.untouched), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
        // Nothing was written: the handshake starts again on another connection.
        play(request, last + [(.lost(.stale), [.drop, .lease(as: [Self.user], overKept: false)])])
        // The password was not sent yet.
        let middle = begunHandshake + [(.authorized([.origin: Self.handshake(isProofComplete: false)]), [Self.send()])]
        play(request, middle + [(.lost(.closed), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
    }

    /// The state that comes with the event says whose connection it has to be.
    @Test func unfitConnection() {
        play(
            .init(over: .direct),
            start + [
                (.leased(Self.new), [.authorize([.origin])]),
                (
                    .unfit([.origin: .init(user: Self.user)]),
                    [.giveBackUnused, .lease(as: [Self.user], overKept: false)]
                ),
                (.leased(Self.new), [.authorize([.origin])]),
            ])
        play(
            .init(over: .direct),
            begunHandshake + [
                (.unfit([.origin: .init(user: Self.user)]), [.drop, .lease(as: [Self.user], overKept: false)])
            ])
    }

    @Test func failedAuthorization() {
        let failure = Legs.Action.fail(.reported(amidHandshakeOf: nil))
        play(
            .init(over: .direct),
            start + [(.leased(Self.new), [.authorize([.origin])])] + [(.failed, [.giveBackUnused, failure])])
        play(.init(over: .direct), begunHandshake + [(.failed, [.drop, failure])])
    }

    // MARK: Lost connections

    @Test func repeatsSafeRequestOnce() {
        var request = Legs.Request(over: .direct)
        let failed: [Legs.Action] = [.drop, .fail(.reported(amidHandshakeOf: nil))]
        let again: [Legs.Action] = [.drop, Self.leaseAny]
        let reused = start + leg(over: Self.used)
        play(request, reused + [(.lost(.unanswered), failed)])
        request.isSafe = true
        play(request, reused + [(.lost(.unanswered), again)] + leg(over: Self.used) + [(.lost(.unanswered), failed)])
        // A new connection that is lost would be lost again.
        play(request, opening + [(.lost(.unanswered), failed)])
        // Something of an answer had come.
        play(request, reused + [(.lost(.closed), failed)])
        // It was closed before: that does not count.
        play(request, reused + [(.lost(.stale), again)] + leg(over: Self.used) + [(.lost(.unanswered), again)])
    }

    /// The peer did not process the request: it is repeated, whatever its method and wherever its content comes from.
    @Test func repeatsARefusedRequest() {
        let refused: Step = (.lost(.refused(atMost: 2)), [.drop, Self.leaseAny])
        let failed: [Legs.Action] = [.drop, .fail(.reported(amidHandshakeOf: nil))]
        var request = Legs.Request(over: .direct)
        for isStream in [false, true] {
            request.isStream = isStream
            // Over a new connection as over a used one.
            play(
                request, status: 200,
                opening + [refused] + leg(over: Self.used) + [refused] + leg() + answer(200) + delivered())
            play(request, opening + [refused] + leg() + [refused] + leg() + [(.lost(.refused(atMost: 2)), failed)])
        }
        play(request, opening + [(.lost(.refused(atMost: 0)), failed)])
        // A refusal does not use up the one repetition of a safe request.
        request.isSafe = true
        let again: [Legs.Action] = [.drop, Self.leaseAny]
        play(
            request,
            opening + [(.lost(.refused(atMost: 1)), again)] + leg(over: Self.used) + [(.lost(.unanswered), again)]
                + leg(over: Self.used) + [(.lost(.stale), again)] + leg() + [(.lost(.refused(atMost: 1)), failed)])
    }

    /// Refusals with the same limit are counted together, in all legs of the exchange.
    @Test func countsRefusalsInAllLegs() {
        let again: [Legs.Action] = [.drop, Self.leaseAny]
        play(
            .init(over: .direct),
            opening + [(.lost(.refused(atMost: 1)), again)] + leg() + [(.lost(.refused(atMost: 2)), again)] + leg() + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
                (.chosen(.init()), [Self.leaseAny]),
            ] + leg() + [(.lost(.refused(atMost: 2)), again)] + leg() + [
                (.lost(.refused(atMost: 1)), [.drop, .fail(.reported(amidHandshakeOf: nil))])
            ])
    }

    @Test func failedProof() {
        play(
            .init(over: .direct),
            opening + answer(200) + [(.failed, [.drop, .fail(.reported(amidHandshakeOf: nil))])])
    }

    // MARK: Content

    @Test func expectationRefused() {
        var request = Legs.Request(over: .direct)
        request.isStream = true
        request.expectsContinue = true
        play(
            request, status: 417,
            opening + [
                (.answered(.init(status: 417, isReusable: true)), [.drop, .dropExpectation, Self.leaseAny])
            ] + leg() + answer(417) + delivered())
    }

    /// The first words of a handshake go without a stream, and not before the server has asked.
    @Test func streamIsWithheld() {
        var request = Legs.Request(over: .direct)
        request.isStream = true
        let users: Set = [Self.user]
        let asked: [Step] = [
            (.started, [.prepare(.origin)]),
            (.prepared(.init(user: Self.user)), [.expectContinue(deferringTokensTo: [.origin]), Self.leaseAny]),
            (.leased(Self.new), [.authorize([.origin])]),
            (.authorized([.origin: .init()]), [Self.send()]),
            (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
            (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
            (.chosen(.init(user: Self.user)), [.lease(as: users, overKept: false)]),
            (.leased(Self.new), [.authorize([.origin])]),
            (
                .authorized([.origin: Self.handshake(isProofComplete: false)]),
                [Self.send(withholding: true, passingOn: false)]
            ),
        ]
        play(
            request, status: 200,
            asked + [
                (.answered(.init(status: 401, isReusable: true)), [.handleChallenge(.origin)]),
                (
                    .challengeHandled(continuesHandshake: true, Self.handshake(isProofComplete: true)),
                    [.lease(as: users, overKept: true)]
                ),
                (.leased(Self.used), [.authorize([.origin])]),
                (.authorized([.origin: Self.handshake(isProofComplete: true)]), [Self.send()]),
                (.answered(.init(status: 200, isReusable: true)), [.verify(handsOnContent: false)]),
                (.verified, [.accept(users), .giveBack, .keepCredentials(.origin), .deliver]),
            ])
        for status in [200, 417, 500] {
            play(
                request,
                asked + [
                    (
                        .answered(.init(status: status, isReusable: true)),
                        [.drop, .fail(.firstMessageAnswered(status: status))]
                    )
                ])
        }
    }

    /// Content that a proof covers is handed on behind it.
    @Test func coveredContent() {
        var state = Legs.PeerState()
        state.coversContent = true
        play(
            .init(over: .direct), status: 200,
            start + [(.leased(Self.new), [.authorize([.origin])])] + [
                (.authorized([.origin: state]), [Self.send(passingOn: false)]),
                (.answered(.init(status: 200, isReusable: true)), [.verify(handsOnContent: true)]),
            ] + delivered())
    }

    @Test(arguments: [
        (Legs.Route.direct, false, [401, 407]), (.direct, true, [407]), (.plainProxy, false, [401, 407]),
        (.plainProxy, true, [407]), (.clientHandlesProxies, false, [401]), (.clientHandlesProxies, true, []),
        (.tunnel, false, [407]),
    ])
    func finalAnswers(_ route: Legs.Route, callerHandlesCredentials: Bool, others: [Int]) {
        for expectsContinue in [false, true] {
            let sending = Legs.Sending(
                withholdsContent: false, mayPassOnContent: true,
                reading: .init(
                    route: route, callerHandlesCredentials: callerHandlesCredentials, expectsContinue: expectsContinue))
            for status in [200, 204, 302, 401, 403, 407, 417, 500] {
                let isFinal = !others.contains(status) && !(expectsContinue && status == 417)
                #expect(sending.isFinal(status) == isFinal, "\(status)")
            }
        }
    }

    // MARK: Limit

    @Test func limitOfLegs() {
        let round: [Step] =
            leg() + [
                (.answered(.init(status: 401, isReusable: true)), [.giveBack, .handleChallenge(.origin)]),
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.origin)]),
            ]
        var steps = start
        for count in 1...Legs.maximum {
            let isLast = count == Legs.maximum
            steps += round + [(.chosen(.init()), [isLast ? .fail(.tooManyLegs) : Self.leaseAny])]
        }
        play(.init(over: .direct), steps)
        // What was kept for another leg is closed.
        steps = tunnelStart
        for count in 1...Legs.maximum {
            steps +=
                leg([.proxy]) + [
                    (.answered(.init(status: 407, isReusable: true)), [.handleChallenge(.proxy)]),
                    (
                        .challengeHandled(continuesHandshake: true, .init()),
                        count == Legs.maximum ? [.drop, .fail(.tooManyLegs)] : [.lease(as: [], overKept: true)]
                    ),
                ]
        }
        play(.init(over: .tunnel), steps)
    }

    // MARK: Tunnels

    @Test func opensTunnel() {
        play(
            .init(over: .tunnel), status: 200,
            tunnel + [
                (.answered(.init(status: 407, isReusable: true)), [.handleChallenge(.proxy)]),
                // It keeps the connection, also while a source is asked.
                (.challengeHandled(continuesHandshake: false, .init()), [.choose(.proxy)]),
                (.chosen(.init()), [.lease(as: [], overKept: true)]),
                (.leased(Self.used), [.authorize([.proxy])]),
                // The connection has no user before there is a tunnel in it.
                (.unfit([.proxy: .init(user: Self.user)]), [.authorize([.proxy])]),
                (.authorized([.proxy: .init()]), [Self.send()]),
                (.answered(.init(status: 407, isReusable: false)), [.handleChallenge(.proxy)]),
                (.challengeHandled(continuesHandshake: true, .init()), [.drop, Self.leaseAny]),
            ] + leg([.proxy]) + answer(200) + [
                (.verified, [.openTunnel]), (.tunnelOpened, [.keepCredentials(.proxy), .deliver]),
            ])
    }

    @Test func opensNoTunnel() {
        play(
            .init(over: .tunnel),
            tunnel + [
                (.answered(.init(status: 503, isReusable: true)), [.drop, .fail(.tunnelRefused(status: 503))])
            ])
        play(
            .init(over: .tunnel),
            tunnel + [
                (.answered(.init(status: 407, isReusable: true)), [.handleChallenge(.proxy)]),
                (.failed, [.drop, .fail(.reported(amidHandshakeOf: nil))]),
            ])
        // The proxy has let the request in: its credentials are right, whatever the origin does.
        play(
            .init(over: .tunnel), status: 200,
            tunnel + answer(200) + [
                (.verified, [.openTunnel]), (.failed, [.drop, .fail(.reported(amidHandshakeOf: nil))]),
            ])
    }

    @Test func proxyClosesTheConnectionThatItKept() {
        let kept: [Step] =
            tunnel + [
                (.answered(.init(status: 407, isReusable: true)), [.handleChallenge(.proxy)]),
                (.challengeHandled(continuesHandshake: true, .init()), [.lease(as: [], overKept: true)]),
                (.leased(Self.used), [.authorize([.proxy])]),
            ]
        for loss in [Legs.Loss.stale, .unanswered, .closed] {
            play(
                .init(over: .tunnel),
                kept + [(.authorized([.proxy: .init()]), [Self.send()]), (.lost(loss), [.drop, Self.leaseAny])])
        }
        play(
            .init(over: .tunnel),
            kept + [
                (.authorized([.proxy: .init()]), [Self.send()]),
                (.lost(.refused(atMost: 32)), [.drop, .fail(.reported(amidHandshakeOf: nil))]),
            ])
        play(
            .init(over: .tunnel),
            kept + [
                (.authorized([.proxy: Self.handshake(isProofComplete: true)]), [Self.send()]),
                (.lost(.closed), [.drop, .fail(.reported(amidHandshakeOf: .proxy))]),
            ])
        for loss in [Legs.Loss.closed, .refused(atMost: 32)] {
            play(.init(over: .tunnel), tunnel + [(.lost(loss), [.drop, .fail(.reported(amidHandshakeOf: nil))])])
        }
    }

    // MARK: Means

    private static let user = ConnectionUser(
        space: .init(scheme: "https", host: "h", port: 443, realm: "", isProxy: false),
        credentials: .account(user: "u", password: "p"))
    private static let new = Legs.Connection(number: 1, isReused: false)
    private static let used = Legs.Connection(number: 1, isReused: true)
    private static let leaseAny = Legs.Action.lease(as: [], overKept: false)

    private static func handshake(isProofComplete: Bool) -> Legs.PeerState {
        var state = Legs.PeerState(user: user)
        state.handshakeConnection = 1
        state.isProofComplete = isProofComplete
        state.hasSentLastMessage = isProofComplete
        return state
    }

    private static func send(withholding: Bool = false, passingOn: Bool = true) -> Legs.Action {
        .send(
            .init(
                withholdsContent: withholding, mayPassOnContent: passingOn,
                reading: .init(route: .direct, callerHandlesCredentials: false, expectsContinue: false)))
    }

    /// From the start to the first request.
    private var opening: [Step] { start + leg() }
    private var start: [Step] { [(.started, [.prepare(.origin)]), (.prepared(.init()), [Self.leaseAny])] }

    /// The same with a proxy that is asked for a tunnel.
    private var tunnel: [Step] { tunnelStart + leg([.proxy]) }
    private var tunnelStart: [Step] { [(.started, [.prepare(.proxy)]), (.prepared(.init()), [Self.leaseAny])] }

    /// From the start to the leg that goes over the connection of the first.
    private var begunHandshake: [Step] {
        [
            (.started, [.prepare(.origin)]),
            (.prepared(.init(user: Self.user)), [.lease(as: [Self.user], overKept: false)]),
            (.leased(Self.new), [.authorize([.origin])]),
            (.authorized([.origin: Self.handshake(isProofComplete: false)]), [Self.send()]),
            (.answered(.init(status: 401, isReusable: true)), [.handleChallenge(.origin)]),
            (
                .challengeHandled(continuesHandshake: true, Self.handshake(isProofComplete: true)),
                [.lease(as: [Self.user], overKept: true)]
            ),
            (.leased(Self.used), [.authorize([.origin])]),
        ]
    }

    private func leg(_ peers: Legs.Peers = [.origin], over connection: Legs.Connection = new) -> [Step] {
        [(.leased(connection), [.authorize(peers)]), (.authorized([:]), [Self.send()])]
    }

    private func answer(_ status: Int) -> [Step] {
        [(.answered(.init(status: status, isReusable: true)), [.verify(handsOnContent: false)])]
    }

    private func delivered(
        _ release: Legs.Action = .giveBack, keepingFor peers: Legs.Peers = [.origin]
    ) -> [Step] {
        [(.verified, [release] + peers.map { .keepCredentials($0) } + [.deliver])]
    }

    /// - Parameters:
    ///   - addressed: the peers for which the request carries something; all when nil.
    ///   - status: what the exchanges are closed with.
    private func play(
        _ request: Legs.Request, to addressed: Legs.Peers? = nil, status: Int? = nil, _ steps: [Step],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var legs = AuthenticationLegs(request)
        if let addressed { legs.addressed = addressed }
        for (number, step) in steps.enumerated() {
            // How answers are read has a test of its own.
            let actions = legs.handle(step.event).map { action in
                guard case .send(let sending) = action else { return action }
                return Self.send(
                    withholding: sending.withholdsContent, passingOn: sending.mayPassOnContent)
            }
            #expect(actions == step.actions, "step \(number)", sourceLocation: sourceLocation)
        }
        let verified = legs.verifiedStatus
        #expect(verified == status, sourceLocation: sourceLocation)
    }
}
