#if Server
import Foundation
import Logging
import SignetConnection
import SignetCredentials
import SignetNIOTLS
import SignetNIOTransport
import SignetTLS
import Synchronization

/// The TLS settings of a server, which can change while it runs: the configuration in force, and the identity that its
/// source returned last.
final class CurrentTLS: Sendable {
    private struct State {
        var configuration: ServerTLSConfiguration
        /// Looks up the revocation of clients' certificates for ``configuration``; nil when its policy does not.
        var revocation: RevocationSource?
        /// The number of the replacement that set ``configuration``; zero for the configuration that the server was
        /// made with.
        var generation = 0
        /// The number of replacements that were begun.
        var replacements = 0
        /// The number of times that the source was asked.
        var questions = 0
        /// The number of the latest question whose answer was used.
        var answered = 0
        /// The identity that the server shows; nil before the source was asked for the first time.
        var identity: Identity?
        /// Failures that were logged already.
        var reported: Set<String> = []
    }

    /// The limit of remembered failures: a source whose error texts all differ must not fill the memory.
    private static let maximumReported = 100

    private let state: Mutex<State>
    private let channel: ServiceChannel
    private let firstHead: Duration
    /// Those that the server speaks (RFC 7301), the most wanted first.
    private let applicationProtocols: [String]
    private let logger: Logger
    /// Receives each configuration when it comes into force, beginning with the server's start.
    private let configurations: AsyncStream<ServerTLSConfiguration>
    private let changes: AsyncStream<ServerTLSConfiguration>.Continuation

    /// - Parameter channel: receives the TLS settings for connections that the server accepts from then on.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`, or with `unusableIdentity` for a fixed identity.
    init(
        _ configuration: ServerTLSConfiguration, channel: ServiceChannel, settings: SOAPServer.Settings
    ) throws(SOAPServerError) {
        firstHead = settings.firstHead
        logger = settings.logger
        applicationProtocols = settings.allowsHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        try configuration.check(firstHead: firstHead)
        let revocation = try Self.revocation(configuration, logger)
        var state = State(configuration: configuration, revocation: revocation)
        if let identity = configuration.identity.constant {
            let tls = try Self.tls(identity, configuration, revocation, applicationProtocols)
            channel.use(tls, configuration.clients)
            Self.report(identity, to: logger)
            state.identity = identity
        }
        self.state = Mutex(state)
        self.channel = channel
        (configurations, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Changes

    /// Asks the source for the identity with which the server starts.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity`.
    func prepare() async throws(SOAPServerError) {
        if state.withLock({ $0.configuration.identity.constant == nil }) { try await reload() }
        state.withLock { state in _ = changes.yield(state.configuration) }
    }

    /// Asks the source now. If the source returns another identity, the server shows it on connections that it accepts
    /// from now on.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity`.
    func reload() async throws(SOAPServerError) {
        let (configuration, revocation, generation, question) = state.withLock { state in
            state.questions += 1
            return (state.configuration, state.revocation, state.generation, state.questions)
        }
        let (identity, tls): (Identity, ServerTLS)
        do {
            identity = try await Self.identity(from: configuration.identity)
            tls = try Self.tls(identity, configuration, revocation, applicationProtocols)
        } catch {
            // The answer of a source that is no longer in force does not matter.
            if state.withLock({ $0.generation != generation }) { return }
            throw error
        }
        let isAnother = state.withLock { state in
            // In the meantime another configuration may have come into force, or a later question may have been
            // answered.
            guard state.generation == generation, question > state.answered else { return false }
            state.answered = question
            // The same certificate may come with another chain.
            guard state.identity != identity || state.identity?.chain != identity.chain else { return false }
            take(identity, tls, configuration, &state)
            return true
        }
        if isAnother { Self.report(identity, to: logger) }
    }

    /// Puts another configuration into force for connections that are accepted from now on. When two calls overlap, the
    /// configuration of the call that began later stays.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` or `unusableIdentity`.
    func replace(with configuration: ServerTLSConfiguration) async throws(SOAPServerError) {
        try configuration.check(firstHead: firstHead)
        let revocation = try Self.revocation(configuration, logger)
        let replacement = state.withLock { state in
            state.replacements += 1
            return state.replacements
        }
        let identity = try await Self.identity(from: configuration.identity)
        let tls = try Self.tls(identity, configuration, revocation, applicationProtocols)
        let isInForce = state.withLock { state in
            guard replacement > state.generation else { return false }
            state.generation = replacement
            state.configuration = configuration
            state.revocation = revocation
            take(identity, tls, configuration, &state)
            changes.yield(configuration)
            return true
        }
        if isInForce { Self.report(identity, to: logger) }
    }

    private func take(
        _ identity: Identity, _ tls: ServerTLS, _ configuration: ServerTLSConfiguration, _ state: inout State
    ) {
        state.identity = identity
        state.reported = []
        channel.use(tls, configuration.clients)
    }

    // MARK: Checks

    /// Asks the source of the configuration in force again and again, until the task is cancelled.
    func check() async {
        var running: Task<Void, Never>?
        for await configuration in configurations {
            // The check is not awaited: a source that hangs must not keep the next source from being asked, nor the
            // server from ending.
            running?.cancel()
            running = Task { await check(configuration) }
        }
        running?.cancel()
    }

    private func check(_ configuration: ServerTLSConfiguration) async {
        guard configuration.identity.constant == nil else { return }
        // The system's clock cannot count a longer interval.
        let interval = min(configuration.identityCheckInterval, .seconds(1_000_000_000))
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            do { try await reload() } catch {
                // The cancellation of a source is not a failure.
                if Task.isCancelled { return }
                report(error)
            }
        }
    }

    private func report(_ error: SOAPServerError) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.maximumReported { state.reported = [] }
            return state.reported.insert(Self.name(of: error)).inserted
        }
        guard isNew else { return }
        logger.error(
            "the server's identity was not renewed, and the one in use stays", metadata: ["reason": "\(error.message)"])
    }

    /// What tells a failure from others. The text about a certificate has the time of the check.
    private static func name(of error: SOAPServerError) -> String {
        guard let problem = (error.cause as? TLSFailure)?.cause as? IdentityProblem else { return error.message }
        return "\(problem.code) \(problem.certificate.sha256)"
    }

    // MARK: Identities

    private static func identity(from source: IdentitySource) async throws(SOAPServerError) -> Identity {
        let identity: Identity?
        do { identity = try await source.current() } catch {
            throw SOAPServerError(
                .unusableIdentity, "The source of the server's identity, \(source), failed: \(error)", cause: error)
        }
        guard let identity else {
            throw SOAPServerError(
                .unusableIdentity,
                "The source of the server's identity, \(source), returned no identity, and a TLS server needs one; let the source return one, or make the server with withoutTLS."
            )
        }
        return identity
    }

    private static func revocation(
        _ configuration: ServerTLSConfiguration, _ logger: Logger
    ) throws(SOAPServerError) -> RevocationSource? {
        try configuration.clients.revocationSource(through: configuration.revocationProxy, logger)
    }

    private static func tls(
        _ identity: Identity, _ configuration: ServerTLSConfiguration, _ revocation: RevocationSource?,
        _ applicationProtocols: [String]
    ) throws(SOAPServerError) -> ServerTLS {
        do {
            return try ServerTLS(
                identity: identity, clients: configuration.clients.policy, versions: configuration.versions,
                applicationProtocols: applicationProtocols, tolerating: configuration.toleratedIdentityProblems,
                lookUp: revocation?.lookUp, now: now)
        } catch {
            throw SOAPServerError(.unusableIdentity, "\(error)", cause: error)
        }
    }

    /// Logs what an operator should know about an identity that the server shows from now on.
    private static func report(_ identity: Identity, to logger: Logger) {
        for problem in identity.problems(at: now(), for: .server) {
            logger.notice("our certificate: \(problem)", metadata: ["code": "\(problem.code)"])
        }
    }

    /// Seconds since 1970.
    private static let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
}
#endif
