#if Server
import HTTPTypes
import SignetHTTP
import SignetServer

/// A failure that a mock injects into its answer, to test what a client does then.
package enum InjectedFailure: Sendable, Hashable, CustomStringConvertible {
    /// The connection is reset.
    case reset
    /// The connection ends without an answer.
    case close
    /// The connection ends in the middle of the answer.
    case truncate
    /// The answer has its whole length, but its envelope does not end.
    case malformed
    /// The answer has no content.
    case empty
    /// The answer is a page of HTML, as proxies and portals send them.
    case html
    /// The answer has this status and a text.
    case status(Int)

    /// Those that a rule names with `break`.
    static let named: [String: InjectedFailure] = [
        "reset": .reset, "close": .close, "truncate": .truncate, "malformed": .malformed, "empty": .empty,
        "html": .html,
    ]

    package var description: String {
        if case .status(let status) = self { return "the status \(status)" }
        return Self.named.first { $0.value == self }?.key ?? ""
    }

    /// The answer with the failure.
    func applied(to response: ServerResponse) -> ServerResponse {
        switch self {
        case .reset: return ServerResponse(ending: .reset)
        case .close: return ServerResponse(ending: .closed)
        case .status(let status):
            var fields: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
            if status == 503 || status == 429 { fields[.retryAfter] = "2" }
            let body = [204, 205, 304].contains(status) ? [] : Array("The mock answers with \(status).\n".utf8)
            return ServerResponse(status: .init(code: status), fields: fields, body: body)
        case .empty: return ServerResponse(status: response.status, fields: response.fields)
        case .html:
            let page = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Sign in.<br></body></html>\n"
            return ServerResponse(
                status: .ok, fields: [.contentType: "text/html; charset=utf-8"], body: Array(page.utf8))
        case .malformed, .truncate:
            // A message with parts is a stream, which is as good as nothing here.
            guard let bytes = response.body.bytes, !bytes.isEmpty else { return ServerResponse(ending: .closed) }
            if self == .truncate {
                let body = HTTPBody(length: bytes.count, isReplayable: false) { writer in
                    try await writer.write(Array(bytes.prefix(bytes.count / 2)))
                    throw AbandonedAnswer()
                }
                return ServerResponse(response.status, response.fields, body: body)
            }
            return ServerResponse(
                status: response.status, fields: response.fields, body: Array(bytes.dropLast(bytes.count / 3 + 1)))
        }
    }
}
#endif
