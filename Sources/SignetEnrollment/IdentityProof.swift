import HTTPTypes
public import SignetHTTP
public import SignetTLS
import Synchronization

/// Makes connections that show an identity (nil for none) to servers that a policy trusts.
///
/// Each call must return a transport of its own, whose connections no other transport shares.
public typealias IdentityTransport = @Sendable (Identity?, TrustPolicy) throws -> any ClientTransport

/// A call to the application that shows whether its server accepts a new identity.
///
/// Only an answer counts, over a connection that showed the identity. Where the identity may be shown late
/// (`allowsIdentityInRenegotiation`), the transport does not learn whether the server asked for it: choose a call that the
/// server refuses without a certificate. In TLS 1.3, a server judges the client's certificate after the client's handshake is done, so
/// that an open connection shows nothing.
public struct IdentityProof: Sendable {
    private let prove: @Sendable (Identity) async throws -> Void

    /// - Parameters:
    ///   - trust: which server is trusted.
    ///   - transport: makes the connections.
    ///   - call: makes one call that every client with a registered identity may make. It throws when the answer is not
    ///     that of the application.
    public init(
        trust: TrustPolicy, over transport: @escaping IdentityTransport,
        _ call: @escaping @Sendable (any ClientTransport) async throws -> Void
    ) {
        prove = { identity in
            let witness = Witness(try transport(identity, trust))
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

    /// - Throws: ``EnrollmentError`` with `notAccepted`; the error of the call when no answer came that says anything
    ///   about the identity.
    func callAsFunction(_ identity: Identity) async throws { try await prove(identity) }
}

/// Sees which certificate each call was made with, and what was answered.
private final class Witness: ClientTransport {
    private struct Seen {
        /// The statuses of answers over connections that showed the identity.
        var statuses: [Int] = []
        var hasAnswerWithoutIdentity = false
    }

    private let transport: any ClientTransport
    private let seen = Mutex(Seen())

    init(_ transport: any ClientTransport) { self.transport = transport }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let response = try await transport.send(request)
        let tls = response.report.connection.tls
        let isShown = tls?.clientCertificate != nil || tls?.lateClientCertificate != nil
        seen.withLock { seen in
            if isShown { seen.statuses.append(response.status.code) } else { seen.hasAnswerWithoutIdentity = true }
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
        if let status = seen.statuses.first(where: { [401, 403, 495, 496].contains($0) }) {
            throw EnrollmentError(
                .notAccepted,
                "The server answered \(status) to a call with the new identity “\(subject)”. Ask its operator to register the new certificate; the former identity stays until then.",
                cause: result.error)
        }
        if let error = result.error {
            if let error = error as? TransportError, error.code == .clientCertificateRefused {
                throw EnrollmentError(
                    .notAccepted, "The server refuses the new identity “\(subject)”. \(error.message)", cause: error)
            }
            throw error
        }
        guard seen.statuses.isEmpty else { return }
        throw EnrollmentError(
            .notAccepted,
            seen.hasAnswerWithoutIdentity
                ? "The server answered without having asked for the new identity “\(subject)”, so that the answer proves nothing. Make a call to an address that demands a certificate."
                : "No call was made with the new identity “\(subject)”. The proof must make one over the transport that it is given."
        )
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
