import HTTPTypes

/// A complete answer, ready to be written. Refusals say no more than their status does.
struct HTTPAnswer: Sendable {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: [UInt8]

    /// - Parameter contentType: nil when there is no content.
    init(_ status: HTTPResponse.Status, contentType: String?, body: [UInt8]) {
        self.status = status
        fields = [.contentLength: String(body.count)]
        fields[.contentType] = contentType
        self.body = body
    }

    static func refusal(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        var answer = HTTPAnswer(
            status, contentType: "text/plain; charset=utf-8", body: Array("\(status.reasonPhrase).\n".utf8))
        answer.fields.append(contentsOf: fields)
        return answer
    }

    var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}
