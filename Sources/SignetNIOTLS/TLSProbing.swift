import NIOCore
import NIOSSL
package import SignetTLS
import Synchronization

/// What a client that examines a server offers in place of the usual, and where it keeps what passed.
package struct TLSProbing: Sendable {
    /// The name that the client sends (RFC 6066 §3).
    package enum ServerName: Sendable, Hashable {
        /// That of the host, unless it is an address.
        case usual
        case none
        case other(String)
    }

    /// The versions that are offered; nil for the usual ones.
    package var versions: TLSVersionRange?
    package var serverName = ServerName.usual
    /// Whether few suites and groups are offered, so that the first message fits into one packet.
    package var isSmall = false
    /// Keeps what passed over the connections to the server.
    package let log = HandshakeLog()
    /// Keeps what passed of TLS with a proxy, in which nothing differs from the usual.
    package let proxyLog = HandshakeLog()

    package init() {}

    func apply(to configuration: inout TLSConfiguration) {
        guard isSmall else { return }
        configuration.curves = [.x25519, .secp256r1]
        configuration.cipherSuiteValues = Array(configuration.cipherSuiteValues.prefix(4))
        configuration.maximumTLSVersion = .tlsv12
    }
}

/// What passed over the connections of one probe. A call that falls back to HTTP/1.1 needs two, and a host with several
/// addresses may.
package final class HandshakeLog: Sendable {
    private let recorders = Mutex<[HandshakeRecorder]>([])

    package init() {}

    /// For a connection that begins.
    package func begin() -> HandshakeRecorder {
        let recorder = HandshakeRecorder()
        recorders.withLock { $0.append(recorder) }
        return recorder
    }

    package var isEmpty: Bool { recorders.withLock { $0.isEmpty } }

    /// That of the last connection over which bytes came from the server; without one, that of the last connection.
    package var last: HandshakeRecorder {
        let all = recorders.withLock { $0 }
        return all.last { $0.server.hasBytes } ?? all.last ?? HandshakeRecorder()
    }
}

/// Reads what both ends of one TLS connection send in clear, and the server's encrypted handshake in TLS 1.3: a
/// diagnosis needs its request for a certificate.
package final class HandshakeRecorder: Sendable {
    private struct State {
        var client = TLSHandshakeReader()
        var server = TLSHandshakeReader()
        var presented: [EncodedCertificate] = []
        var secret: HandshakeSecret?
    }

    private let state = Mutex(State())

    package init() {}

    /// What the client has sent so far.
    package var client: TLSHandshakeReader { state.withLock { $0.client } }

    /// What the server has sent so far.
    package var server: TLSHandshakeReader {
        state.withLock { state in
            var server = state.server
            if let secret = state.secret { server.open(with: secret) }
            return server
        }
    }

    /// What the peer presented, its own certificate first; also in TLS 1.3, where it is not in clear.
    package var presented: [EncodedCertificate] { state.withLock { $0.presented } }

    func presented(_ certificates: [EncodedCertificate]) { state.withLock { $0.presented = certificates } }

    /// The client's TLS has derived a secret; others than that of the server's handshake are not kept.
    func derived(_ line: ByteBuffer) {
        guard let secret = HandshakeSecret(keyLogLine: line.readableBytesView) else { return }
        state.withLock { $0.secret = secret }
    }

    func fromClient(_ buffer: ByteBuffer) { state.withLock { $0.client.read(buffer.readableBytesView) } }

    func fromServer(_ buffer: ByteBuffer) { state.withLock { $0.server.read(buffer.readableBytesView) } }

    func end() {
        state.withLock {
            $0.client.end()
            $0.server.end()
            if let secret = $0.secret { $0.server.open(with: secret) }
            $0.secret = nil
        }
    }
}

/// Passes on what it shows to the recorder. It stands below the TLS handler.
final class RecordingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let recorder: HandshakeRecorder
    private let isServer: Bool

    /// - Parameter isServer: whether this end is the server.
    init(_ recorder: HandshakeRecorder, isServer: Bool = false) {
        self.recorder = recorder
        self.isServer = isServer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if isServer { recorder.fromClient(bytes) } else { recorder.fromServer(bytes) }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        recorder.end()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if isServer { recorder.fromServer(bytes) } else { recorder.fromClient(bytes) }
        context.write(data, promise: promise)
    }
}
