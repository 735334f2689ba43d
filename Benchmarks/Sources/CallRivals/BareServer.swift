import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The floor of SwiftNIO and its TLS for a server: a request framed by its length, an answer prepared once.
enum BareServer {
    /// Serves until it is killed.
    static func run(port: Int, folder: String) async throws {
        let files = try Files(folder: folder)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile("\(folder)/server.pem").map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: "\(folder)/server.key", format: .pem)))
        configuration.trustRoots = .file(files.authority)
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let content = try Data(contentsOf: URL(filePath: "\(folder)/answer.xml"))
        var answer = ByteBuffer(
            string:
                "HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: \(content.count)\r\n\r\n")
        answer.writeBytes(content)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 4096)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [answer] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), RequestHandler(answer),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }
}

/// Knows nothing but requests with `Content-Length`.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer
    private var request = ByteBuffer()

    init(_ answer: ByteBuffer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        request.writeBuffer(&bytes)
        guard request.withUnsafeReadableBytes(Framing.length) != nil else { return }
        request.clear()
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
