import HTTPTypes
import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
import SignetAuthentication
public import SignetConnection
import SignetCredentials
public import SignetHTTP
import SignetNIOTLS
import SignetTLS

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// HTTP/1.1 over TCP or TLS, on SwiftNIO.
///
/// The server is judged before a certificate or credential of ours is sent, and both go to the configured origin only; a proxy
/// on the way has its own. Connections are kept and lent to one call at a time; one opened with an identity is never used with
/// another, unless it is looked for on demand. A request is sent again only for authentication, or when the connection it was to
/// go over turned out to be closed and either nothing was written, or the method is safe (RFC 9110 §9.2.1) and nothing of an answer
/// had come.
///
/// Connections that are idle are closed with the last reference to the transport; ``shutdown()`` closes all and waits for it.
public final class NIOTransport: ClientTransport {
    /// All that a configuration may ask for.
    public static let capabilities = Set(ConnectionFeature.allCases)

    /// What surrounds a transport, and that tests put in another's place.
    struct Surroundings: Sendable {
        var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
        /// Finds the addresses of names; the system's when nil.
        var resolver: (any Resolver & Sendable)?
        /// Seconds since 1970, to judge certificates by.
        var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    }

    /// More legs than an honest peer needs: none, remembered, new and corrected credentials, each of them in several messages, of a
    /// proxy and of the origin.
    static let maximumLegs = 16

    /// The only origin that gets the identity and the credentials. Another origin can be called, without either.
    public let origin: Origin
    let configuration: ConnectionConfiguration
    let surroundings: Surroundings
    let pool: ConnectionPool
    let connector: Connector
    private let session: AuthenticationSession
    let proxySession: AuthenticationSession
    let questions: TrustQuestions
    /// For origins that get no credentials.
    private let stranger = AuthenticationSession(.init())
    private let constantIdentity: ConnectionIdentity?

    /// - Parameters:
    ///   - origin: of the service; the only one that gets the identity and the credentials. Another origin can be called, without either.
    ///   - connection: how connections are made.
    ///   - eventLoopGroup: whose threads the connections run on; the process's own when nil.
    /// - Throws: ``ConnectionConfigurationError`` for a setting that could not take effect.
    public convenience init(
        to origin: Origin, _ connection: ConnectionConfiguration = .init(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) throws(ConnectionConfigurationError) {
        var surroundings = Surroundings()
        if let eventLoopGroup { surroundings.eventLoopGroup = eventLoopGroup }
        try self.init(to: origin, connection, in: surroundings)
    }

    init(
        to origin: Origin, _ connection: ConnectionConfiguration, in surroundings: Surroundings
    ) throws(ConnectionConfigurationError) {
        try connection.check(for: origin, capabilities: Self.capabilities, of: "NIOTransport")
        self.origin = origin
        configuration = connection
        self.surroundings = surroundings
        pool = ConnectionPool(
            perOrigin: connection.maximumConnections, total: connection.maximumConnectionsInTotal,
            loop: surroundings.eventLoopGroup.any())
        connector = Connector(
            maximumFieldBytes: connection.maximumFieldBytes, acceptsCompression: connection.acceptsCompression,
            toleratedIdentityProblems: connection.toleratedIdentityProblems, resolver: surroundings.resolver,
            now: surroundings.now)
        session = AuthenticationSession(connection.authentication)
        questions = TrustQuestions(connection.onTrustFailure, connection.trustExceptions, now: surroundings.now)
        proxySession = AuthenticationSession(connection.proxy.authentication, isProxy: true)
        constantIdentity = connection.identity?.constant.map { .certificate($0.leaf.sha256) }
    }

    deinit {
        for connection in pool.shutDown() { connection.close() }
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let deadline = CallDeadline(request.deadlines)
        var outgoing = try OutgoingRequest(request, acceptsCompression: configuration.acceptsCompression)
        do {
            let call = try await call(to: request.endpoint.origin, deadline: deadline, request.deadlines)
            if call.isPlainProxy { outgoing.makeAbsolute(for: call.key.origin) }
            var report = ExchangeReport()
            // Credentials that the caller wrote into the request are the caller's: the engine keeps out.
            let answer = try await authenticated(
                call, &outgoing, &report, byCaller: request.fields[.authorization] != nil,
                receiver: request.contentReceiver)
            report.duration = ContinuousClock.now - start
            return response(answer, report)
        } catch is CancellationError {
            throw TransportError.cancelled()
        }
    }

    public func warmUp(_ endpoint: Endpoint, connections count: Int = 1, deadlines: Deadlines = .init()) async throws {
        let deadline = CallDeadline(deadlines)
        do {
            let call = try await call(to: endpoint.origin, deadline: deadline, deadlines)
            let limit = min(count, configuration.maximumConnections, configuration.maximumConnectionsInTotal)
            try await withThrowingTaskGroup(of: HTTPConnection.self) { group in
                for _ in 0..<max(0, limit) { group.addTask { try await call.connection().0 } }
                var opened: [HTTPConnection] = []
                defer {
                    for connection in opened {
                        connection.rest(for: TimeAmount(limited: deadlines.idle))
                        pool.giveBack(connection)
                    }
                }
                var failure: (any Error)?
                while let result = await group.nextResult() {
                    switch result {
                    case .success(let connection): opened.append(connection)
                    case .failure(let error): failure = failure ?? error
                    }
                }
                if let failure { throw failure }
            }
        } catch is CancellationError {
            throw TransportError.cancelled()
        }
    }

    public func renewConnections() { pool.drain { _ in true } }

    public func shutdown() async throws {
        let connections = pool.shutDown()
        for connection in connections { connection.close() }
        for connection in connections { await connection.closed() }
    }

    // MARK: Which way, and as whom

    private func route(to origin: Origin) -> Route {
        if let path = configuration.unixSocket, origin == self.origin { return .unixSocket(path) }
        return configuration.proxy.rules?.proxy(for: origin).map { .proxy($0) } ?? .direct
    }

    public func isLocal(_ origin: Origin) -> Bool {
        switch route(to: origin) {
        case .direct: origin.isLoopback
        case .unixSocket: true
        // Where it leads is known to the proxy only.
        case .proxy: false
        }
    }

    public func proofs(at origin: Origin) -> ClientProofs? {
        guard origin == self.origin else { return ClientProofs(hasIdentity: false, hasCredentials: false) }
        return ClientProofs(
            hasIdentity: configuration.identity != nil,
            hasCredentials: !configuration.authentication.credentials.isNone)
    }

    private func call(to origin: Origin, deadline: CallDeadline, _ deadlines: Deadlines) async throws -> Call {
        let route = route(to: origin)
        var identity = ClientIdentity.none
        var who = ConnectionIdentity.none
        if origin == self.origin, origin.scheme == .https, let source = configuration.identity {
            identity = try await self.identity(
                source, onDemand: configuration.looksForIdentityOnDemand, deadline: deadline)
            switch identity {
            case .none: break
            case .given(let found), .late(let found):
                who = constantIdentity ?? .certificate(found.leaf.sha256)
                if configuration.showsIdentityLate { identity = .late(found) }
            case .onDemand: who = .onDemand
            }
        }
        return Call(
            transport: self, key: PoolKey(origin: origin, route: route, identity: who), identity: identity,
            deadline: deadline, deadlines: deadlines)
    }

    func identity(
        _ source: IdentitySource, onDemand: Bool = false, deadline: CallDeadline
    ) async throws -> ClientIdentity {
        if onDemand {
            return .onDemand { [connector] in
                let identity = try await source.current()
                if let identity { try connector.check(identity) }
                return identity
            }
        }
        if let constant = source.constant { return .given(constant) }
        let identity = try await deadline.race(while: "looking for the identity") { try await source.current() }
        return identity.map { .given($0) } ?? .none
    }

    // MARK: Legs

    /// - Parameters:
    ///   - byCaller: the request has the caller's own credentials for the origin.
    ///   - receiver: of the content of the answer that counts.
    private func authenticated(
        _ call: Call, _ outgoing: inout OutgoingRequest, _ report: inout ExchangeReport, byCaller: Bool,
        receiver: (any ContentReceiver)?
    ) async throws -> Answer {
        let origin = call.key.origin
        var askers = [
            try Asker.origin(
                origin == self.origin && !byCaller ? session : stranger, origin, path: outgoing.path,
                isLocal: isLocal(origin))
        ]
        if call.isPlainProxy, case .proxy(let proxy) = call.key.route { askers.append(try .proxy(proxySession, proxy)) }
        var last: Int?
        defer {
            for index in askers.indices { askers[index].session.finish(&askers[index].exchange, status: last) }
        }
        for index in askers.indices { try await askers[index].prepare(call.deadline) }
        // With a scheme that binds to it, the caller makes the connection their own.
        let ownsConnection = byCaller && outgoing.isBoundByCaller
        var kept: HTTPConnection?
        // The first words of a handshake go without content that is not in memory, and to nobody who has not asked: whoever lets
        // everybody in would take them for the request.
        var wasAsked = false
        if outgoing.stream != nil {
            for index in askers.indices where askers[index].exchange.holdTongue() { outgoing.askFirst() }
        }
        for _ in 0..<Self.maximumLegs {
            var withholds = false
            let users = Set(askers.compactMap(\.exchange.user))
            let (connection, answer): (HTTPConnection, Answer)
            do {
                (connection, answer) = try await call.run(as: users, over: kept, &report) { connection in
                    for index in askers.indices where !(byCaller && index == 0) {
                        try await askers[index].authorize(&outgoing, over: connection, call.deadline)
                    }
                    withholds = wasAsked && outgoing.stream != nil && !askers.allSatisfy(\.exchange.isDecided)
                    return .init(
                        request: withholds ? outgoing.withoutContent : outgoing,
                        scheme: askers[0].exchange.carriedScheme,
                        judge: withholds ? nil : judge(receiver, outgoing, askers, byCaller: byCaller))
                }
                kept = nil
            } catch is AuthenticationSession.UnfitConnection {
                kept = nil
                continue
            } catch let error as TransportError where kept != nil {
                throw error.amidHandshake(of: askers)
            }
            let status = Int(answer.head.status.code)
            if status == 417, outgoing.expectsContinue, !withholds {
                // RFC 9110 §15.5.18: it knows no such expectation.
                outgoing.dropExpectation()
                call.drop(connection)
                continue
            }
            if withholds, status != 401, status != 407 {
                call.drop(connection)
                throw TransportError(
                    .malformedResponse,
                    "\(origin) wanted a handshake, and answered its first words with \(status).",
                    mayHaveBeenProcessed: status < 300 || status >= 500)
            }
            // A 407 of somebody who is no proxy is the origin's, and an error.
            guard let index = askers.firstIndex(where: { $0.status == status }) ?? (status == 407 ? 0 : nil),
                !(byCaller && status == 401)
            else {
                var answer = answer
                do {
                    // Of what somebody has taken, it was done before.
                    if answer.taken == nil {
                        for asker in askers { try await asker.verify(answer.head, content: answer.body) }
                    }
                    if let receiver, askers.contains(where: \.exchange.coversContent) {
                        try await hand(&answer, to: receiver, call.deadline)
                    }
                } catch {
                    call.drop(connection)
                    throw error
                }
                // Whoever has not proved who they are has accepted nothing.
                last = status
                for asker in askers { asker.accept(connection) }
                if ownsConnection { call.drop(connection) } else { call.giveBack(connection, after: answer) }
                for index in askers.indices { await askers[index].keep(status, call.deadline) }
                return answer
            }
            wasAsked = true
            // A proxy that did not ask again has let us in.
            if index == 0 { for other in askers.indices.dropFirst() { askers[other].passed(on: connection) } }
            // A handshake goes on over its connection, which nobody else gets before it has succeeded.
            let holds = askers[index].isHolding(connection)
            if !holds {
                if ownsConnection { call.drop(connection) } else { call.giveBack(connection, after: answer) }
            }
            do {
                if try await askers[index].goesOn(answer, call.deadline) {
                    if holds, answer.isReusable, askers[index].isHolding(connection) {
                        kept = connection
                    } else if holds {
                        call.drop(connection)
                    }
                    continue
                }
            } catch {
                if holds { call.drop(connection) }
                throw error.of(answer)
            }
            // Whoever is asked now may take their time.
            if holds { call.drop(connection) }
            do { try await askers[index].choose(call.deadline) } catch var error as AuthenticationError
                where index == 0 && origin != self.origin && error.code == .credentialsRequired
            {
                error.message =
                    "\(origin) asks for credentials, and gets none: those of \(self.origin) go to no other origin, also where a redirect leads to it. Call it with a configuration of its own."
                throw error.of(answer)
            } catch { throw error.of(answer) }
        }
        if let kept { call.drop(kept) }
        throw AuthenticationError(
            .undecided,
            "\(origin) asked for credentials \(Self.maximumLegs) times, and neither accepted any nor refused them for good; the call was given up."
        )
    }

    // MARK: Content

    /// What asks the receiver of the content, if there is one, when the head of an answer has come.
    private func judge(
        _ receiver: (any ContentReceiver)?, _ outgoing: OutgoingRequest, _ askers: [Asker], byCaller: Bool
    ) -> HTTPConnection.Judge? {
        // A proof over the content is looked at before anybody gets it.
        guard let receiver, !askers.contains(where: \.exchange.coversContent) else { return nil }
        let expectsContinue = outgoing.expectsContinue
        return HTTPConnection.Judge(
            mayTake: { receiver.mayTake(contentType: $0.headers.first(name: "content-type")) }
        ) { [acceptsCompression = configuration.acceptsCompression] head in
            let status = Int(head.status.code)
            let isChallenge = status == 407 || askers.contains { $0.status == status } && !(byCaller && status == 401)
            guard !isChallenge, !(status == 417 && expectsContinue) else { return nil }
            let fields = Self.fields(of: head, isDecoded: acceptsCompression && ContentDecoder.reads(head))
            guard receiver.takes(Self.status(of: head), fields) else { return nil }
            for asker in askers { try await asker.verify(head, content: []) }
            return receiver
        }
    }

    /// Hands content on that had to be proved first.
    private func hand(_ answer: inout Answer, to receiver: any ContentReceiver, _ deadline: CallDeadline) async throws {
        let fields = Self.fields(of: answer.head, isDecoded: answer.isDecoded)
        guard receiver.takes(Self.status(of: answer.head), fields) else { return }
        let body = answer.body
        (answer.body, answer.taken) = ([], Int64(body.count))
        do {
            try await deadline.race(while: "taking the content of the answer") { try await receiver.take(all: body) }
        } catch var error as TransportError {
            error.mayHaveBeenProcessed = true
            throw error
        }
    }

    private static func status(of head: HTTPResponseHead) -> HTTPResponse.Status {
        .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase)
    }

    /// - Parameter isDecoded: whether what is handed on has another length and coding than what came.
    private static func fields(of head: HTTPResponseHead, isDecoded: Bool) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            if isDecoded, ["content-encoding", "content-length"].contains(name.lowercased()) { continue }
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    private func response(_ answer: Answer, _ report: ExchangeReport) -> ClientResponse {
        ClientResponse(
            status: Self.status(of: answer.head), fields: Self.fields(of: answer.head, isDecoded: answer.isDecoded),
            body: answer.body, report: report)
    }
}
