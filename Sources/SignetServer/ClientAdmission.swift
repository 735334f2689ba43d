#if Server
import SignetNIOTLS
public import SignetTLS

/// Which clients a server admits by their certificate, before it checks anything else.
public struct ClientAdmission: Sendable {
    /// Decides about a client whose certificate is trusted, for example by asking a registry of devices. When it
    /// returns false, the server answers the request with 403; when it throws, the server logs the error and answers
    /// with 500.
    public typealias Decision = @Sendable (CertificationPath) async throws -> Bool

    let policy: ClientCertificatePolicy
    let decide: Decision?

    /// Asks no client for a certificate.
    public static let noCertificateRequested = ClientAdmission(policy: .notRequested, decide: nil)

    /// Requires from every client a certificate that `trust` accepts; the TLS handshake fails for clients without one.
    public static func certificateRequired(
        _ trust: TrustPolicy, admitting decide: Decision? = nil
    ) -> ClientAdmission {
        ClientAdmission(policy: .required(trust), decide: decide)
    }

    /// Allows a client to show a certificate, which `trust` must then accept; admits a client without a certificate as
    /// well.
    public static func certificateRequested(
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

    var asksForCertificates: Bool { if case .notRequested = policy { false } else { true } }
    var isCertificateRequired: Bool { if case .required = policy { true } else { false } }
}
#endif
