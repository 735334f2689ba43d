extension AuthenticationLegs {
    /// A peer that may ask for credentials.
    public enum Peer: Sendable, Hashable {
        /// Asks with 401 (RFC 9110 §15.5.2).
        case origin
        /// Asks with 407 (RFC 9110 §15.5.8).
        case proxy
    }

    /// Which peers read the requests of the exchange.
    public enum Route: Sendable, Hashable {
        /// The origin alone. A 407 is an error of it.
        case direct
        /// The origin, through a proxy that reads the request and may ask too (RFC 9112 §3.2.2).
        case plainProxy
        /// A proxy that is asked for a tunnel with `CONNECT` (RFC 9110 §9.3.6).
        case tunnel
        /// The origin, by an HTTP client that deals with proxies itself. A 407 is an answer like any other.
        case clientsOwn

        var peers: Peers {
            switch self {
            case .direct, .clientsOwn: Peers(origin: true, proxy: false)
            case .plainProxy: Peers(origin: true, proxy: true)
            case .tunnel: Peers(origin: false, proxy: true)
            }
        }
    }

    /// What decides the order of the legs, and is known before the first.
    public struct Request: Sendable {
        /// Which peers read the request, and so may ask for credentials.
        public var route: Route
        /// Whether the credentials for the origin are the caller's business: the caller wrote them into the request,
        /// or there are none for this origin. A 401 is an answer like any other then.
        public var isByCaller = false
        /// Whether the caller's credentials bind to the connection, which no other call may use afterwards.
        public var isBoundByCaller = false
        /// Whether the content is not in memory.
        public var isStream = false
        /// Whether the request has `Expect: 100-continue` (RFC 9110 §10.1.1).
        public var expectsContinue = false
        /// Whether the method is safe (RFC 9110 §9.2.1): a request may be repeated whose connection was lost before
        /// anything of an answer came.
        public var isSafe = false

        /// A request whose content is in memory, and whose credentials are not the caller's business.
        public init(over route: Route) { self.route = route }
    }

    /// What the legs have to know of a peer's exchange; see ``AuthenticatingPeer/state``.
    public struct PeerState: Sendable, Hashable {
        /// ``AuthenticationExchange/user``
        public var user: ConnectionUser?
        /// ``AuthenticationExchange/isDecided``
        public var isDecided = true
        /// Whether the last word of a handshake was said.
        public var hasSaidLast = false
        /// ``AuthenticationExchange/coversContent``
        public var coversContent = false
        /// The connection over which a handshake is on its way: ``AuthenticationChannel/number``.
        public var handshakeConnection: Int?

        /// A peer with which no handshake is on its way.
        ///
        /// - Parameter user: ``AuthenticationExchange/user``
        public init(user: ConnectionUser? = nil) { self.user = user }

        mutating func handshakeEnded() {
            handshakeConnection = nil
            isDecided = true
            hasSaidLast = false
        }
    }

    /// A connection that a leg goes over.
    public struct Connection: Sendable, Hashable {
        /// ``AuthenticationChannel/number``
        public var number: Int
        /// Whether it has carried a request before.
        public var isReused: Bool

        /// - Parameters:
        ///   - number: ``AuthenticationChannel/number``.
        ///   - isReused: true where the server may have closed the connection while it was idle.
        public init(number: Int, isReused: Bool) {
            self.number = number
            self.isReused = isReused
        }
    }

    /// An answer that has come to its end.
    public struct Answer: Sendable, Hashable {
        /// The status of the answer; 401 and 407 are challenges (RFC 9110 §15.5.2, §15.5.8).
        public var status: Int
        /// Whether the connection can carry another request.
        public var isReusable: Bool

        /// - Parameter isReusable: false where the connection is closed behind the answer, by either side.
        public init(status: Int, isReusable: Bool) {
            self.status = status
            self.isReusable = isReusable
        }
    }

    /// How a leg came to its end without an answer.
    public enum Loss: Sendable, Hashable {
        /// The connection had been closed before anything was written.
        case stale
        /// The call was cancelled before anything was written; the connection is as good as before.
        case untouched
        /// The connection was closed after the request was written, and before anything of an answer came.
        case unanswered
        /// The connection was closed at another moment.
        case closed
        /// For another reason, such as a deadline.
        case other

        var isClosed: Bool { self == .unanswered || self == .closed }
    }

    /// What has happened. What few exchanges have to say, of their peers, is kept elsewhere, so that an event is small.
    public enum Event: Sendable, Hashable {
        /// The exchange begins. It is the first event, and comes once.
        case started
        /// ``Action/prepare(_:)`` is done.
        indirect case prepared(PeerState)
        /// ``Action/lease(as:overKept:)`` has a connection.
        case leased(Connection)
        /// ``Action/authorize(_:)`` is done.
        indirect case authorized(PeerStates)
        /// The connection is not the one that the leg has to go over: ``AuthenticationSession/UnfitConnection``.
        indirect case unfit(PeerStates)
        /// ``Action/send(_:)`` has led to an answer.
        case answered(Answer)
        /// ``Action/handleChallenge(_:)`` is done.
        ///
        /// - Parameter goesOn: whether the next leg is clear: a handshake goes on. Otherwise credentials have to be chosen.
        indirect case challengeHandled(goesOn: Bool, PeerState)
        /// ``Action/choose(_:)`` is done.
        indirect case chosen(PeerState)
        /// ``Action/verify(handsOnContent:)`` is done.
        case verified
        /// ``Action/openTunnel`` is done.
        case tunnelOpened
        /// The action has failed with the connection, or with the call.
        case lost(Loss)
        /// The action has failed for another reason.
        case failed
    }

    /// What a driver does next.
    public enum Action: Sendable, Hashable {
        /// Find credentials that go with the first request. Leads to ``Event/prepared(_:)``.
        case prepare(Peer)
        /// Forget the first words of a handshake to these peers until they ask, and have the server asked whether it
        /// wants the content: `Expect: 100-continue`.
        case askFirst(withoutWordsTo: Peers)
        /// Get a connection: the one of the leg before, or one of these users or of none. Leads to
        /// ``Event/leased(_:)``.
        case lease(as: Set<ConnectionUser>, overKept: Bool)
        /// Put into the request what it carries for these peers. Leads to ``Event/authorized(_:)`` or
        /// ``Event/unfit(_:)``. It does not come where there is nothing for any peer.
        case authorize(Peers)
        /// Send the request and wait for the answer. Leads to ``Event/answered(_:)`` or ``Event/lost(_:)``.
        case send(Sending)
        /// Send the request without its expectation from now on.
        case dropExpectation
        /// The connection is these users' from now on.
        case accept(Set<ConnectionUser>)
        /// The handshake with this peer has come to its end.
        case endHandshake(Peer)
        /// Take in the peer's challenge without asking for credentials. Leads to
        /// ``Event/challengeHandled(goesOn:_:)``.
        case handleChallenge(Peer)
        /// Find credentials for the challenge. Leads to ``Event/chosen(_:)``.
        case choose(Peer)
        /// Look at the proofs of all peers, the origin first, and hand the content on if it was held back for that.
        /// Leads to ``Event/verified``. It does not come where no peer was sent anything to prove.
        case verify(handsOnContent: Bool)
        /// Go on to the origin through the tunnel. Leads to ``Event/tunnelOpened``.
        case openTunnel
        /// Close the connection: no request can use it any more.
        case drop
        /// Give the connection back after its answer. It may be kept if the answer allows that.
        case giveBack
        /// Give the connection back, over which this leg has sent nothing.
        case giveBackUnused
        /// Have the source keep the peer's credentials, which were accepted with
        /// ``AuthenticationLegs/verifiedStatus``.
        case keepCredentials(Peer)
        /// Hand the answer to the caller. The exchange is over.
        case deliver
        /// Throw an error. The exchange is over.
        case fail(Failure)
    }

    /// How a request is sent.
    public struct Sending: Sendable, Hashable {
        /// Whether it goes without its content, as it cannot be let in: it carries the first words of a handshake.
        public let withholdsContent: Bool
        /// Whether the content of an answer may be handed on while it comes; see ``isFinal(_:)``.
        public let mayPassOnContent: Bool
        let reading: Reading

        /// Whether an answer with this status is the caller's, and not one that another leg follows.
        public func isFinal(_ status: Int) -> Bool {
            reading.challenger(status) == nil && !reading.isExpectationRefused(status)
        }
    }

    /// Why an exchange fails.
    public enum Failure: Sendable, Hashable {
        /// With the error of the action that failed.
        ///
        /// - Parameter amidHandshakeOf: the peer that closed the connection behind the last word of a handshake, and so left
        ///   open whether the password was right.
        case reported(amidHandshakeOf: Peer?)
        /// The peers have asked ``AuthenticationLegs/maximum`` times.
        case tooManyLegs
        /// The peer wanted a handshake, and answered its first words as if they were the request.
        case firstWordsAnswered(status: Int)
        /// The proxy opens no tunnel.
        case tunnelRefused(status: Int)
        /// The driver reported an event that cannot follow the last action.
        case outOfOrder
    }

    /// What the status of an answer means.
    struct Reading: Sendable, Hashable {
        let route: Route
        let isByCaller: Bool
        let expectsContinue: Bool

        /// The peer that asks for credentials with this status.
        func challenger(_ status: Int) -> Peer? {
            switch (status, route) {
            case (401, .tunnel): nil
            case (401, _): isByCaller ? nil : .origin
            case (407, .clientsOwn): nil
            case (407, .plainProxy), (407, .tunnel): .proxy
            // From a server that is no proxy it is the origin's, whose session refuses it.
            case (407, .direct): .origin
            default: nil
            }
        }

        func isExpectationRefused(_ status: Int) -> Bool { status == 417 && expectsContinue }
    }
}
