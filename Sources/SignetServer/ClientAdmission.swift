#if Server
import Logging
import SignetConnection
import SignetHTTP
import SignetNIOTLS
import SignetNIOTransport
public import SignetTLS

/// Which clients a server admits by their certificate, before it checks anything else.
public struct ClientAdmission: Sendable {
    /// Decides about a client whose certificate is trusted, for example by asking a registry of devices. When it
    /// returns false, the server answers the request with 403; when it throws, the server logs the error and answers
    /// with 500.
    public typealias Decision = @Sendable (AdmissionQuestion) async throws -> Bool

    let policy: ClientCertificatePolicy
    let decide: Decision?

    /// Asks no client for a certificate.
    public static let noCertificateRequested = ClientAdmission(policy: .notRequested, decide: nil)

    /// Requires from every client a certificate that `trust` accepts; for clients without one the TLS handshake fails, or, where it ends
    /// at a proxy (``TLSTerminatingProxy``), they get 403.
    public static func certificateRequired(
        _ trust: TrustPolicy, admitting decide: Decision? = nil
    ) -> ClientAdmission {
        ClientAdmission(policy: .required(trust), decide: decide)
    }

    /// Allows a client to show a certificate, which `trust` must then accept; admits a client without a certificate as
    /// well.
    public static func certificateOptional(
        _ trust: TrustPolicy, admitting decide: Decision? = nil
    ) -> ClientAdmission {
        ClientAdmission(policy: .requested(trust), decide: decide)
    }

    /// How the revocation of clients' certificates is looked up.
    var revocation: RevocationPolicy {
        switch policy {
        case .notRequested: .off
        case .requested(let trust), .required(let trust): trust.revocation
        }
    }

    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for a proxy that is never used.
    func check(_ revocationProxy: ProxyConfiguration) throws(SOAPServerError) {
        guard revocation.mode == .off, revocationProxy.rules?.http != nil || revocationProxy.rules?.https != nil else {
            return
        }
        throw SOAPServerError(
            .invalidConfiguration,
            "The setting revocationProxy names a proxy, but the policy for clients looks up no revocation; set TrustPolicy.revocation, or take the proxy out."
        )
    }

    /// Looks up revocation as the policy says; nil when it does not.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    func revocationSource(
        through proxy: ProxyConfiguration, _ logger: Logger
    ) throws(SOAPServerError) -> RevocationSource? {
        guard revocation.mode != .off else { return nil }
        do throws(ConnectionConfigurationError) { return try RevocationSource(through: proxy, logger: logger) } catch {
            throw SOAPServerError(
                .invalidConfiguration, "The setting revocationProxy is not usable: \(error)", cause: error)
        }
    }

    var asksForCertificates: Bool { if case .notRequested = policy { false } else { true } }
    var isCertificateRequired: Bool { if case .required = policy { true } else { false } }
}

/// The input of a ``ClientAdmission/Decision``.
public struct AdmissionQuestion: Sendable {
    /// The trusted path of the client's certificate, the client's own first.
    public let path: CertificationPath
    /// The address of the client, in the form of ``/SignetSOAP/PeerDescription/remoteAddress``; for the certificate of a
    /// ``TLSTerminatingProxy`` itself, that of its connection. Nil when the connection has no IP address.
    public let remoteAddress: String?

    /// A question for tests of a decision. The server makes its own questions.
    public init(path: CertificationPath, remoteAddress: String? = nil) {
        self.path = path
        self.remoteAddress = remoteAddress
    }
}
#endif
