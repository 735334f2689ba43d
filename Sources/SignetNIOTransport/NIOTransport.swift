import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import SignetAuthentication
public import SignetHTTP
import SignetTLS

/// HTTP/1.1 over TCP or TLS, on SwiftNIO.
///
/// The server is judged before a certificate or credential of ours is sent, and both go to the configured origin only.
/// Connections are kept and lent to one call at a time; one opened with an identity is never used with another. A request
/// is sent again only for authentication, or when the connection it was to go over turned out to be closed and either
/// nothing was written, or the method is safe (RFC 9110 §9.2.1) and nothing of an answer had come.
public final class NIOTransport: ClientTransport {
    /// More legs than an honest server needs: none, remembered, new and corrected credentials.
    private static let maximumLegs = 6

    private let configuration: Configuration
    private let pool: ConnectionPool
    private let connector: Connector
    private let session: AuthenticationSession
    /// For origins that get no credentials.
    private let stranger = AuthenticationSession(.init())
    private let fixedFingerprint: [UInt8]?

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        pool = ConnectionPool(limit: configuration.maximumConnections, loop: configuration.eventLoopGroup.any())
        connector = Connector(
            trust: configuration.trust, maximumFieldBytes: configuration.maximumFieldBytes,
            toleratedIdentityProblems: configuration.toleratedIdentityProblems, now: configuration.now)
        session = AuthenticationSession(configuration.authentication)
        if case .fixed(let identity) = configuration.identity {
            fixedFingerprint = identity.leaf.sha256
        } else {
            fixedFingerprint = nil
        }
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let deadline = CallDeadline(request.deadlines)
        var outgoing = try OutgoingRequest(request)
        let origin = request.endpoint.origin
        do {
            let (identity, key) = try await identity(for: origin, deadline: deadline)
            let call = Call(
                transport: self, key: key, identity: identity, deadline: deadline, connect: request.deadlines.connect)
            var report = ExchangeReport()
            // Credentials that the caller wrote into the request are the caller's: the engine keeps out.
            let answer =
                request.fields[.authorization] == nil
                ? try await authenticated(call, &outgoing, &report) : try await call.run(outgoing, &report, scheme: nil)
            report.duration = ContinuousClock.now - start
            return Self.response(answer, report)
        } catch is CancellationError {
            throw TransportError.cancelled()
        }
    }

    public func shutdown() async throws {
        let connections = pool.shutDown()
        for connection in connections { connection.close() }
        for connection in connections { await connection.closed() }
    }

    // MARK: Who we are

    private func identity(for origin: Origin, deadline: CallDeadline) async throws -> (Identity?, PoolKey) {
        guard origin == configuration.origin, origin.scheme == .https else {
            return (nil, PoolKey(origin: origin, identity: nil))
        }
        switch configuration.identity {
        case .none:
            return (nil, PoolKey(origin: origin, identity: nil))
        case .fixed(let identity):
            return (identity, PoolKey(origin: origin, identity: fixedFingerprint))
        case .asking(let ask):
            let identity = try await deadline.race(
                on: configuration.eventLoopGroup.any(), while: "looking for the identity", { try await ask(origin) })
            return (identity, PoolKey(origin: origin, identity: identity?.leaf.sha256))
        }
    }

    private func authenticated(
        _ call: Call, _ outgoing: inout OutgoingRequest, _ report: inout ExchangeReport
    ) async throws -> Answer {
        let origin = call.key.origin
        let session = origin == configuration.origin ? session : stranger
        let loop = configuration.eventLoopGroup.any()
        let abandon: @Sendable (AuthenticationExchange) -> Void = { late in
            var late = late
            session.finish(&late, status: nil)
        }
        var exchange = try session.begin(scheme: origin.scheme.rawValue, host: origin.host, port: origin.port)
        var last: Int?
        defer { session.finish(&exchange, status: last) }
        if exchange.needsPreparation {
            exchange = try await call.deadline.race(on: loop, while: "looking for credentials", late: abandon) {
                [exchange] in
                var exchange = exchange
                try await session.prepare(&exchange)
                return exchange
            }
        }
        for _ in 0..<Self.maximumLegs {
            outgoing.head.headers.remove(name: "authorization")
            if let value = exchange.authorization { outgoing.head.headers.add(name: "authorization", value: value) }
            let answer = try await call.run(outgoing, &report, scheme: exchange.scheme)
            let status = Int(answer.head.status.code)
            guard status == 401 || status == 407 else {
                last = status
                return answer
            }
            let fields = answer.head.headers[status == 401 ? "www-authenticate" : "proxy-authenticate"]
            exchange = try await call.deadline.race(on: loop, while: "looking for credentials", late: abandon) {
                [exchange] in
                var exchange = exchange
                try await session.challenged(&exchange, status: status, fields: fields)
                return exchange
            }
        }
        throw AuthenticationError(
            .credentialsRefused, "\(origin) went on asking for credentials; the call was given up.")
    }

    private static func response(_ answer: Answer, _ report: ExchangeReport) -> ClientResponse {
        var fields = HTTPFields()
        fields.reserveCapacity(answer.head.headers.count)
        for (name, value) in answer.head.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return ClientResponse(
            status: .init(code: Int(answer.head.status.code), reasonPhrase: answer.head.status.reasonPhrase),
            fields: fields, body: answer.body, report: report)
    }

    // MARK: One leg on some connection

    /// What stays the same for all legs of a call.
    private struct Call {
        let transport: NIOTransport
        let key: PoolKey
        let identity: Identity?
        let deadline: CallDeadline
        let connect: Duration

        func run(
            _ request: OutgoingRequest, _ report: inout ExchangeReport, scheme: String?
        ) async throws -> Answer {
            var mayRepeat = true
            while true {
                let (connection, isReused) = try await connection()
                let logger = transport.configuration.logger
                do {
                    let answer = try await connection.exchange(request, deadline: deadline)
                    if answer.isReusable {
                        transport.pool.giveBack(connection)
                    } else {
                        transport.pool.remove(connection.number)
                    }
                    if !isReused || report.connection.number != connection.number {
                        report.connection = connection.report
                        report.connection.reused = isReused
                        if isReused { report.connection.establishment = .zero }
                    }
                    report.legs.append(.init(status: Int(answer.head.status.code), authorization: scheme))
                    logger.trace(
                        "exchange",
                        metadata: [
                            "connection": "\(connection.number)", "status": "\(answer.head.status.code)",
                            "sent": "\(request.body.readableBytes)", "received": "\(answer.body.count)",
                        ])
                    return answer
                } catch is UntouchedConnection {
                    transport.pool.giveBack(connection)
                    throw TransportError.cancelled()
                } catch {
                    transport.pool.remove(connection.number)
                    connection.close()
                    let unanswered = error as? UnansweredRequest
                    let failure: any Error = unanswered?.failure ?? error
                    logger.debug(
                        "connection lost", metadata: ["connection": "\(connection.number)", "error": "\(failure)"])
                    if error is StaleConnection { continue }
                    // A server may close an idle connection in the moment in which it is used again.
                    guard unanswered != nil, isReused, mayRepeat, request.isSafe else { throw failure }
                    mayRepeat = false
                }
            }
        }

        private func connection() async throws -> (HTTPConnection, isReused: Bool) {
            switch try await transport.pool.lease(key, deadline: deadline) {
            case .use(let connection):
                return (connection, true)
            case .open(let number):
                let logger = transport.configuration.logger
                let pool = transport.pool
                let connection: HTTPConnection
                do {
                    connection = try await transport.connector.open(
                        number: number, to: key.origin, as: identity, within: connect, deadline: deadline,
                        on: transport.configuration.eventLoopGroup.next()
                    ) { number in ({ pool.expire(number) }, { pool.remove(number) }) }
                } catch {
                    pool.openingFailed(key: key)
                    logger.debug(
                        "connection failed",
                        metadata: ["connection": "\(number)", "origin": "\(key.origin)", "error": "\(error)"])
                    throw error
                }
                try pool.opened(connection, key: key)
                logger.debug(
                    "connection opened",
                    metadata: [
                        "connection": "\(number)", "origin": "\(key.origin)",
                        "remote": "\(connection.report.remoteAddress)",
                        "tls": "\(connection.report.tls.map { "\($0.version) \($0.cipherSuite)" } ?? "none")",
                    ])
                return (connection, false)
            }
        }
    }
}
