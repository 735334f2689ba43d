import HTTPTypes

/// An answer as calls look at it. What an error tells of it is made where one is thrown.
struct ReceivedAnswer {
    let response: ClientResponse
    /// Nil where the answer does not say what its content is.
    let mediaType: MediaType?
    /// Whether an error tells only the origin of `Location`.
    private let hidesLocation: Bool

    /// - Parameter hidesLocation: for a call without SOAP: servers send on to the same path and query, which hold its input.
    init(_ response: ClientResponse, hidesLocation: Bool) {
        self.response = response
        self.hidesLocation = hidesLocation
        mediaType = response.fields.value(of: .contentType).map { MediaType($0) }
    }

    var status: Int { response.status.code }
    var body: [UInt8] { response.body }
    var charset: String? { mediaType?.charset }
    var isSuccess: Bool { (200..<300).contains(status) }
    var isUnavailable: Bool { [502, 503, 504].contains(status) }

    /// What an error tells of it.
    var facts: ServiceError.Answer {
        var answer = ServiceError.Answer(response)
        if hidesLocation, let location = answer.location {
            answer.location = (try? Endpoint(location)).map { "\($0.origin)/…" } ?? "…"
        }
        return answer
    }
}

extension ServiceError.Answer {
    init(_ response: ClientResponse) {
        self.init(
            status: response.status.code, contentType: response.fields[.contentType],
            firstBytes: Self.printable(response.body.prefix(200)),
            location: response.fields[.location].map(Endpoint.withoutUserInformation),
            retryAfter: Self.retryAfter(response.fields), certificateRefusal: CertificateRefusal(response),
            sentCertificate: response.report.connection.tls?.clientCertificate,
            firstLine: Self.firstLine(of: response.body))
    }

    /// `Retry-After` in seconds, or as a date, which counts from the answer's own.
    private static func retryAfter(_ fields: HTTPFields) -> Duration? {
        guard let text = fields[.retryAfter] else { return nil }
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        guard let date = CookieDate.seconds(text), let sent = fields[.date].flatMap(CookieDate.seconds) else {
            return nil
        }
        return .seconds(max(0, date - sent))
    }

    private static func firstLine(of body: [UInt8]) -> String {
        let text = body.drop { $0 <= 0x20 }
        guard text.first != UInt8(ascii: "<") else { return "" }
        return printable(text.prefix(200).prefix { $0 != 0x0A && $0 != 0x0D })
    }

    /// Text that can stand in a log line: what a server sends must not forge lines or move a cursor.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
