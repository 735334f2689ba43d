import NIOCore
import SignetTLS

/// Reads the ServerHello below the TLS handler, which does not report the cipher suite. Then it leaves the pipeline.
final class ServerHelloObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var scanner = ServerHelloScanner()
    private let found: (ServerHello) -> Void

    init(found: @escaping (ServerHello) -> Void) { self.found = found }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let result = scanner.scan(unwrapInboundIn(data).readableBytesView)
        if case .found(let hello) = result { found(hello) }
        // This comes before the removal: a removed handler has no next handler to which it could pass the data.
        context.fireChannelRead(data)
        if case .needsMore = result { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
