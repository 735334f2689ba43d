package import NIOCore
import NIOSSL
package import SignetTLS
import Synchronization

/// TLS on one connection of a client: the server that it wants to reach, the policy that it trusts, its identity, and
/// the result.
///
/// ``TrustPolicy`` judges the server before the client sends anything of a request. The client sends its identity only
/// when the server asks for it.
package final class ClientTLS: Sendable {
    /// What is known after the handshake.
    package struct Outcome: Sendable {
        package var hello: ServerHello?
        /// The server's path, which is trusted.
        package var path: CertificationPath?
        package var trustError: TrustError?
        /// The exception that overruled the policy.
        package var exception: TrustException?
        package var clientCertificateRequested = false
        /// The subject of the client certificate that was sent to the server.
        package var sentCertificate: String?
        /// When it expires, in seconds since 1970.
        package var sentCertificateNotAfter: Int64?
        /// The identity to which it belongs.
        var sentIdentity: Identity?
        /// The subject of a certificate that the server can still ask for at any time.
        package var lateCertificate: String?
        /// Whether the server has asked for a certificate and the lookup of the identity has not ended.
        package var isLookingForIdentity = false
        /// Whether the server's path is valid, and it is being looked up whether its certificates are revoked.
        package var isLookingUpRevocation = false
    }

    private let identity: ClientIdentity
    private let trust: TrustPolicy
    private let exceptions: [TrustException]
    private let lookUp: RevocationLookup?
    private let host: String
    private let port: Int
    private let isProxy: Bool
    private let allowsInsecureCipherSuites: Bool
    private let applicationProtocols: [String]
    private let probing: TLSProbing?
    private let recorder: HandshakeRecorder?
    private let now: @Sendable () -> Int64
    private let state = Mutex(Outcome())
    private let externalKey = Mutex<ExternalPrivateKey?>(nil)

    /// - Parameters:
    ///   - exceptions: Exceptions to the policy.
    ///   - lookUp: Needed when the policy looks up revocation.
    ///   - host: The name or IP address in the URL: the only one that the server's certificate may name.
    ///   - isProxy: Whether the peer is a proxy on the way, for messages.
    ///   - allowsInsecureCipherSuites: Whether suites with CBC and with RSA key exchange are offered too.
    ///   - applicationProtocols: Those that the client offers (RFC 7301), the most wanted first; empty to offer none.
    ///   - probing: What differs from a usual connection; nil for a usual one.
    ///   - recorder: Keeps what passes; nil where nothing is kept.
    ///   - now: Seconds since 1970.
    package init(
        identity: ClientIdentity, trust: TrustPolicy, exceptions: [TrustException] = [],
        lookUp: RevocationLookup? = nil, host: String, port: Int = 443, isProxy: Bool = false,
        allowsInsecureCipherSuites: Bool = false, applicationProtocols: [String] = [], probing: TLSProbing? = nil,
        recorder: HandshakeRecorder? = nil, now: @escaping @Sendable () -> Int64
    ) {
        self.isProxy = isProxy
        self.allowsInsecureCipherSuites = allowsInsecureCipherSuites
        self.applicationProtocols = applicationProtocols
        self.probing = probing
        self.recorder = recorder
        self.exceptions = exceptions
        self.lookUp = lookUp
        self.port = port
        self.identity = identity
        self.trust = trust
        self.host = host
        self.now = now
    }

    /// The peer's name, inside a sentence and at its beginning.
    private var peer: String { isProxy ? "the proxy \(host)" : host }
    private var peerFirst: String { isProxy ? "The proxy \(host)" : host }

    package var outcome: Outcome { state.withLock { $0 } }

    package var sentCertificate: String? { outcome.sentCertificate }

    /// What the handshake waits for on the client's side, as the end of “waiting for”.
    package var waitsFor: String? {
        let outcome = outcome
        if outcome.isLookingForIdentity { return "the identity to show to \(peer)" }
        if outcome.isLookingUpRevocation { return "the answer whether the certificate of \(peer) is revoked" }
        return externalKey.withLock { $0?.isWaitedFor }.map { "the key \($0) to sign for \(peer)" }
    }

    /// Puts TLS on a channel that has no handlers yet. Call it on the channel's event loop.
    package func addHandlers(to channel: any Channel) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        TLSSettings.apply(
            to: &configuration, versions: probing?.versions ?? .all,
            allowsInsecureCipherSuites: allowsInsecureCipherSuites)
        configuration.applicationProtocols = applicationProtocols
        probing?.apply(to: &configuration)
        if let recorder { configuration.keyLogCallback = { recorder.derived($0) } }
        // NIOSSL calls the callback for every value but `none`. It must not compare names itself.
        configuration.certificateVerification = .noHostnameVerification
        let prepared = try prepared(&configuration)
        let loop = channel.eventLoop
        let closed = channel.closeFuture
        if case .late(let identity) = identity {
            try keep(identity, in: &configuration)
        } else {
            configuration.sslContextCallback = { [self] _, promise in
                state.withLock { $0.clientCertificateRequested = true }
                guard case .onDemand(let look) = identity else {
                    if let prepared { sends(prepared.identity) }
                    return promise.succeed(prepared?.override ?? .init())
                }
                answer(promise, on: loop, closed, by: look)
            }
        }
        let handler = try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: configuration), serverHostname: serverName,
            customVerificationCallback: { [self] presented, promise in
                judge(presented, promise, closed)
            })
        let observer = ServerHelloObserver { [self] hello in state.withLock { $0.hello = hello } }
        if let recorder { try channel.pipeline.syncOperations.addHandler(RecordingHandler(recorder)) }
        try channel.pipeline.syncOperations.addHandlers([observer, handler])
    }

    /// The name that the client sends to the server. RFC 6066 §3: an IP address is not a server name.
    private var serverName: String? {
        switch probing?.serverName ?? .usual {
        case .none: return nil
        case .other(let name): return name
        case .usual: break
        }
        return if case .dns(let name) = ReferenceIdentifier(host: host) { name } else { nil }
    }

    /// The identity, when it is known before the handshake.
    private func prepared(
        _ configuration: inout TLSConfiguration
    ) throws(TLSFailure) -> (override: NIOSSLContextConfigurationOverride, identity: Identity)? {
        guard case .given(let identity) = identity else { return nil }
        let (override, key) = try override(identity)
        // NIOSSL learns the key of an override too late to restrict the algorithms that it offers.
        if let key { configuration.signingSignatureAlgorithms = key.signatureAlgorithms }
        return (override, identity)
    }

    private func sends(_ identity: Identity) {
        let leaf = identity.leaf
        state.withLock {
            ($0.sentCertificate, $0.sentCertificateNotAfter, $0.sentIdentity) = (leaf.subject, leaf.notAfter, identity)
        }
    }

    /// Gives the identity to BoringSSL in advance, since a second handshake cannot wait for it.
    private func keep(_ identity: Identity, in configuration: inout TLSConfiguration) throws(TLSFailure) {
        let sources = try identity.sources()
        guard sources.external == nil else {
            throw TLSFailure(
                .unusableIdentity,
                "The key of “\(identity.leaf.subject)” only signs, and cannot be shown late: a second handshake cannot wait for a signature. Have the server ask in the first one, or use a key whose bytes are in memory."
            )
        }
        configuration.certificateChain = sources.chain
        configuration.privateKey = sources.key
        configuration.renegotiationSupport = .once
        configuration.maximumTLSVersion = .tlsv12
        state.withLock { $0.lateCertificate = identity.leaf.subject }
    }

    private func override(
        _ identity: Identity
    ) throws(TLSFailure) -> (NIOSSLContextConfigurationOverride, ExternalPrivateKey?) {
        let sources = try identity.sources()
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = sources.chain
        override.privateKey = sources.key
        if let key = sources.external { externalKey.withLock { $0 = key } }
        return (override, sources.external)
    }

    /// Looks up the identity while the handshake waits. When the connection closes, a lookup that has not ended is
    /// cancelled.
    private func answer(
        _ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>, on loop: any EventLoop,
        _ closed: EventLoopFuture<Void>, by look: @escaping @Sendable () async throws -> Identity?
    ) {
        state.withLock { $0.isLookingForIdentity = true }
        let answer = FirstAnswer(promise)
        let task = Task { [self] in
            let result: Result<NIOSSLContextConfigurationOverride, any Error>
            do {
                var shown = NIOSSLContextConfigurationOverride()
                if let identity = try await look() {
                    shown = try override(identity).0
                    sends(identity)
                }
                result = .success(shown)
            } catch {
                result = .failure(error is TLSFailure ? error : IdentityLookupFailure(cause: error))
            }
            state.withLock { $0.isLookingForIdentity = false }
            answer.give(result)
        }
        closed.whenComplete { _ in
            task.cancel()
            answer.give(.failure(IdentityLookupFailure(cause: CancellationError())))
        }
    }

    private func judge(
        _ presented: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>,
        _ closed: EventLoopFuture<Void>
    ) {
        let certificates = presented.map(EncodedCertificate.init)
        recorder?.presented(certificates)
        let verdict = trust.verdict(
            on: certificates, host: host, port: port, at: now(), exceptions: exceptions)
        guard case .trusted(let path) = verdict, trust.revocation.mode != .off else {
            return promise.succeed(take(verdict))
        }
        state.withLock { $0.isLookingUpRevocation = true }
        trust.confirm(path, certificates, by: lookUp, promise, closed) { [self] result in
            state.withLock { $0.isLookingUpRevocation = false }
            return switch result {
            case .success(let path): take(.trusted(path))
            case .failure(let error): take(.refused(error))
            }
        }
    }

    private func take(_ verdict: TrustVerdict) -> NIOSSLVerificationResult {
        state.withLock { state in
            state.path = verdict.path
            state.trustError = verdict.error
            if case .accepted(_, let exception, _) = verdict { state.exception = exception }
        }
        return verdict.path == nil ? .failed : .certificateVerified
    }

    /// The failure that an error on the channel means. In TLS 1.3 the server judges the client's certificate after the
    /// client's handshake has ended, so its alert arrives as an error while reading.
    ///
    /// - Returns: Nil when the error does not come from TLS.
    package func failure(for error: any Error) -> TLSFailure? {
        let outcome = outcome
        if let failure = error as? TLSFailure { return failure }
        if let failure = error as? IdentityLookupFailure {
            return .init(
                .unusableIdentity,
                "\(peerFirst) asks for a client certificate, and looking up the identity failed: \(failure.cause)",
                cause: failure.cause)
        }
        if let trustError = outcome.trustError {
            return .init(.untrusted(trustError.code), trustError.message, cause: trustError)
        }
        if let failure = error as? SigningKeyError {
            return .init(.handshake, "TLS with \(peer) failed. \(failure.message)", cause: failure)
        }
        return alertFailure(for: error, outcome)
    }

    /// What is known of the connection, for a diagnosis.
    package func evidence(cause: (any Error)? = nil) -> HandshakeFailure {
        let boring = cause.flatMap(Self.boringError)
        let alert = boring?.stack.lazy.compactMap(TLSAlert.received).first
        let isClosed = boring?.stack.contains(.eofDuringHandshake) == true
        var failure = HandshakeFailure(
            alert: alert, localReason: alert == nil && !isClosed ? boring?.reasonName : nil, cause: cause)
        let outcome = outcome
        failure.hello = outcome.hello
        failure.serverName = serverName
        failure.serverPath = outcome.path?.certificates ?? []
        failure.isCertificateRequested = outcome.clientCertificateRequested
        failure.identity = (outcome.sentIdentity ?? configuredIdentity).map(PublicIdentity.init)
        let isShownLate = outcome.lateCertificate != nil && alert?.namesCertificate == true
        failure.isIdentityShown = outcome.sentIdentity != nil || isShownLate
        failure.mayBeShownLate = outcome.lateCertificate != nil
        return failure
    }

    private var configuredIdentity: Identity? {
        switch identity {
        case .given(let identity), .late(let identity): identity
        case .none, .onDemand: nil
        }
    }

    private static func boringError(in error: any Error) -> BoringSSLError? {
        switch error {
        case NIOSSLError.handshakeFailed(let inner), NIOSSLError.shutdownFailed(let inner): inner
        case let inner as BoringSSLError: inner
        default: nil
        }
    }

    private func alertFailure(for error: any Error, _ outcome: Outcome) -> TLSFailure? {
        let evidence = evidence(cause: error)
        guard let boring = Self.boringError(in: error) else {
            guard error is NIOSSLError || error is NIOSSLExtraError, error as? NIOSSLError != .uncleanShutdown else {
                return nil
            }
            return .init(.handshake, "TLS with \(peer) failed: \(error).", cause: evidence)
        }
        if boring.reasonName == "NO_RENEGOTIATION" {
            return .init(
                .certificateRequired,
                "\(peerFirst) asks for a second handshake on the open connection, as servers do that want a client certificate for some of their paths only. Give an identity for it and allow it to be shown late, or have the server ask in the first handshake.",
                cause: evidence)
        }
        guard let alert = evidence.alert else {
            return .init(.handshake, "TLS with \(peer) failed: \(boring.hint(isProxy: isProxy)).", cause: evidence)
        }
        let sent = sentCertificate ?? outcome.lateCertificate
        // A server can ask for the late certificate only after the client has judged the server's own.
        let mayHaveAskedLate = outcome.lateCertificate != nil && outcome.path != nil
        let mayHaveAsked = outcome.clientCertificateRequested || mayHaveAskedLate
        // A server that asks late has already read a request.
        let comesFirst = alert.namesCertificate && outcome.lateCertificate == nil
        // GnuTLS cannot read the empty list by which a TLS 1.2 client says that it has no certificate.
        let isUnread = alert == .decodeError && sent == nil
        if alert == .certificateRequired || (mayHaveAsked && (alert.concernsCertificate || isUnread)) {
            guard let sent else {
                return .init(
                    .certificateRequired,
                    "\(peerFirst) demands a client certificate (\(alert)); give an identity for it.",
                    namesCertificate: comesFirst, cause: evidence)
            }
            return .init(
                .certificateRefused,
                "\(peerFirst) refused the client certificate “\(sent)” (\(alert): \(alert.meaning)).",
                namesCertificate: comesFirst, cause: evidence)
        }
        let isTooOld = alert == .protocolVersion && outcome.lateCertificate != nil
        let meaning =
            isTooOld
            ? "it does not speak TLS 1.2, and an identity that may be shown late limits the client to that"
            : alert.meaning
        let offer =
            alert.concernsAlgorithms ? " \(TLSSettings.offer(isProxy: isProxy, allowsInsecureCipherSuites))" : ""
        return .init(.handshake, "\(peerFirst) ended TLS with the alert \(alert): \(meaning).\(offer)", cause: evidence)
    }
}

extension BoringSSLError {
    /// The reason in words for the user, with BoringSSL's name of it.
    fileprivate func hint(isProxy: Bool) -> String {
        let who = isProxy ? "the proxy" : "the server"
        if stack.contains(.eofDuringHandshake) { return "\(who) closed the connection during the handshake" }
        let plain = "\(who) does not speak TLS on this port\(isProxy ? "; give its address with http://" : "")"
        let meanings = [
            "WRONG_VERSION_NUMBER": plain, "HTTP_REQUEST": plain,
            "UNSUPPORTED_PROTOCOL": "\(who) speaks no version from TLS 1.2 on",
            "BAD_SIGNATURE": "\(who) does not hold the key of its certificate",
        ]
        return meanings[reasonName].map { "\($0) (\(reasonName))" } ?? reasonName
    }
}
