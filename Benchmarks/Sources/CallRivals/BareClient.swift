import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The floor of SwiftNIO and its TLS: one connection for each task, a request prepared once, an answer framed by its
/// length.
final class BareClient: Rival {
    private typealias Connection = (channel: any Channel, handler: NIOLoopBound<AnswerHandler>)
    private let context: NIOSSLContext
    private let host: String
    private let port: Int
    private let request: ByteBuffer
    private let keepsConnections: Bool
    private let connections: Mutex<[Connection?]>

    /// - Parameter keepsThem: whether a connection carries more than one call.
    init(_ url: URL, _ files: Files, connections number: Int, keepsThem: Bool) throws {
        guard let host = url.host(), let port = url.port else { throw CallRivals.Usage() }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(files.authority)
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))
        context = try NIOSSLContext(configuration: configuration)
        (self.host, self.port, keepsConnections) = (host, port, keepsThem)
        connections = Mutex(Array(repeating: nil, count: number))
        var request = ByteBuffer()
        request.writeString(
            "POST \(url.path()) HTTP/1.1\r\nHost: \(host):\(port)\r\nContent-Type: text/xml; charset=utf-8\r\n"
                + "SOAPAction: \"\"\r\nContent-Length: \(files.request.count)\r\n\r\n")
        request.writeBytes(files.request)
        self.request = request
    }

    func call(_ number: Int) async throws -> Int {
        if let connection = connections.withLock({ $0[number] }) { return try await call(over: connection) }
        let connection = try await connect()
        let length = try await call(over: connection)
        if keepsConnections {
            connections.withLock { $0[number] = connection }
        } else {
            await close(connection)
        }
        return length
    }

    func open(_ connections: Int) async throws { for number in 0..<connections { _ = try await call(number) } }

    func close() async {
        for connection in connections.withLock({ $0 }) { if let connection { await close(connection) } }
    }

    private func connect() async throws -> Connection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [context, host] channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(context: context, serverHostname: host)
                    try channel.pipeline.syncOperations.addHandlers([tls, AnswerHandler()])
                }
            }
            .connect(host: host, port: port).get()
        let handler = try await channel.eventLoop.submit {
            NIOLoopBound(
                try channel.pipeline.syncOperations.handler(type: AnswerHandler.self), eventLoop: channel.eventLoop)
        }.get()
        return (channel, handler)
    }

    private func call(over connection: Connection) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            connection.channel.eventLoop.execute { [request] in connection.handler.value.call(request, continuation) }
        }
    }

    /// A server may close without a last word of TLS.
    private func close(_ connection: Connection) async { try? await connection.channel.close() }
}

/// Knows nothing but answers with `Content-Length`.
private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var waiting: CheckedContinuation<Int, any Error>?
    private var answer = ByteBuffer()

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func call(_ request: ByteBuffer, _ continuation: CheckedContinuation<Int, any Error>) {
        guard let context, context.channel.isActive else {
            return continuation.resume(throwing: CallRivals.BadAnswer())
        }
        waiting = continuation
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        answer.writeBuffer(&bytes)
        guard let length = answer.withUnsafeReadableBytes(Framing.length) else { return }
        answer.clear()
        let continuation = waiting
        waiting = nil
        continuation?.resume(returning: length)
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
