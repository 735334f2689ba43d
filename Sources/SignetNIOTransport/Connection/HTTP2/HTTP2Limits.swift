import NIOCore
import NIOHTTP2

/// The limits of a connection of HTTP/2. A server that exceeds them loses the connection.
struct HTTP2Limits: Sendable {
    /// The limit of exchanges at the same time, if the server allows more.
    let calls: Int
    /// ``/SignetConnection/ConnectionConfiguration/maximumFieldBytes``
    let fieldBytes: Int

    /// How many bytes the server may send ahead on each stream. A caller that does not take the content of an answer stops
    /// the server after that many; NIO does not limit what all streams hold together.
    private static let window = 256 << 10
    /// How many bytes of a request wait below a stream until the server takes them.
    private static let outboundBytes = 64 << 10
    /// The size that HTTP/2 adds to each field of a head (RFC 9113 §6.5.2).
    private static let fieldOverhead = 32

    /// - Parameter delegate: is told of the frames that the client writes.
    func makeHandler(telling delegate: any NIOHTTP2FrameDelegate) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        // NIO's limit ends the connection, so it is twice that of a head, which ends one exchange.
        let bytes = min(fieldBytes, 1 << 28) + ConnectionFailure.maximumFields * Self.fieldOverhead
        let listSize = 2 * bytes
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: listSize),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.window),
        ]
        // A head of the largest size may need a frame for each 16 KiB.
        connection.maximumSequentialContinuationFrames = max(5, listSize / (16 << 10) + 1)
        // The client resets the streams of calls that it gives up, all of them at the same time when a program ends.
        connection.maximumRecentlyResetStreams = max(1_000, calls)
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A server may answer every request before it has read its content, and then reset the stream (RFC 9113 §8.1).
        stream.streamResetFrameRateLimit.maximumCount = 4_000
        stream.streamResetFrameRateLimit.windowLength = .seconds(1)
        return NIOHTTP2Handler(
            mode: .client, frameDelegate: delegate, connectionConfiguration: connection, streamConfiguration: stream)
    }

    func makeMultiplexer(on channel: any Channel) -> HTTP2StreamMultiplexer {
        HTTP2StreamMultiplexer(
            mode: .client, channel: channel, targetWindowSize: Self.window,
            outboundBufferSizeHighWatermark: Self.outboundBytes, outboundBufferSizeLowWatermark: Self.outboundBytes / 2,
            inboundStreamInitializer: nil)
    }
}
