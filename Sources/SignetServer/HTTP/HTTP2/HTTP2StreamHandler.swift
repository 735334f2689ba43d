#if Server
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// Makes a request of HTTP/2 look as Hummingbird makes those of HTTP/1.1, and ends its stream.
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connection: HTTP2ConnectionHandler
    private let place: HTTP2ConnectionHandler.Place
    /// Whether the whole request has arrived.
    private var isRead = false
    /// Whether the request is answered here, because its head is too large.
    private var isRefused = false

    init(_ connection: HTTP2ConnectionHandler, _ place: HTTP2ConnectionHandler.Place) {
        self.connection = connection
        self.place = place
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard HeadLimits.allow(head.headerFields) else { return refuse(context) }
            context.fireChannelRead(wrapInboundOut(.head(Self.withOneAuthority(head))))
        case .body: if !isRefused { context.fireChannelRead(data) }
        case .end:
            isRead = true
            if !isRefused { context.fireChannelRead(data) }
        }
    }

    /// Takes out the field `Host`, unless it contradicts the request's authority (RFC 9113 §8.3.1).
    private static func withOneAuthority(_ head: HTTPRequest) -> HTTPRequest {
        var head = head
        let isHost = { (field: HTTPField) in field.name.canonicalName == "host" }
        let hosts = head.headerFields.filter(isHost)
        guard hosts.count == 1, let host = hosts.first?.value,
            head.authority == nil || head.authority?.lowercased() == host.lowercased()
        else { return head }
        head.authority = host
        head.headerFields.removeAll(where: isHost)
        return head
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let head = HTTPResponse(status: .requestHeaderFieldsTooLarge, headerFields: [.contentLength: "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .read = event as? IdleStateHandler.IdleStateEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if !isRead { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        // A client may begin the next request as soon as it has this answer.
        place.free()
        let written = promise ?? context.eventLoop.makePromise()
        connection.stayOpen(until: written.futureResult)
        written.futureResult.assumeIsolated().whenSuccess { self.stop(context) }
        context.write(data, promise: written)
    }

    /// Asks the client of an answered request to send no more of it (RFC 9113 §8.1).
    private func stop(_ context: ChannelHandlerContext) {
        guard !isRead, context.channel.isActive else { return }
        context.triggerUserOutboundEvent(NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError), promise: nil)
    }
}
#endif
