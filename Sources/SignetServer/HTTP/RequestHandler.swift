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
    let intake: @Sendable (HTTPFields, _ requestID: String) -> (any MessageIntake)?
    /// How many bytes a request may have.
    let limit: Int
    let path: String
    /// Which clients are admitted by their certificate.
    private var clients = ClientAdmission.anyone
    let credentials: CredentialCheck?
    let settings: SOAPServer.Settings
    /// Handlers of one-way operations, whose answers are sent before they run.
    let background: RunningTasks
    /// The request that is dealt with, for the log.
    private var id = ""

    init(
        versions: [SOAPVersion], intake: @escaping @Sendable (HTTPFields, String) -> (any MessageIntake)?, limit: Int,
        path: String, credentials: CredentialCheck?, settings: SOAPServer.Settings, background: RunningTasks
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
        case answer(HTTPAnswer)
    }

    func handle(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var handler = self
        handler.id = String(UInt64.random(in: .min ... .max), radix: 16)
        try await handler.answer(request, writer, channel)
    }

    private func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var content = request.body.makeAsyncIterator()
        let answer: HTTPAnswer
        var isRead = false
        var limit = limit
        switch await judge(request, channel) {
        case .answer(let refusal): answer = refusal
        case .message(let peer, let intake):
            limit = intake.limit
            // RFC 9110 §10.1.1: the client waits for this before it sends its content.
            if request.headers[.expect]?.lowercased() == "100-continue" {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            if let refusal = try await read(&content, into: intake, from: peer, on: channel) {
                answer = refusal
            } else {
                isRead = true
                let reply = await intake.respond(from: peer)
                if reply.isVerified { await leavePlace(of: channel) }
                // With too many at work the peer waits, which slows it down.
                if let work = reply.work, !background.start(limit: settings.maximumBackgroundCalls, work) {
                    await work()
                }
                answer = HTTPAnswer(.init(code: reply.status), contentType: reply.contentType, body: reply.body)
                settings.logger.debug(
                    "answered",
                    metadata: [
                        "status": "\(reply.status)", "peer": "\(peer.remoteAddress ?? "unknown")", "request": "\(id)",
                    ])
            }
        }
        switch answer.body.content {
        case .bytes(let bytes):
            try await writer.write(response: answer.head, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let stream):
            let outlet = Outlet(writer: try await writer.writeHead(answer.head))
            do { try await stream.run { try await outlet.write($0) } } catch {
                // Nothing but the end of the connection says that this is not all.
                if !(error is CancellationError) {
                    settings.logger.error(
                        "an answer could not be written to its end",
                        metadata: ["error": "\(error)", "request": "\(id)"])
                }
                throw error
            }
            try await outlet.writer.finish(nil)
        }
        if !isRead { try await discard(&content, limit: limit, on: channel) }
    }

    // MARK: Judging

    private func judge(_ request: Request, _ channel: any Channel) async -> Judgement {
        var peer = PeerDescription()
        peer.remoteAddress = channel.remoteAddress.map { "\($0.ipAddress ?? "unknown"):\($0.port ?? 0)" }
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
            let target = (request.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard target.first.map(String.init) == self.path else { return refuse(.notFound, peer, "another path") }
            let wantsWSDL = request.method == .get && target.dropFirst().first?.lowercased() == "wsdl"
            guard request.method == .post || (wantsWSDL && settings.wsdl != nil) else {
                return refuse(
                    .methodNotAllowed, peer, "the method \(request.method.rawValue.printable)", [.allow: "POST"])
            }
            if let credentials {
                switch try await credentials.findings(request.headers[values: .authorization]) {
                case .accepted(let user):
                    peer.user = user
                    place?.leave()
                case .refused(let reason):
                    return refuse(.unauthorized, peer, reason, [.wwwAuthenticate: credentials.challenge])
                }
            }
            if wantsWSDL, let wsdl = settings.wsdl {
                return .answer(HTTPAnswer(.ok, contentType: "text/xml; charset=utf-8", body: HTTPBody(wsdl)))
            }
            return judgeContent(request, peer)
        } catch {
            settings.logger.error(
                "a client cannot be judged",
                metadata: ["error": "\(error)", "peer": "\(peer.remoteAddress ?? "unknown")", "request": "\(id)"])
            return .answer(.refusal(.internalServerError))
        }
    }

    private func judgeContent(_ request: Request, _ peer: PeerDescription) -> Judgement {
        guard let intake = intake(request.headers, id) else {
            let accepted = versions.map(\.mediaType).joined(separator: ", ")
            let type = request.headers[.contentType]?.printable.prefix(100) ?? "none"
            return refuse(
                .unsupportedMediaType, peer, "the media type or charset is not taken: \(type)", [.accept: accepted])
        }
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            return refuse(.unsupportedMediaType, peer, "a content coding", [.acceptEncoding: "identity"])
        }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > intake.limit {
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
                "certificate": "\(peer.certificateSubject ?? "none")", "request": "\(id)",
            ])
        return .answer(.refusal(status, fields))
    }

    /// Who has no right is of interest, and that the server lacks something; who looks about, or sends what is no message, is so only
    /// for who looks for a fault.
    private static func level(of status: HTTPResponse.Status) -> Logger.Level {
        switch status {
        case .notFound, .methodNotAllowed, .unsupportedMediaType: .debug
        default: .notice
        }
    }

    /// The client has proved in its message who it is.
    private func leavePlace(of channel: any Channel) async {
        try? await channel.eventLoop.submit { ServiceChannel.place(of: channel)?.leave() }.get()
    }

    // MARK: Content

    /// Hands the whole content on; gives the answer where it is not taken.
    private func read(
        _ content: inout RequestBody.AsyncIterator, into intake: any MessageIntake, from peer: PeerDescription,
        on channel: any Channel
    ) async throws -> HTTPAnswer? {
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
                settings.logger.error(
                    "a request cannot be taken", metadata: ["error": "\(error)", "request": "\(id)"])
                return .refusal(.internalServerError)
            }
        }
        return nil
    }

    private func next(
        _ content: inout RequestBody.AsyncIterator, _ deadline: ArrivalDeadline
    ) async throws -> ByteBuffer? {
        deadline.resume()
        let part = try await content.next()
        deadline.pause(received: part?.readableBytes ?? 0)
        return part
    }

    /// Reads what is left of a refused request, so that the client can read the answer and use the connection again.
    /// Whoever sends more than a request may have is cut off.
    private func discard(
        _ content: inout RequestBody.AsyncIterator, limit: Int, on channel: any Channel
    ) async throws {
        // Nobody needs more time for what is not wanted.
        let deadline = ArrivalDeadline(channel, allowed: settings.requestArrival, rate: .max)
        defer { deadline.end() }
        var left = limit
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
