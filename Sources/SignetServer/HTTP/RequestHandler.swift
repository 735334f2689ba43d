#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import SignetAuthentication
import SignetHTTP
import SignetSOAP
import SignetTLS
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Handles one request: checks it before reading its content, then passes it to the service.
struct RequestHandler: Sendable {
    /// What is the same for all requests, in one place: a request has a copy of its handler.
    final class Fixed: Sendable {
        let entrances: [String: ServiceEntrance]
        let limit: Int
        let forwarded: ForwardedClients?
        let registration: RegistrationHost?
        let isSecure: Bool
        let settings: SOAPServer.Settings
        let background: RunningTasks
        let health: HealthProbe?

        fileprivate init(
            _ entrances: [ServiceEntrance], registration: RegistrationHost?, forwarded: ForwardedClients?,
            isSecure: Bool, settings: SOAPServer.Settings, background: RunningTasks
        ) {
            self.entrances = Dictionary(entrances.map { ($0.path, $0) }) { first, _ in first }
            limit = entrances.map(\.limit).max() ?? 0
            (self.registration, self.forwarded, self.isSecure) = (registration, forwarded, isSecure)
            (self.settings, self.background) = (settings, background)
            health = settings.health.map { HealthProbe($0) }
        }
    }

    private let fixed: Fixed
    /// Which clients the server admits by their certificate.
    private(set) var clients = ClientAdmission.noCertificateRequested
    /// The request as it arrived, before middlewares change it.
    private(set) var request = ServerRequest(path: "")
    /// The client that a proxy names; nil when the proxy did not send the request.
    private(set) var proxied: ForwardedClients.Client?

    /// The services by their paths.
    var entrances: [String: ServiceEntrance] { fixed.entrances }
    /// The largest size of a request to any service, in bytes.
    var limit: Int { fixed.limit }
    /// What a proxy says of its clients; nil for a server without such a proxy.
    var forwarded: ForwardedClients? { fixed.forwarded }
    /// What the server has beside the services; nil for nothing.
    var registration: RegistrationHost? { fixed.registration }
    var isSecure: Bool { fixed.isSecure }
    var settings: SOAPServer.Settings { fixed.settings }
    /// Handlers of one-way operations, whose answers are sent before they run.
    var background: RunningTasks { fixed.background }
    /// Nil for a server without health checks.
    var health: HealthProbe? { fixed.health }

    /// - Parameter entrances: each has a path of its own.
    init(
        _ entrances: [ServiceEntrance], registration: RegistrationHost?, forwarded: ForwardedClients?, isSecure: Bool,
        settings: SOAPServer.Settings, background: RunningTasks
    ) {
        fixed = Fixed(
            entrances, registration: registration, forwarded: forwarded, isSecure: isSecure, settings: settings,
            background: background)
    }

    /// Returns the same handler for connections that the server accepts while `clients` decides about admission.
    func admitting(_ clients: ClientAdmission) -> RequestHandler {
        var handler = self
        handler.clients = clients
        return handler
    }

    /// The outcome of the checks: the peer that the service may serve, or the answer that ends the request.
    enum Judgement {
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
        var fields = request.headers
        handler.proxied = forwarded.flatMap { $0.take(from: &fields, isProxy: $0.isProxy(connection.path)) }
        handler.request = ServerRequest(
            method: request.method, path: request.head.path ?? "",
            authority: request.head.authority.flatMap { $0.isEmpty ? nil : $0 }, fields: fields,
            remoteAddress: handler.proxied?.address ?? connection.peer.remoteAddress, id: RequestNumber.next())
        handler.request.connection = connection.number
        let number = connection.room.enter(try await channels.stream)
        defer { connection.room.leave(number) }
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
                let connection = channels.connection.channel
                if let socket = connection as? any SocketOptionProvider {
                    try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
                }
                try await connection.eventLoop.submit { ServiceChannel.close(connection) }.get()
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
        if unsafe !content.isRead { unsafe try await discard(&content, channels) }
    }

    /// Checks a request, passes it to the service, and returns the answer.
    ///
    /// - Parameter fields: the fields as middlewares have left them, for handlers.
    private func serve(
        _ fields: HTTPFields, _ content: inout Content, _ writer: borrowing ResponseWriter,
        _ channels: RequestChannels
    ) async throws -> ServerResponse {
        switch await judge(fields, on: channels.connection) {
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
            return await answer(by: intake, peer, places, proof) { channels.connection.place.leave() }
        }
    }

    /// Lets the service answer a request whose content has arrived.
    ///
    /// - Parameters:
    ///   - proof: fields for the answer.
    ///   - proved: called when the client has proved its identity in its message.
    private func answer(
        by intake: any RequestReceiver, _ peer: PeerDescription, _ places: RequestPlaces?, _ proof: HTTPFields,
        proved: () -> Void
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
        if reply.isVerified { proved() }
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

    // MARK: Content

    /// Passes all of the content on; returns the answer when the content is refused.
    private func read(
        _ content: inout Content, into intake: any RequestReceiver, from peer: PeerDescription,
        _ channels: RequestChannels
    ) async throws -> ServerResponse? {
        let deadline = deadline(channels, rate: settings.minimumArrivalRate)
        defer { deadline.end() }
        while let part = try await next(&content, deadline) {
            if let refusal = try await pass(part, to: intake, peer) { return refusal }
            await channels.connection.room.hold(part.readableBytes, for: content.number)
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
    private func discard(_ content: inout Content, _ channels: RequestChannels) async throws {
        // Refused content gets no additional time for the bytes that arrive.
        let deadline = deadline(channels, rate: .max)
        defer { deadline.end() }
        // All of the content together has the limit; a client that has gone beyond it gets a chance to read the answer.
        let limit = max(content.limit, content.received + Self.rest)
        while try await next(&content, deadline) != nil {
            if content.received > limit { throw ConnectionEnd() }
        }
    }

    /// How much is read of a request that has gone beyond its limit, in bytes.
    private static let rest = 256 << 10

    private func deadline(_ channels: RequestChannels, rate: Int) -> ArrivalDeadline {
        let deadline = channels.connection.arrival ?? ArrivalDeadline(channels.exchange)
        deadline.begin(allowed: settings.requestArrival, rate: rate)
        return deadline
    }
}

/// Numbers of requests for the log. Each follows from the one before it: they are no secrets.
enum RequestNumber {
    private static let last = Atomic<UInt64>(.random(in: .min ... .max))

    /// A number that no other request of the process has, in hexadecimal digits.
    static func next() -> String {
        String(last.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue, radix: 16)
    }
}

/// Thrown to close the connection.
private struct ConnectionEnd: Error {}
#endif
