import NIOCore
import NIOHTTP1
import NIOPosix
import SignetHTTP
import SignetNIOTLS
import SignetTLS
import Synchronization

/// Opens connections: name, TCP, TLS, within one deadline.
struct Connector: Sendable {
    let trust: TrustPolicy
    let maximumFieldBytes: Int
    let toleratedIdentityProblems: Set<IdentityProblem.Code>
    let now: @Sendable () -> Int64

    /// The handler of each channel that an attempt makes, one an address. A channel may have failed and dropped its
    /// handlers by the time it is said to be connected; its own still knows why.
    private typealias Handlers = NIOLoopBoundBox<[ObjectIdentifier: ConnectionHandler]?>

    /// What ``HTTPConnection`` is told about its end.
    typealias Owner = @Sendable (_ number: Int) -> (mayExpire: @Sendable () -> Bool, closed: @Sendable () -> Void)

    func open(
        number: Int, to origin: Origin, as identity: Identity?, within allowed: Duration, deadline: CallDeadline,
        on loop: any EventLoop, owner: @escaping Owner
    ) async throws -> HTTPConnection {
        if let identity { try check(identity) }
        let start = NIODeadline.now()
        let opening = Opening()
        let limit = min(start + TimeAmount(limited: allowed), deadline.total)
        let handlers = Handlers.makeEmptyBox(valueType: [ObjectIdentifier: ConnectionHandler].self, eventLoop: loop)
        let timer = loop.scheduleTask(deadline: limit) {
            let key = handlers.value?.values.lazy.compactMap { $0.tls?.keyWaitedFor }.first
            opening.end(.failure(Self.late(to: origin, within: allowed, deadline: deadline, key: key)))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                opening.begin(continuation)
                bootstrap(for: origin, as: identity, on: loop, limit: limit, handlers: handlers)
                    .connect(host: origin.host, port: origin.port)
                    .assumeIsolatedOnLoop(loop) { result in
                        switch result {
                        case .failure(let error):
                            opening.end(.failure(ConnectionFailure.describe(connecting: error, origin: origin)))
                        case .success(let channel):
                            let handler = handlers.value?[ObjectIdentifier(channel)]
                            connected(channel, handler, number: number, start: start, opening: opening, owner: owner)
                        }
                    }
            }
        } onCancel: {
            opening.end(.failure(TransportError.cancelled()))
        }
    }

    /// Refuses an identity that no server would accept, while nobody has heard of us yet.
    private func check(_ identity: Identity) throws(TransportError) {
        do throws(IdentityProblem) {
            try identity.requireUsable(at: now(), as: .client, tolerating: toleratedIdentityProblems)
        } catch {
            throw TransportError(
                .unusableIdentity, "\(error) No connection was made with this certificate.", cause: error)
        }
    }

    /// - Parameter key: has not signed the handshake yet.
    private static func late(
        to origin: Origin, within allowed: Duration, deadline: CallDeadline, key: String?
    ) -> TransportError {
        if deadline.hasPassed {
            return deadline.exceeded(
                while: key.map { "waiting for the key \($0) to sign for \(origin)" } ?? "connecting to \(origin)")
        }
        return TransportError(
            .connectTimeout,
            key.map {
                "The key \($0) had not signed for \(origin) after \(allowed); its device may be gone, or wait for its user."
            } ?? "No connection to \(origin) stood after \(allowed); it may be silent or far away.")
    }

    private func bootstrap(
        for origin: Origin, as identity: Identity?, on loop: any EventLoop, limit: NIODeadline, handlers: Handlers
    ) -> ClientBootstrap {
        ClientBootstrap(group: loop)
            .connectTimeout(max(.milliseconds(1), limit - .now()))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var tls: ClientTLS?
                    if origin.scheme == .https {
                        let client = ClientTLS(identity: identity, trust: trust, host: origin.host, now: now)
                        try client.addHandlers(to: channel)
                        tls = client
                    }
                    var limits = NIOHTTPDecoderLimitConfiguration()
                    limits.maxHeaderFieldSize = maximumFieldBytes
                    limits.maxHeaderListSize = maximumFieldBytes
                    var framing = HTTPRequestEncoder.Configuration()
                    framing.automaticallySetFramingHeaders = false
                    let decoder = HTTPResponseDecoder(
                        leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop,
                        limitConfiguration: limits)
                    let arrival = ArrivalObserver()
                    let handler = ConnectionHandler(tls: tls, host: origin.host, arrival: arrival)
                    handlers.value = (handlers.value ?? [:]).merging([ObjectIdentifier(channel): handler]) { $1 }
                    try channel.pipeline.syncOperations.addHandlers([
                        arrival, HTTPRequestEncoder(configuration: framing), ByteToMessageHandler(decoder),
                        handler,
                    ])
                }
            }
    }

    private func connected(
        _ channel: any Channel, _ handler: ConnectionHandler?, number: Int, start: NIODeadline, opening: Opening,
        owner: @escaping Owner
    ) {
        // A call that has given up needs no connection any more.
        opening.onEnd { channel.close(promise: nil) }
        guard let handler else {
            return opening.end(.failure(TransportError(.connectionClosed, "The connection closed at once.")))
        }
        handler.whenReady { result in
            switch result {
            case .failure(let error):
                opening.end(.failure(error))
            case .success:
                let (mayExpire, closed) = owner(number)
                handler.owner = (mayExpire, closed)
                var report = ExchangeReport.Connection()
                report.number = number
                report.remoteAddress = channel.remoteAddress.map(Self.text) ?? ""
                report.establishment = .nanoseconds((NIODeadline.now() - start).nanoseconds)
                report.tls = handler.tls.map(Self.report)
                opening.end(
                    .success(
                        HTTPConnection(
                            number: number, report: report, channel: channel,
                            handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))))
            }
        }
    }

    private static func text(_ address: SocketAddress) -> String {
        let ip = address.ipAddress ?? "?"
        return "\(ip.utf8.contains(UInt8(ascii: ":")) ? "[\(ip)]" : ip):\(address.port ?? 0)"
    }

    private static func report(_ tls: ClientTLS) -> ExchangeReport.TLS {
        let outcome = tls.outcome
        var report = ExchangeReport.TLS()
        report.version = outcome.hello?.versionName ?? ""
        report.cipherSuite = outcome.hello?.cipherSuiteName ?? ""
        report.certificationPath = outcome.path?.certificates.map(\.subject) ?? []
        report.clientCertificateRequested = outcome.clientCertificateRequested
        report.clientCertificate = tls.sentCertificate
        return report
    }
}

extension EventLoopFuture where Value == any Channel {
    /// Runs `body` on the loop that the future belongs to.
    fileprivate func assumeIsolatedOnLoop(
        _ loop: any EventLoop, _ body: @escaping @Sendable (Result<any Channel, any Error>) -> Void
    ) {
        hop(to: loop).whenComplete(body)
    }
}

/// One attempt to open a connection; the first end counts.
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

    /// What to do if the attempt fails, or has failed.
    func onEnd(_ failed: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.failed = failed }
            return state.isOver
        }
        if isOver { failed() }
    }
}
