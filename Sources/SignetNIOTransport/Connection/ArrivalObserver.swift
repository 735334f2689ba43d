import NIOCore
import NIOHTTP1

/// Counts the bytes that arrive before the HTTP decoder gets them, and detects bytes that belong to no answer.
///
/// The decoder reports a head only when it is complete, and keeps the bytes until then. It would also keep bytes after
/// an answer and use them as the beginning of the next answer, so a server could forge the answer to another call. So a
/// connection carries another exchange only when all bytes that arrived were part of answers (RFC 9112 §9.3, §11.2).
final class ArrivalObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Whether any bytes have arrived, even less than the head of an answer.
    private(set) var hasBytes = false
    /// Whether bytes arrived that belong to no answer: after its end, or before a request was written.
    private(set) var hasSurplus = false
    /// The number of bytes since the decoder last produced a part of an answer.
    private var undecoded = 0
    /// Whether a request waits for its answer.
    private var expectsAnswer = false
    /// Whether the decoder has not yet got all bytes of the last read.
    private var holdsBytes = false
    private let limit: Int

    /// - Parameter limit: the number of bytes that may arrive before the decoder produces a part. The last read may go
    ///   beyond it, since one read can bring the end of a head and much content.
    init(limit: Int) { self.limit = limit }

    /// Call it before a request is written.
    func begin() {
        hasBytes = false
        undecoded = 0
        expectsAnswer = true
    }

    /// Call it when the decoder has produced a part from its bytes.
    func decoded() { undecoded = 0 }

    /// Call it when the decoder has produced the end of an answer.
    func end() {
        expectsAnswer = false
        hasSurplus = hasSurplus || holdsBytes
    }

    /// The decoder gets the last byte separately. An answer that ends before that byte has further bytes after it; the
    /// decoder does not report how many of its bytes it used.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard bytes.readableBytes > 0, let last = bytes.getSlice(at: bytes.writerIndex - 1, length: 1) else { return }
        hasBytes = true
        guard expectsAnswer else { return refuse(context) }
        // The decoder itself does not limit these: a status line, the size of a chunk, interim answers.
        guard undecoded <= limit else {
            context.fireErrorCaught(HTTPParserError.headerOverflow)
            return
        }
        undecoded += bytes.readableBytes
        if bytes.readableBytes > 1 {
            holdsBytes = true
            bytes.moveWriterIndex(to: bytes.writerIndex - 1)
            context.fireChannelRead(wrapInboundOut(bytes))
            holdsBytes = false
            guard expectsAnswer else { return refuse(context) }
        }
        context.fireChannelRead(wrapInboundOut(last))
    }

    private func refuse(_ context: ChannelHandlerContext) {
        hasSurplus = true
        context.fireErrorCaught(SurplusBytes())
    }
}

/// Bytes arrived without a request.
struct SurplusBytes: Error {}
