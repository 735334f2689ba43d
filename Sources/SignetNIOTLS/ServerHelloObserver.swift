import NIOCore
import SignetTLS

/// Reads the ServerHello below the TLS handler, which does not report the cipher suite. Then it leaves the pipeline.
final class ServerHelloObserver: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var reader = TLSHandshakeReader(endsWithServerHello: true)
    private let found: (ServerHello) -> Void

    init(found: @escaping (ServerHello) -> Void) { self.found = found }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.read(unwrapInboundIn(data).readableBytesView)
        if let hello = reader.serverHello { found(hello) }
        // This comes before the removal: a removed handler has no next handler to which it could pass the data.
        context.fireChannelRead(data)
        guard reader.isEnded else { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
