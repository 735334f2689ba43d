import NIOSSL
import SignetTLS

extension Identity {
    /// The chain and the key in the form that NIOSSL takes.
    ///
    /// - Throws: ``TLSFailure`` when BoringSSL cannot use one of them.
    func sources() throws(TLSFailure) -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        do {
            let certificates = try chain.map {
                NIOSSLCertificateSource.certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
            }
            return (certificates, .privateKey(try NIOSSLPrivateKey(bytes: privateKey.pkcs8, format: .der)))
        } catch {
            throw .init(
                .unusableIdentity,
                "The identity “\(leaf.subject)” cannot be used for TLS: its key or a certificate is of a kind that is not supported.",
                cause: error)
        }
    }
}
