package import NIOCore
import NIOSSL
package import SignetTLS
import Synchronization

/// Whether a server asks its clients for a certificate.
package enum ClientCertificatePolicy: Sendable, Hashable {
    /// The server does not ask for certificates.
    case notRequested
    /// A client may show a certificate. If the policy does not trust it, the handshake fails.
    case requested(TrustPolicy)
    /// A client must show a certificate that the policy trusts, or the handshake fails.
    case required(TrustPolicy)
}

/// TLS of a server: its identity, and its policy for clients. One value serves all connections.
package struct ServerTLS: Sendable {
    private let configuration: TLSConfiguration
    /// The context for all connections on which clients show no certificate.
    private let shared: NIOSSLContext
    private let clients: ClientCertificatePolicy
    private let lookUp: RevocationLookup?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - versions: The versions of TLS that are allowed; the range must not be empty.
    ///   - applicationProtocols: Those that the server speaks (RFC 7301), the most wanted first.
    ///   - tolerated: Problems of the identity that are ignored.
    ///   - lookUp: Needed when the policy for clients looks up revocation.
    ///   - now: Seconds since 1970.
    /// - Throws: ``TLSFailure`` when the identity cannot be used.
    package init(
        identity: Identity, clients: ClientCertificatePolicy, versions: TLSVersionRange = .all,
        applicationProtocols: [String] = ["http/1.1"],
        tolerating tolerated: Set<IdentityProblem.Code> = [], lookUp: RevocationLookup? = nil,
        now: @escaping @Sendable () -> Int64
    ) throws {
        do throws(IdentityProblem) {
            try identity.requireUsable(at: now(), as: .server, tolerating: tolerated)
        } catch {
            throw TLSFailure(.unusableIdentity, error.message, cause: error)
        }
        let sources = try identity.sources()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: sources.chain, privateKey: sources.key)
        TLSSettings.apply(to: &configuration, versions: versions)
        configuration.applicationProtocols = applicationProtocols
        switch clients {
        case .notRequested: configuration.certificateVerification = .none
        case .requested(let policy):
            configuration.certificateVerification = .optionalVerification
            Self.name(policy, in: &configuration)
        case .required(let policy):
            configuration.certificateVerification = .noHostnameVerification
            Self.name(policy, in: &configuration)
        }
        do { shared = try NIOSSLContext(configuration: configuration) } catch {
            throw TLSFailure(
                .unusableIdentity, "The identity “\(identity.leaf.subject)” cannot be used for TLS.", cause: error)
        }
        self.configuration = configuration
        self.clients = clients
        self.lookUp = lookUp
        self.now = now
    }

    /// Names the authorities of the policy to clients, which choose a certificate by them; the verdict is the policy's.
    private static func name(_ policy: TrustPolicy, in configuration: inout TLSConfiguration) {
        let authorities = policy.namedAuthorities.compactMap { try? NIOSSLCertificate(bytes: $0.der, format: .der) }
        configuration.trustRoots = .certificates(authorities)
        configuration.sendCANameList = !authorities.isEmpty
    }

    /// Puts TLS on a channel that has no handlers yet. Call it on the channel's event loop.
    ///
    /// - Parameter recorder: keeps what passes.
    package func addHandlers(to channel: any Channel, recorder: HandshakeRecorder? = nil) throws {
        let judgement = PeerJudgement()
        let pipeline = channel.pipeline.syncOperations
        if let recorder { try pipeline.addHandler(RecordingHandler(recorder, isServer: true)) }
        try pipeline.addHandlers([judgement, try makeHandler(judgement, channel, recorder)])
    }

    /// The trusted path of the client's certificate on a channel, the client's own first; nil when the client showed
    /// none. Call it on the channel's event loop, after the handshake.
    package static func certificationPath(of channel: any Channel) -> CertificationPath? {
        try? channel.pipeline.syncOperations.handler(type: PeerJudgement.self).path
    }

    /// Why the client's certificate was refused on a channel. Call it on the channel's event loop.
    package static func trustError(of channel: any Channel) -> TrustError? {
        try? channel.pipeline.syncOperations.handler(type: PeerJudgement.self).error
    }

    private func makeHandler(
        _ judgement: PeerJudgement, _ channel: any Channel, _ recorder: HandshakeRecorder?
    ) throws -> NIOSSLServerHandler {
        let trust: TrustPolicy
        switch clients {
        case .notRequested: return NIOSSLServerHandler(context: shared)
        case .requested(let policy), .required(let policy): trust = policy
        }
        // BoringSSL issues session tickets, and NIOSSL cannot stop it. In a resumed session the server does not ask for
        // a certificate (RFC 8446 §4.3.2), so the client would not be judged. The keys of tickets belong to the
        // context: a ticket of one connection is worthless on another.
        let context = try NIOSSLContext(configuration: configuration)
        let closed = channel.closeFuture
        return NIOSSLServerHandler(context: context) { [now, lookUp] presented, promise in
            let certificates = presented.map(EncodedCertificate.init)
            recorder?.presented(certificates)
            let verdict = trust.path(of: certificates, as: .client, at: now())
            guard case .success(let path) = verdict, trust.revocation.mode != .off else {
                return promise.succeed(judgement.take(verdict))
            }
            trust.confirm(path, certificates, by: lookUp, promise, closed) { judgement.take($0) }
        }
    }
}

/// Keeps on the channel what was found out about its peer. It changes no event.
private final class PeerJudgement: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny
    private let verdict = Mutex<Result<CertificationPath, TrustError>?>(nil)

    var path: CertificationPath? { verdict.withLock { try? $0?.get() } }

    var error: TrustError? {
        if case .failure(let error) = verdict.withLock({ $0 }) { error } else { nil }
    }

    func take(_ result: Result<CertificationPath, TrustError>) -> NIOSSLVerificationResult {
        verdict.withLock { $0 = result }
        if case .success = result { return .certificateVerified }
        return .failed
    }
}
