import NIOCore
import NIOHTTP1

/// Stands before the HTTP decoder, counts the bytes that arrive, and knows whether any of them belong to no answer.
///
/// The decoder tells of a head when all of it is there and keeps what it has until then. What stands behind an answer would be
/// kept likewise and become the beginning of the next one, so that a server's answer to another call could be made of it. So a
/// connection carries another exchange only when all bytes that arrived were part of answers (RFC 9112 §9.3, §11.2).
final class ArrivalObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Whether bytes have come, be it less than the head of an answer.
    private(set) var hasBytes = false
    /// Whether bytes came that belong to no answer: behind its end, or before a request was written.
    private(set) var hasSurplus = false
    /// Bytes since the decoder last made something of them.
    private var undecoded = 0
    /// Whether an answer is being waited for.
    private var expectsAnswer = false
    /// Whether the decoder has yet to get a part of what was read.
    private var holdsBytes = false
    private let limit: Int

    /// - Parameter limit: so many bytes may come without the decoder making something of them. The last ones may be more, since one
    ///   read can bring the end of a head and much content.
    init(limit: Int) { self.limit = limit }

    /// A request is about to be written.
    func begin() {
        hasBytes = false
        undecoded = 0
        expectsAnswer = true
    }

    /// The decoder made something of the bytes that it was given.
    func decoded() { undecoded = 0 }

    /// The decoder came to the end of an answer.
    func end() {
        expectsAnswer = false
        hasSurplus = hasSurplus || holdsBytes
    }

    /// The last byte is given to the decoder by itself. So an answer that ends before it has bytes behind it, whatever they are; the
    /// decoder itself does not say how many of the bytes it was given it needed.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard bytes.readableBytes > 0, let last = bytes.getSlice(at: bytes.writerIndex - 1, length: 1) else { return }
        hasBytes = true
        guard expectsAnswer else { return refuse(context) }
        // What the decoder does not count: a status line, the size of a chunk, interim answers.
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

/// Bytes came for which there was no request.
struct SurplusBytes: Error {}
