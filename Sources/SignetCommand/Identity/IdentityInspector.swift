#if CommandLine
import Foundation
import Signet

/// Makes the report about a file.
struct IdentityInspector {
    /// The maximum number of certificates examined; the bundles of systems have about a hundred and fifty.
    static let maximumCertificates = 500

    let file: String
    let content: KeyFile
    /// The authorities that complete and judge the paths; nil when the user gave none.
    let authorities: CertificateBundle?
    /// The purpose that the file must serve; nil for any purpose.
    let purpose: IdentityPurpose?
    /// Seconds since 1970.
    let now: Int64

    func report() -> IdentityReport {
        var problems: [String] = []
        var identities: [Identity] = []
        if !content.keys.isEmpty, !content.certificates.isEmpty {
            do { identities = try content.identities(completedBy: authorities ?? .init([])) } catch {
                problems.append(error.message)
            }
        }
        let own = identities.map(path)
        let paired = content.keys.filter { key in identities.contains { $0.privateKey === key.privateKey } }
        let unpaired = content.keys.filter { key in !paired.contains { $0.privateKey === key.privateKey } }
        if problems.isEmpty, !content.certificates.isEmpty, unpaired.contains(where: \.isUsableForTLS) {
            problems.append("A private key has no certificate in the file. Export it together with its certificate.")
        }
        if content.keys.isEmpty, content.certificates.isEmpty {
            problems.append("The file holds neither a key nor a certificate.")
        }
        let (others, left) = remaining(besides: own.flatMap(\.path).map(\.sha256))
        return IdentityReport(
            file: file, format: content.format.description, protections: content.protections,
            checkedAt: UnixTime.internet(now), identities: own, keys: unpaired.map(IdentityReport.Key.init),
            certificates: others, certificatesNotShown: left, problems: problems,
            works: problems.isEmpty && (content.keys.isEmpty || content.keys.contains(where: \.isUsableForTLS))
                && works(own, others))
    }

    /// With a purpose, one identity must serve it. Without a purpose, every certificate that is not an authority must
    /// serve some purpose; in a file of authorities only, some may have expired.
    private func works(_ identities: [IdentityReport.Path], _ certificates: [IdentityReport.Path]) -> Bool {
        guard purpose == nil else { return identities.contains { $0.uses.contains(where: \.works) } }
        let judged = (identities + certificates).filter { !$0.uses.isEmpty }
        guard judged.isEmpty, !certificates.isEmpty else {
            return judged.allSatisfy { $0.uses.contains(where: \.works) }
        }
        return certificates.contains { !$0.problems.contains { $0.severity == "error" } }
    }

    /// The certificates that belong to no identity, end entities first.
    private func remaining(besides shown: [String]) -> (paths: [IdentityReport.Path], notShown: Int) {
        var known = Set(shown)
        let rest = content.certificates.filter { known.insert(Text.hexadecimal($0.certificate.sha256)).inserted }
        let looked = Array(rest.prefix(Self.maximumCertificates))
        let paths = looked.map { ($0, IssuancePath(from: $0.certificate, among: candidates)) }
        // An issuer is shown in the path of the certificate that it issued.
        let issuers = Set(paths.flatMap { $0.1.certificates.dropFirst() })
        let heads = paths.filter { !issuers.contains($0.0.certificate) }
        return (heads.map { path($0.0, $0.1) }, rest.count - looked.count)
    }

    /// The certificates among which issuers may be found.
    var candidates: [EncodedCertificate] {
        content.certificates.prefix(Self.maximumCertificates).map(\.certificate) + (authorities?.certificates ?? [])
    }

    private func path(_ identity: Identity) -> IdentityReport.Path {
        let path = IssuancePath(from: identity.leaf, among: candidates)
        let key = content.keys.first { $0.privateKey === identity.privateKey }
        return IdentityReport.Path(
            label: identity.label, key: key.map(IdentityReport.Key.init),
            path: path.certificates.map { certificate($0, isSent: identity.chain.contains($0)) },
            end: IdentityReport.End(path.end),
            problems: shared(of: identity.chain).map(IdentityReport.Problem.init),
            uses: uses(of: identity.chain, reasonNotUsable: key?.problem?.message))
    }

    private func path(_ head: KeyFile.Certificate, _ path: IssuancePath) -> IdentityReport.Path {
        let isAuthority = head.certificate.details?.isAuthority == true
        // The chain that an end entity would send.
        let issuers = path.certificates.dropFirst().filter { $0.subject != $0.issuer }
        let chain = [head.certificate] + issuers
        return IdentityReport.Path(
            label: head.label, key: nil, path: path.certificates.map { certificate($0, isSent: false) },
            end: IdentityReport.End(path.end),
            problems: (isAuthority ? problems(ofAuthority: head.certificate) : shared(of: chain))
                .map(IdentityReport.Problem.init),
            uses: isAuthority ? [] : uses(of: chain, reasonNotUsable: nil))
    }

    private func certificate(_ certificate: EncodedCertificate, isSent: Bool) -> IdentityReport.Certificate {
        IdentityReport.Certificate(
            certificate, now: now, isSent: isSent,
            isFromAuthorities: !content.certificates.contains { $0.certificate == certificate })
    }
}
#endif
