import NIOCore
import NIOHTTP1

/// Tells Hummingbird which requests are the last of their connections: it knows neither the version of HTTP, nor that
/// `Connection` is a list. A client of HTTP/1.0 that did not ask for more waits for the end of the connection (RFC 9112 §9.3), and
/// knows no chunks (§6.1), so that for it an answer of unknown length ends with the connection too.
final class ConnectionPersistence: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Of the requests that are not answered yet, the oldest first.
    private var versions = CircularBuffer<HTTPVersion>()
    /// Whether the answer that is being written ends with the connection.
    private var endsConnection = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        versions.append(head.version)
        guard !head.isKeepAlive else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            let version = versions.popFirst() ?? .http1_1
            endsConnection = version.major == 1 && version.minor == 0 && !head.headers.contains(name: "content-length")
            guard endsConnection else { return context.write(data, promise: promise) }
            head.version = version
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where endsConnection:
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(data, promise: written)
        default: context.write(data, promise: promise)
        }
    }
}
