import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import SignetHTTP
import SignetNIOTLS
import SignetSOAP
import SignetTLS

/// One request: judged before its content is read, then handed to the service.
struct RequestHandler: Sendable {
    /// Those that the service speaks.
    let versions: [SOAPVersion]
    /// What takes the content of a request with these fields, and answers it; nil where it cannot be a message.
    let intake: @Sendable (HTTPFields) -> (any MessageIntake)?
    let path: String
    let clients: ClientAdmission
    let credentials: CredentialCheck?
    let settings: SOAPServer.Settings
    /// Handlers of one-way operations, whose answers are sent before they run.
    let background: RunningTasks

    /// Who may have the service's attention, or the answer that ends the matter.
    private enum Judgement {
        case message(PeerDescription, any MessageIntake)
        case answer(HTTPAnswer)
    }

    func handle(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var content = request.body.makeAsyncIterator()
        let answer: HTTPAnswer
        var isRead = false
        var limit = settings.maximumRequestBytes
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
                // With too many at work the peer waits, which slows it down.
                if let work = reply.work, !background.start(limit: settings.maximumBackgroundCalls, work) {
                    await work()
                }
                answer = HTTPAnswer(.init(code: reply.status), contentType: reply.contentType, body: reply.body)
                settings.logger.debug(
                    "answered", metadata: ["status": "\(reply.status)", "peer": "\(peer.remoteAddress ?? "unknown")"])
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
                    settings.logger.error("an answer could not be written to its end", metadata: ["error": "\(error)"])
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
            let path = try await channel.eventLoop.submit { ServerTLS.certificationPath(of: channel) }.get()
            // TLS has seen to this; should it ever not, nobody gets further.
            if path == nil, clients.isCertificateRequired { return refuse(.forbidden, peer, "no certificate") }
            peer.certificateSubject = path?.leaf?.subject
            peer.certificateSHA256 = path?.leaf?.sha256
            peer.certificate = path?.leaf?.der
            if let path, let decide = clients.decide, try await !decide(path) {
                return refuse(.forbidden, peer, "the certificate's owner is not admitted")
            }
            let target = (request.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard target.first.map(String.init) == self.path else { return refuse(.notFound, peer, "another path") }
            let wantsWSDL = request.method == .get && target.dropFirst().first?.lowercased() == "wsdl"
            guard request.method == .post || (wantsWSDL && settings.wsdl != nil) else {
                return refuse(.methodNotAllowed, peer, "\(request.method)", [.allow: "POST"])
            }
            if let credentials {
                switch try await credentials.findings(request.headers[values: .authorization]) {
                case .accepted(let user): peer.user = user
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
                "a client cannot be judged", metadata: ["error": "\(error)", "peer": "\(peer.remoteAddress ?? "")"])
            return .answer(.refusal(.internalServerError))
        }
    }

    private func judgeContent(_ request: Request, _ peer: PeerDescription) -> Judgement {
        guard let intake = intake(request.headers) else {
            let accepted = versions.map(\.mediaType).joined(separator: ", ")
            return refuse(.unsupportedMediaType, peer, "another media type or charset", [.accept: accepted])
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
        settings.logger.notice(
            "refused",
            metadata: [
                "status": "\(status.code)", "reason": "\(reason)", "peer": "\(peer.remoteAddress ?? "unknown")",
                "certificate": "\(peer.certificateSubject ?? "none")",
            ])
        return .answer(.refusal(status, fields))
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
                guard case .answer(let answer) = refuse(.init(code: refusal.status), peer, refusal.reason) else {
                    break
                }
                return answer
            } catch let error as CancellationError { throw error } catch {
                settings.logger.error("a request cannot be taken", metadata: ["error": "\(error)"])
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
