package import NIOCore
import NIOSSL
public import SignetTLS
import Synchronization

/// Whether a server asks its clients for a certificate.
public enum ClientCertificatePolicy: Sendable, Hashable {
    /// Clients stay unknown to TLS.
    case notRequested
    /// A client may show a certificate; one that the policy does not believe ends the handshake.
    case requested(TrustPolicy)
    /// A client without a certificate that the policy believes gets no connection.
    case required(TrustPolicy)
}

/// TLS of a server: who it is and which clients it lets in. One value serves every connection.
package struct ServerTLS: Sendable {
    private let configuration: TLSConfiguration
    /// Serves the connections of clients that show no certificate.
    private let shared: NIOSSLContext
    private let clients: ClientCertificatePolicy
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - versions: What is spoken; it must not be empty.
    ///   - tolerated: What may be wrong with the identity all the same.
    ///   - now: Seconds since 1970.
    /// - Throws: ``TLSFailure`` when the identity cannot be used.
    package init(
        identity: Identity, clients: ClientCertificatePolicy, versions: TLSVersionRange = .all,
        tolerating tolerated: Set<IdentityProblem.Code> = [], now: @escaping @Sendable () -> Int64
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
        switch clients {
        case .notRequested: configuration.certificateVerification = .none
        case .requested: configuration.certificateVerification = .optionalVerification
        case .required: configuration.certificateVerification = .noHostnameVerification
        }
        do { shared = try NIOSSLContext(configuration: configuration) } catch {
            throw TLSFailure(
                .unusableIdentity, "The identity “\(identity.leaf.subject)” cannot be used for TLS.", cause: error)
        }
        self.configuration = configuration
        self.clients = clients
        self.now = now
    }

    /// Puts TLS on a channel that has no handlers yet. Call it on the channel's event loop.
    package func addHandlers(to channel: any Channel) throws {
        let judgement = PeerJudgement()
        try channel.pipeline.syncOperations.addHandlers([judgement, try makeHandler(judgement)])
    }

    /// The path of the client's certificate that was believed on a channel, the client's own first; nil when it showed
    /// none. Call it on the channel's event loop, after the handshake.
    package static func certificationPath(of channel: any Channel) -> CertificationPath? {
        try? channel.pipeline.syncOperations.handler(type: PeerJudgement.self).path
    }

    /// Why the client's certificate was refused on a channel. Call it on the channel's event loop.
    package static func trustError(of channel: any Channel) -> TrustError? {
        try? channel.pipeline.syncOperations.handler(type: PeerJudgement.self).error
    }

    private func makeHandler(_ judgement: PeerJudgement) throws -> NIOSSLServerHandler {
        let trust: TrustPolicy
        switch clients {
        case .notRequested: return NIOSSLServerHandler(context: shared)
        case .requested(let policy), .required(let policy): trust = policy
        }
        // BoringSSL issues session tickets, and NIOSSL cannot stop it. In a resumed session no certificate is asked for
        // (RFC 8446 §4.3.2), so that nobody would be judged. The keys of tickets belong to the context: those of one
        // connection are worth nothing on another.
        let context = try NIOSSLContext(configuration: configuration)
        return NIOSSLServerHandler(context: context) { [now] presented, promise in
            let certificates = presented.map(EncodedCertificate.init)
            switch trust.evaluate(certificates, as: .client, at: now()) {
            case .success(let path):
                judgement.path = path
                promise.succeed(.certificateVerified)
            case .failure(let error):
                judgement.error = error
                promise.succeed(.failed)
            }
        }
    }
}

/// Keeps on the channel what was found about its peer. It touches no event.
private final class PeerJudgement: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    var path: CertificationPath?
    var error: TrustError?
}
