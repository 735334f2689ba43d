extension AuthenticationLegs {
    /// A peer that may ask for credentials.
    package enum Peer: Sendable, Hashable {
        /// Asks with 401 (RFC 9110 §15.5.2).
        case origin
        /// Asks with 407 (RFC 9110 §15.5.8).
        case proxy
    }

    /// Which peers read the requests of the exchange.
    package enum Route: Sendable, Hashable {
        /// The origin alone. A 407 is then an error of the origin.
        case direct
        /// The origin, through a proxy that reads the request and may also ask (RFC 9112 §3.2.2).
        case plainProxy
        /// A proxy that is asked for a tunnel with `CONNECT` (RFC 9110 §9.3.6).
        case tunnel
        /// The origin, with an HTTP client that handles proxies itself. A 407 is then an ordinary answer.
        case clientHandlesProxies

        var peers: Peers {
            switch self {
            case .direct, .clientHandlesProxies: Peers(origin: true, proxy: false)
            case .plainProxy: Peers(origin: true, proxy: true)
            case .tunnel: Peers(origin: false, proxy: true)
            }
        }
    }

    /// The properties of a request that decide the order of the legs. They are known before the first leg.
    package struct Request: Sendable {
        /// Which peers read the request, and so may ask for credentials.
        package var route: Route
        /// Whether the caller handles the credentials for the origin: it wrote them into the request, or there are none
        /// for this origin. A 401 is then an ordinary answer.
        package var callerHandlesCredentials = false
        /// Whether the caller's credentials bind to the connection, which no other call may use afterwards.
        package var callerBindsConnection = false
        /// Whether the content is not in memory.
        package var isStream = false
        /// Whether the request has `Expect: 100-continue` (RFC 9110 §10.1.1).
        package var expectsContinue = false
        /// Whether the method is safe (RFC 9110 §9.2.1): a request may be repeated if its connection was lost before
        /// any part of an answer arrived.
        package var isSafe = false

        /// A request whose content is in memory, and whose credentials the session handles.
        package init(over route: Route) { self.route = route }
    }

    /// The state of a peer's exchange for the legs; see ``AuthenticatingPeer/state``.
    package struct PeerState: Sendable, Hashable {
        /// ``AuthenticationExchange/user``
        package var user: ConnectionUser?
        /// ``AuthenticationExchange/isProofComplete``
        package var isProofComplete = true
        /// Whether the last message of a handshake was sent.
        package var hasSentLastMessage = false
        /// ``AuthenticationExchange/coversContent``
        package var coversContent = false
        /// The connection over which a handshake continues: ``AuthenticationChannel/number``.
        package var handshakeConnection: Int?

        /// A peer with which no handshake is in progress.
        ///
        /// - Parameter user: ``AuthenticationExchange/user``
        package init(user: ConnectionUser? = nil) { self.user = user }

        mutating func handshakeEnded() {
            handshakeConnection = nil
            isProofComplete = true
            hasSentLastMessage = false
        }
    }

    /// The connection of a leg.
    package struct Connection: Sendable, Hashable {
        /// ``AuthenticationChannel/number``
        package var number: Int
        /// Whether it has carried a request before.
        package var isReused: Bool

        /// - Parameters:
        ///   - number: ``AuthenticationChannel/number``.
        ///   - isReused: true if the server may have closed the connection while it was idle.
        package init(number: Int, isReused: Bool) {
            self.number = number
            self.isReused = isReused
        }
    }

    /// A complete answer.
    package struct LegResponse: Sendable, Hashable {
        /// The status of the answer; 401 and 407 are challenges (RFC 9110 §15.5.2, §15.5.8).
        package var status: Int
        /// Whether the connection can carry another request.
        package var isReusable: Bool

        /// - Parameters:
        ///   - status: the status of the answer.
        ///   - isReusable: false if either side closes the connection after the answer.
        package init(status: Int, isReusable: Bool) {
            self.status = status
            self.isReusable = isReusable
        }
    }

    /// How a leg ended without an answer.
    package enum Loss: Sendable, Hashable {
        /// The connection was closed before anything was written.
        case stale
        /// The call was cancelled before anything was written; the connection can still be used.
        case untouched
        /// The connection was closed after the request was written, and before any part of an answer arrived.
        case unanswered
        /// The connection was closed at another moment.
        case closed
        /// The peer says that it did not process the request, and no part of an answer arrived (RFC 9113 §8.7). The
        /// request is repeated, whatever its method, unless a handshake goes on over the connection.
        ///
        /// - Parameter atMost: how many refusals with this limit the exchange answers with a repetition.
        case refused(atMost: Int)
        /// Another reason, such as a deadline.
        case other

        var isClosed: Bool { self == .unanswered || self == .closed }
    }

    /// The result of an action. States of peers, which few exchanges have, are stored indirectly, so that an event is
    /// small.
    package enum Event: Sendable, Hashable {
        /// The exchange begins. It is the first event, and comes once.
        case started
        /// ``Action/prepare(_:)`` is done.
        indirect case prepared(PeerState)
        /// ``Action/lease(as:overKept:)`` has got a connection.
        case leased(Connection)
        /// ``Action/authorize(_:)`` is done.
        indirect case authorized(PeerStates)
        /// The leg cannot use the connection: ``AuthenticationSession/ConnectionOfOtherUser``.
        indirect case unfit(PeerStates)
        /// ``Action/send(_:)`` has led to an answer.
        case answered(LegResponse)
        /// ``Action/handleChallenge(_:)`` is done.
        ///
        /// - Parameter continuesHandshake: whether the next leg is known, since a handshake continues. Otherwise
        ///   credentials have to be chosen.
        indirect case challengeHandled(continuesHandshake: Bool, PeerState)
        /// ``Action/choose(_:)`` is done.
        indirect case chosen(PeerState)
        /// ``Action/verify(handsOnContent:)`` is done.
        case verified
        /// ``Action/openTunnel`` is done.
        case tunnelOpened
        /// The action failed with the connection, or with the call.
        case lost(Loss)
        /// The action failed for another reason.
        case failed
    }

    /// The next step of the driver.
    package enum Action: Sendable, Hashable {
        /// Find credentials for the first request. Leads to ``Event/prepared(_:)``.
        case prepare(Peer)
        /// Drop the first message of a handshake for these peers until they ask, and ask the server whether it wants
        /// the content: `Expect: 100-continue`.
        case expectContinue(deferringTokensTo: Peers)
        /// Get a connection: that of the previous leg, or one that belongs to these users or to none. Leads to
        /// ``Event/leased(_:)``.
        case lease(as: Set<ConnectionUser>, overKept: Bool)
        /// Add the credentials for these peers to the request. Leads to ``Event/authorized(_:)`` or
        /// ``Event/unfit(_:)``. It does not occur when there are none for any peer.
        case authorize(Peers)
        /// Send the request and wait for the answer. Leads to ``Event/answered(_:)`` or ``Event/lost(_:)``.
        case send(Sending)
        /// Send the request without its expectation from now on.
        case dropExpectation
        /// The connection belongs to these users from now on.
        case accept(Set<ConnectionUser>)
        /// The handshake with this peer is complete.
        case endHandshake(Peer)
        /// Process the peer's challenge without asking for credentials. Leads to
        /// ``Event/challengeHandled(continuesHandshake:_:)``.
        case handleChallenge(Peer)
        /// Find credentials for the challenge. Leads to ``Event/chosen(_:)``.
        case choose(Peer)
        /// Check the proofs of all peers, the origin first, and pass on the content if it was held back for this. Leads
        /// to ``Event/verified``. It does not occur when no peer was sent anything to prove.
        case verify(handsOnContent: Bool)
        /// Connect to the origin through the tunnel. Leads to ``Event/tunnelOpened``.
        case openTunnel
        /// Close the connection: no request can use it any more.
        case drop
        /// Give the connection back after its answer. It may be kept if the answer allows that.
        case giveBack
        /// Give back the connection, over which this leg has sent nothing.
        case giveBackUnused
        /// Let the source store the peer's credentials, which were accepted with ``AuthenticationLegs/verifiedStatus``.
        case keepCredentials(Peer)
        /// Pass the answer to the caller. The exchange is over.
        case deliver
        /// Throw an error. The exchange is over.
        case fail(Failure)
    }

    /// How a request is sent.
    package struct Sending: Sendable, Hashable {
        /// Whether it is sent without its content, since the peer cannot accept it yet: it carries the first message of
        /// a handshake.
        package let withholdsContent: Bool
        /// Whether the content of an answer may be passed on as it arrives; see ``isFinal(_:)``.
        package let mayPassOnContent: Bool
        let reading: Reading

        /// Whether an answer with this status goes to the caller, and no further leg follows.
        package func isFinal(_ status: Int) -> Bool {
            reading.challenger(status) == nil && !reading.isExpectationRefused(status)
        }
    }

    /// Why an exchange fails.
    package enum Failure: Sendable, Hashable {
        /// The error of the failed action.
        ///
        /// - Parameter amidHandshakeOf: the peer that closed the connection after the last message of a handshake, so
        ///   that it is unknown whether the password was right.
        case reported(amidHandshakeOf: Peer?)
        /// The peers have asked ``AuthenticationLegs/maximum`` times.
        case tooManyLegs
        /// The peer asked for a handshake, but answered its first message like a complete request.
        case firstMessageAnswered(status: Int)
        /// The proxy opens no tunnel.
        case tunnelRefused(status: Int)
        /// The driver reported an event that cannot follow the last action.
        case outOfOrder
    }

    /// The meaning of an answer's status.
    struct Reading: Sendable, Hashable {
        let route: Route
        let callerHandlesCredentials: Bool
        let expectsContinue: Bool

        /// The peer that asks for credentials with this status.
        func challenger(_ status: Int) -> Peer? {
            switch (status, route) {
            case (401, .tunnel): nil
            case (401, _): callerHandlesCredentials ? nil : .origin
            case (407, .clientHandlesProxies): nil
            case (407, .plainProxy), (407, .tunnel): .proxy
            // From a server that is not a proxy, it goes to the origin's session, which refuses it.
            case (407, .direct): .origin
            default: nil
            }
        }

        func isExpectationRefused(_ status: Int) -> Bool { status == 417 && expectsContinue }
    }
}
