/// The chain as it is sent: end-entity certificate first, each issuer behind it, roots and strangers left out.
struct CertificateChain {
    private(set) var certificates: [EncodedCertificate]
    /// The last certificate of the chain, when issuers of its name are at hand and none of them signed it.
    private(set) var broken: EncodedCertificate?

    /// Bounds the signatures that are checked when many certificates bear one name.
    static let maximumCandidates = 16

    init(from leaf: EncodedCertificate, among others: [EncodedCertificate]) {
        certificates = [leaf]
        while certificates.count < TrustPolicy.maximumPresented, let current = certificates.last,
            let content = current.content, !content.isSelfIssued
        {
            let candidates = others.lazy.filter { $0.content?.subject == content.issuer && $0 != current }
                .prefix(Self.maximumCandidates)
            let issuer = candidates.first { candidate in
                // A signature of a kind not known here cannot speak against the candidate.
                candidate.content.map { (try? content.isSigned(by: $0)) ?? true } ?? false
            }
            guard let issuer else {
                // Among those that were not asked may be the right one.
                if !candidates.isEmpty, candidates.count < Self.maximumCandidates { broken = current }
                return
            }
            guard issuer.content?.isSelfIssued == false, !certificates.contains(issuer) else { return }
            certificates.append(issuer)
        }
    }
}
