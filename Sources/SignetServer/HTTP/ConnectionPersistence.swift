import NIOCore
import NIOHTTP1

/// Tells Hummingbird which requests are the last of their connections: it knows neither the version of HTTP, nor that
/// `Connection` is a list. A client of HTTP/1.0 that did not ask for more waits for the end of the connection (RFC 9112 §9.3).
final class ConnectionPersistence: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
