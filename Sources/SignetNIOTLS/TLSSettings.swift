import NIOCore
import NIOSSL
import SignetTLS

/// The settings for clients and servers: TLS 1.2 and 1.3, forward secrecy, authenticated encryption, no SHA-1.
enum TLSSettings {
    /// For TLS 1.2. The suites of TLS 1.3 are all secure and cannot be chosen.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Suites without forward secrecy or without authenticated encryption, for servers that support no others.
    /// BoringSSL has none with DHE.
    private static let insecureCipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
        .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
        .TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384, .TLS_RSA_WITH_AES_128_CBC_SHA,
        .TLS_RSA_WITH_AES_256_CBC_SHA,
    ]

    /// What the client offered and what the user can do, for a peer that requires something else.
    static func offer(isProxy: Bool, _ allowsInsecureCipherSuites: Bool) -> String {
        let path =
            isProxy
            ? "proxy.allowsInsecureCipherSuites (signet: --proxy-insecure-ciphers)"
            : "allowsInsecureCipherSuites (signet: --insecure-ciphers)"
        let usual = "TLS 1.3, and in TLS 1.2 ECDHE with AES-GCM or ChaCha20-Poly1305"
        return allowsInsecureCipherSuites
            ? "Offered were \(usual), and those with AES-CBC and SHA-1, or with RSA key exchange. \(missing)"
            : "Offered were \(usual). Where it has CBC with SHA-1 or RSA key exchange alone, set \(path). \(missing)"
    }

    private static let missing =
        "DHE cannot be offered, nor CBC with SHA-256 or SHA-384 (BoringSSL has neither): such a server needs AES-GCM with ECDHE, or a proxy in front of it that supports them."

    private static let signatureAlgorithms: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .ecdsaSecp384R1Sha384, .ecdsaSecp521R1Sha512, .ed25519, .rsaPssRsaeSha256,
        .rsaPssRsaeSha384, .rsaPssRsaeSha512, .rsaPkcs1Sha256, .rsaPkcs1Sha384, .rsaPkcs1Sha512,
    ]

    /// BoringSSL's default groups, followed by P-521: in TLS 1.2 the groups also limit the keys of certificates (RFC
    /// 8422 §5.1.1).
    private static let groups: [NIOTLSCurve] = [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1]

    static func apply(
        to configuration: inout TLSConfiguration, versions: TLSVersionRange = .all,
        allowsInsecureCipherSuites: Bool = false
    ) {
        configuration.minimumTLSVersion = TLSVersion(versions.minimum)
        configuration.maximumTLSVersion = TLSVersion(versions.maximum)
        configuration.cipherSuiteValues = cipherSuites + (allowsInsecureCipherSuites ? insecureCipherSuites : [])
        configuration.curves = groups
        configuration.verifySignatureAlgorithms = signatureAlgorithms
        configuration.signingSignatureAlgorithms = signatureAlgorithms
        configuration.applicationProtocols = ["http/1.1"]
        configuration.renegotiationSupport = .none
        configuration.shutdownTimeout = .seconds(1)
        // Only Signet's own callback judges certificates. Reading the system's trust anchors for every context would be
        // wasted time.
        configuration.trustRoots = .certificates([])
    }
}

extension TLSVersion {
    fileprivate init(_ version: TLSVersionRange.Version) {
        switch version {
        case .tls12: self = .tlsv12
        case .tls13: self = .tlsv13
        }
    }
}
