#if CommandLine
import Signet

extension IdentityInspector {
    private func problems(of chain: [EncodedCertificate], for role: Identity.Role) -> [IdentityProblem] {
        CertificateAppraisal(chain: chain, others: candidates, now: now).problems(for: role)
    }

    /// The problems of the certificate of an authority.
    func problems(ofAuthority certificate: EncodedCertificate) -> [IdentityProblem] {
        CertificateAppraisal(chain: [certificate], others: candidates, now: now).problems(for: nil)
    }

    /// The problems that do not depend on the role.
    func shared(of chain: [EncodedCertificate]) -> [IdentityProblem] {
        let asServer = Set(problems(of: chain, for: .server))
        return problems(of: chain, for: .client).filter(asServer.contains)
    }

    /// - Parameter reasonNotUsable: the reason why TLS cannot use the key.
    func uses(of chain: [EncodedCertificate], reasonNotUsable: String?) -> [IdentityReport.Use] {
        let roles = purpose.map { [$0.role] } ?? Identity.Role.allCases
        var uses = roles.map { use(of: chain, as: $0, reasonNotUsable: reasonNotUsable) }
        // A certificate for signing documents or code is not a failed TLS identity; a certificate that the authorities
        // refuse is.
        let isForOthers = uses.allSatisfy { use in use.problems.contains { $0.code == "wrongExtendedKeyUsage" } }
        if purpose == nil, isForOthers, !uses.contains(where: { $0.works || $0.isTrusted == false }),
            let signing = signing(chain)
        {
            uses.append(signing)
        }
        return uses
    }

    private func use(
        of chain: [EncodedCertificate], as role: Identity.Role, reasonNotUsable: String?
    ) -> IdentityReport.Use {
        let shared = Set(shared(of: chain))
        let all = problems(of: chain, for: role)
        var found = all.filter { !shared.contains($0) }.map(IdentityReport.Problem.init)
        let subject = chain.first?.subject ?? ""
        func add(_ code: String, _ message: String) {
            found.append(.init(code: code, severity: "error", certificate: subject, message: message))
        }
        if let reasonNotUsable { add("unusableForTLS", reasonNotUsable) }
        let hosts = role == .server ? chain.first?.details?.hosts ?? [] : []
        let reference = reference(for: role, hosts: hosts)
        if role == .server, hosts.isEmpty {
            // For a starting server this is only a note; here it answers whether clients would accept the certificate.
            found = found.map { $0.code == "noHostName" ? $0.asError : $0 }
        } else if case .host(let host) = purpose, let leaf = chain.first,
            !ReferenceIdentifier(host: host).isConfirmed(by: leaf)
        {
            add("hostNameMismatch", "“\(subject)” is not for \(host), but for \(hosts.joined(separator: ", ")).")
        }
        var isTrusted: Bool?
        if let authorities, let reference, !all.contains(where: { $0.severity == .error }),
            !found.contains(where: \.isError)
        {
            switch TrustPolicy.anchors(authorities).evaluate(chain, as: reference, at: now) {
            case .success: isTrusted = true
            case .failure(let error):
                isTrusted = false
                add(error.code.description, error.message)
            }
        }
        let works = !all.contains { $0.severity == .error } && !found.contains(where: \.isError)
        return IdentityReport.Use(
            role: role == .client ? .client : .server, works: works, hosts: hosts, isTrusted: isTrusted,
            problems: found)
    }

    /// The peer for which a path is judged; for a wildcard, an example host below it.
    private func reference(for role: Identity.Role, hosts: [String]) -> PeerRole? {
        if role == .client { return .client }
        if case .host(let host) = purpose { return .server(ReferenceIdentifier(host: host)) }
        return hosts.first.map {
            .server(ReferenceIdentifier(host: $0.hasPrefix("*.") ? "host\($0.dropFirst())" : $0))
        }
    }

    private func signing(_ chain: [EncodedCertificate]) -> IdentityReport.Use? {
        guard let details = chain.first?.details,
            details.keyUsage.map({ $0.contains("digitalSignature") || $0.contains("nonRepudiation") }) ?? true,
            !shared(of: chain).contains(where: { $0.severity == .error })
        else { return nil }
        return IdentityReport.Use(role: .signing, works: true, hosts: [], isTrusted: nil, problems: [])
    }
}

extension IdentityReport.Problem {
    fileprivate var isError: Bool { severity == "error" }

    fileprivate var asError: IdentityReport.Problem {
        var problem = self
        problem.severity = "error"
        return problem
    }
}
#endif
