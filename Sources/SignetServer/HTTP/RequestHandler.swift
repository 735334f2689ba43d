#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS
import SignetSOAP
import SignetTLS

/// One request: judged before its content is read, then handed to the service.
struct RequestHandler: Sendable {
    /// Those that the service speaks.
    let versions: [SOAPVersion]
    /// What takes the content of a request with these fields, and answers it; nil where it cannot be a message.
    let intake: @Sendable (HTTPFields, _ request: ServerRequest) -> (any MessageIntake)?
    /// How many bytes a request may have.
    let limit: Int
    let path: String
    /// Which clients are admitted by their certificate.
    private var clients = ClientAdmission.anyone
    let credentials: CredentialCheck?
    let settings: SOAPServer.Settings
    /// Handlers of one-way operations, whose answers are sent before they run.
    let background: RunningTasks
    /// The request that is dealt with, before middlewares change it.
    private var request = ServerRequest(path: "")

    init(
        versions: [SOAPVersion], intake: @escaping @Sendable (HTTPFields, ServerRequest) -> (any MessageIntake)?,
        limit: Int, path: String, credentials: CredentialCheck?, settings: SOAPServer.Settings, background: RunningTasks
    ) {
        (self.versions, self.intake, self.limit, self.path) = (versions, intake, limit, path)
        (self.credentials, self.settings, self.background) = (credentials, settings, background)
    }

    /// The same, for connections that are accepted while `clients` decides about admission.
    func admitting(_ clients: ClientAdmission) -> RequestHandler {
        var handler = self
        handler.clients = clients
        return handler
    }

    /// Who may have the service's attention, or the answer that ends the matter.
    private enum Judgement {
        case message(PeerDescription, any MessageIntake)
        case answer(ServerResponse)
    }

    /// Content that a client sends.
    private struct Content {
        var pieces: RequestBody.AsyncIterator
        /// How many bytes the request may have.
        var limit: Int
        var isRead = false
    }

    func handle(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var handler = self
        handler.request = ServerRequest(
            method: request.method, path: request.head.path ?? "",
            authority: request.head.authority.flatMap { $0.isEmpty ? nil : $0 }, fields: request.headers,
            remoteAddress: channel.remoteAddress?.hostAndPort,
            id: String(UInt64.random(in: .min ... .max), radix: 16))
        try await handler.answer(request.body, writer, channel)
    }

    private func answer(_ body: RequestBody, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        // Middlewares may go on in any task. They do so once, while this function waits for it.
        nonisolated(unsafe) var content = Content(pieces: body.makeAsyncIterator(), limit: limit)
        nonisolated(unsafe) let writer = writer
        let answer: ServerResponse
        if settings.httpMiddlewares.isEmpty {
            answer = unsafe try await serve(request.fields, &content, writer, channel)
        } else {
            answer = try await intercept(request) { unsafe try await serve($0.fields, &content, writer, channel) }
        }
        switch answer.body.content {
        // RFC 9110 §9.3.2: the client takes what comes behind the head for its next answer. NIO does not know the method.
        case _ where request.method == .head: unsafe try await writer.writeResponse(answer.head)
        case .bytes(let bytes):
            unsafe try await writer.write(response: answer.head, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let stream):
            let outlet = unsafe Outlet(writer: try await writer.writeHead(answer.head))
            do { try await stream.run { try await outlet.write($0) } } catch {
                // Nothing but the end of the connection says that this is not all.
                if !(error is CancellationError) {
                    settings.logger.error(
                        "an answer could not be written to its end",
                        metadata: ["error": "\(error)", "request": "\(request.id)"])
                }
                throw error
            }
            try await outlet.writer.finish(nil)
        }
        if unsafe !content.isRead { unsafe try await discard(&content, on: channel) }
    }

    /// Judges a request, has the service deal with it, and gives the answer.
    ///
    /// - Parameter fields: what middlewares made of the fields, for handlers.
    private func serve(
        _ fields: HTTPFields, _ content: inout Content, _ writer: borrowing ResponseWriter, _ channel: any Channel
    ) async throws -> ServerResponse {
        switch await judge(fields, channel) {
        case .answer(let refusal): return refusal
        case .message(let peer, let intake):
            content.limit = intake.limit
            // RFC 9110 §10.1.1: the client waits for this before it sends its content.
            if request.fields[.expect]?.lowercased() == "100-continue" {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            if let refusal = try await read(&content, into: intake, from: peer, on: channel) {
                return refusal
            }
            content.isRead = true
            let reply = await intake.respond(from: peer)
            if reply.isVerified { await leavePlace(of: channel) }
            // With too many at work the peer waits, which slows it down.
            if let work = reply.work, !background.start(limit: settings.maximumBackgroundCalls, work) {
                await work()
            }
            settings.logger.debug("answered", metadata: metadata("status", "\(reply.status)"))
            return ServerResponse(.init(code: reply.status), contentType: reply.contentType, body: reply.body)
        }
    }

    // MARK: Judging

    /// Judges the request that came, whatever middlewares made of it.
    private func judge(_ fields: HTTPFields, _ channel: any Channel) async -> Judgement {
        var peer = PeerDescription()
        peer.remoteAddress = request.remoteAddress
        do {
            let (path, place) = try await channel.eventLoop.submit {
                (ServerTLS.certificationPath(of: channel), ServiceChannel.place(of: channel))
            }.get()
            // TLS has seen to this; should it ever not, nobody gets further.
            if path == nil, clients.isCertificateRequired { return refuse(.forbidden, peer, "no certificate") }
            peer.certificateSubject = path?.leaf?.subject
            peer.certificateSHA256 = path?.leaf?.sha256
            peer.certificate = path?.leaf?.der
            if let path, let decide = clients.decide, try await !decide(path) {
                return refuse(.forbidden, peer, "the certificate's owner is not admitted")
            }
            if path != nil { place?.leave() }
            // RFC 9112 §3.2; the first one is no longer among the fields.
            if request.fields.contains(where: { $0.name.canonicalName == "host" }) {
                return refuse(.badRequest, peer, "more than one Host")
            }
            let target = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard target.first.map(String.init) == self.path else { return refuse(.notFound, peer, "another path") }
            let wantsWSDL = request.method == .get && target.dropFirst().first?.lowercased() == "wsdl"
            guard request.method == .post || (wantsWSDL && settings.wsdl != nil) else {
                return refuse(
                    .methodNotAllowed, peer, "the method \(request.method.rawValue.printable)", [.allow: "POST"])
            }
            if let credentials {
                switch try await credentials.findings(request.fields[values: .authorization]) {
                case .accepted(let user):
                    peer.user = user
                    place?.leave()
                case .refused(let reason):
                    return refuse(.unauthorized, peer, reason, [.wwwAuthenticate: credentials.challenge])
                }
            }
            if wantsWSDL, let wsdl = settings.wsdl {
                return .answer(ServerResponse(.ok, contentType: "text/xml; charset=utf-8", body: HTTPBody(wsdl)))
            }
            return judgeContent(fields, peer)
        } catch {
            return .answer(failed("a client cannot be judged", "\(error)"))
        }
    }

    private func judgeContent(_ fields: HTTPFields, _ peer: PeerDescription) -> Judgement {
        var handedOn = request
        handedOn.fields = fields
        guard let intake = intake(request.fields, handedOn) else {
            let accepted = versions.map(\.mediaType).joined(separator: ", ")
            let type = request.fields[.contentType]?.printable.prefix(100) ?? "none"
            return refuse(
                .unsupportedMediaType, peer, "the media type or charset is not taken: \(type)", [.accept: accepted])
        }
        if let encoding = request.fields[.contentEncoding], encoding.lowercased() != "identity" {
            return refuse(.unsupportedMediaType, peer, "a content coding", [.acceptEncoding: "identity"])
        }
        if let length = request.fields[.contentLength].flatMap(Int.init), length > intake.limit {
            return refuse(.contentTooLarge, peer, "\(length) bytes announced")
        }
        return .message(peer, intake)
    }

    private func refuse(
        _ status: HTTPResponse.Status, _ peer: PeerDescription, _ reason: String, _ fields: HTTPFields = [:]
    ) -> Judgement {
        settings.logger.log(
            level: Self.level(of: status), "refused",
            metadata: [
                "status": "\(status.code)", "reason": "\(reason)", "peer": "\(peer.remoteAddress ?? "unknown")",
                "certificate": "\(peer.certificateSubject ?? "none")", "request": "\(request.id)",
            ])
        return .answer(.refusal(status, fields))
    }

    /// Who has no right is of interest, and that the server lacks something; who looks about, or sends what is no message, is so only
    /// for who looks for a fault.
    private static func level(of status: HTTPResponse.Status) -> Logger.Level {
        switch status {
        case .badRequest, .notFound, .methodNotAllowed, .unsupportedMediaType: .debug
        default: .notice
        }
    }

    /// What a line of the log says of the request, beside one thing more.
    func metadata(_ key: String, _ value: String) -> Logger.Metadata {
        [key: "\(value)", "peer": "\(request.remoteAddress ?? "unknown")", "request": "\(request.id)"]
    }

    /// A failure of our own, which the client is told nothing of.
    func failed(_ message: Logger.Message, _ problem: String) -> ServerResponse {
        settings.logger.error(message, metadata: metadata("error", problem))
        return .refusal(.internalServerError)
    }

    /// The client has proved in its message who it is.
    private func leavePlace(of channel: any Channel) async {
        try? await channel.eventLoop.submit { ServiceChannel.place(of: channel)?.leave() }.get()
    }

    // MARK: Content

    /// Hands the whole content on; gives the answer where it is not taken.
    private func read(
        _ content: inout Content, into intake: any MessageIntake, from peer: PeerDescription, on channel: any Channel
    ) async throws -> ServerResponse? {
        let deadline = arrivalDeadline(on: channel)
        defer { deadline.end() }
        while let part = try await next(&content, deadline) {
            do { try await intake.receive(Array(part.readableBytesView)) } catch let refusal as MessageRefusal {
                // What is missing now may be there again when other requests are done.
                let fields: HTTPFields = refusal.status == 503 ? [.retryAfter: "10"] : [:]
                guard case .answer(let answer) = refuse(.init(code: refusal.status), peer, refusal.reason, fields)
                else { break }
                return answer
            } catch let error as CancellationError { throw error } catch {
                return failed("a request cannot be taken", "\(error)")
            }
        }
        return nil
    }

    private func next(
        _ content: inout Content, _ deadline: ArrivalDeadline
    ) async throws -> ByteBuffer? {
        deadline.resume()
        let part = try await content.pieces.next()
        deadline.pause(received: part?.readableBytes ?? 0)
        return part
    }

    /// Reads what is left of a refused request, so that the client can read the answer and use the connection again.
    /// Whoever sends more than a request may have is cut off.
    private func discard(
        _ content: inout Content, on channel: any Channel
    ) async throws {
        // Nobody needs more time for what is not wanted.
        let deadline = ArrivalDeadline(channel, allowed: settings.requestArrival, rate: .max)
        defer { deadline.end() }
        var left = content.limit
        while let part = try await next(&content, deadline) {
            left -= part.readableBytes
            if left < 0 { throw ConnectionEnd() }
        }
    }

    private func arrivalDeadline(on channel: any Channel) -> ArrivalDeadline {
        ArrivalDeadline(channel, allowed: settings.requestArrival, rate: settings.minimumArrivalRate)
    }
}

/// Writes content for whoever streams an answer.
///
/// What Hummingbird gives for it holds NIO's writer, which all tasks may use, and nothing that changes; its opaque type does not say
/// so. Each write is made on a copy.
private struct Outlet: @unchecked Sendable {
    /// So much is written at a time: the client has ``SOAPServer/Settings/answerDelivery`` for each piece.
    private static let piece = 64 << 10

    let writer: any ResponseBodyWriter

    /// Returns when there is room for more.
    func write(_ bytes: [UInt8]) async throws {
        var writer = writer
        var rest = ByteBuffer(bytes: bytes)
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece)), piece.readableBytes > 0 {
            try await writer.write(piece)
        }
    }
}

/// Thrown to have the connection closed.
private struct ConnectionEnd: Error {}
#endif
