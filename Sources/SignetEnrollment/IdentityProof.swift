import HTTPTypes
import SignetAuthentication
public import SignetHTTP
public import SignetTLS
import Synchronization

/// Makes connections that show an identity (nil for none) to servers that a policy trusts.
///
/// Each call must return a transport of its own, whose connections no other transport shares.
public typealias IdentityTransport = @Sendable (Identity?, TrustPolicy) throws -> any ClientTransport

/// A call to the application that shows whether its server accepts a new identity.
///
/// Only an answer counts, over a connection that showed this identity in its handshake. One that may be shown late
/// (`allowsIdentityInRenegotiation`) does not count, since the transport does not learn whether the server asked for it. In
/// TLS 1.3, a server judges the client's certificate after the client's handshake is done, so
/// that an open connection shows nothing.
public struct IdentityProof: Sendable {
    private let prove: @Sendable (Identity) async throws -> Void

    /// - Parameters:
    ///   - trust: which server is trusted.
    ///   - transport: makes the connections.
    ///   - call: makes one call, over the transport that it is given, that every client with a registered identity may
    ///     make. It throws when the answer is not that of the application.
    public init(
        trust: TrustPolicy, over transport: @escaping IdentityTransport,
        _ call: @escaping @Sendable (any ClientTransport) async throws -> Void
    ) {
        prove = { identity in
            let witness = Witness(try transport(identity, trust), identity.leaf)
            let result: Result<Void, any Error>
            do { result = .success(try await call(witness)) } catch { result = .failure(error) }
            // A transport that cannot close its connections has made the call all the same.
            try? await witness.shutdown()
            try witness.judge(result, of: identity)
        }
    }

    private init(_ prove: @escaping @Sendable (Identity) async throws -> Void) { self.prove = prove }

    /// No call is made: the new identity is used as soon as it fulfils the requirements. When the server does not accept
    /// it, no call is possible any more.
    public static let none = IdentityProof { _ in }

    /// - Throws: ``EnrollmentError`` with `notAccepted` or `notProved`; the error of the call when no answer came that
    ///   says anything about the identity.
    func callAsFunction(_ identity: Identity) async throws { try await prove(identity) }
}

/// Sees which certificate each call was made with, and what was answered.
private final class Witness: ClientTransport {
    private struct Seen {
        /// The last answer over a connection that showed the identity.
        var status: Int?
        /// What that answer says about the certificate.
        var refusal: CertificateRefusal?
        /// What another connection showed.
        var other: String?
        var hasOtherAnswer = false
    }

    private let transport: any ClientTransport
    private let leaf: EncodedCertificate
    private let seen = Mutex(Seen())

    init(_ transport: any ClientTransport, _ leaf: EncodedCertificate) {
        self.transport = transport
        self.leaf = leaf
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let response = try await transport.send(request)
        let tls = response.report.connection.tls
        // The former identity often has the same subject.
        let isShown =
            tls?.clientCertificate == leaf.subject
            && (tls?.clientCertificateNotAfter == nil || tls?.clientCertificateNotAfter == leaf.notAfter)
        seen.withLock { seen in
            if isShown {
                seen.status = response.status.code
                seen.refusal = CertificateRefusal(response)
            } else {
                seen.hasOtherAnswer = true
                seen.other = tls?.clientCertificate
            }
        }
        return response
    }

    func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws {
        try await transport.warmUp(endpoint, connections: count, deadlines: deadlines)
    }
    func renewConnections() { transport.renewConnections() }
    func suspendConnections() { transport.suspendConnections() }
    func resumeConnections() { transport.resumeConnections() }
    func shutdown() async throws { try await transport.shutdown() }
    func isLocal(_ origin: Origin) -> Bool { transport.isLocal(origin) }
    func proofs(at origin: Origin) -> ClientProofs? { transport.proofs(at: origin) }
    var connectionCounts: ConnectionCounts? { transport.connectionCounts }

    func judge(_ result: Result<Void, any Error>, of identity: Identity) throws {
        let seen = seen.withLock { $0 }
        let subject = identity.leaf.subject
        func refused(_ what: String) -> EnrollmentError {
            EnrollmentError(
                .notAccepted,
                "\(what) Ask the operator of the service to register the new certificate, and finish the replacement then (finish(), or the same signet enroll again): the new identity waits, and the former one stays.",
                cause: result.error)
        }
        if let status = seen.status, [401, 403, 407].contains(status) || seen.refusal != nil {
            throw refused("The server answered \(status) to a call with the new identity “\(subject)”.")
        }
        switch result.error {
        case nil: break
        case let error as TransportError where error.code == .clientCertificateRefused:
            throw refused("The server refuses the new identity “\(subject)”. \(error.message)")
        case let error as AuthenticationError where error.space?.isProxy != true:
            throw refused(
                "The server demands credentials although it got the new identity “\(subject)”. \(error.message)")
        case let error?: throw error
        }
        if let status = seen.status, !(300..<400).contains(status) { return }
        let why =
            if let status = seen.status {
                "The server answered \(status) and redirects, so that the application did not answer. Call the address to which it redirects."
            } else if let other = seen.other {
                "The call showed “\(other)” in place of the new identity “\(subject)”. The transport must show the identity that it is made for."
            } else if seen.hasOtherAnswer {
                "The server answered without having asked for the new identity “\(subject)” in the handshake, so that the answer proves nothing. Make a call to an address that demands a certificate there."
            } else {
                "No call was made with the new identity “\(subject)”. The proof must make one over the transport that it is given."
            }
        throw EnrollmentError(.notProved, why)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
