/// Why a peer ends a stream or a connection (RFC 9113 §7).
struct HTTP2Code: Hashable, Sendable, CustomStringConvertible {
    let number: Int

    static let noError = Self(number: 0x0)
    static let refusedStream = Self(number: 0x7)
    static let inadequateSecurity = Self(number: 0xC)
    static let http11Required = Self(number: 0xD)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// Whether the server serves the client over HTTP/1.1 instead.
    var asksForHTTP1: Bool { self == .http11Required || self == .inadequateSecurity }

    var description: String { Self.names.indices.contains(number) ? Self.names[number] : "the code \(number)" }
}
