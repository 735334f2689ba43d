#if Server
import HTTPTypes
import Logging
import SignetAuthentication
import SignetHTTP
import SignetSOAP
import SignetTLS

/// Checks a request before its content is read.
extension RequestHandler {
    /// Checks the request as it arrived, whatever middlewares made of it.
    func judge(_ fields: HTTPFields, on connection: ServedConnection) async -> Judgement {
        var peer = connection.peer
        peer.remoteAddress = request.remoteAddress
        do {
            var (path, admission) = (connection.path, clients)
            let place = connection.place
            // TLS has checked this already; the check here refuses the request should TLS ever fail to.
            if path == nil, clients.isCertificateRequired { return refuse(.forbidden, peer, "no certificate") }
            if let refusal = try await decide(by: clients, path, connection.peer.remoteAddress, peer) { return refusal }
            // Where a proxy names its client, the place is that of the client.
            if path != nil, forwarded == nil || !settings.usesProxyProtocol { place.leave() }
            let target = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let wanted = target.first ?? ""
            if let forwarded {
                guard let client = proxied else {
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
                if let refusal = try await decide(by: admission, path, peer.remoteAddress, peer) { return refusal }
                if path != nil { place.leave() }
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
    func judge(
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
    /// - Parameter address: that of the certificate's owner.
    /// - Returns: the refusal; nil for a client that is admitted, or has no certificate.
    private func decide(
        by admission: ClientAdmission, _ path: CertificationPath?, _ address: String?, _ peer: PeerDescription
    ) async throws -> Judgement? {
        guard let path, let decide = admission.decide,
            try await !decide(AdmissionQuestion(path: path, remoteAddress: address))
        else { return nil }
        return refuse(.forbidden, peer, "the certificate's owner is not admitted")
    }

    /// A client that asks for more than a service processes at a time is told to come back after so many seconds.
    private static let retryAfter = "2"

    func full(_ peer: PeerDescription) -> ServerResponse {
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

    func refusal(
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
}

extension PeerDescription {
    /// Takes the certificate of a trusted path; nil for a client without one.
    mutating func take(_ path: CertificationPath?) {
        certificateSubject = path?.leaf?.subject
        certificateSHA256 = path?.leaf?.sha256
        certificate = path?.leaf?.der
    }
}
#endif
