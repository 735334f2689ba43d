import NIOCore
import NIOHTTP1

/// Takes interim answers out (RFC 9110 §15.2), which would be taken for the head of the answer. Of `100 Continue` the bare fact goes on.
final class InterimFilter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), (100..<200).contains(head.status.code),
            head.status != .switchingProtocols
        else { return context.fireChannelRead(data) }
        guard head.status == .continue else { return }
        context.fireChannelRead(wrapInboundOut(.head(.init(version: head.version, status: .continue))))
    }
}
