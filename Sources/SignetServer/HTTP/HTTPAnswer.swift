#if Server
import HTTPTypes
import SignetHTTP

/// An answer, ready to be written. Refusals say no more than their status does.
struct HTTPAnswer: Sendable {
    var status: HTTPResponse.Status
    var fields: HTTPFields = [:]
    var body: HTTPBody

    /// - Parameter contentType: nil when there is no content.
    init(_ status: HTTPResponse.Status, contentType: String?, body: HTTPBody) {
        self.status = status
        // Without a length it goes in chunks.
        fields[.contentLength] = body.count.map { String($0) }
        fields[.contentType] = contentType
        self.body = body
    }

    static func refusal(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        var answer = HTTPAnswer(
            status, contentType: "text/plain; charset=utf-8", body: HTTPBody(Array("\(status.reasonPhrase).\n".utf8)))
        answer.fields.append(contentsOf: fields)
        return answer
    }

    var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}
#endif
