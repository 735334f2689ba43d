#if Server
import NIOCore
import SignetHTTP

/// The header with which a proxy tells a server who the client is: the PROXY protocol of HAProxy, versions 1 and 2.
enum ProxyHeader {
    /// Whom a header names.
    enum Client: Equatable, Sendable {
        case address(SocketAddress)
        /// A client whose address the proxy does not know, or which has no IP address.
        case unknown
        /// The proxy itself, which examines the server (`LOCAL`).
        case proxy
    }

    enum Finding: Equatable {
        /// More bytes are needed.
        case incomplete
        /// What is wrong with the header.
        case invalid(String)
        case complete(length: Int, client: Client)
    }

    /// The longest header that is accepted: a header of version 2 may also hold details of TLS, which are skipped.
    static let maximumBytes = 4096

    private static let signature2: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let signature1 = Array("PROXY ".utf8)
    /// With its line break.
    private static let maximumBytes1 = 107

    static func read(_ bytes: [UInt8]) -> Finding {
        for (signature, read) in [(signature2, version2), (signature1, version1)] {
            if bytes.starts(with: signature) { return read(bytes) }
            if signature.starts(with: bytes) { return .incomplete }
        }
        return .invalid("it does not begin with a header of the PROXY protocol")
    }

    /// §2.1: `PROXY TCP4 192.0.2.7 198.51.100.1 56324 443`.
    private static func version1(_ bytes: [UInt8]) -> Finding {
        let line = bytes.prefix(maximumBytes1)
        guard let end = line.firstIndex(of: 0x0A) else {
            return bytes.count < maximumBytes1
                ? .incomplete : .invalid("its line is longer than \(maximumBytes1) bytes")
        }
        guard line[..<end].last == 0x0D else { return .invalid("its line does not end with CR LF") }
        let words = String(decoding: line[..<(end - 1)], as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        if words.dropFirst().first == "UNKNOWN" { return .complete(length: end + 1, client: .unknown) }
        guard words.count == 6, words[1] == "TCP4" || words[1] == "TCP6",
            words[1] == "TCP4" ? !words[2].contains(":") : words[2].contains(":"),
            AddressBlock.octets(of: String(words[3])) != nil, port(words[5]) != nil, let port = port(words[4]),
            AddressBlock.octets(of: String(words[2])) != nil,
            let client = try? SocketAddress(ipAddress: String(words[2]), port: port)
        else { return .invalid("its line names no addresses of TCP") }
        return .complete(length: end + 1, client: .address(client))
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.utf8.count <= 5 else { return nil }
        return UInt16(text).map { Int($0) }
    }

    /// §2.2.
    private static func version2(_ bytes: [UInt8]) -> Finding {
        let start = signature2.count + 4
        guard bytes.count >= start else { return .incomplete }
        let (command, family) = (bytes[signature2.count], bytes[signature2.count + 1])
        let length = Int(bytes[start - 2]) << 8 | Int(bytes[start - 1])
        guard command == 0x20 || command == 0x21 else { return .invalid("its version or command is unknown") }
        guard start + length <= maximumBytes else { return .invalid("it is longer than \(maximumBytes) bytes") }
        guard bytes.count >= start + length else { return .incomplete }
        let addresses = bytes[start..<(start + length)]
        if command == 0x20 { return .complete(length: start + length, client: .proxy) }
        let size: Int
        switch family {
        case 0x11: size = 4
        case 0x21: size = 16
        // Not specified, or a socket in the file system.
        case 0x00, 0x31: return .complete(length: start + length, client: .unknown)
        default: return .invalid("its family or transport is unknown")
        }
        guard addresses.count >= 2 * size + 4 else { return .invalid("it has no room for its addresses") }
        let ports = addresses.dropFirst(2 * size)
        let port = ports.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        guard let client = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: addresses.prefix(size)), port: port)
        else {
            return .invalid("its address cannot be used")
        }
        return .complete(length: start + length, client: .address(client))
    }
}

/// Reads the header of a proxy from a connection, and keeps what follows it until the handlers for that are there. It is there from
/// the beginning: what arrived before it, and the end of the client's side, would be lost.
final class ProxyHeaderReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Failure: Error, CustomStringConvertible {
        let description: String
        /// Whether the connection ended before the header was wrong or late.
        var isEnd = false
    }

    /// The most bytes that are kept behind the header.
    private static let maximumKept = 256 << 10

    /// Nil until the header has been read, or cannot be.
    private var outcome: Result<ProxyHeader.Client, any Error>?
    private var result: EventLoopPromise<ProxyHeader.Client>?
    private let allowed: TimeAmount
    private var received: [UInt8] = []
    /// Whether the client has ended its side behind the bytes that are kept.
    private var isInputClosed = false
    private var timer: Scheduled<Void>?

    /// - Parameter allowed: how long the header may take.
    init(allowed: Duration) { self.allowed = TimeAmount(min(allowed, .seconds(1_000_000_000))) }

    /// Completes the promise as soon as the header has been read.
    func complete(_ promise: EventLoopPromise<ProxyHeader.Client>) {
        if let outcome { promise.completeWith(outcome) } else { result = promise }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: allowed) {
            self.fail("no header of the PROXY protocol came in time")
        }
        if context.channel.isActive { context.read() }
    }

    func channelActive(context: ChannelHandlerContext) {
        // The connection reads nothing by itself yet.
        context.read()
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { finish(.failure(ChannelError.ioOnClosedChannel)) }

    func channelInactive(context: ChannelHandlerContext) {
        fail("the connection ended before its header of the PROXY protocol", isEnd: true)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, outcome == nil { fail("the server shuts down", isEnd: true) }
        if event as? ChannelEvent == .inputClosed {
            guard outcome != nil else {
                return fail("the connection ended before its header of the PROXY protocol", isEnd: true)
            }
            // It must not overtake what is kept.
            isInputClosed = true
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        if outcome == nil {
            switch ProxyHeader.read(received) {
            case .incomplete: break
            case .invalid(let defect):
                received = []
                fail("its header of the PROXY protocol is invalid: \(defect)")
            case .complete(let length, let client):
                received.removeFirst(length)
                finish(.success(client))
            }
        }
        guard received.count > Self.maximumKept else { return }
        received = []
        context.close(promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if outcome == nil { context.read() }
        context.fireChannelReadComplete()
    }

    /// Passes on what follows the header.
    func release(_ context: ChannelHandlerContext) {
        let kept = received
        received = []
        if !kept.isEmpty {
            context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: kept)))
            context.fireChannelReadComplete()
        }
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func fail(_ reason: String, isEnd: Bool = false) {
        finish(.failure(Failure(description: reason, isEnd: isEnd)))
    }

    private func finish(_ outcome: Result<ProxyHeader.Client, any Error>) {
        timer?.cancel()
        timer = nil
        guard self.outcome == nil else { return }
        self.outcome = outcome
        result?.completeWith(outcome)
        result = nil
    }
}
#endif
