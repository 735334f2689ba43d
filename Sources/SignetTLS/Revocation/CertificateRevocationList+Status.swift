import SwiftASN1

extension CertificateRevocationList {
    /// What a list says about one certificate.
    package enum Status: Sendable, Hashable {
        /// The certificate is not on the list.
        case good
        /// Since `at`, in seconds since 1970 in UTC.
        case revoked(at: Int64, RevocationReason?)
    }

    /// Checks that `issuer` issued the list: its name, its keyUsage (cRLSign) and its signature. After that, the list
    /// may be used for all certificates of this issuer.
    package func verify(issuedBy issuer: EncodedCertificate) throws(RevocationProblem) {
        let (authority, usage) = try RevocationProblem.reading("The certificate “\(issuer.subject)”") {
            let content = try issuer.reading.get()
            return (content, try content.keyUsage())
        }
        guard self.issuer == authority.subject else {
            throw RevocationProblem(
                .untrustedSigner,
                "\(Self.what) is of “\(self.issuer.text)”, not of “\(authority.subject.text)”. The certificates must name the list of their own issuer."
            )
        }
        if usage?.listSigning == false {
            throw RevocationProblem(
                .untrustedSigner,
                "The key of “\(authority.subject.text)” must not sign revocation lists (keyUsage). Use OCSP, or have the authority certified anew."
            )
        }
        try RevocationProblem.checkSignature(Self.what, by: authority) { (signer) throws(AlgorithmProblem) in
            try signer.hasSigned(signedBytes, signature, signatureAlgorithm)
        }
    }

    /// What the list says about a certificate. ``verify(issuedBy:)`` must have found that the certificate's own issuer
    /// issued the list.
    ///
    /// A list of newer changes that this one names (freshestCRL) is not fetched.
    ///
    /// - Parameters:
    ///   - certificate: the certificate in question.
    ///   - point: the place, named in the certificate, from which the list came.
    ///   - now: seconds since 1970 in UTC.
    /// - Throws: ``RevocationProblem`` with `notYetValid`, `outdated`, or with `notCovered` when the list is for other
    ///   certificates, or is for some reasons only and the certificate is not on it.
    func status(
        of certificate: EncodedCertificate, from point: DistributionPoint, at now: Int64
    ) throws(RevocationProblem) -> Status {
        try period.check(Self.what, at: now)
        let (content, isAuthority) = try RevocationProblem.reading("The certificate “\(certificate.subject)”") {
            let content = try certificate.reading.get()
            return (content, try content.basicConstraints()?.isAuthority ?? false)
        }
        guard scope.includes(authority: isAuthority), scope.includes(point) else {
            throw RevocationProblem(
                .notCovered,
                "\(Self.what) is for other certificates than “\(certificate.subject)” (issuingDistributionPoint). The certificate must name the list that it belongs to."
            )
        }
        let found = try RevocationProblem.reading(Self.what) { () -> Status? in
            guard let entry = try entry(for: content.serialNumber) else { return nil }
            // A reason that is not known does not make the certificate less revoked.
            let reason = entry.reason.flatMap { $0.count == 1 ? $0.first : nil }.flatMap {
                RevocationReason(rawValue: Int($0))
            }
            return .revoked(at: try UnixTime.read(try entry.date.tree()), reason)
        }
        if let found { return found }
        if scope.isForSomeReasons || point.isForSomeReasons {
            throw RevocationProblem(
                .notCovered,
                "\(Self.what) is only for some reasons of revocation (onlySomeReasons), so it does not prove that “\(certificate.subject)” is good. Use OCSP, or a list for all reasons."
            )
        }
        return .good
    }
}
