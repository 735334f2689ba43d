#if Server
import SignetNIOTLS
public import SignetTLS

/// Which clients a server lets in by their certificate, before it looks at anything else.
public struct ClientAdmission: Sendable {
    /// Decides about a client whose certificate is believed, for example by a registry of devices. False answers the
    /// request with 403; a thrown error with 500, and is logged.
    public typealias Decision = @Sendable (CertificationPath) async throws -> Bool

    let policy: ClientCertificatePolicy
    let decide: Decision?

    /// Asks no client for a certificate.
    public static let anyone = ClientAdmission(policy: .notRequested, decide: nil)

    /// Every client needs a certificate that `trust` believes; the TLS handshake fails for the others.
    public static func certificateRequired(
        _ trust: TrustPolicy, admitting decide: Decision? = nil
    ) -> ClientAdmission {
        ClientAdmission(policy: .required(trust), decide: decide)
    }

    /// A client may show a certificate, which `trust` must then believe; one without any is let in as well.
    public static func certificateRequested(
        _ trust: TrustPolicy, admitting decide: Decision? = nil
    ) -> ClientAdmission {
        ClientAdmission(policy: .requested(trust), decide: decide)
    }

    var isCertificateRequired: Bool { if case .required = policy { true } else { false } }
}
#endif
