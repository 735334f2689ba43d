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
    let dispatcher: ServiceDispatcher
    let path: String
    let clients: ClientAdmission
    let credentials: CredentialCheck?
    let settings: SOAPServer.Settings
    /// Handlers of one-way operations, whose answers are sent before they run.
    let background: RunningTasks

    /// Who may have the service's attention, or the answer that ends the matter.
    private enum Judgement {
        case message(PeerDescription, SOAPVersion, charset: String?, action: String?)
        case answer(HTTPAnswer)
    }

    func handle(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var content = request.body.makeAsyncIterator()
        let answer: HTTPAnswer
        var isRead = false
        switch await judge(request, channel) {
        case .answer(let refusal): answer = refusal
        case .message(let peer, let version, let charset, let action):
            // RFC 9110 §10.1.1: the client waits for this before it sends its content.
            if request.headers[.expect]?.lowercased() == "100-continue" {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            if let message = try await read(&content, on: channel) {
                isRead = true
                let reply = await dispatcher.respond(
                    to: message, declared: version, charset: charset, action: action, from: peer)
                // With too many at work the peer waits, which slows it down.
                if let work = reply.work, !background.start(limit: settings.maximumBackgroundCalls, work) {
                    await work()
                }
                answer = HTTPAnswer(.init(code: reply.status), contentType: reply.contentType, body: reply.body)
                settings.logger.debug(
                    "answered", metadata: ["status": "\(reply.status)", "peer": "\(peer.remoteAddress ?? "unknown")"])
            } else {
                answer = .refusal(.contentTooLarge)
            }
        }
        try await writer.write(response: answer.head, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
        if !isRead { try await discard(&content, on: channel) }
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
                return .answer(HTTPAnswer(.ok, contentType: "text/xml; charset=utf-8", body: wsdl))
            }
            return judgeContent(request, peer)
        } catch {
            settings.logger.error(
                "a client cannot be judged", metadata: ["error": "\(error)", "peer": "\(peer.remoteAddress ?? "")"])
            return .answer(.refusal(.internalServerError))
        }
    }

    private func judgeContent(_ request: Request, _ peer: PeerDescription) -> Judgement {
        let mediaType = MediaType(request.headers[.contentType] ?? "")
        // A version that the service does not speak is answered by a fault, as its standard demands.
        guard let version = SOAPVersion.named(byMediaType: mediaType.essence),
            mediaType.charset.map(ServiceDispatcher.reads(charset:)) ?? true
        else {
            let accepted = dispatcher.versions.map(\.mediaType).joined(separator: ", ")
            return refuse(.unsupportedMediaType, peer, "another media type or charset", [.accept: accepted])
        }
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            return refuse(.unsupportedMediaType, peer, "a content coding", [.acceptEncoding: "identity"])
        }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > settings.maximumRequestBytes {
            return refuse(.contentTooLarge, peer, "\(length) bytes announced")
        }
        return .message(
            peer, version, charset: mediaType.charset, action: ServiceDispatcher.action(of: request.headers))
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

    /// The whole content; nil when it is larger than allowed.
    private func read(_ content: inout RequestBody.AsyncIterator, on channel: any Channel) async throws -> [UInt8]? {
        let deadline = closing(channel, after: settings.requestArrival)
        defer { deadline.cancel() }
        var bytes: [UInt8] = []
        while let part = try await content.next() {
            guard part.readableBytes <= settings.maximumRequestBytes - bytes.count else { return nil }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    /// Reads what is left of a refused request, so that the client can read the answer and use the connection again.
    /// Whoever sends more than a request may have is cut off.
    private func discard(_ content: inout RequestBody.AsyncIterator, on channel: any Channel) async throws {
        let deadline = closing(channel, after: settings.requestArrival)
        defer { deadline.cancel() }
        var left = settings.maximumRequestBytes
        while let part = try await content.next() {
            left -= part.readableBytes
            if left < 0 { throw ConnectionEnd() }
        }
    }

    private func closing(_ channel: any Channel, after duration: Duration) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(duration)) { channel.close(promise: nil) }
    }
}

/// Thrown to have the connection closed.
private struct ConnectionEnd: Error {}
