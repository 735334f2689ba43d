import NIOCore

/// Notes whether bytes have come, be it less than the head of an answer, which is all that the HTTP decoder tells.
final class ArrivalObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    var hasBytes = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasBytes = true
        context.fireChannelRead(data)
    }
}
