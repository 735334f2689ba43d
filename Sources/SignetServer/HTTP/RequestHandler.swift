#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetSOAP
import SignetTLS

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The channels of a request. Over HTTP/1.1 the two are the same.
struct RequestChannels: Sendable {
    /// Carries the request and its answer. Over HTTP/2 it is a stream, and its end is that of no other request.
    let exchange: any Channel
    /// The connection, on which TLS has found out who the client is.
    let connection: any Channel
    /// The number of the connection.
    let number: UInt64
    /// The address of the client; nil when the connection has none.
    let client: SocketAddress?
    /// The room for the content of the connection's requests.
    let room: ContentRoom

    /// The number of the stream, which rises with the requests (RFC 9113 §5.1.1); nil over HTTP/1.1.
    fileprivate var stream: Int? {
        get async throws {
            guard exchange !== connection else { return nil }
            return Int(try await exchange.getOption(HTTP2StreamChannelOptions.streamID).get())
        }
    }
}

/// Handles one request: checks it before reading its content, then passes it to the service.
struct RequestHandler: Sendable {
    /// The services by their paths.
    private let entrances: [String: ServiceEntrance]
    /// The largest size of a request to any service, in bytes.
    let limit: Int
    /// Which clients the server admits by their certificate.
    private var clients = ClientAdmission.noCertificateRequested
    /// What a proxy says of its clients; nil for a server without such a proxy.
    private let forwarded: ForwardedClients?
    /// What the server has beside the services; nil for nothing.
    let registration: RegistrationHost?
    let isSecure: Bool
    let settings: SOAPServer.Settings
    /// Handlers of one-way operations, whose answers are sent before they run.
    let background: RunningTasks
    /// Nil for a server without health checks.
    private let health: HealthProbe?
    /// The request as it arrived, before middlewares change it.
    private var request = ServerRequest(path: "")
    /// Who has sent the request.
    private var sender = Sender()

    /// The other end of a connection.
    private struct Sender {
        /// That of the certificate that it has shown in TLS; nil for none.
        var path: CertificationPath?
        var place: PeerBudget.Place?
        /// The client of the proxy; nil when this is not the proxy.
        var client: ForwardedClients.Client?
    }

    /// - Parameter entrances: each has a path of its own.
    init(
        _ entrances: [ServiceEntrance], registration: RegistrationHost?, forwarded: ForwardedClients?, isSecure: Bool,
        settings: SOAPServer.Settings, background: RunningTasks
    ) {
        self.forwarded = forwarded
        self.entrances = Dictionary(entrances.map { ($0.path, $0) }) { first, _ in first }
        limit = entrances.map(\.limit).max() ?? 0
        (self.registration, self.isSecure) = (registration, isSecure)
        (self.settings, self.background) = (settings, background)
        health = settings.health.map { HealthProbe($0) }
    }

    /// Returns the same handler for connections that the server accepts while `clients` decides about admission.
    func admitting(_ clients: ClientAdmission) -> RequestHandler {
        var handler = self
        handler.clients = clients
        return handler
    }

    /// The outcome of the checks: the peer that the service may serve, or the answer that ends the request.
    private enum Judgement {
        /// - places: those of the service, of which the request needs one; nil where there is no limit.
        /// - fields: for the answer.
        case message(PeerDescription, any RequestReceiver, places: RequestPlaces?, fields: HTTPFields)
        case answer(ServerResponse)
    }

    /// The content that a client sends.
    private struct Content {
        var pieces: RequestBody.AsyncIterator
        /// That of the request in the room of its connection.
        let number: Int
        /// The largest size of the content, in bytes.
        var limit: Int
        /// How much of it has arrived.
        var received = 0
        var isRead = false
    }

    func handle(
        _ request: Request, _ writer: consuming ResponseWriter, _ channels: RequestChannels
    ) async throws {
        var handler = self
        let connection = channels.connection
        let (path, place) = try await connection.eventLoop.submit {
            (ServerTLS.certificationPath(of: connection), ServiceChannel.place(of: connection))
        }.get()
        var fields = request.headers
        let client = forwarded.flatMap { $0.take(from: &fields, isProxy: $0.isProxy(path)) }
        handler.sender = Sender(path: path, place: place, client: client)
        handler.request = ServerRequest(
            method: request.method, path: request.head.path ?? "",
            authority: request.head.authority.flatMap { $0.isEmpty ? nil : $0 }, fields: fields,
            remoteAddress: client?.address ?? channels.client?.hostAndPort,
            id: String(UInt64.random(in: .min ... .max), radix: 16))
        handler.request.connection = channels.number
        let number = channels.room.enter(try await channels.stream)
        defer { channels.room.leave(number) }
        try await handler.answer(request.body, writer, channels, number)
    }

    private func answer(
        _ body: RequestBody, _ writer: consuming ResponseWriter, _ channels: RequestChannels, _ number: Int
    ) async throws {
        // A middleware may call `next` from any task. It does so once, while this function waits for it.
        let path = request.path.prefix { $0 != "?" }
        nonisolated(unsafe) var content = Content(
            pieces: body.makeAsyncIterator(), number: number, limit: entrances[String(path)]?.limit ?? limit)
        nonisolated(unsafe) let writer = writer
        let answer: ServerResponse
        if settings.httpMiddlewares.isEmpty {
            answer = unsafe try await serve(request.fields, &content, writer, channels)
        } else {
            answer = try await intercept(request) { unsafe try await serve($0.fields, &content, writer, channels) }
        }
        if let ending = answer.ending {
            if ending == .reset {
                // Closing a socket that does not linger resets the connection; TLS is not asked.
                if let socket = channels.connection as? any SocketOptionProvider {
                    try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                }
                try await channels.connection.eventLoop.submit { ServiceChannel.close(channels.connection) }.get()
            }
            throw ConnectionEnd()
        }
        switch answer.body.content {
        // RFC 9110 §9.3.2: the client would take content after the head for its next answer. NIO does not know the
        // method of the request.
        case _ where request.method == .head: unsafe try await writer.writeResponse(answer.head)
        case .bytes(let bytes):
            unsafe try await writer.write(response: answer.head, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let stream):
            let outlet = unsafe Outlet(
                writer: try await writer.writeHead(answer.head), eventLoop: channels.exchange.eventLoop)
            do { try await stream.run { try await outlet.write($0) } } catch {
                // Only the end of the connection tells the client that the answer is incomplete.
                let isWanted = error is CancellationError || (error as? TransportError)?.cause is AbandonedAnswer
                if !isWanted {
                    settings.logger.error(
                        "an answer could not be written to its end",
                        metadata: ["error": "\(error)", "request": "\(request.id)"])
                }
                throw error
            }
            try await outlet.writer.finish(nil)
        }
        if unsafe !content.isRead { unsafe try await discard(&content, on: channels.exchange) }
    }

    /// Checks a request, passes it to the service, and returns the answer.
    ///
    /// - Parameter fields: the fields as middlewares have left them, for handlers.
    private func serve(
        _ fields: HTTPFields, _ content: inout Content, _ writer: borrowing ResponseWriter,
        _ channels: RequestChannels
    ) async throws -> ServerResponse {
        switch await judge(fields) {
        case .answer(let refusal): return refusal
        case .message(let peer, let intake, let places, let proof):
            content.limit = intake.limit
            // Before the content is asked for, and kept.
            if places?.isFull == true { return full(peer) }
            // RFC 9110 §10.1.1: the client waits for this before it sends its content.
            if request.fields[.expect]?.lowercased() == "100-continue" {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            if let refusal = try await read(&content, into: intake, from: peer, channels) {
                return refusal
            }
            content.isRead = true
            return await answer(by: intake, peer, places, proof) { await leavePlace(of: channels.connection) }
        }
    }

    /// Lets the service answer a request whose content has arrived.
    ///
    /// - Parameters:
    ///   - proof: fields for the answer.
    ///   - proved: called when the client has proved its identity in its message.
    private func answer(
        by intake: any RequestReceiver, _ peer: PeerDescription, _ places: RequestPlaces?, _ proof: HTTPFields,
        proved: () async -> Void
    ) async -> ServerResponse {
        guard places?.take() ?? true else { return full(peer) }
        var reply = await intake.respond(from: peer)
        if let work = reply.work, let places {
            // The handler of a one-way operation has not run yet.
            reply.work = {
                await work()
                places.leave()
            }
        } else {
            places?.leave()
        }
        if reply.isVerified { await proved() }
        // With too many handlers running, the client waits, which slows it down.
        if let work = reply.work, !background.start(limit: settings.maximumBackgroundCalls, work) {
            await work()
        }
        settings.logger.debug("answered", metadata: metadata("status", "\(reply.status)"))
        var answer = ServerResponse(.init(code: reply.status), reply.fields, body: reply.body)
        answer.fields[.contentType] = reply.contentType
        answer.fields.append(contentsOf: proof)
        return answer
    }

    // MARK: Another server

    /// Answers a request to the only service that another server has received.
    ///
    /// - Parameter peer: the client, as far as that server knows it.
    /// - Throws: the error with which the content ends before its end.
    func answer(
        _ request: ServerRequest, _ body: RequestBody, from peer: PeerDescription
    ) async throws -> ServerResponse {
        var handler = self
        handler.request = request
        guard let entrance = entrances.values.first else { return .refusal(.notFound) }
        let judgement: Judgement
        do {
            judgement = try await handler.judge(
                request.fields, at: entrance, from: peer, nil, demandsCertificate: entrance.requiresCertificate)
        } catch { return handler.failed("a client cannot be checked", "\(error)") }
        guard case .message(let peer, let intake, let places, let proof) = judgement else {
            if case .answer(let answer) = judgement { return answer }
            return .refusal(.internalServerError)
        }
        if places?.isFull == true { return handler.full(peer) }
        // What the server itself takes to process content does not count.
        var (waited, received) = (Duration.zero, 0)
        var parts = body.makeAsyncIterator()
        while true {
            let begin = ContinuousClock.now
            guard let part = try await parts.next() else { break }
            waited += ContinuousClock.now - begin
            received += part.readableBytes
            guard waited < settings.requestArrival + .seconds(received / settings.minimumArrivalRate) else {
                return handler.refusal(.requestTimeout, peer, "the content takes too long to arrive")
            }
            if let refusal = try await handler.pass(part, to: intake, peer) { return refusal }
        }
        return await handler.answer(by: intake, peer, places, proof) {}
    }

    // MARK: Judging

    /// Checks the request as it arrived, whatever middlewares made of it.
    private func judge(_ fields: HTTPFields) async -> Judgement {
        var peer = PeerDescription()
        peer.remoteAddress = request.remoteAddress
        do {
            var (path, admission) = (sender.path, clients)
            let place = sender.place
            // TLS has checked this already; the check here refuses the request should TLS ever fail to.
            if path == nil, clients.isCertificateRequired { return refuse(.forbidden, peer, "no certificate") }
            peer.take(path)
            if let refusal = try await decide(by: clients, path, peer) { return refusal }
            // Where a proxy names its client, the place is that of the client.
            if path != nil, forwarded == nil || !settings.usesProxyProtocol { place?.leave() }
            let target = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let wanted = target.first ?? ""
            if let forwarded {
                guard let client = sender.client else {
                    return refuse(.forbidden, peer, "the certificate is not one of the proxy's, which tlsProxy names")
                }
                // What the proxy has shown of itself says nothing about its clients.
                peer.take(nil)
                // The proxy asks by itself, for no client.
                if let health, health.isAnswering(at: wanted) { return await judge(health, wanted, peer) }
                switch await forwarded.judge(client) {
                case .success(let found): (path, admission) = (found, forwarded.admission)
                case .failure(let refusal): return refuse(.forbidden, peer, refusal.reason, level: refusal.level)
                }
                peer.take(path)
                if let refusal = try await decide(by: admission, path, peer) { return refusal }
                if path != nil { place?.leave() }
            }
            // RFC 9112 §3.2; the first one is no longer among the fields.
            if request.fields.contains(where: { $0.name.canonicalName == "host" }) {
                return refuse(.badRequest, peer, "more than one Host")
            }
            if let registration, let operation = registration.operation(at: request.path) {
                return try await judge(operation, of: registration, &peer, place)
            }
            if let health, health.isAnswering(at: wanted) { return await judge(health, wanted, peer) }
            guard let entrance = entrances[String(wanted)] else { return refuse(.notFound, peer, "another path") }
            // Clients without a certificate are let in to get one, or for other services.
            let demandsCertificate =
                entrance.requiresCertificate
                || registration != nil && entrance.credentials == nil && admission.asksForCertificates
            return try await judge(fields, at: entrance, from: peer, place, demandsCertificate: demandsCertificate)
        } catch {
            return .answer(failed("a client cannot be checked", "\(error)"))
        }
    }

    /// Checks a request to a service.
    ///
    /// - Parameter peer: what is known of the client already.
    private func judge(
        _ fields: HTTPFields, at entrance: ServiceEntrance, from peer: PeerDescription, _ place: PeerBudget.Place?,
        demandsCertificate: Bool
    ) async throws -> Judgement {
        var peer = peer
        let query = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
        let document = request.method == .get ? query.flatMap { entrance.wsdl?.document(at: $0) } : nil
        guard request.method == .post || document != nil else {
            return refuse(
                .methodNotAllowed, peer, "the method \(request.method.rawValue.printable)",
                [.allow: entrance.wsdl == nil ? "POST" : "POST, GET"])
        }
        if peer.certificate == nil, demandsCertificate { return refuse(.forbidden, peer, "no certificate") }
        var proof: HTTPFields = [:]
        if let credentials = entrance.credentials, let refusal = try await check(credentials, &peer, place, &proof) {
            return refusal
        }
        if let document {
            var answer = ServerResponse(.ok, contentType: "text/xml; charset=utf-8", body: HTTPBody(document))
            answer.fields.append(contentsOf: proof)
            return .answer(answer)
        }
        return judgeContent(fields, peer, entrance, proof)
    }

    /// Asks the program whether it admits the owner of a certificate.
    ///
    /// - Returns: the refusal; nil for a client that is admitted, or has no certificate.
    private func decide(
        by admission: ClientAdmission, _ path: CertificationPath?, _ peer: PeerDescription
    ) async throws -> Judgement? {
        guard let path, let decide = admission.decide, try await !decide(path) else { return nil }
        return refuse(.forbidden, peer, "the certificate's owner is not admitted")
    }

    /// A client that asks for more than a service processes at a time is told to come back after so many seconds.
    private static let retryAfter = "2"

    private func full(_ peer: PeerDescription) -> ServerResponse {
        refusal(.serviceUnavailable, peer, "too many requests at a time", [.retryAfter: Self.retryAfter])
    }

    private func judge(_ health: HealthProbe, _ path: Substring, _ peer: PeerDescription) async -> Judgement {
        guard request.method == .get || request.method == .head else {
            return refuse(
                .methodNotAllowed, peer, "the method \(request.method.rawValue.printable)", [.allow: "GET, HEAD"])
        }
        guard await health.isGood(at: path) else { return refuse(.serviceUnavailable, peer, "not ready") }
        return .answer(.refusal(.ok))
    }

    /// Checks the credentials of a request over HTTP.
    ///
    /// - Parameter proof: the fields with which the server proves to the client who it is.
    /// - Returns: the refusal; nil when the peer's user is known now.
    private func check(
        _ credentials: CredentialCheck, _ peer: inout PeerDescription, _ place: PeerBudget.Place?,
        _ proof: inout HTTPFields
    ) async throws -> Judgement? {
        switch try await credentials.findings(request, of: peer) {
        case .accepted(let user, let fields):
            (peer.user, proof) = (user, fields)
            place?.leave()
            return nil
        case .refused(let reason, let challenges):
            var fields: HTTPFields = [:]
            fields[values: .wwwAuthenticate] = challenges
            return refuse(.unauthorized, peer, reason, fields)
        case .forbidden(let reason): return refuse(.forbidden, peer, reason)
        case .busy(let reason): return refuse(.serviceUnavailable, peer, reason, [.retryAfter: Self.retryAfter])
        }
    }

    /// Checks a request to the authority beside the service.
    private func judge(
        _ operation: RegistrationHost.Operation, of registration: RegistrationHost, _ peer: inout PeerDescription,
        _ place: PeerBudget.Place?
    ) async throws -> Judgement {
        guard operation.methods.contains(request.method) else {
            let allowed = operation.methods.map(\.rawValue).joined(separator: ", ")
            return refuse(.methodNotAllowed, peer, "the method \(request.method.rawValue.printable)", [.allow: allowed])
        }
        guard request.method == .post else {
            do { return .answer(try await registration.answer(operation, from: peer)) } catch {
                return .answer(failed("an authority failed", "\(error)"))
            }
        }
        var proof: HTTPFields = [:]
        if case .enroll = operation {
            // A client that has shown a certificate to the proxy speaks TLS with it.
            guard isSecure || peer.certificate != nil else { return refuse(.forbidden, peer, "enrollment without TLS") }
            // A client that TLS has not identified must give credentials; one that gives both is checked for both.
            if let credentials = registration.credentials,
                peer.certificate == nil || request.fields[.authorization] != nil
            {
                if let refusal = try await check(credentials, &peer, place, &proof) { return refusal }
            } else if peer.certificate == nil {
                return refuse(.forbidden, peer, "enrollment without a certificate")
            }
        }
        let type = MediaType(request.fields[.contentType] ?? "").essence
        // Some clients of SCEP send none, or another one.
        let isSCEP = if case .scep = operation { true } else { false }
        guard isSCEP || type == operation.mediaType else {
            return refuse(
                .unsupportedMediaType, peer, "the media type \(type.printable)", [.accept: operation.mediaType])
        }
        let handler = self
        return .message(
            peer,
            RegistrationReceiver(registration, operation) { error in
                handler.failed("an authority failed", "\(error)")
            }, places: nil, fields: proof)
    }

    private func judgeContent(
        _ fields: HTTPFields, _ peer: PeerDescription, _ entrance: ServiceEntrance, _ proof: HTTPFields
    ) -> Judgement {
        var handedOn = request
        handedOn.fields = fields
        guard let intake = entrance.intake(request.fields, handedOn) else {
            let accepted = entrance.versions.map(\.mediaType).joined(separator: ", ")
            let type = request.fields[.contentType]?.printable.prefix(100) ?? "none"
            return refuse(
                .unsupportedMediaType, peer, "the media type or charset is not accepted: \(type)", [.accept: accepted])
        }
        if let encoding = request.fields[.contentEncoding], encoding.lowercased() != "identity" {
            return refuse(.unsupportedMediaType, peer, "a content coding", [.acceptEncoding: "identity"])
        }
        if let length = request.fields[.contentLength].flatMap(Int.init), length > intake.limit {
            return refuse(.contentTooLarge, peer, "\(length) bytes announced")
        }
        return .message(peer, intake, places: entrance.places, fields: proof)
    }

    private func refuse(
        _ status: HTTPResponse.Status, _ peer: PeerDescription, _ reason: String, _ fields: HTTPFields = [:],
        level: Logger.Level? = nil
    ) -> Judgement { .answer(refusal(status, peer, reason, fields, level: level)) }

    private func refusal(
        _ status: HTTPResponse.Status, _ peer: PeerDescription, _ reason: String, _ fields: HTTPFields = [:],
        level: Logger.Level? = nil
    ) -> ServerResponse {
        settings.logger.log(
            level: level ?? Self.level(of: status), "refused",
            metadata: [
                "status": "\(status.code)", "reason": "\(reason)", "peer": "\(peer.remoteAddress ?? "unknown")",
                "certificate": "\(peer.certificateSubject ?? "none")", "request": "\(request.id)",
            ])
        return .refusal(status, fields)
    }

    /// The level for a refusal. A client without the right to call, and a server that lacks something, matter to every
    /// operator. A client that asks for another path or sends something that is no message matters only to an operator
    /// who looks for a fault.
    private static func level(of status: HTTPResponse.Status) -> Logger.Level {
        switch status {
        case .badRequest, .notFound, .methodNotAllowed, .unsupportedMediaType: .debug
        default: .notice
        }
    }

    /// The log metadata of the request, with one more entry.
    func metadata(_ key: String, _ value: String) -> Logger.Metadata {
        [key: "\(value)", "peer": "\(request.remoteAddress ?? "unknown")", "request": "\(request.id)"]
    }

    /// Logs a failure of the server itself; the client learns nothing about it.
    func failed(_ message: Logger.Message, _ problem: String) -> ServerResponse {
        settings.logger.error(message, metadata: metadata("error", problem))
        return .refusal(.internalServerError)
    }

    /// Frees the connection's place: the client has proved its identity in its message.
    private func leavePlace(of connection: any Channel) async {
        try? await connection.eventLoop.submit { ServiceChannel.place(of: connection)?.leave() }.get()
    }

    // MARK: Content

    /// Passes all of the content on; returns the answer when the content is refused.
    private func read(
        _ content: inout Content, into intake: any RequestReceiver, from peer: PeerDescription,
        _ channels: RequestChannels
    ) async throws -> ServerResponse? {
        let deadline = arrivalDeadline(on: channels.exchange)
        defer { deadline.end() }
        while let part = try await next(&content, deadline) {
            if let refusal = try await pass(part, to: intake, peer) { return refusal }
            await channels.room.hold(part.readableBytes, for: content.number)
        }
        return nil
    }

    /// Passes a part of the content on; returns the answer when the content is refused.
    private func pass(
        _ part: ByteBuffer, to intake: any RequestReceiver, _ peer: PeerDescription
    ) async throws -> ServerResponse? {
        do { try await intake.receive(Array(part.readableBytesView)) } catch let refusal as MessageRefusal {
            // Room that is missing now may be free again when other requests have ended.
            let fields: HTTPFields = refusal.status == 503 ? [.retryAfter: "10"] : [:]
            return self.refusal(.init(code: refusal.status), peer, refusal.reason, fields)
        } catch let error as CancellationError { throw error } catch {
            return failed("a request cannot be received", "\(error)")
        }
        return nil
    }

    private func next(
        _ content: inout Content, _ deadline: ArrivalDeadline
    ) async throws -> ByteBuffer? {
        deadline.resume()
        let part = try await content.pieces.next()
        deadline.pause(received: part?.readableBytes ?? 0)
        content.received += part?.readableBytes ?? 0
        return part
    }

    /// Reads what is left of a refused request, so that the client can read the answer and use the connection again.
    /// The server closes the connection of a client that sends more than a request may have; over HTTP/2, where it asks
    /// the client to stop as soon as the answer is sent, only the stream.
    private func discard(
        _ content: inout Content, on channel: any Channel
    ) async throws {
        // Refused content gets no additional time for the bytes that arrive.
        let deadline = ArrivalDeadline(channel, allowed: settings.requestArrival, rate: .max)
        defer { deadline.end() }
        // All of the content together has the limit; a client that has gone beyond it gets a chance to read the answer.
        let limit = max(content.limit, content.received + Self.rest)
        while try await next(&content, deadline) != nil {
            if content.received > limit { throw ConnectionEnd() }
        }
    }

    /// How much is read of a request that has gone beyond its limit, in bytes.
    private static let rest = 256 << 10

    private func arrivalDeadline(on channel: any Channel) -> ArrivalDeadline {
        ArrivalDeadline(channel, allowed: settings.requestArrival, rate: settings.minimumArrivalRate)
    }
}

extension PeerDescription {
    /// Takes the certificate of a trusted path; nil for a client without one.
    fileprivate mutating func take(_ path: CertificationPath?) {
        certificateSubject = path?.leaf?.subject
        certificateSHA256 = path?.leaf?.sha256
        certificate = path?.leaf?.der
    }
}

/// Writes content for a handler that streams its answer.
///
/// Hummingbird's writer contains NIO's writer, which all tasks may use, and nothing that changes; its opaque type does
/// not express that. Each write uses a copy.
struct Outlet: @unchecked Sendable {
    /// How many bytes are written at a time: the client has ``SOAPServer/Settings/answerDelivery`` for each piece.
    private static let piece = 64 << 10

    let writer: any ResponseBodyWriter
    /// That of the channel to which ``writer`` writes; nil when another server writes.
    let eventLoop: (any EventLoop)?

    /// Returns when there is room for more.
    func write(_ bytes: [UInt8]) async throws {
        var writer = writer
        var rest = ByteBuffer(bytes: bytes)
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece)), piece.readableBytes > 0 {
            try await writer.write(piece)
            // The writer waits only when the channel has no room, which it learns when the event loop has carried out
            // what was written: without this a fast source would fill the memory before the first piece is sent.
            try await eventLoop?.submit {}.get()
        }
    }
}

/// Thrown to close the connection.
private struct ConnectionEnd: Error {}
#endif
