import NIOCore
import NIOTLS
import SignetNIOTLS

/// Waits on a channel until it is connected and its TLS handshake has ended, and then installs the handlers of the
/// protocol that the server chose, in its own place.
final class ConnectionOpening: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    typealias Result = Swift.Result<any ExchangeCarrier, any Error>
    /// Adds handlers after this one, and calls its last argument once, when the connection can be used or has failed.
    ///
    /// - Parameter application: the protocol that the server chose by ALPN (RFC 7301); nil when it chose none.
    typealias Installation = (
        _ application: String?, _ position: ChannelPipeline.SynchronousOperations.Position, _ channel: any Channel,
        _ ready: @escaping (Result) -> Void
    ) throws -> Void

    let tls: ClientTLS?
    /// When its channel was made, for which an address has to be known.
    let creation = NIODeadline.now()
    /// When the channel was connected.
    private(set) var connection: NIODeadline?
    private let host: String
    private let install: Installation
    private var result: Result?
    private var ready: ((Result) -> Void)?

    init(tls: ClientTLS?, host: String, install: @escaping Installation) {
        self.tls = tls
        self.host = host
        self.install = install
    }

    /// Calls `ready` when the connection can be used or has failed.
    func whenReady(_ ready: @escaping (Result) -> Void) {
        if let result { ready(result) } else { self.ready = ready }
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { connected(context) } }

    func channelActive(context: ChannelHandlerContext) {
        connected(context)
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let application) = event as? TLSUserEvent { secured(application, context) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(ConnectionFailure.describe(error, host: host, tls: tls, progress: .init())))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ConnectionFailure.closedEarly(by: host, tls: tls, progress: .init())))
        context.fireChannelInactive()
    }

    private func connected(_ context: ChannelHandlerContext) {
        connection = .now()
        if tls == nil { secured(nil, context) }
    }

    private func secured(_ application: String?, _ context: ChannelHandlerContext) {
        do {
            try install(application, .after(self), context.channel) { [self] in end($0) }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            errorCaught(context: context, error: error)
        }
    }

    private func end(_ result: Result) {
        guard self.result == nil else { return }
        self.result = result
        let ready = self.ready
        self.ready = nil
        ready?(result)
    }
}
