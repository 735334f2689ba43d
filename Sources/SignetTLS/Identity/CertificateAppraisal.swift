import SwiftASN1

/// Looks for defects in the program's own certificate chain that would make peers refuse it.
package struct CertificateAppraisal {
    /// The end-entity certificate, then each issuer of the one before.
    let chain: [EncodedCertificate]
    /// Other certificates, among which the root may be that the chain leaves out.
    let others: [EncodedCertificate]
    let now: Int64

    /// A certificate that expires within this many seconds gets a note to renew it.
    static let renewal: Int64 = 30 * 86_400

    package init(chain: [EncodedCertificate], others: [EncodedCertificate], now: Int64) {
        self.chain = chain
        self.others = others
        self.now = now
    }

    /// All problems, errors first.
    ///
    /// - Parameter role: nil for a certificate that no TLS client or server presents, such as an authority's. Problems
    ///   of its usage are then left out.
    package func problems(for role: Identity.Role?) -> [IdentityProblem] {
        let all = certificateProblems(for: role) + pathProblems()
        return all.filter { $0.severity == .error } + all.filter { $0.severity == .note }
    }

    /// The problems that each certificate has by itself.
    func certificateProblems(for role: Identity.Role?) -> [IdentityProblem] {
        chain.enumerated().flatMap { position, certificate in
            problems(of: certificate, isLeaf: position == 0, for: role)
        }
    }

    private func problems(
        of certificate: EncodedCertificate, isLeaf: Bool, for role: Identity.Role?
    ) -> [IdentityProblem] {
        let finding = Finding(certificate: certificate, isLeaf: isLeaf)
        guard let content = certificate.content else {
            return [
                finding.error(
                    .unreadable, "cannot be read as a certificate (RFC 5280). Have it issued anew, or export it again.")
            ]
        }
        var found = validity(of: content, finding)
        do {
            if let role { found += try purposes(of: content, isLeaf: isLeaf, finding, role) }
        } catch {
            found.append(finding.error(.unreadable, "has a malformed extension. Have it issued anew."))
        }
        do throws(AlgorithmProblem) { _ = try PublicKey(publicKeyInfo: content.publicKeyInfo) } catch {
            found.append(finding.note(.weakKey, "holds \(error). Make a new key and have it certified."))
        }
        // Peers do not rely on the signature of a self-signed certificate.
        if !content.isSelfIssued {
            do throws(AlgorithmProblem) { _ = try SignatureAlgorithm(content.signatureAlgorithm) } catch {
                found.append(
                    finding.note(.weakSignature, "carries \(error). Many peers refuse it: have it issued anew."))
            }
        }
        return found
    }

    private func validity(of content: CertificateContent, _ finding: Finding) -> [IdentityProblem] {
        let clock = "it is \(UnixTime.text(now)) by the local clock"
        if now < content.notBefore {
            return [
                finding.error(
                    .notYetValid,
                    "is valid from \(UnixTime.text(content.notBefore)); \(clock). Check the clock, or wait.")
            ]
        }
        if now > content.notAfter {
            return [
                finding.error(.expired, "expired at \(UnixTime.text(content.notAfter)); \(clock). Have it renewed.")
            ]
        }
        let (left, overflow) = content.notAfter.subtractingReportingOverflow(now)
        guard !overflow, left < Self.renewal else { return [] }
        return [
            finding.note(
                .expiresSoon,
                "expires at \(UnixTime.text(content.notAfter)), in \(Self.days(left)). Have it renewed.")
        ]
    }

    /// A length of time in whole days, or `less than a day`.
    package static func days(_ seconds: Int64) -> String {
        switch seconds / 86_400 {
        case 0: "less than a day"
        case 1: "1 day"
        case let days: "\(days) days"
        }
    }

    private func purposes(
        of content: CertificateContent, isLeaf: Bool, _ finding: Finding, _ role: Identity.Role
    ) throws -> [IdentityProblem] {
        var found: [IdentityProblem] = []
        let (wanted, name) =
            role == .client
            ? (ASN1ObjectIdentifier.clientAuthentication, "clientAuth")
            : (ASN1ObjectIdentifier.serverAuthentication, "serverAuth")
        if let purposes = try content.extendedKeyUsage(),
            !purposes.contains(wanted), !purposes.contains(.anyExtendedKeyUsage)
        {
            let advice =
                role == .client
                ? "Most public authorities no longer issue it: ask the operator of the service, or a private authority."
                : "Have one issued for servers."
            found.append(
                finding.error(
                    .wrongExtendedKeyUsage,
                    "is not for a \(role): its extendedKeyUsage lacks \(name). \(advice)"))
        }
        guard isLeaf else { return found }
        if let usage = try content.keyUsage(), usage.bits & 0x80 == 0 {
            found.append(
                finding.error(
                    .wrongKeyUsage,
                    "is for a key that must not sign: its keyUsage lacks digitalSignature, by which TLS proves the key. Have another one issued."
                ))
        }
        if role == .server, try !content.subjectAltNames().contains(where: \.isHost) {
            found.append(
                finding.note(
                    .noHostName,
                    "names no host: it has no subjectAltName with a DNS name or an IP address, and a Common Name does not count. Have one issued that does."
                ))
        }
        return found
    }

    /// The problems at the end of the path from the end-entity certificate.
    private func pathProblems() -> [IdentityProblem] {
        guard let leaf = chain.first else { return [] }
        let path = IssuancePath(from: leaf, among: Array(chain.dropFirst()) + others)
        guard let last = path.certificates.last, last.content != nil else { return [] }
        let finding = Finding(certificate: last, isLeaf: false)
        switch path.end {
        case .root: return []
        case .missing(let issuer):
            return [
                finding.note(
                    .chainIncomplete,
                    "was issued by “\(issuer)”, whose certificate is absent. Nothing is wrong if that is a root which the peer trusts; if not, put its certificate beside this one."
                )
            ]
        case .broken(let issuer):
            return [
                finding.note(
                    .chainBroken,
                    "was not signed by the key of “\(issuer.subject)” that is beside it, although it names that issuer. Get the right certificate of the issuer."
                )
            ]
        case .tooLong:
            return [
                finding.note(
                    .chainIncomplete,
                    "is the last of \(TrustPolicy.maximumDepth) certificates, and still no root. Peers look no deeper.")
            ]
        }
    }
}

extension GeneralName {
    fileprivate var isHost: Bool {
        switch self {
        case .dns, .ip: true
        default: false
        }
    }
}

/// Builds the problems of one certificate.
private struct Finding {
    let certificate: EncodedCertificate
    let isLeaf: Bool

    /// A defect of the end-entity certificate that every peer refuses. For an issuer it becomes a note, as the peer may
    /// have a better certificate.
    func error(_ code: IdentityProblem.Code, _ text: String) -> IdentityProblem {
        problem(code, isLeaf ? .error : .note, text)
    }

    func note(_ code: IdentityProblem.Code, _ text: String) -> IdentityProblem { problem(code, .note, text) }

    private func problem(
        _ code: IdentityProblem.Code, _ severity: IdentityProblem.Severity, _ text: String
    ) -> IdentityProblem {
        IdentityProblem(
            code: code, severity: severity, certificate: certificate, message: "“\(certificate.subject)” \(text)")
    }
}
