#if Server
import NIOCore
import NIOHTTP1

/// Tells Hummingbird which requests are the last of their connections, because Hummingbird considers neither the
/// version of HTTP, nor that `Connection` is a list. A client of HTTP/1.0 that did not ask for a persistent connection
/// waits for the end of the connection (RFC 9112 §9.3). It does not know chunks (§6.1) either, so that an answer of
/// unknown length also ends with the connection.
///
/// It also ensures that each request has one answer. The answer to a wrongly framed request is the last, and the server
/// reads nothing after that request (§2.2). While the server shuts down, it closes a connection without a request at
/// once.
final class ConnectionPersistence: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// An answer that the server still owes.
    private struct Owed {
        var version: HTTPVersion
        /// Whether the connection ends with this answer.
        var isLast: Bool
    }

    /// How long a client may take to receive the answer to a wrongly framed request; the server ignores what the client
    /// sends in this time.
    private static let lingering = TimeAmount.seconds(1)

    private let gate: ConnectionGate
    /// The answers owed to requests that are not answered yet, the oldest first.
    private var owed = CircularBuffer<Owed>()
    /// Whether a part of the newest request has not arrived yet.
    private var isReading = false
    private var isBroken = false
    /// Whether an answer is being written, and whether the connection ends with it.
    private var isWriting = false
    private var endsConnection = false
    /// Whether only the end of the connection marks the end of the answer.
    private var isUnframed = false
    /// Whether the last answer is written.
    private var isEnding = false
    /// The number of answers that are written completely and not delivered yet: a client may take long to receive one.
    private var undelivered = 0
    /// Whether the connection ends as soon as no answer is owed, because the server shuts down or the client was silent
    /// for too long.
    private var isLeaving = false
    /// Whether a close waits until the client has its answer.
    private var isHeldBack = false
    /// Whether the connection's task ends, so that the connection waits for nothing more.
    private var isCancelled = false

    init(_ gate: ConnectionGate) { self.gate = gate }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            gate.open()
            isReading = true
            let isLast = Self.isLast(head)
            owed.append(Owed(version: head.version, isLast: isLast))
            guard isLast else { break }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: break
        case .end:
            isReading = false
            context.fireChannelRead(data)
            // The answer may have been written before the request was read to its end.
            return leave(context)
        }
        context.fireChannelRead(data)
    }

    /// After a request to switch protocols, which the server declines, NIO's decoder reads nothing more. A request of
    /// HTTP/1.0 with chunks counts as wrongly framed (RFC 9112 §6.1).
    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        let switches =
            head.method == .CONNECT
            || head.headers.contains(name: "upgrade")
                && head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
        let isOld = head.version.major == 1 && head.version.minor == 0
        return !head.isKeepAlive || switches || isOld && head.headers.contains(name: "transfer-encoding")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, !isBroken {
            isBroken = true
            if !isReading {
                // The error takes the place of a request, and Hummingbird answers it.
                owed.append(Owed(version: .http1_1, isLast: true))
            } else if let newest = owed.indices.last {
                owed[newest].isLast = true
            } else if isWriting {
                endsConnection = true
            } else {
                end(context)
            }
        }
        // Bytes after a framing error cause no error of their own.
        if !(error is ByteToMessageDecoderError) { context.fireErrorCaught(error) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        // Hummingbird would close the connection as soon as its last answer is written; the client may not have
        // received it then.
        isLeaving = true
        leave(context)
    }

    /// Hummingbird closes a connection that has had no requests for a while, even when its client is still receiving an
    /// answer; such a close has to wait. The end of the connection's task, which also closes the input, cuts the answer
    /// off, whichever of the two comes first.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .input {
            isCancelled = true
            if isHeldBack { return context.close(mode: .all, promise: promise) }
        }
        let isIdle = owed.isEmpty && !isWriting && !isReading
        guard mode == .all, isIdle, undelivered > 0, !isCancelled else {
            return context.close(mode: mode, promise: promise)
        }
        isLeaving = true
        isHeldBack = true
        if let promise { context.channel.closeFuture.cascade(to: promise) }
    }

    /// Closes a connection that has to end, as soon as the client has received everything that was written for it and
    /// no further answer is owed.
    private func leave(_ context: ChannelHandlerContext) {
        guard isLeaving, undelivered == 0, owed.isEmpty, !isWriting, !isReading else { return }
        isLeaving = false
        // TLS sends its close alert, and does not wait for the alert of the client.
        context.close(mode: .output, promise: nil)
        gate.close()
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            guard let next = owed.popFirst() else { return drop(promise) }
            isWriting = true
            let isOld = next.version.major == 1 && next.version.minor == 0
            isUnframed = isOld && !head.headers.contains(name: "content-length")
            endsConnection = next.isLast || isUnframed || isLeaving && owed.isEmpty && !isReading
            guard endsConnection else { return context.write(data, promise: promise) }
            if isUnframed { head.version = next.version }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where isWriting:
            isWriting = false
            undelivered += 1
            let isEnd = isUnframed || isBroken && endsConnection
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.assumeIsolated().whenComplete { _ in
                self.undelivered -= 1
                if isEnd { self.end(context) } else { self.leave(context) }
            }
            if isEnd { context.writeAndFlush(data, promise: written) } else { context.write(data, promise: written) }
        case .head: context.write(data, promise: promise)
        default:
            if isWriting { context.write(data, promise: promise) } else { drop(promise) }
        }
    }

    /// Ends the connection after the answer that was written last.
    private func end(_ context: ChannelHandlerContext) {
        isEnding = true
        guard isBroken else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.lingering) { self.gate.close() }
    }

    /// Drops an answer that belongs to no request: the client would take it for the answer to its next request.
    private func drop(_ promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.ioOnClosedChannel)
        if !isEnding { gate.close() }
    }
}
#endif
