#if CommandLine
import Signet

extension IdentityReport.Key {
    init(_ key: KeyFile.Key) {
        self.init(
            algorithm: key.algorithm, label: key.label, localKeyID: key.localKeyID.map { Text.hexadecimal($0) },
            reasonNotUsable: key.problem?.message)
    }
}

extension IdentityReport.End {
    init(_ end: IssuancePath.End) {
        switch end {
        case .root: self.init(kind: .root, issuer: nil)
        case .missing(let issuer): self.init(kind: .missing, issuer: issuer)
        case .broken(let issuer): self.init(kind: .broken, issuer: issuer.subject)
        case .tooLong: self.init(kind: .tooLong, issuer: nil)
        }
    }
}

extension IdentityReport.Problem {
    init(_ problem: IdentityProblem) {
        self.init(
            code: problem.code.description, severity: problem.severity == .error ? "error" : "note",
            certificate: problem.certificate.subject, message: problem.message)
    }
}

extension IdentityReport.Certificate {
    init(_ certificate: EncodedCertificate, now: Int64, isSent: Bool, isFromAuthorities: Bool) {
        let details = certificate.details ?? CertificateDetails()
        let (left, overflow) = (certificate.notAfter ?? now).subtractingReportingOverflow(now)
        self.init(
            subject: certificate.subject, issuer: certificate.issuer ?? "", serialNumber: details.serialNumber,
            notBefore: certificate.notBefore.map(UnixTime.internet) ?? "",
            notAfter: certificate.notAfter.map(UnixTime.internet) ?? "",
            daysLeft: overflow ? 0 : Int64((Double(left) / 86_400).rounded(.down)), names: details.names,
            isAuthority: details.isAuthority, pathLength: details.pathLength, keyUsage: details.keyUsage,
            extendedKeyUsage: details.extendedKeyUsage, key: details.key, signature: details.signature,
            sha256: Text.hexadecimal(certificate.sha256),
            pin: certificate.publicKeySHA256.map { "sha256//\(Text.base64($0))" } ?? "", isSent: isSent,
            isFromAuthorities: isFromAuthorities)
    }
}

extension UnixTime {
    /// `2026-11-21T09:30:00Z` (RFC 3339).
    static func internet(_ seconds: Int64) -> String {
        let text = text(seconds)
        return "\(text.dropLast(4).map { $0 == " " ? "T" : String($0) }.joined())Z"
    }
}
#endif
