import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// The floor of SwiftNIO and its TLS: one connection for each task, a request prepared once, an answer framed by its length.
final class BareClient: Rival {
    private let channels: [any Channel]
    private let request: ByteBuffer

    init(_ url: URL, _ files: Files, connections: Int) async throws {
        guard let host = url.host(), let port = url.port else { throw CallRivals.Usage() }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(files.authority)
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))
        let context = try NIOSSLContext(configuration: configuration)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: host)
                    try channel.pipeline.syncOperations.addHandlers([tls, AnswerHandler()])
                }
            }
        var channels: [any Channel] = []
        for _ in 0..<connections { channels.append(try await bootstrap.connect(host: host, port: port).get()) }
        self.channels = channels
        var request = ByteBuffer()
        request.writeString(
            "POST \(url.path()) HTTP/1.1\r\nHost: \(host):\(port)\r\nContent-Type: text/xml; charset=utf-8\r\n"
                + "SOAPAction: \"\"\r\nContent-Length: \(files.request.count)\r\n\r\n")
        request.writeBytes(files.request)
        self.request = request
    }

    func call(_ number: Int) async throws -> Int {
        let channel = channels[number]
        return try await withCheckedThrowingContinuation { continuation in
            channel.writeAndFlush(Call(request: request, continuation: continuation), promise: nil)
        }
    }

    func close() async throws { for channel in channels { try await channel.close() } }
}

private struct Call: Sendable {
    let request: ByteBuffer
    let continuation: CheckedContinuation<Int, any Error>
}

/// Knows nothing but answers with `Content-Length`.
private final class AnswerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Call
    typealias OutboundOut = ByteBuffer

    private var waiting: CheckedContinuation<Int, any Error>?
    private var answer = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        waiting = call.continuation
        context.write(wrapOutboundOut(call.request), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        answer.writeBuffer(&bytes)
        guard let length = answer.withUnsafeReadableBytes(Self.length) else { return }
        answer.clear()
        let continuation = waiting
        waiting = nil
        continuation?.resume(returning: length)
    }

    /// The length of the content, when all of it is there.
    private static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let end = place(behind: "\r\n\r\n", in: bytes), let field = place(behind: "Content-Length: ", in: bytes)
        else {
            return nil
        }
        var length = 0
        for byte in bytes[field...] {
            guard (48...57).contains(byte) else { break }
            length = length * 10 + Int(byte) - 48
        }
        return bytes.count - end >= length ? length : nil
    }

    private static func place(behind text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        text.withUTF8Buffer { text in
            guard bytes.count >= text.count else { return nil }
            return (0...bytes.count - text.count).first { start in
                text.indices.allSatisfy { bytes[start + $0] == text[$0] }
            }.map { $0 + text.count }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }
    func channelInactive(context: ChannelHandlerContext) { fail(CallRivals.BadAnswer(), context) }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let continuation = waiting
        waiting = nil
        continuation?.resume(throwing: error)
        context.close(promise: nil)
    }
}
