import NIOSSL
import SignetTLS

/// An identity in NIOSSL's types.
struct IdentitySources {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource
    /// The key, when it only signs.
    let external: ExternalPrivateKey?
}

extension Identity {
    /// - Throws: ``TLSFailure`` when BoringSSL cannot use the key or a certificate.
    func sources() throws(TLSFailure) -> IdentitySources {
        do {
            let certificates = try chain.map {
                NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
            }
            switch key {
            case .held(let key):
                return IdentitySources(
                    chain: certificates, key: .privateKey(try NIOSSLPrivateKey(bytes: key.pkcs8, format: .der)),
                    external: nil)
            case .signsOnly(let signer):
                let key = ExternalPrivateKey(signer)
                return IdentitySources(
                    chain: certificates, key: .privateKey(NIOSSLPrivateKey(customPrivateKey: key)),
                    external: key)
            }
        } catch {
            throw .init(
                .unusableIdentity,
                "The identity “\(leaf.subject)” cannot be used for TLS: its key or a certificate is of a kind that is not supported.",
                cause: error)
        }
    }
}

extension EncodedCertificate {
    /// A certificate that cannot be encoded becomes an unreadable one: if it were left out, the next certificate would
    /// take its place, possibly as the peer's own.
    init(_ certificate: NIOSSLCertificate) { self.init(der: (try? certificate.toDERBytes()) ?? []) }
}
