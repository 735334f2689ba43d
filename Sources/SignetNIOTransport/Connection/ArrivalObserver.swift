import NIOCore
import NIOHTTP1

/// Counts bytes before the HTTP decoder, which tells of a head when all of it is there, and keeps what it has until then.
final class ArrivalObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Whether bytes have come, be it less than the head of an answer.
    var hasBytes = false
    /// Bytes since the decoder last made something of them.
    var undecoded = 0
    private let limit: Int

    /// - Parameter limit: so many bytes may come without the decoder making something of them. The last ones may be more, since one
    ///   read can bring the end of a head and much content.
    init(limit: Int) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasBytes = true
        // What the decoder does not count: a status line, the size of a chunk, interim answers.
        guard undecoded <= limit else {
            context.fireErrorCaught(HTTPParserError.headerOverflow)
            return
        }
        undecoded += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}
