import NIOCore
import NIOHTTP1
import NIOPosix
import NIOTLS
import SignetDiagnosis
package import SignetNIOTLS
import SignetNIOTransport
package import SignetTLS
import Synchronization

/// A server for clients whose connections fail: it says of each what it offers, what it shows, and why it is refused.
///
/// It answers every request with a small text, whatever the request asks for, and keeps nothing of it.
package struct ClientListener: Sendable {
    /// The server's own.
    package var identity: Identity
    package var clients: ClientCertificatePolicy
    /// The limit of each connection, from its acceptance to its answer.
    package var stepLimit = Duration.seconds(10)
    /// How many connections are open at the same time; more are closed at once.
    package var maximumConnections = 64
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64

    package init(_ identity: Identity, clients: ClientCertificatePolicy, now: @escaping @Sendable () -> Int64) {
        self.identity = identity
        self.clients = clients
        self.now = now
    }

    /// Listens until enough connections have ended, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: how many connections are enough, without those that only looked whether the port is open; nil for no
    ///     limit.
    ///   - started: gets the address on which the server listens, with the port that the system chose for 0.
    ///   - ended: gets the report of each connection when it has ended.
    /// - Throws: `TLSFailure` when the identity cannot be used; ``ListeningFailure`` when the address cannot.
    package func run(
        on host: String, port: Int, count: Int? = nil, started: (String) -> Void, ended: (ClientReport) -> Void
    ) async throws {
        let tls = try ServerTLS(
            identity: identity, clients: clients, tolerating: Examination.problemsOfUseOrTime, now: now)
        let (connections, ends) = AsyncStream<ClientReport>.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        let open = OpenConnections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard open.enter(limit: maximumConnections) else { throw ChannelError.operationUnsupported }
                    channel.closeFuture.whenComplete { _ in open.leave() }
                    try addHandlers(to: channel, tls) { ends.yield($0) }
                }
            }
        let server: any Channel
        do { server = try await bootstrap.bind(host: host, port: port).get() } catch {
            throw ListeningFailure(
                description:
                    "Cannot listen at \(host), port \(port). Is it in use, or is the address not of this machine? (\(error.socketReason))"
            )
        }
        started(server.localAddress?.hostAndPort ?? "\(host):\(port)")
        var rest = count ?? .max
        for await report in connections {
            ended(report)
            if report.client.end == .onlyOpened { continue }
            rest -= 1
            if rest <= 0 { break }
        }
        try? await server.close().get()
    }

    private func addHandlers(
        to channel: any Channel, _ tls: ServerTLS, _ ended: @escaping @Sendable (ClientReport) -> Void
    ) throws {
        let recorder = HandshakeRecorder()
        let pipeline = channel.pipeline.syncOperations
        try tls.addHandlers(to: channel, recorder: recorder)
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        let facts = ClientConnectionFacts(
            peer: channel.remoteAddress?.hostAndPort ?? "unknown", isAsked: clients != .notRequested)
        let time = now()
        try pipeline.addHandler(
            ClientObserver(facts, recorder, anchors: clients.anchorNames, limit: TimeAmount(limited: stepLimit)) {
                ended(ClientReport($0, at: time))
            })
    }
}

/// Why a server cannot listen.
package struct ListeningFailure: Error, CustomStringConvertible {
    package let description: String
}

extension ClientCertificatePolicy {
    /// The names of the authorities that the server accepts.
    fileprivate var anchorNames: [String] {
        switch self {
        case .notRequested: []
        case .requested(let policy), .required(let policy): policy.anchorNames
        }
    }
}

/// Counts connections.
private final class OpenConnections: Sendable {
    private let count = Mutex(0)

    func enter(limit: Int) -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// Answers the requests of one connection, and notes how the connection ends.
private final class ClientObserver: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var facts: ClientConnectionFacts
    private let recorder: HandshakeRecorder
    private let anchors: [String]
    private let limit: TimeAmount
    private let ended: (ClientConnectionFacts) -> Void
    private var deadline: Scheduled<Void>?
    private var isComplete = false
    /// Whether ``ClientConnectionFacts/end`` is final.
    private var isDecided = false

    init(
        _ facts: ClientConnectionFacts, _ recorder: HandshakeRecorder, anchors: [String], limit: TimeAmount,
        ended: @escaping (ClientConnectionFacts) -> Void
    ) {
        self.facts = facts
        self.recorder = recorder
        self.anchors = anchors
        self.limit = limit
        self.ended = ended
    }

    func channelActive(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
            decide(.timedOut)
            context.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isComplete = true }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data), !isDecided else { return }
        decide(.answered)
        let text = "This server examines connections. It has no service.\n"
        let fields: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "content-length": "\(text.utf8.count)", "connection": "close",
        ]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !isDecided { take(error, context.channel) }
        context.close(promise: nil)
    }

    private func take(_ error: any Error, _ channel: any Channel) {
        if error is HTTPParserError { return decide(.failed, "What it sent over TLS is no request of HTTP.") }
        switch ServerTLS.failure(error, on: channel) {
        case .refused(let refusal):
            facts.verdict = TrustVerdict("this server", refusal, anchors: anchors)
            decide(.refused)
        case .withoutCertificate: decide(.withoutCertificate)
        case .key(let failure): decide(.failed, failure.message)
        case .alert(let alert): take(alert)
        case .incompatible(let reason): decide(.incompatible, "This server says: \(reason).")
        case .handshake(let reason):
            if let alertInClear { take(alertInClear) } else { decide(.failed, "This server says: \(reason).") }
        case .gone(let reason):
            if let alertInClear { take(alertInClear) } else { facts.problem = "This server says: \(reason)." }
        }
    }

    private func take(_ alert: TLSAlert) {
        facts.alert = .init(alert, isFromServer: false, at: isComplete ? .finished : .serverHello)
        decide(.alert)
    }

    /// OpenSSL sends an alert about the server's certificate of TLS 1.3 in clear, where the server expects it encrypted
    /// (RFC 8446 §5) and takes it for a damaged record.
    private var alertInClear: TLSAlert? {
        for case .alert(let alert) in recorder.client.items where alert.code != 0 { return alert }
        return nil
    }

    private func decide(_ end: ClientConnectionFacts.End, _ problem: String? = nil) {
        if isDecided { return }
        isDecided = true
        facts.end = end
        facts.problem = problem
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        let client = recorder.client
        for case .clientHello(let hello) in client.items { facts.offer = .init(hello) }
        if let hello = recorder.server.serverHello {
            facts.version = hello.versionName
            facts.cipherSuite = hello.cipherSuiteName
        }
        facts.certificates = recorder.presented.map(CertificateFacts.init)
        if facts.verdict == nil, let path = ServerTLS.certificationPath(of: context.channel) {
            facts.verdict = TrustVerdict(
                "this server", certificates: path.certificates.map(CertificateFacts.init), anchors: anchors)
        }
        if !isDecided {
            let isForeign = client.items.contains { if case .foreign = $0 { true } else { false } }
            let hasBytes = client.hasBytes
            decide(
                isComplete ? .closedWithoutRequest : isForeign ? .notTLS : hasBytes ? .closed : .onlyOpened,
                facts.problem)
        }
        ended(facts)
        context.fireChannelInactive()
    }
}
