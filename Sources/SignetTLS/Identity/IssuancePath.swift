/// A certificate and its issuers, one above the other, as far as their certificates are available. None of them is
/// trusted: the path is only shown and searched for problems.
package struct IssuancePath: Sendable {
    package enum End: Sendable, Hashable {
        /// The last certificate is self-signed.
        case root
        /// The certificate of the last one's issuer, which has this name, is not available.
        case missing(String)
        /// This certificate has the issuer's name, but its key did not sign the last one.
        case broken(EncodedCertificate)
        /// There are more certificates than a path may have.
        case tooLong
    }

    /// At least one certificate.
    package let certificates: [EncodedCertificate]
    package let end: End

    package init(from first: EncodedCertificate, among others: [EncodedCertificate]) {
        var path = [first]
        while true {
            guard let last = path.last, let content = last.content, !content.isSelfIssued else {
                end = .root
                break
            }
            guard path.count < TrustPolicy.maximumDepth else {
                end = .tooLong
                break
            }
            let named = others.lazy.filter { $0.content?.subject == content.issuer && !path.contains($0) }
                .prefix(CertificateChain.maximumCandidates)
            let signer = named.first { candidate in
                // A signature that Signet cannot check is no evidence against the candidate.
                candidate.content.map { (try? content.isSigned(by: $0)) ?? true } ?? false
            }
            guard let signer else {
                end = named.first.map(End.broken) ?? .missing(content.issuer.text)
                break
            }
            path.append(signer)
        }
        certificates = path
    }
}
