import HTTPTypes

/// An answer as calls use it. The facts for an error are made only when an error is thrown.
struct ReceivedAnswer {
    let response: ClientResponse
    /// The media type; nil when the answer does not state one.
    let mediaType: MediaType?
    /// Whether an error shows only the origin of `Location`.
    private let hidesLocation: Bool

    /// - Parameter hidesLocation: true for a call without SOAP: servers redirect to the same path and query, which
    ///   contain its input.
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

    /// The facts of the answer that an error contains.
    var facts: ServiceError.ReceivedResponse {
        var answer = ServiceError.ReceivedResponse(response)
        if hidesLocation, let location = answer.location {
            answer.location = (try? Endpoint(location)).map { "\($0.origin)/…" } ?? "…"
        }
        return answer
    }
}

extension ServiceError.ReceivedResponse {
    init(_ response: ClientResponse) {
        self.init(
            status: response.status.code, contentType: response.fields[.contentType],
            firstBytes: Self.printable(response.body.prefix(200)),
            location: response.fields[.location].map(Endpoint.withoutUserInformation),
            retryAfter: Self.retryAfter(response.fields))
        certificateRefusal = CertificateRefusal(response)
        sentCertificate = response.report.connection.tls?.clientCertificate
        sentCertificateNotAfter = response.report.connection.tls?.clientCertificateNotAfter
        isOverReusedConnection = response.report.connection.reused
        firstLine = Self.firstLine(of: response.body)
    }

    /// The value of `Retry-After`: in seconds, or as a date relative to the date of the answer.
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

    /// Text for a log line: the text of a server must not forge lines or move a cursor.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
