#if Server
package import Foundation
import HTTPTypes
package import SignetHTTP
import SignetSOAP
package import SignetServer
import Synchronization

/// A server that passes each request on to a service, and records the exchange without secrets.
package struct Recorder: Sendable {
    /// One exchange, for the operator.
    package struct Event: Sendable, Hashable, Encodable {
        package var time: Date
        /// Nil when the service gave no answer.
        package var status: Int?
        /// The action of the request, if it names one.
        package var action: String?
        /// The name of the exchange in the recording; nil when it is not recorded.
        package var name: String?
        /// Why it is not recorded, or not wholly.
        package var remark: String?
    }

    private let endpoint: Endpoint
    private let transport: any ClientTransport
    private let recording: Recording
    /// Whether the fields with which clients authenticate are passed on.
    package var passesCredentials = true
    package var deadlines = Deadlines()
    /// Names of secret elements and attributes that the mock must know besides those that look secret.
    package var secretNames: [String] = []
    /// Gets each exchange after its end.
    private let report: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - endpoint: the service.
    ///   - transport: the way there, with the identity and the credentials to show.
    ///   - recording: where the exchanges go.
    ///   - report: gets each exchange after its end.
    package init(
        _ endpoint: Endpoint, over transport: any ClientTransport, into recording: Recording,
        report: @escaping @Sendable (Event) -> Void
    ) {
        (self.endpoint, self.transport, self.recording, self.report) = (endpoint, transport, recording, report)
    }

    /// The server, which listens at the path of the service.
    ///
    /// - Parameter tls: nil for plain HTTP.
    package func server(tls: ServerTLSConfiguration?, settings: SOAPServer.Settings) throws -> SOAPServer {
        let dispatcher = ServiceDispatcher(
            name: "recorder", versions: [.soap11, .soap12], takesAttachments: true, routes: [])
        let path = String(endpoint.path.prefix { $0 != "?" })
        return try SOAPServer(serving: [HostedService(dispatcher, path: path)], tls: tls, settings: settings) {
            fields, request in
            ForwardedRequest(
                recorder: self, fields: fields,
                query: request.path.firstIndex(of: "?").map { String(request.path[$0...]) })
        }
    }

    /// The fields of a request that are passed on: not those about the connection (RFC 9110 §7.6.1), nor those that the transport
    /// sets.
    private func passedOn(_ fields: HTTPFields) -> HTTPFields {
        let own: Set = ["accept-encoding", "expect", "host"]
        var result: HTTPFields = [:]
        for field in Self.endToEnd(fields) {
            let name = field.name.canonicalName
            if own.contains(name) || name == "authorization" && !passesCredentials { continue }
            result.append(field)
        }
        return result
    }

    /// The fields of an answer that are passed on; its content is not compressed any more.
    private static func answered(_ fields: HTTPFields) -> HTTPFields {
        let own: Set = ["alt-svc", "content-encoding", "content-type", "strict-transport-security"]
        var result: HTTPFields = [:]
        for field in endToEnd(fields) where !own.contains(field.name.canonicalName) { result.append(field) }
        return result
    }

    private static func endToEnd(_ fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        let left = HTTPField.framing.union(named)
        var result: HTTPFields = [:]
        for field in fields where !left.contains(field.name.canonicalName) {
            if !field.name.canonicalName.hasPrefix("proxy-") { result.append(field) }
        }
        return result
    }

    fileprivate func exchange(
        _ fields: HTTPFields, _ query: String?, _ content: [UInt8]
    ) async -> ServiceDispatcher.Response {
        let action = ServiceDispatcher.action(of: fields)
        let shown = action.map(Endpoint.withoutQueryValues)
        var event = Event(time: Date(), status: nil, action: shown.flatMap { $0.isEmpty ? nil : $0 })
        var request = ClientRequest(
            endpoint, fields: passedOn(fields), body: HTTPBody(content), deadlines: deadlines)
        if let query { request.path = String(endpoint.path.prefix { $0 != "?" }) + query }
        request.callerHandlesCredentials = passesCredentials
        let response: ClientResponse
        do { response = try await transport.send(request) } catch {
            event.remark = "\(error)"
            report(event)
            return ServiceDispatcher.Response(
                status: 502, contentType: "text/plain; charset=utf-8",
                body: HTTPBody(Array("signet record got no answer from the service.\n".utf8)), work: nil)
        }
        let status = response.status.code
        event.status = status
        let contentType = response.fields[.contentType]
        (event.name, event.remark) = record(shown, fields[.contentType], content, status, contentType, response.body)
        report(event)
        var answer = ServiceDispatcher.Response(
            status: status, contentType: contentType, body: HTTPBody(response.body), work: nil)
        answer.fields = Self.answered(response.fields)
        return answer
    }

    /// - Returns: the name of the exchange, and what is left out.
    private func record(
        _ action: String?, _ requestType: String?, _ request: [UInt8], _ status: Int, _ answerType: String?,
        _ answer: [UInt8]
    ) -> (name: String?, remark: String?) {
        // The client authenticates at the mock in the way that the options of the mock say.
        if status == 401 || status == 407 { return (nil, "not recorded: the service asks for credentials") }
        if (300...399).contains(status), status != 304 { return (nil, "not recorded: a redirect") }
        for type in [requestType, answerType].compactMap({ $0 }) where !MultipartReceiver.takes(type) {
            let essence = MediaType(type).essence
            if essence.hasPrefix("multipart/") { return (nil, "not recorded: a message of the type \(essence)") }
        }
        let asked = RecordedContent.redacted(request, contentType: requestType)
        if let defect = asked.defect { return (nil, "not recorded: the request cannot be recorded: \(defect)") }
        let answered = RecordedContent.redacted(answer, contentType: answerType)
        let exchange = RecordedExchange(
            action: action, request: asked.content, status: status, answer: answered.content, secretNames: secretNames)
        do {
            let name = try recording.add(exchange)
            let remarks = [
                asked.remark.map { "the request is recorded \($0)" },
                answered.defect.map { "the content of the answer is left out, because it cannot be recorded: \($0)" },
                answered.remark.map { "the answer is recorded \($0)" },
            ].compactMap { $0 }
            return (name, remarks.isEmpty ? nil : remarks.joined(separator: "; "))
        } catch { return (nil, "not recorded: \(error)") }
    }
}

/// Collects the content of a request, and passes it on.
private final class ForwardedRequest: RequestReceiver {
    let limit = 64 << 20
    private let recorder: Recorder
    private let fields: HTTPFields
    /// With its `?`.
    private let query: String?
    private let content = Mutex<[UInt8]>([])

    init(recorder: Recorder, fields: HTTPFields, query: String?) {
        (self.recorder, self.fields, self.query) = (recorder, fields, query)
    }

    func receive(_ bytes: [UInt8]) throws {
        try content.withLock { content in
            guard bytes.count <= limit - content.count else { throw MessageRefusal.tooLarge(limit) }
            content += bytes
        }
    }

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response {
        await recorder.exchange(fields, query, content.withLock { $0 })
    }
}
#endif
