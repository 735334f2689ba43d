import HTTPTypes
import SignetSOAP
import Synchronization

/// Answers as a script says, one step a request and the last step for ever; reads the content of each request, as a
/// wire does.
final class ScriptedTransport: ClientTransport {
    typealias Step = @Sendable (ClientRequest) async throws -> ClientResponse

    private let steps: [Step]
    private let sent = Mutex<[ClientRequest]>([])
    var requests: [ClientRequest] { sent.withLock { $0 } }

    init(_ steps: Step...) { self.steps = steps }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count
        }
        _ = try await request.body.collected(limit: 1 << 20)
        return try await steps[min(number, steps.count) - 1](request)
    }

    func shutdown() async throws {}

    static func answer(_ text: String = "", status: Int = 200, fields: HTTPFields = [:]) -> Step {
        var response = ClientResponse(status: .init(code: status), fields: fields)
        if status == 200 {
            response.fields[.contentType] = "text/xml"
            response.body = Array(envelope("<g:Greeted><g:text>\(text)</g:text></g:Greeted>").utf8)
        }
        return { [response] _ in response }
    }

    static func fault(_ code: String, status: Int = 500) -> Step {
        let fault = "<s:Fault><faultcode>s:\(code)</faultcode><faultstring>no</faultstring></s:Fault>"
        return { _ in
            ClientResponse(
                status: .init(code: status), fields: [.contentType: "text/xml"], body: Array(envelope(fault).utf8))
        }
    }

    static func failure(_ error: TransportError) -> Step { { _ in throw error } }
}

/// Content that can be written once.
func singleUse(_ bytes: [UInt8]) -> MessageAttachment {
    MessageAttachment(HTTPBody(length: bytes.count, isReplayable: false) { try await $0.write(bytes) })
}
