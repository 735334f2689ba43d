import Logging
import NIOCore
import NIOHTTP1
import SignetAuthentication
import SignetHTTP

/// Carries out the legs of a call over the pool's connections.
struct CallLegs: AuthenticationDriver {
    var peers: AuthenticatingPeers
    private let call: Call
    /// Gets the content of the final answer.
    private let receiver: (any ContentReceiver)?
    private var outgoing: OutgoingRequest
    /// The report so far.
    private(set) var report = ExchangeReport()
    /// The connection of this leg, and whether it has carried an earlier request.
    private var leased: (connection: HTTPConnection, isReused: Bool)?
    private var answer: ReceivedResponse?

    init(
        _ call: Call, _ outgoing: OutgoingRequest, _ peers: AuthenticatingPeers, receiver: (any ContentReceiver)?
    ) {
        self.call = call
        self.outgoing = outgoing
        self.peers = peers
        self.receiver = receiver
    }

    /// The final answer, after the last leg.
    func result() throws -> (ReceivedResponse, ExchangeReport) {
        guard let answer else { throw AuthenticationLegs.undecided(.outOfOrder, by: "\(call.key.origin)") }
        return (answer, report)
    }

    mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event? {
        switch action {
        case .prepare(let role):
            try await peers.update(role) { [call] in try await $0.prepare(call.deadline) }
            return .prepared(peers.state(of: role))
        case .expectContinue(let roles):
            for role in roles { peers[role]?.waitForChallenge() }
            outgoing.expectContinue()
        case .lease(let users, let overKept): return try await lease(as: users, overKept: overKept)
        case .authorize(let roles): return try await authorize(roles)
        case .send(let sending): return try await send(sending)
        case .dropExpectation: outgoing.dropExpectation()
        case .handleChallenge(let role): return try await handleChallenge(of: role)
        case .choose(let role): return try await choose(role)
        case .endHandshake(let role): peers[role]?.endHandshake()
        case .verify(let handsOnContent): return try await verify(handsOnContent: handsOnContent)
        case .accept(let users): for user in users { leased?.connection.accept(user) }
        case .drop, .giveBack, .giveBackUnused: release(action)
        case .keepCredentials(let role):
            await keepCredentials(of: role)
        case .openTunnel, .deliver, .fail: break
        }
        return nil
    }

    // MARK: The request

    private mutating func lease(
        as users: Set<ConnectionUser>, overKept: Bool
    ) async throws -> AuthenticationLegs.Event {
        let leased: (connection: HTTPConnection, isReused: Bool)
        if overKept, let kept = self.leased {
            leased = (kept.connection, true)
        } else {
            leased = try await call.connection(as: users)
        }
        self.leased = leased
        return .leased(.init(number: leased.connection.identifier, isReused: leased.isReused))
    }

    private mutating func authorize(_ roles: AuthenticationLegs.Peers) async throws -> AuthenticationLegs.Event? {
        guard let connection = leased?.connection else { return nil }
        for role in roles {
            guard var peer = peers[role] else { continue }
            defer { peers[role] = peer }
            try await peer.authorize(&outgoing, over: connection, call.deadline)
        }
        return .authorized(peers.states)
    }

    private mutating func send(_ sending: AuthenticationLegs.Sending) async throws -> AuthenticationLegs.Event? {
        guard let (connection, isReused) = leased else { return nil }
        if !isReused || report.connection.number != connection.number {
            report.sharedConnection = isReused ? connection.laterReport : connection.firstReport
        }
        let request = sending.withholdsContent ? outgoing.withoutContent : outgoing
        let answer: ReceivedResponse
        let begin = NIODeadline.now()
        do {
            answer = try await exchange(request, over: connection, sending)
        } catch let error where !(error is UntouchedConnection) {
            call.logger.debug(
                "connection lost", metadata: ["connection": "\(connection.number)", "error": "\(error.failure)"])
            throw error
        }
        self.answer = answer
        let status = Int(answer.head.status.code)
        add(answer, after: begin)
        let length = request.stream.map { $0.length.map(String.init) ?? "unknown" }
        call.logger.trace(
            "exchange",
            metadata: [
                "connection": "\(connection.number)", "status": "\(status)",
                "sent": "\(length ?? "\(request.body.readableBytes)")",
                "received": "\(answer.taken ?? Int64(answer.body.count))",
            ])
        return .answered(.init(status: status, isReusable: answer.isReusable))
    }

    /// Adds a leg to the report.
    private mutating func add(_ answer: ReceivedResponse, after begin: NIODeadline) {
        var leg = ExchangeReport.Leg(
            status: Int(answer.head.status.code), authorization: peers.schemeAtOrigin)
        if leg.status == 401 {
            leg.challenges = Challenge.schemes(answer.head.headers["www-authenticate"])
        }
        report.legs.append(leg)
        guard let arrival = answer.headArrival else { return }
        // The connection's thread has taken the time, so that it may be a little earlier.
        report.wait += max(.zero, Duration(arrival - begin))
        report.reception += Duration(.now() - arrival)
    }

    private func exchange(
        _ request: OutgoingRequest, over connection: HTTPConnection, _ sending: AuthenticationLegs.Sending
    ) async throws -> ReceivedResponse {
        guard let receiver, sending.mayPassOnContent else {
            return try await connection.exchange(request, deadline: call.deadline)
        }
        return try await connection.exchange(request, deadline: call.deadline, receiver: receiver) {
            judge(sending, receiver)
        }
    }

    // MARK: Challenges

    private mutating func handleChallenge(
        of role: AuthenticationLegs.Peer
    ) async throws -> AuthenticationLegs.Event? {
        guard let answer else { return nil }
        do {
            let continuesHandshake = try await peers.update(role) { [call] in
                try await $0.handleChallenge(answer, call.deadline)
            }
            guard let continuesHandshake else { return nil }
            return .challengeHandled(continuesHandshake: continuesHandshake, peers.state(of: role))
        } catch { throw error.of(answer) }
    }

    private mutating func choose(_ role: AuthenticationLegs.Peer) async throws -> AuthenticationLegs.Event? {
        guard let answer else { return nil }
        let (origin, own) = (call.key.origin, call.transport.origin)
        do {
            try await peers.update(role) { [call] in try await $0.choose(call.deadline) }
        } catch var error as AuthenticationError
            where role == .origin && origin != own && error.code == .credentialsRequired
        {
            error.message =
                "\(origin) asks for credentials, which the client sends to \(own) only, also after a redirect. Call it with a configuration of its own."
            throw error.of(answer)
        } catch { throw error.of(answer) }
        return .chosen(peers.state(of: role))
    }

    // MARK: The final answer

    private mutating func verify(handsOnContent: Bool) async throws -> AuthenticationLegs.Event? {
        guard var answer else { return nil }
        // The proofs of an answer whose content the receiver has taken were checked before.
        if answer.taken == nil {
            for role in peers.addressed { try await peers[role]?.verify(answer.head, content: answer.body) }
        }
        if handsOnContent, let receiver { try await hand(&answer, to: receiver) }
        self.answer = answer
        return .verified
    }

    /// Passes content to the receiver that had to be proved first.
    private func hand(_ answer: inout ReceivedResponse, to receiver: any ContentReceiver) async throws {
        let fields = NIOTransport.fields(of: answer.head, isDecoded: answer.isDecoded)
        guard receiver.takes(NIOTransport.status(of: answer.head), fields) else { return }
        let body = answer.body
        (answer.body, answer.taken) = ([], Int64(body.count))
        do {
            try await call.deadline.race(while: "taking the content of the answer") {
                try await receiver.take(all: body)
            }
        } catch var error as TransportError {
            error.mayHaveBeenProcessed = true
            throw error
        }
    }

    /// Creates the closure that asks the receiver about the content when the head of an answer has come. If a proof
    /// covers the content, it is checked before the receiver gets the content.
    private func judge(_ sending: AuthenticationLegs.Sending, _ receiver: any ContentReceiver) -> HTTPConnection.Judge {
        let acceptsCompression = call.transport.configuration.acceptsCompression
        return { [peers] head in
            guard sending.isFinal(Int(head.status.code)) else { return false }
            let isDecoded = acceptsCompression && ContentDecoder.reads(head)
            let fields = NIOTransport.fields(of: head, isDecoded: isDecoded)
            guard receiver.takes(NIOTransport.status(of: head), fields) else { return false }
            for role in peers.addressed { try await peers[role]?.verify(head, content: []) }
            return true
        }
    }

    // MARK: Ends

    private mutating func keepCredentials(of role: AuthenticationLegs.Peer) async {
        guard let answer else { return }
        let (status, deadline) = (Int(answer.head.status.code), call.deadline)
        await peers.update(role) { await $0.keep(status, deadline) }
    }

    private mutating func release(_ action: AuthenticationLegs.Action) {
        guard let (connection, isReused) = leased else { return }
        leased = nil
        switch (action, answer) {
        case (.giveBackUnused, _): call.giveBackUnused(connection, isReused: isReused)
        case (.giveBack, .some(let answer)): call.giveBack(connection, after: answer)
        default: call.drop(connection)
        }
    }

    func event(for error: any Error) -> AuthenticationLegs.Event { lossEvent(for: error) }

    func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
        let origin = call.key.origin
        switch (failure, error) {
        case (.reported(let role), .some(let error)): return reported(error, amidHandshakeOf: role)
        case (.firstMessageAnswered(let status), _):
            return TransportError(
                .malformedResponse, "\(origin) asked for a handshake, and answered its first message with \(status).",
                mayHaveBeenProcessed: status < 300 || status >= 500)
        default: return AuthenticationLegs.undecided(failure, by: "\(origin)")
        }
    }
}
