extension OCSPResponse {
    /// The longest validity, in seconds, of a certificate that may sign answers without ocsp-nocheck: 31 days.
    ///
    /// A signer's own revocation is never looked up. Ocsp-nocheck says that the authority does not expect it; a short
    /// life keeps a stolen key from being of use for long. Any other signer is refused.
    static let maximumSignerLife: Int64 = 31 * 86_400

    /// What the answer says about a certificate, and until when, once all of this holds: it names the certificate; its
    /// time has come and is not over (see ``UpdatePeriod``); it repeats the nonce, or none; and it was signed by the
    /// issuer itself or by a delegate. A delegate is one to whom the same key issued a certificate for OCSPSigning
    /// (RFC 6960 §4.2.2.2), which is valid now and has ocsp-nocheck or a life of at most 31 days.
    ///
    /// - Parameters:
    ///   - certificate: the certificate in question.
    ///   - issuer: its issuer's certificate, which the caller already trusts.
    ///   - nonce: that of the request; an answer without one was prepared earlier and counts (RFC 5019 §4).
    ///   - now: seconds since 1970 in UTC.
    /// - Returns: also ``Status/unknown``.
    package func status(
        of certificate: EncodedCertificate, issuedBy issuer: EncodedCertificate, nonce: [UInt8]? = nil, at now: Int64
    ) throws(RevocationProblem) -> (status: Status, until: Int64) {
        let (subject, authority) = try RevocationProblem.reading("The certificate “\(certificate.subject)”") {
            (try certificate.reading.get(), try issuer.reading.get())
        }
        let named = answers.filter { $0.certificate.names(subject, issuedBy: authority) }
        // Of contradictory answers, the worst counts.
        guard let answer = named.max(by: { $0.status.severity < $1.status.severity }) else {
            throw RevocationProblem(
                .notCovered,
                "\(Self.what) is about other certificates than “\(certificate.subject)”. Its server must answer for the one that is asked for."
            )
        }
        if let nonce, let repeated = self.nonce, !repeated.elementsEqual(nonce) {
            throw RevocationProblem(
                .nonceMismatch,
                "\(Self.what) belongs to another request: its nonce is not the one that was sent. Something between repeats old answers."
            )
        }
        try answer.period.check(Self.what, at: now)
        try checkSigner(authority, excluding: certificate, at: now)
        return (answer.status, answer.period.end)
    }

    /// Tries everyone who has the name of the signer: an old and a new certificate may have the same.
    private func checkSigner(
        _ issuer: CertificateContent, excluding certificate: EncodedCertificate, at now: Int64
    ) throws(RevocationProblem) {
        var first: RevocationProblem?
        if isNamed(issuer) {
            do throws(RevocationProblem) { return try checkSignature(by: issuer) } catch { first = error }
        }
        // A certificate must not vouch for itself.
        for delegate in certificates where delegate != certificate {
            guard let content = delegate.content, isNamed(content) else { continue }
            do throws(RevocationProblem) {
                try checkDelegate(content, of: issuer, at: now)
                return try checkSignature(by: content)
            } catch { first = first ?? error }
        }
        throw first
            ?? RevocationProblem(
                .untrustedSigner,
                "\(Self.what) was signed neither by “\(issuer.subject.text)” nor by the owner of a certificate in it. Its server must send the certificate of its signer."
            )
    }

    private func checkSignature(by signer: CertificateContent) throws(RevocationProblem) {
        try RevocationProblem.checkSignature(Self.what, by: signer) { (signer) throws(AlgorithmProblem) in
            try signer.hasSigned(signedBytes, signature, signatureAlgorithm)
        }
    }

    private func isNamed(_ certificate: CertificateContent) -> Bool {
        switch signer {
        case .name(let name): certificate.subject == name
        case .key(let digest):
            (try? certificate.publicKeyBits()).map(OCSPCertificateID.sha1)?.elementsEqual(digest) ?? false
        }
    }

    private func checkDelegate(
        _ delegate: CertificateContent, of issuer: CertificateContent, at now: Int64
    ) throws(RevocationProblem) {
        let name = delegate.subject.text
        func refuse(_ why: String) throws(RevocationProblem) {
            throw RevocationProblem(
                .untrustedSigner,
                "\(Self.what) was signed by “\(name)”, which \(why). Its server needs another signer.")
        }
        guard delegate.issuer == issuer.subject else {
            return try refuse("“\(issuer.subject.text)” did not issue")
        }
        let (purposes, usage) = try RevocationProblem.reading("The certificate of the signer of the OCSP answer") {
            (try delegate.extendedKeyUsage() ?? [], try delegate.keyUsage())
        }
        // Any purpose is not enough: every certificate could otherwise become a signer by chance.
        if !purposes.contains(.ocspSigning) { return try refuse("is not for signing them (extendedKeyUsage)") }
        if usage?.digitalSignature == false { return try refuse("must not sign (keyUsage)") }
        if now < delegate.notBefore || now > delegate.notAfter {
            return try refuse(
                "is valid from \(UnixTime.text(delegate.notBefore)) to \(UnixTime.text(delegate.notAfter)) only; it is \(UnixTime.text(now)) by the local clock"
            )
        }
        if !delegate.isOCSPNoCheck, delegate.notAfter - delegate.notBefore > Self.maximumSignerLife {
            return try refuse(
                "may itself be revoked: it has no ocsp-nocheck and is valid for more than \(Self.maximumSignerLife / 86_400) days"
            )
        }
        let understood = CertificateJudge.understood.union([.OCSP.noCheck])
        if let unknown = delegate.extensions.first(where: { $0.isCritical && !understood.contains($0.identifier) }) {
            return try refuse("has the critical extension \(unknown.identifier), which is not understood here")
        }
        try RevocationProblem.checkSignature("The certificate of the signer of the OCSP answer", by: issuer) {
            (issuer) throws(AlgorithmProblem) in try delegate.isSigned(by: issuer)
        }
    }
}

extension OCSPResponse.Status {
    fileprivate var severity: Int {
        switch self {
        case .good: 0
        case .unknown: 1
        case .revoked: 2
        }
    }
}
