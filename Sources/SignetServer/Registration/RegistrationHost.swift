#if Server
import Foundation
import HTTPTypes
import Logging
import SignetAuthentication
import SignetHTTP
import SignetSOAP
import SignetTLS
import Synchronization

/// The operations of a ``RegistrationAuthority`` on a server.
struct RegistrationHost: Sendable {
    enum Operation: Sendable, Equatable {
        case authorities
        case attributes
        case enroll(isRenewal: Bool)
        case list
        /// The question of a GET is in the path (RFC 6960 §A.1).
        case status(String?)
        /// A question of SCEP, with its message in the query where it has one (RFC 8894 §4.1).
        case scep(String, message: String?)

        var methods: [HTTPRequest.Method] {
            switch self {
            case .authorities, .attributes, .list: [.get]
            case .enroll: [.post]
            case .status(nil): [.post]
            case .status: [.get]
            case .scep("PKIOperation", message: nil): [.post]
            case .scep: [.get]
            }
        }

        /// The media type of the content that the client sends.
        var mediaType: String {
            switch self {
            case .enroll: "application/pkcs10"
            case .scep: "application/x-pki-message"
            default: "application/ocsp-request"
            }
        }
    }

    let authority: RegistrationAuthority
    let credentials: CredentialCheck?
    let logger: Logger

    /// - Parameters:
    ///   - paths: those of the server beside the authority.
    ///   - clients: how the server admits clients by their certificate; nil without TLS.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    init(
        _ authority: RegistrationAuthority, beside paths: [String], clients: ClientAdmission?, logger: Logger
    ) throws(SOAPServerError) {
        self.authority = authority
        self.logger = logger
        credentials = try CredentialCheck(authority.authentication)
        guard !authority.authentication.demandsCertificates else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The authority’s authentication cannot be that of certificates: its clients come for their first one.")
        }
        if let problem = Self.problem(of: authority, paths, clients, hasCredentials: credentials != nil) {
            throw SOAPServerError(.invalidConfiguration, problem)
        }
    }

    private static func problem(
        of authority: RegistrationAuthority, _ paths: [String], _ clients: ClientAdmission?, hasCredentials: Bool
    ) -> String? {
        let own = [authority.path, authority.statusPath] + [authority.scep?.path].compactMap(\.self)
        for (position, path) in own.enumerated() {
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("?") else {
                return
                    "“\(path)” cannot be a path of the authority: it begins with /, does not end with it, and has no query."
            }
            for other in own[..<position] where overlap(path, other) {
                return "The paths “\(other)” and “\(path)” of the authority overlap."
            }
        }
        for path in paths {
            for other in own where overlap(path, other) {
                return "The path “\(path)” of the server and “\(other)” of the authority overlap."
            }
        }
        if let address = authority.statusAddress, address.origin.scheme != .http {
            return "statusAddress is \(address); clients fetch lists and answers of OCSP over http:// only."
        }
        if authority.scep != nil, !KeyPair(of: authority.identity).decrypts {
            return
                "SCEP needs an RSA key of the authority in memory, for which clients encrypt their requests. Leave scep out, or take such a key."
        }
        guard authority.validity >= .seconds(3600) else {
            return "validity is \(authority.validity); certificates are valid for an hour at least."
        }
        guard .seconds(60)...(.seconds(366 * 86_400)) ~= authority.statusLife else {
            return "statusLife is \(authority.statusLife); it is between a minute and a year."
        }
        guard .seconds(1)...(.seconds(366 * 86_400)) ~= authority.retryAfter else {
            return "retryAfter is \(authority.retryAfter); it is between a second and a year."
        }
        if let clients, !hasCredentials, !clients.asksForCertificates {
            return
                "No client can enroll over EST: the server requests no certificate, and the authority has no authentication. Set one of both."
        }
        return nil
    }

    private static func overlap(_ one: String, _ other: String) -> Bool {
        one == other || one.hasPrefix(other + "/") || other.hasPrefix(one + "/")
    }

    /// The operation at a target; nil when another service may be there.
    func operation(at target: String) -> Operation? {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first else { return nil }
        if let scep = authority.scep?.path, path == scep {
            let query = parts.dropFirst().first.map(Self.query) ?? [:]
            return .scep(query["operation"] ?? "", message: query["message"])
        }
        if path.hasPrefix(authority.path + "/") {
            switch path.dropFirst(authority.path.count + 1) {
            case "cacerts": return .authorities
            case "csrattrs": return .attributes
            case "simpleenroll": return .enroll(isRenewal: false)
            case "simplereenroll": return .enroll(isRenewal: true)
            default: return nil
            }
        }
        guard path.hasPrefix(authority.statusPath + "/") else { return nil }
        let rest = path.dropFirst(authority.statusPath.count + 1)
        if rest == "crl" { return .list }
        if rest == "ocsp" || rest == "ocsp/" { return .status(nil) }
        return rest.hasPrefix("ocsp/") ? .status(String(rest.dropFirst(5))) : nil
    }

    /// The answer to a request without content.
    func answer(_ operation: Operation, from peer: PeerDescription) async throws -> ServerResponse {
        switch operation {
        case .authorities: return Self.certificates(try CertificateBundle(authority.chain).pkcs7())
        case .attributes: return ServerResponse(status: .noContent)
        case .list:
            return ServerResponse(
                .ok, contentType: "application/pkix-crl", body: HTTPBody(try await authority.revocationList()))
        case .status(let text):
            let question = text.flatMap { $0.removingPercentEncoding }.flatMap { Text.bytes(base64: $0.utf8) } ?? []
            return try await status(question)
        case .scep(let operation, let message): return try await scep(operation, message, peer)
        case .enroll: return .refusal(.methodNotAllowed)
        }
    }

    private func status(_ question: [UInt8]) async throws -> ServerResponse {
        ServerResponse(
            .ok, contentType: "application/ocsp-response",
            body: HTTPBody(try await authority.status(answering: question)))
    }

    /// The answer to a request with content.
    func answer(_ operation: Operation, _ content: [UInt8], from peer: PeerDescription) async throws -> ServerResponse {
        if case .scep = operation { return try await scepMessage(content, peer) }
        guard case .enroll(let isRenewal) = operation else { return try await status(content) }
        let request: ReceivedRequest
        do {
            let der = content.first == 0x30 ? content : Text.bytes(base64: content.filter { !Self.blanks.contains($0) })
            request = try ReceivedRequest(der: der ?? [])
        } catch { return Self.refusal(.badRequest, error.message) }
        let client = peer.certificate.map { EncodedCertificate(der: $0) }
        var isGood: Bool?
        if let client { isGood = try await authority.isGood(client) }
        if isGood == false {
            return Self.refusal(.forbidden, "The certificate of the client is revoked or has expired.")
        }
        if isRenewal {
            guard let client, isGood == true, request.renews(client) else {
                return Self.refusal(
                    .badRequest,
                    "A renewal asks for the subject and the alternative names of the certificate that the client shows, which this authority issued (RFC 7030 §4.2.2)."
                )
            }
        }
        let asked = RegistrationRequest(
            subject: request.subject, alternativeNames: request.alternativeNames,
            publicKeySHA256: request.publicKeySHA256, client: client, user: peer.user, isRenewal: isRenewal)
        let outcome = try await authority.outcome(of: request, asked)
        log(outcome, asked, "EST", peer.remoteAddress)
        switch outcome {
        case .waits:
            var answer = Self.refusal(.accepted, "The request waits for a decision.")
            answer.fields[.retryAfter] = "\(authority.retryAfter.components.seconds)"
            return answer
        case .refused(let reason): return Self.refusal(.forbidden, reason)
        case .issued(let certificate): return Self.certificates(try CertificateBundle([certificate]).pkcs7())
        }
    }

    /// Each decision is logged: it is the only record of who got what.
    func log(
        _ outcome: RegistrationAuthority.Outcome, _ asked: RegistrationRequest, _ way: String, _ address: String?
    ) {
        var metadata: Logger.Metadata = [
            "subject": "\(asked.subject)", "names": "\(asked.alternativeNames.joined(separator: ", "))", "by": "\(way)",
        ]
        if let client = asked.client { metadata["client"] = "\(client.subject)" }
        if let user = asked.user { metadata["user"] = "\(user)" }
        if let address { metadata["address"] = "\(address)" }
        switch outcome {
        case .issued(let certificate):
            metadata["serial"] = "\(Text.hexadecimal(certificate.serialNumber ?? []))"
            logger.notice("issued a certificate", metadata: metadata)
        case .waits: logger.notice("a request for a certificate waits", metadata: metadata)
        case .refused(let reason):
            metadata["reason"] = "\(reason)"
            logger.notice("refused a certificate", metadata: metadata)
        }
    }

    /// The fields of a query; of two with the same name, the first.
    private static func query(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        for field in text.split(separator: "&").prefix(8) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init), result[name] == nil else { continue }
            result[name] = parts.dropFirst().first.map { String($0).removingPercentEncoding ?? String($0) } ?? ""
        }
        return result
    }

    private static let blanks = Set(" \r\n\t".utf8)

    /// A text for the person behind the client (RFC 7030 §4.2.3).
    private static func refusal(_ status: HTTPResponse.Status, _ text: String) -> ServerResponse {
        ServerResponse(
            status, contentType: "text/plain; charset=utf-8", body: HTTPBody(Array("\(text)\n".utf8)))
    }

    /// Certificates in base64 without lines (RFC 8951 §3.1), which some clients cannot read.
    private static func certificates(_ pkcs7: [UInt8]) -> ServerResponse {
        let text = Text.base64(pkcs7)
        var answer = ServerResponse(
            .ok, contentType: "application/pkcs7-mime; smime-type=certs-only", body: HTTPBody(Array(text.utf8)))
        answer.fields[.contentTransferEncoding] = "base64"
        return answer
    }
}

/// Receives the content of a request to an authority.
final class RegistrationReceiver: RequestReceiver {
    let limit = 64 << 10
    private let host: RegistrationHost
    private let operation: RegistrationHost.Operation
    private let failed: @Sendable (any Error) -> ServerResponse
    private let content = Mutex<[UInt8]>([])

    /// - Parameter failed: logs an error, and makes the answer.
    init(
        _ host: RegistrationHost, _ operation: RegistrationHost.Operation,
        failed: @escaping @Sendable (any Error) -> ServerResponse
    ) {
        self.host = host
        self.operation = operation
        self.failed = failed
    }

    func receive(_ bytes: [UInt8]) throws {
        try content.withLock { content in
            guard content.count + bytes.count <= limit else { throw MessageRefusal.tooLarge(limit) }
            content += bytes
        }
    }

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response {
        let answer: ServerResponse
        do { answer = try await host.answer(operation, content.withLock { $0 }, from: peer) } catch {
            answer = failed(error)
        }
        var response = ServiceDispatcher.Response(
            status: answer.status.code, contentType: answer.fields[.contentType], body: answer.body, work: nil)
        response.fields = answer.fields
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let contentTransferEncoding = HTTPField.Name("Content-Transfer-Encoding") ?? .contentType
}
#endif
