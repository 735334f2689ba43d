#if Server
import HTTPTypes
import NIOCore
import NIOHTTP2

/// The limits of a connection of HTTP/2. Those that are not here are NIO's: 200 PING, SETTINGS and PRIORITY frames
/// together, and 200 streams reset by the client, in 30 seconds; 200 streams with errors in all; 5 CONTINUATION frames
/// for a head; one empty DATA frame in a row.
struct HTTP2Limits: Sendable {
    /// The limit of requests at the same time.
    let streams: Int

    /// How many bytes of each request a client may send ahead of the server, which reads them only as fast as it
    /// processes them.
    private static let window = 256 << 10
    /// How many bytes of an answer wait below its stream until the client takes them.
    private static let outboundBytes = 64 << 10
    /// The size that HTTP/2 adds to each field of a head (RFC 9113 §6.5.2).
    private static let fieldOverhead = 32

    /// - Parameter delegate: is told of the frames that the server writes.
    func makeHandler(telling delegate: any NIOHTTP2FrameDelegate) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: min(streams, Int(Int32.max))),
            HTTP2Setting(
                parameter: .maxHeaderListSize,
                value: HeadLimits.bytes + HeadLimits.fields * Self.fieldOverhead),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.window),
        ]
        // The server resets the streams of refused requests, whose clients may still be sending.
        connection.maximumRecentlyResetStreams = max(1000, min(streams, 100_000))
        return NIOHTTP2Handler(mode: .server, frameDelegate: delegate, connectionConfiguration: connection)
    }

    func makeMultiplexer(
        on channel: any Channel, _ initializer: @escaping NIOChannelInitializer
    ) -> HTTP2StreamMultiplexer {
        HTTP2StreamMultiplexer(
            mode: .server, channel: channel, targetWindowSize: Self.window,
            outboundBufferSizeHighWatermark: Self.outboundBytes, outboundBufferSizeLowWatermark: Self.outboundBytes / 2,
            inboundStreamInitializer: initializer)
    }
}

/// The limits of the head of a request, in every version of HTTP.
enum HeadLimits {
    /// The size of one field, in bytes.
    static let fieldBytes = 32 << 10
    /// The size of all fields together, in bytes.
    static let bytes = 64 << 10
    /// The number of fields.
    static let fields = 128

    /// Whether the fields of a request keep to the limits.
    static func allow(_ fields: HTTPFields) -> Bool {
        fields.count <= Self.fields
            && fields.allSatisfy { $0.name.rawName.utf8.count + $0.value.utf8.count <= fieldBytes }
    }
}
#endif
