/// A certificate and, one above the other, whoever issued it, as far as their certificates are at hand. Nothing of it is
/// believed: it is there to be shown, and to be complained about.
package struct IssuancePath: Sendable {
    package enum End: Sendable, Hashable {
        /// The last certificate signed itself.
        case root
        /// The issuer of the last one, by this name, is not at hand.
        case missing(String)
        /// This one has the issuer's name, but did not sign the last one.
        case broken(EncodedCertificate)
        /// There are more certificates than a path may have.
        case tooLong
    }

    /// At least one.
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
                // A signature of a kind not known here cannot speak against the candidate.
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
