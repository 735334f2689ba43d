import NIOCore
import NIOHTTP1
import NIOPosix
import SignetHTTP
import SignetNIOTLS
import SignetTLS
import Synchronization

/// Opens connections: name resolution, TCP and TLS within one deadline.
struct Connector: Sendable {
    let maximumFieldBytes: Int
    /// The limit of calls that share a connection.
    var maximumCalls = 1
    let acceptsCompression: Bool
    /// For how long the client keeps a connection when no call uses it.
    let idleTimeout: TimeAmount
    let toleratedIdentityProblems: Set<IdentityProblem.Code>
    let resolver: (any Resolver & Sendable)?
    let revocation: RevocationLookups
    var probing: TLSProbing?
    let now: @Sendable () -> Int64

    /// The handlers of the channels of an attempt, one for each address. A channel may have failed and dropped its
    /// handlers by the time it is reported as connected; its handler still knows the reason.
    private typealias Openings = NIOLoopBoundBox<[ObjectIdentifier: ConnectionOpening]?>

    /// What a connection calls before an idle one closes itself, and when it has changed.
    struct Owner: Sendable {
        /// - Parameter atServersLimit: whether the server would soon close it, so that keeping it is of no use.
        var mayExpire: @Sendable (_ atServersLimit: Bool) -> Bool
        /// So many calls can use it at once from now on.
        var resize: @Sendable (_ capacity: Int) -> Void
        /// It carries no further call.
        var retire: @Sendable () -> Void
        /// The server wants HTTP/1.1.
        var fallBack: @Sendable () -> Void
        var closed: @Sendable () -> Void
        /// What is known about how long the peer keeps idle connections.
        var idleLimit: ServerIdleLimit
    }

    /// One attempt to open a connection.
    struct Attempt: Sendable {
        /// The number of the new connection.
        let number: Int
        let allowed: Duration
        let deadline: CallDeadline
        let start = NIODeadline.now()

        var limit: NIODeadline { min(start + TimeAmount(limited: allowed), deadline.total) }
    }

    /// Opens a new channel.
    ///
    /// - Parameter owner: nil for a connection to a proxy, which has no owner until the tunnel is open.
    func open(
        to peer: Peer, _ attempt: Attempt, on loop: any EventLoop, owner: Owner?
    ) async throws -> HTTPConnection {
        let openings = Openings.makeEmptyBox(valueType: [ObjectIdentifier: ConnectionOpening].self, eventLoop: loop)
        return try await establish(
            peer, attempt, on: loop,
            waitsFor: { openings.value?.values.lazy.compactMap { $0.tls?.waitsFor }.first }
        ) { opening in
            let bootstrap = bootstrap(for: peer, on: loop, limit: attempt.limit, openings: openings)
            let connecting: EventLoopFuture<any Channel> =
                switch peer.address {
                case .host(let host, let port): bootstrap.connect(host: host, port: port)
                case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
                }
            connecting.hop(to: loop).whenComplete { result in
                switch result {
                case .failure(let error):
                    opening.end(.failure(ConnectionFailure.describe(connecting: error, peer: peer)))
                case .success(let channel):
                    if let error = ConnectionFailure.foreignLocalhost(at: channel.remoteAddress, peer: peer) {
                        channel.close(promise: nil)
                        return opening.end(.failure(error))
                    }
                    let handler = openings.value?[ObjectIdentifier(channel)]
                    let known = openings.value?.values.lazy.map(\.creation).min()
                    connected(channel, handler, attempt, opening, owner, certificate: peer.identity.certificate) {
                        report in
                        if let known { report.nameResolution = Duration(known - attempt.start) }
                        guard peer.isProxy else { return }
                        report.proxy = "\(peer.origin)"
                        (report.tls, report.proxyTLS) = (nil, report.tls)
                    }
                }
            }
        }
    }

    /// Opens a connection to an origin through the tunnel that a proxy has opened.
    func tunnel(
        through proxy: HTTPConnection, to peer: Peer, _ attempt: Attempt, owner: Owner
    ) async throws -> HTTPConnection {
        let loop = proxy.channel.eventLoop
        let installed = Openings.makeEmptyBox(valueType: [ObjectIdentifier: ConnectionOpening].self, eventLoop: loop)
        return try await establish(
            peer, attempt, on: loop,
            waitsFor: { installed.value?.values.lazy.compactMap { $0.tls?.waitsFor }.first }
        ) { opening in
            loop.execute {
                let channel = proxy.channel
                // A tunnel is the whole connection, so its carrier is that of HTTP/1.1.
                let left =
                    (proxy.carrier.value as? ConnectionHandler)?.leave(on: loop)
                    ?? loop.makeFailedFuture(StaleConnection())
                left.assumeIsolated().whenComplete { result in
                    do {
                        try result.get()
                        let handler = try install(on: channel, peer: peer)
                        installed.value = [ObjectIdentifier(channel): handler]
                        connected(
                            channel, handler, attempt, opening, owner, certificate: peer.identity.certificate,
                            exceptions: proxy.exceptions
                        ) { report in
                            report.proxy = proxy.report.proxy
                            report.proxyTLS = proxy.report.proxyTLS
                            report.establishment += proxy.report.establishment
                            report.nameResolution = proxy.report.nameResolution
                            report.handshake += proxy.report.handshake
                        }
                    } catch {
                        channel.close(promise: nil)
                        opening.end(.failure(ConnectionFailure.describe(connecting: error, peer: peer)))
                    }
                }
            }
        }
    }

    // MARK: Common steps

    /// Limits an attempt by its deadline and the cancellation of its task.
    private func establish(
        _ peer: Peer, _ attempt: Attempt, on loop: any EventLoop, waitsFor: @escaping @Sendable () -> String?,
        begin: (Opening) -> Void
    ) async throws -> HTTPConnection {
        switch peer.identity {
        case .given(let identity), .late(let identity): try check(identity)
        case .none, .onDemand: break
        }
        let opening = Opening()
        let timer = loop.scheduleTask(deadline: attempt.limit) {
            opening.end(.failure(Self.late(to: peer, attempt, waitsFor: waitsFor())))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                opening.begin(continuation)
                begin(opening)
            }
        } onCancel: {
            opening.end(.failure(TransportError.cancelled()))
        }
    }

    /// Refuses an identity that no server would accept, before anything is sent.
    func check(_ identity: Identity) throws(TransportError) {
        do throws(IdentityProblem) {
            try identity.requireUsable(at: now(), as: .client, tolerating: toleratedIdentityProblems)
        } catch {
            throw TransportError(
                .unusableIdentity, "\(error) No connection was made with this certificate.", cause: error)
        }
    }

    /// - Parameter waitsFor: what the client's own side still waits for.
    private static func late(to peer: Peer, _ attempt: Attempt, waitsFor: String?) -> TransportError {
        if attempt.deadline.hasPassed {
            return attempt.deadline.exceeded(while: waitsFor.map { "waiting for \($0)" } ?? "connecting to \(peer)")
        }
        return TransportError(
            .connectTimeout,
            waitsFor.map {
                "After \(attempt.allowed) the connection to \(peer) still waited for \($0); a device may be absent, or a person has not answered yet."
            } ?? "The connection to \(peer) was not open after \(attempt.allowed); it may be silent or far away.")
    }

    private func bootstrap(
        for peer: Peer, on loop: any EventLoop, limit: NIODeadline, openings: Openings
    ) -> ClientBootstrap {
        let bootstrap = ClientBootstrap(group: loop)
            .resolver(resolver)
            .connectTimeout(max(.milliseconds(1), limit - .now()))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let opening = try install(on: channel, peer: peer)
                    openings.value = (openings.value ?? [:]).merging([ObjectIdentifier(channel): opening]) { $1 }
                }
            }
        if case .unixSocket = peer.address { return bootstrap }
        return bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// Adds TLS to a channel, if the peer speaks it, and later HTTP. Call it on the channel's event loop.
    func install(on channel: any Channel, peer: Peer) throws -> ConnectionOpening {
        var tls: ClientTLS?
        if peer.origin.scheme == .https {
            let log = peer.isProxy ? probing?.proxyLog : probing?.log
            let client = ClientTLS(
                identity: peer.identity, trust: peer.trust, exceptions: peer.exceptions,
                lookUp: revocation.lookup(of: peer), host: peer.origin.host, port: peer.origin.port,
                isProxy: peer.isProxy, allowsInsecureCipherSuites: peer.allowsInsecureCipherSuites,
                applicationProtocols: peer.isOfferedHTTP2 ? ["h2", "http/1.1"] : [],
                probing: peer.isProxy ? nil : probing, recorder: log?.begin(), now: now)
            try client.addHandlers(to: channel)
            tls = client
        }
        let opening = ConnectionOpening(tls: tls, host: peer.host) { [tls] application, position, channel, ready in
            if application == "h2" {
                try installHTTP2(tls, host: peer.host, at: position, on: channel, ready: ready)
            } else {
                ready(.success(try installHTTP1(tls, host: peer.host, at: position, on: channel)))
            }
        }
        try channel.pipeline.syncOperations.addHandler(opening)
        return opening
    }

    private func installHTTP1(
        _ tls: ClientTLS?, host: String, at position: ChannelPipeline.SynchronousOperations.Position,
        on channel: any Channel
    ) throws -> ConnectionHandler {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = maximumFieldBytes
        limits.maxHeaderListSize = maximumFieldBytes
        limits.maxHeaderFieldCount = ConnectionFailure.maximumFields
        var framing = HTTPRequestEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward, limitConfiguration: limits)
        let arrival = ArrivalObserver(limit: maximumFieldBytes)
        let handler = ConnectionHandler(
            tls: tls, host: host, arrival: arrival, acceptsCompression: acceptsCompression,
            idleTimeout: idleTimeout)
        let codec: [any ChannelHandler & RemovableChannelHandler] = [
            arrival, HTTPRequestEncoder(configuration: framing), ByteToMessageHandler(decoder), handler,
        ]
        handler.codec = codec
        try channel.pipeline.syncOperations.addHandlers(codec, position: position)
        return handler
    }

    private func installHTTP2(
        _ tls: ClientTLS?, host: String, at position: ChannelPipeline.SynchronousOperations.Position,
        on channel: any Channel, ready: @escaping (ConnectionOpening.Result) -> Void
    ) throws {
        let limits = HTTP2Limits(calls: maximumCalls, fieldBytes: maximumFieldBytes)
        let multiplexer = limits.makeMultiplexer(on: channel)
        let handler = HTTP2Handler(
            tls: tls, host: host, limits: limits, acceptsCompression: acceptsCompression, idleTimeout: idleTimeout,
            multiplexer: multiplexer)
        handler.whenReady { ready($0.map { handler }) }
        try channel.pipeline.syncOperations.addHandlers(
            [limits.makeHandler(telling: handler), handler, multiplexer], position: position)
    }

    private func connected(
        _ channel: any Channel, _ handler: ConnectionOpening?, _ attempt: Attempt, _ opening: Opening, _ owner: Owner?,
        certificate: [UInt8]?, exceptions: [TrustException] = [],
        _ complete: @escaping (inout ExchangeReport.Connection) -> Void
    ) {
        // A cancelled call no longer needs the connection.
        opening.onEnd { channel.close(promise: nil) }
        guard let handler else {
            return opening.end(.failure(TransportError(.connectionClosed, "The connection closed at once.")))
        }
        handler.whenReady { result in
            switch result {
            case .failure(let error):
                opening.end(.failure(error))
            case .success(let carrier):
                carrier.owner = owner
                var report = ExchangeReport.Connection()
                report.number = attempt.number
                report.httpVersion = carrier is HTTP2Handler ? "2" : "1.1"
                report.remoteAddress = channel.remoteAddress.flatMap { $0.hostAndPort ?? $0.pathname } ?? ""
                let now = NIODeadline.now()
                report.establishment = Duration(now - attempt.start)
                if handler.tls != nil, let connection = handler.connection {
                    report.handshake = Duration(now - connection)
                }
                report.tls = handler.tls.map(Self.report)
                complete(&report)
                opening.end(
                    .success(
                        HTTPConnection(
                            number: attempt.number, report: report,
                            exceptions: exceptions + [handler.tls?.outcome.exception].compactMap { $0 },
                            binding: handler.tls?.outcome.path?.certificates.first?.endPointBinding,
                            certificate: handler.tls?.sentCertificate == nil ? nil : certificate,
                            capacity: carrier.capacity ?? 1, channel: channel,
                            carrier: NIOLoopBound(carrier, eventLoop: channel.eventLoop))))
            }
        }
    }

    private static func report(_ tls: ClientTLS) -> ExchangeReport.TLS {
        let outcome = tls.outcome
        var report = ExchangeReport.TLS()
        report.version = outcome.hello?.versionName ?? ""
        report.cipherSuite = outcome.hello?.cipherSuiteName ?? ""
        report.certificationPath = outcome.path?.certificates.map(\.subject) ?? []
        report.notAfter = outcome.path?.leaf?.notAfter
        report.exception = outcome.exception?.reason
        report.pinMismatches = outcome.path?.pinMismatches.map(\.message) ?? []
        report.revocation = outcome.path?.revocation.findings.map(\.description) ?? []
        report.clientCertificateRequested = outcome.clientCertificateRequested
        report.clientCertificate = outcome.sentCertificate
        report.clientCertificateNotAfter = outcome.sentCertificateNotAfter
        report.lateClientCertificate = outcome.lateCertificate
        return report
    }
}

/// One attempt to open a connection. Only the first result counts.
private final class Opening: Sendable {
    private struct State {
        var continuation: CheckedContinuation<HTTPConnection, any Error>?
        var early: Result<HTTPConnection, any Error>?
        var isOver = false
        var failed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<HTTPConnection, any Error>) {
        let early = state.withLock { state in
            if state.early == nil { state.continuation = continuation }
            return state.early
        }
        if let early { continuation.resume(with: early) }
    }

    func end(_ result: Result<HTTPConnection, any Error>) {
        let (continuation, failed) = state.withLock { state in
            guard !state.isOver else {
                return (nil as CheckedContinuation<HTTPConnection, any Error>?, nil as (@Sendable () -> Void)?)
            }
            state.isOver = true
            if state.continuation == nil { state.early = result }
            let continuation = state.continuation
            state.continuation = nil
            if case .success = result { return (continuation, nil) }
            return (continuation, state.failed)
        }
        failed?()
        continuation?.resume(with: result)
    }

    /// Registers what to do when the attempt fails, or if it has already failed.
    func onEnd(_ failed: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.failed = failed }
            return state.isOver
        }
        if isOver { failed() }
    }
}

extension ClientIdentity {
    /// SHA-256 of the certificate that a handshake may show; nil when it is not known in advance.
    fileprivate var certificate: [UInt8]? {
        switch self {
        case .given(let identity), .late(let identity): identity.leaf.sha256
        case .none, .onDemand: nil
        }
    }
}
