/// The chain as it is sent: the end-entity certificate first, each issuer after the certificate that it signed. Roots
/// and unrelated certificates are left out.
struct CertificateChain {
    private(set) var certificates: [EncodedCertificate]
    /// The last certificate of the chain, when there are certificates with its issuer's name and none of them signed
    /// it.
    private(set) var broken: EncodedCertificate?

    /// Limits the signatures that are checked when many certificates have the same name.
    static let maximumCandidates = 16

    init(from leaf: EncodedCertificate, among others: [EncodedCertificate]) {
        certificates = [leaf]
        while certificates.count < TrustPolicy.maximumPresented, let current = certificates.last,
            let content = current.content, !content.isSelfIssued
        {
            let candidates = others.lazy.filter { $0.content?.subject == content.issuer && $0 != current }
                .prefix(Self.maximumCandidates)
            let issuer = candidates.first { candidate in
                // A signature that Signet cannot check is no evidence against the candidate.
                candidate.content.map { (try? content.isSigned(by: $0)) ?? true } ?? false
            }
            guard let issuer else {
                // If the limit was reached, the right candidate may be among those that were not checked.
                if !candidates.isEmpty, candidates.count < Self.maximumCandidates { broken = current }
                return
            }
            guard issuer.content?.isSelfIssued == false, !certificates.contains(issuer) else { return }
            certificates.append(issuer)
        }
    }
}
