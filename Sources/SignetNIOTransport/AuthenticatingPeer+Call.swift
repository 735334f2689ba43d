import NIOCore
import NIOHTTP1
import SignetAuthentication
import SignetHTTP

extension AuthenticatingPeer {
    /// - Parameter isLocal: whether what is sent to the peer stays on this machine.
    static func origin(
        _ session: AuthenticationSession, _ origin: Origin, path: String, isLocal: Bool
    ) throws -> AuthenticatingPeer {
        .init(
            .origin, session,
            try session.begin(
                scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: path, isLocal: isLocal))
    }

    static func proxy(_ session: AuthenticationSession, _ proxy: Proxy) throws -> AuthenticatingPeer {
        let origin = proxy.origin
        return .init(
            .proxy, session,
            try session.begin(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: ""))
    }

    /// Gets the credentials that are sent with a first request, if there are any.
    mutating func prepare(_ deadline: CallDeadline) async throws {
        guard exchange.needsPreparation else { return }
        try await raced(deadline) { session, exchange in try await session.prepare(&exchange) }
    }

    /// Adds the credentials to a request.
    mutating func authorize(
        _ request: inout OutgoingRequest, over connection: HTTPConnection, _ deadline: CallDeadline
    ) async throws {
        // Most requests have no credentials, and their fields stay as they are.
        if request.head.headers.contains(name: credentialsField) { request.head.headers.remove(name: credentialsField) }
        guard exchange.isValid else { return }
        let about = AuthenticationRequest(request)
        let channel = connection.asChannel
        let value: String?
        if exchange.user == nil {
            value = try await session.authorization(&exchange, for: about, over: channel)
        } else {
            // Kerberos may have to ask its servers.
            value = try await raced(deadline) { session, exchange in
                try await session.authorization(&exchange, for: about, over: channel)
            }
        }
        if let value { request.head.headers.add(name: credentialsField, value: value) }
        // The server's proof covers the content of its answer as it was sent, so the server must not compress it.
        if exchange.coversContent { request.head.headers.replaceOrAdd(name: "accept-encoding", value: "identity") }
    }

    /// Whether a handshake continues on the connection of the answer. If not, ``choose(_:)`` follows.
    mutating func handleChallenge(_ answer: ReceivedResponse, _ deadline: CallDeadline) async throws -> Bool {
        let status = Int(answer.head.status.code)
        let fields = answer.head.headers[challengeField]
        return try await raced(deadline) { session, exchange in
            try await session.continuesHandshake(&exchange, status: status, fields: fields)
        }
    }

    /// Finds out which credentials the next leg needs; the credential source may be asked.
    mutating func choose(_ deadline: CallDeadline) async throws {
        try await raced(deadline) { session, exchange in try await session.choose(&exchange) }
    }

    /// Checks the peer's proof in an answer to accepted credentials.
    ///
    /// - Parameter content: used only where the exchange covers it.
    func verify(_ head: HTTPResponseHead, content: [UInt8]) async throws {
        try await session.verify(
            exchange, challenges: head.headers[challengeField], information: head.headers[informationField],
            content: content)
    }

    /// Stores new credentials after the peer has accepted them. A caller that has waited until the deadline gets the
    /// answer even if storing has not ended.
    mutating func keep(_ status: Int, _ deadline: CallDeadline) async {
        guard let keep = session.keeping(&exchange, status: status) else { return }
        try? await deadline.race(while: "keeping credentials") { await keep() }
    }

    // MARK: Waiting

    /// Works on the exchange until the deadline. The changes to the exchange are kept whether the work succeeds or not.
    private mutating func raced<Value: Sendable>(
        _ deadline: CallDeadline,
        _ work: @escaping @Sendable (AuthenticationSession, inout AuthenticationExchange) async throws -> Value
    ) async throws -> Value {
        let (session, before) = (session, exchange)
        let (after, result): (AuthenticationExchange, Result<Value, any Error>)
        do {
            (after, result) = try await deadline.race(
                while: "looking for credentials",
                late: { (late: (AuthenticationExchange, Result<Value, any Error>)) in
                    var exchange = late.0
                    session.finish(&exchange, status: nil)
                }
            ) {
                var exchange = before
                let result: Result<Value, any Error>
                do { result = .success(try await work(session, &exchange)) } catch { result = .failure(error) }
                return (exchange, result)
            }
        } catch {
            // The question that is still open must not be asked a second time.
            exchange.detachTrial()
            throw error
        }
        exchange = after
        return try result.get()
    }
}

extension TransportError {
    /// A connection that closes after the last message of a handshake leaves it open whether the password was right. A
    /// new attempt could be a second failed login, so the call ends, and its error says why.
    func amidHandshake(of peer: AuthenticatingPeer) -> TransportError {
        guard code == .connectionClosed, let scheme = peer.exchange.carriedScheme else { return self }
        var error = self
        error.message +=
            " It did so after the last message of \(scheme), which neither accepts nor refuses the password. \(scheme) needs one connection for all its messages: look for a proxy or load balancer that closes connections between requests."
        return error
    }
}

extension AuthenticationRequest {
    init(_ request: OutgoingRequest) {
        let body = request.body
        // The target as the origin sees it, whatever is sent to a proxy on the way; other clients do the same.
        let target = request.opensTunnel ? request.head.uri : request.path
        self.init(method: request.head.method.rawValue, target: target)
        if request.stream == nil { content = { Array(body.readableBytesView) } }
        let type = request.head.headers[canonicalForm: "content-type"].first?.prefix { $0 != ";" }
        isForm = type?.lowercased() == "application/x-www-form-urlencoded"
    }
}
