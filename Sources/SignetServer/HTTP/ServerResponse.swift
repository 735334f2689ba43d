#if Server
public import HTTPTypes
package import SignetHTTP

/// An answer of a server over HTTP, before it is sent. Its content is not accessible, because it may be written while
/// it is sent.
///
/// Fields may contain secrets, so descriptions show only their names.
public struct ServerResponse: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The fields, without those that the server alone sets: `Connection`, `Content-Length`, `Keep-Alive`,
    /// `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding` and `Upgrade`.
    public var fields: HTTPFields
    package let body: HTTPBody
    /// How the connection ends without an answer; nil to answer.
    package private(set) var ending: Ending?

    /// How a connection ends that gets no answer, for tests of clients.
    package enum Ending: Sendable {
        /// In order, but without a byte of an answer; over HTTP/2 only the stream ends.
        case closed
        /// With a reset (RFC 9293 §3.10.7.1), over HTTP/2 too.
        case reset
    }

    /// No answer.
    package init(ending: Ending) {
        self.init(status: .internalServerError)
        self.ending = ending
    }

    /// Makes an answer of a middleware, to send instead of the service's.
    ///
    /// - Parameters:
    ///   - status: from 200 to 599. With 204, 205 and 304 there is no content (RFC 9110 §15).
    ///   - fields: the fields of the answer, such as `Content-Type`; see ``fields`` for those that cannot be set.
    ///   - body: the content.
    public init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.init(status, fields, body: HTTPBody(body))
    }

    package init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: HTTPBody) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// - Parameter contentType: nil when there is no content.
    init(_ status: HTTPResponse.Status, contentType: String?, body: HTTPBody) {
        self.init(status, body: body)
        fields[.contentType] = contentType
    }

    /// An answer that refuses the request and says no more than its status does.
    static func refusal(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> ServerResponse {
        var answer = ServerResponse(
            status, contentType: "text/plain; charset=utf-8", body: HTTPBody(Array("\(status.reasonPhrase).\n".utf8)))
        answer.fields.append(contentsOf: fields)
        return answer
    }

    /// The head that is sent before the content.
    var head: HTTPResponse {
        var fields = fields
        // Content without a length is sent in chunks.
        fields[.contentLength] = body.count.map { String($0) }
        return HTTPResponse(status: status, headerFields: fields)
    }

    // MARK: What a middleware made of it

    /// Why this cannot be sent as the answer to a request with `method`; nil when it can.
    func problem(answering method: HTTPRequest.Method) -> String? {
        guard (200...599).contains(status.code) else { return "the status \(status.code) does not end a request" }
        if [204, 205, 304].contains(status.code), body.count != 0 { return "an answer \(status.code) has no content" }
        // NIO would write the end of chunks after the head. The service refuses HEAD with an answer of known length, so
        // content without a length is the answer to another request.
        if method == .head, body.count == nil { return "an answer to HEAD has a content of known length" }
        return fields.first { HTTPField.framing.contains($0.name.canonicalName) }
            .map { "the field \($0.name.rawName) is set by the server alone" }
    }
}

extension ServerResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status.code) (\(fields.names))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Thrown while content is written, to end the connection in the middle of an answer on purpose.
package struct AbandonedAnswer: Error {
    package init() {}
}
#endif
