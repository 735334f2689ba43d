import HTTPTypes
import SignetAuthentication
import SignetHTTP

/// Carries out the legs of a call with `URLSession`, which has its own connections.
struct SessionLegs: AuthenticationDriver {
    /// Sends the content with the value of `Authorization`.
    typealias Send = (_ content: [UInt8], _ authorization: String?) async throws -> ClientResponse

    var peers: AuthenticatingPeers
    private let request: ClientRequest
    /// Whether the transport, and not the caller, adds the credentials.
    private let isOurs: Bool
    private let deadline: SessionDeadline
    private let send: Send
    private var content: [UInt8]?
    private var authorization: String?
    private var legs: [ExchangeReport.Leg] = []
    private var answer: ClientResponse?

    init(
        _ request: ClientRequest, _ peer: AuthenticatingPeer, isOurs: Bool, _ deadline: SessionDeadline,
        send: @escaping Send
    ) {
        peers = .init(origin: peer)
        self.request = request
        self.isOurs = isOurs
        self.deadline = deadline
        self.send = send
    }

    /// The final answer, after the last leg.
    func result() throws -> ClientResponse {
        guard var answer else {
            throw AuthenticationLegs.undecided(.outOfOrder, by: "\(request.endpoint.origin)")
        }
        answer.report.legs = legs
        return answer
    }

    mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event? {
        switch action {
        case .prepare(let role):
            if peers[role]?.exchange.needsPreparation == true {
                try await peers.update(role) { [deadline] in
                    try await $0.ask(deadline) { try await $0.prepare() }
                }
            }
            return .prepared(peers.state(of: role))
        case .lease:
            // URLSession would start a stream again by itself, whatever the state of the content.
            if content == nil { content = try await collected() }
            return .leased(.init(number: 0, isReused: false))
        case .authorize(let roles):
            return try await authorize(roles)
        case .send:
            let answer = try await send(content ?? [], authorization)
            self.answer = answer
            legs.append(
                .init(
                    status: answer.status.code, authorization: peers.schemeAtOrigin,
                    challenges: answer.status == .unauthorized
                        ? Challenge.schemes(answer.fields[fields: .wwwAuthenticate].map(\.value)) : []))
            return .answered(.init(status: answer.status.code, isReusable: true))
        case .handleChallenge(let role): return try await handleChallenge(of: role)
        case .choose(let role):
            try await peers.update(role) { [deadline] in try await $0.ask(deadline) { try await $0.choose() } }
            return .chosen(peers.state(of: role))
        case .verify:
            try await verify()
            return .verified
        case .keepCredentials(let role): await keep(role)
        case .deliver: try await handOn()
        // None of these applies to the system's own connections, or to content in memory.
        case .expectContinue, .dropExpectation, .accept, .endHandshake, .openTunnel, .drop, .giveBack, .giveBackUnused,
            .fail:
            break
        }
        return nil
    }

    // MARK: The request

    private func collected() async throws -> [UInt8] {
        if let bytes = request.body.bytes { return bytes }
        guard ![.get, .head].contains(request.method) else {
            throw TransportError(.invalidRequest, "\(request.method) has no content (RFC 9110 §9.3.1).")
        }
        return try await deadline.race { [body = request.body] in
            try await body.collected(limit: URLSessionTransport.maximumContent)
        }
    }

    private mutating func authorize(_ roles: AuthenticationLegs.Peers) async throws -> AuthenticationLegs.Event {
        let content = content ?? []
        let about = AuthenticationRequest(
            method: request.method.rawValue, target: request.path, content: content)
        for role in roles {
            let value = try await peers.update(role) {
                try await $0.authorization(for: about, over: .init(number: 0))
            }
            authorization = value ?? nil
        }
        return .authorized(peers.states)
    }

    private mutating func handleChallenge(
        of role: AuthenticationLegs.Peer
    ) async throws -> AuthenticationLegs.Event? {
        guard let answer else { return nil }
        let (status, fields) = (answer.status.code, answer.fields[fields: .wwwAuthenticate].map(\.value))
        let continuesHandshake = try await peers.update(role) { [deadline] in
            try await $0.ask(deadline) { try await $0.handleChallenge(status: status, fields: fields) }
        }
        return continuesHandshake.map { .challengeHandled(continuesHandshake: $0, peers.state(of: role)) }
    }

    // MARK: The final answer

    private func verify() async throws {
        guard isOurs, let answer, let name = HTTPField.Name("Authentication-Info") else { return }
        for role in peers.addressed {
            try await peers[role]?.verify(
                challenges: [], information: answer.fields[fields: name].map(\.value), content: answer.body)
        }
    }

    private mutating func keep(_ role: AuthenticationLegs.Peer) async {
        guard let answer, let keep = peers[role]?.keeping(status: answer.status.code) else { return }
        try? await deadline.race { await keep() }
    }

    private mutating func handOn() async throws {
        guard let receiver = request.contentReceiver, let body = answer?.body, let status = answer?.status,
            let fields = answer?.fields, receiver.takes(status, fields)
        else { return }
        answer?.body = []
        do { try await deadline.race { try await receiver.take(all: body) } } catch var error as TransportError {
            error.mayHaveBeenProcessed = true
            throw error
        }
    }

    func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
        if case .reported = failure, let error { return error }
        return AuthenticationLegs.undecided(failure, by: "\(request.endpoint.origin)")
    }
}

extension AuthenticatingPeer {
    /// Asks the source of credentials, until the deadline.
    fileprivate mutating func ask<Value: Sendable>(
        _ deadline: SessionDeadline,
        _ work: @escaping @Sendable (inout AuthenticatingPeer) async throws -> Value
    ) async throws -> Value {
        let (after, result): (AuthenticatingPeer, Result<Value, any Error>)
        do {
            (after, result) = try await deadline.race(
                late: { (late: (AuthenticatingPeer, Result<Value, any Error>)) in
                    var peer = late.0
                    peer.finish(status: nil)
                }
            ) { [self] in
                var peer = self
                let result: Result<Value, any Error>
                do { result = .success(try await work(&peer)) } catch { result = .failure(error) }
                return (peer, result)
            }
        } catch {
            // The question that is still open must not be asked a second time.
            exchange.detachTrial()
            throw error
        }
        // The changes to the exchange are kept, whether the work succeeded or not.
        self = after
        return try result.get()
    }
}
