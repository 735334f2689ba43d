import NIOCore
import SignetAuthentication
import SignetHTTP

/// One of those who may ask for credentials during a call: the origin, or a proxy.
struct Asker: Sendable {
    let session: AuthenticationSession
    var exchange: AuthenticationExchange
    let status: Int
    private let challengeField: String
    private let answerField: String
    private let informationField: String

    static func origin(_ session: AuthenticationSession, _ origin: Origin, path: String) throws -> Asker {
        Asker(
            session: session,
            exchange: try session.begin(
                scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: path),
            status: 401, challengeField: "www-authenticate", answerField: "authorization",
            informationField: "authentication-info")
    }

    static func proxy(_ session: AuthenticationSession, _ proxy: Proxy) throws -> Asker {
        let origin = proxy.origin
        return Asker(
            session: session,
            exchange: try session.begin(
                scheme: origin.scheme.rawValue, host: origin.host, port: origin.port, path: ""),
            status: 407, challengeField: "proxy-authenticate", answerField: "proxy-authorization",
            informationField: "proxy-authentication-info")
    }

    /// Asks for credentials that go with a first request, if any do.
    mutating func prepare(_ deadline: CallDeadline) async throws {
        guard exchange.needsPreparation else { return }
        exchange = try await raced(deadline) { session, exchange in try await session.prepare(&exchange) }
    }

    /// Puts into a request what lets it in.
    mutating func authorize(
        _ request: inout OutgoingRequest, over connection: HTTPConnection, _ deadline: CallDeadline
    ) async throws {
        request.head.headers.remove(name: answerField)
        let about = AuthenticationRequest(request)
        let channel = connection.asChannel
        let value: String?
        if exchange.user == nil {
            value = try await session.authorization(&exchange, for: about, over: channel)
        } else {
            // Kerberos may ask its servers.
            (exchange, value) = try await racedForValue(deadline) { session, exchange in
                try await session.authorization(&exchange, for: about, over: channel)
            }
        }
        if let value { request.head.headers.add(name: answerField, value: value) }
        // A proof over the content is one over what came.
        if exchange.coversContent { request.head.headers.replaceOrAdd(name: "accept-encoding", value: "identity") }
    }

    /// Finds out what the next leg has to carry after a challenge.
    mutating func answer(_ answer: Answer, _ deadline: CallDeadline) async throws {
        let status = Int(answer.head.status.code)
        let fields = answer.head.headers[challengeField]
        exchange = try await raced(deadline) { session, exchange in
            try await session.challenged(&exchange, status: status, fields: fields)
        }
    }

    /// Looks at what a peer says of itself behind accepted credentials.
    func verify(_ answer: Answer) async throws {
        try await session.verify(
            exchange, challenges: answer.head.headers[challengeField],
            information: answer.head.headers[informationField], content: answer.body)
    }

    /// Its last message was enough: the connection is its user's, while somebody else has questions yet.
    mutating func passed(on connection: HTTPConnection) {
        guard let user = exchange.user, exchange.isShakingHands(over: connection.number) else { return }
        connection.accept(user)
        exchange.endHandshake()
    }

    // MARK: Waiting

    private func raced(
        _ deadline: CallDeadline,
        _ work: @escaping @Sendable (AuthenticationSession, inout AuthenticationExchange) async throws -> Void
    ) async throws -> AuthenticationExchange {
        try await racedForValue(deadline, work).0
    }

    private func racedForValue<Value: Sendable>(
        _ deadline: CallDeadline,
        _ work: @escaping @Sendable (AuthenticationSession, inout AuthenticationExchange) async throws -> Value
    ) async throws -> (AuthenticationExchange, Value) {
        let (session, exchange) = (session, exchange)
        return try await deadline.race(
            while: "looking for credentials",
            late: { late in
                var late = late.0
                session.finish(&late, status: nil)
            }
        ) {
            var exchange = exchange
            let value = try await work(session, &exchange)
            return (exchange, value)
        }
    }
}

extension AuthenticationRequest {
    init(_ request: OutgoingRequest) {
        let body = request.body
        // What the origin gets to see, whatever a proxy on the way is sent; others do so too.
        let target = request.opensTunnel ? request.head.uri : request.path
        self.init(method: request.head.method.rawValue, target: target, content: Array(body.readableBytesView))
        let type = request.head.headers[canonicalForm: "content-type"].first?.prefix { $0 != ";" }
        isForm = type?.lowercased() == "application/x-www-form-urlencoded"
    }
}
