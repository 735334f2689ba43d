#if Server
import Foundation
import Logging
import SignetCredentials
import SignetNIOTLS
import SignetTLS
import Synchronization

/// The TLS of a server that can change while it runs: the configuration in force, and the identity that its source gave last.
final class CurrentTLS: Sendable {
    private struct State {
        var configuration: ServerTLSConfiguration
        /// The number of the replacement that gave ``configuration``; zero for the one that the server was made with.
        var generation = 0
        /// How many replacements were begun.
        var replacements = 0
        /// How many times the source was asked.
        var questions = 0
        /// The number of the last question whose answer counted.
        var answered = 0
        /// The identity that is shown; nil before the source was asked for the first time.
        var identity: Identity?
        /// Failures that the log has already.
        var reported: Set<String> = []
    }

    /// So many failures are remembered; a source whose texts all differ must not fill the memory.
    private static let maximumReported = 100

    private let state: Mutex<State>
    private let channel: ServiceChannel
    private let logger: Logger
    /// Has each configuration once it is in force, beginning with the server's start.
    private let configurations: AsyncStream<ServerTLSConfiguration>
    private let changes: AsyncStream<ServerTLSConfiguration>.Continuation

    /// - Parameter channel: gets the TLS for connections that are accepted from then on.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`, or with `unusableIdentity` for a fixed identity.
    init(_ configuration: ServerTLSConfiguration, channel: ServiceChannel, logger: Logger) throws(SOAPServerError) {
        try configuration.check()
        var state = State(configuration: configuration)
        if let identity = configuration.identity.constant {
            channel.use(try Self.tls(identity, configuration), configuration.clients)
            Self.report(identity, to: logger)
            state.identity = identity
        }
        self.state = Mutex(state)
        self.channel = channel
        self.logger = logger
        (configurations, changes) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Changes

    /// Asks for the identity that the server starts with.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity`.
    func prepare() async throws(SOAPServerError) {
        if state.withLock({ $0.configuration.identity.constant == nil }) { try await reload() }
        state.withLock { state in _ = changes.yield(state.configuration) }
    }

    /// Asks the source now, and shows another identity on connections that are accepted from now on.
    ///
    /// - Throws: ``SOAPServerError`` with `unusableIdentity`.
    func reload() async throws(SOAPServerError) {
        let (configuration, generation, question) = state.withLock { state in
            state.questions += 1
            return (state.configuration, state.generation, state.questions)
        }
        let (identity, tls): (Identity, ServerTLS)
        do {
            identity = try await Self.identity(from: configuration.identity)
            tls = try Self.tls(identity, configuration)
        } catch {
            // What a source says that is no longer in force is of no matter.
            if state.withLock({ $0.generation != generation }) { return }
            throw error
        }
        let isAnother = state.withLock { state in
            // Meanwhile another configuration may have come into force, or a later question may have been answered.
            guard state.generation == generation, question > state.answered else { return false }
            state.answered = question
            // The same certificate may come with another chain.
            guard state.identity != identity || state.identity?.chain != identity.chain else { return false }
            take(identity, tls, configuration, &state)
            return true
        }
        if isAnother { Self.report(identity, to: logger) }
    }

    /// Puts another configuration into force for connections that are accepted from now on. Of two that are put into force at the
    /// same time the one that was begun later stays.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` or `unusableIdentity`.
    func replace(with configuration: ServerTLSConfiguration) async throws(SOAPServerError) {
        try configuration.check()
        let replacement = state.withLock { state in
            state.replacements += 1
            return state.replacements
        }
        let identity = try await Self.identity(from: configuration.identity)
        let tls = try Self.tls(identity, configuration)
        let isInForce = state.withLock { state in
            guard replacement > state.generation else { return false }
            state.generation = replacement
            state.configuration = configuration
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
            // Not waited for: a source that hangs must keep neither its successor from being asked nor the server from ending.
            running?.cancel()
            running = Task { await check(configuration) }
        }
        running?.cancel()
    }

    private func check(_ configuration: ServerTLSConfiguration) async {
        guard configuration.identity.constant == nil else { return }
        // The clock of the system does not count further.
        let interval = min(configuration.identityCheckInterval, .seconds(1_000_000_000))
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            do { try await reload() } catch {
                // A source that is cancelled has not failed.
                if Task.isCancelled { return }
                report(error)
            }
        }
    }

    private func report(_ error: SOAPServerError) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.maximumReported { state.reported = [] }
            return state.reported.insert(error.message).inserted
        }
        guard isNew else { return }
        logger.error(
            "the server's identity was not renewed, and the one in use stays", metadata: ["reason": "\(error.message)"])
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
                "The source of the server's identity, \(source), gives none, and a server cannot do without; have it give one, or make the server with withoutTLS."
            )
        }
        return identity
    }

    private static func tls(
        _ identity: Identity, _ configuration: ServerTLSConfiguration
    ) throws(SOAPServerError) -> ServerTLS {
        do {
            return try ServerTLS(
                identity: identity, clients: configuration.clients.policy, versions: configuration.versions,
                tolerating: configuration.toleratedIdentityProblems, now: now)
        } catch {
            throw SOAPServerError(.unusableIdentity, "\(error)", cause: error)
        }
    }

    /// What an operator should know about an identity that is shown from now on.
    private static func report(_ identity: Identity, to logger: Logger) {
        for problem in identity.problems(at: now(), for: .server) {
            logger.notice("our certificate: \(problem)", metadata: ["code": "\(problem.code)"])
        }
    }

    /// Seconds since 1970.
    private static let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
}
#endif
