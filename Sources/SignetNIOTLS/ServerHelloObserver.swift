import NIOCore

/// Reads the ServerHello below the TLS handler, which does not tell the cipher suite; then leaves the pipeline.
final class ServerHelloObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var scanner = ServerHelloScanner()
    private let found: (ServerHello) -> Void

    init(found: @escaping (ServerHello) -> Void) { self.found = found }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let result = scanner.scan(unwrapInboundIn(data).readableBytesView)
        if case .found(let hello) = result { found(hello) }
        // Before the handler goes: one that has left the pipeline has nobody to hand on to.
        context.fireChannelRead(data)
        if case .needsMore = result { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
