import SwiftASN1

/// What each certificate of a path must fulfil (RFC 5280 §6.1, RFC 9525).
struct CertificateJudge {
    let role: PeerRole
    let now: Int64
    /// One for all paths of an evaluation, which bounds their comparisons together.
    private var nameConstraints = NameConstraintCheck()

    init(role: PeerRole, now: Int64) {
        self.role = role
        self.now = now
    }

    private static let understood: Set<ASN1ObjectIdentifier> = [
        .subjectKeyIdentifier, .keyUsage, .subjectAltName, .basicConstraints, .nameConstraints,
        .authorityKeyIdentifier, .extendedKeyUsage,
    ]

    func checkLeaf(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) {
        let content = try checkCommon(certificate, isAnchor: isAnchor)
        try checkSignatureAlgorithm(certificate, content, isAnchor: isAnchor)
        try checkPurpose(certificate, content)
        if let usage = try read(certificate, { try content.keyUsage() }), !usage.peerAuthentication {
            throw Refusal(
                .wrongUsage,
                "The key of “\(certificate.subject)” must not be used for TLS (keyUsage). Issue another one.")
        }
    }

    /// - Parameter path: what the issuer stands above, the end-entity certificate first.
    func checkIssuer(
        _ certificate: EncodedCertificate, isAnchor: Bool, below path: [EncodedCertificate]
    ) throws(Refusal) {
        let content = try checkCommon(certificate, isAnchor: isAnchor)
        // Two authorities without a name could not be told apart.
        guard !content.subject.isEmpty else {
            throw Refusal(
                .unreadable,
                "The issuer “\(certificate.subject)” has an empty subject, which no authority may have. Name it and issue it anew."
            )
        }
        let constraints = try read(certificate) { try content.basicConstraints() }
        // Version 1 had no way to say it; only an anchor, which we chose ourselves, may lack the statement.
        guard constraints?.isAuthority ?? (isAnchor && content.version < 3) else {
            throw Refusal(
                .notAnAuthority,
                """
                “\(certificate.subject)” signed another certificate without being an authority (basicConstraints). \
                Whoever holds its key is trying to be one.
                """)
        }
        if let usage = try read(certificate, { try content.keyUsage() }), !usage.certificateSigning {
            throw Refusal(.notAnAuthority, "The key of “\(certificate.subject)” must not sign certificates (keyUsage).")
        }
        if let limit = constraints?.pathLength {
            let between = path.dropFirst().count { $0.content?.isSelfIssued == false }
            guard between <= limit else {
                throw Refusal(
                    .pathLength,
                    "“\(certificate.subject)” allows \(limit) authorities below it; there are \(between) (pathLenConstraint)."
                )
            }
        }
        try checkSignatureAlgorithm(certificate, content, isAnchor: isAnchor)
        try checkPurpose(certificate, content)
    }

    /// The name constraints of every authority on all that stands below it.
    mutating func checkNames(_ path: [EncodedCertificate]) throws(Refusal) {
        for (position, authority) in path.enumerated().dropFirst() {
            guard let content = authority.content,
                let constraints = try read(authority, { try content.nameConstraints() })
            else { continue }
            for (index, certificate) in path.prefix(position).enumerated() {
                guard let names = certificate.content, index == 0 || !names.isSelfIssued else { continue }
                do throws(NameConstraintCheck.Problem) {
                    try nameConstraints.check(constraints, on: names)
                } catch {
                    throw refusal(error, certificate: certificate, authority: authority)
                }
            }
        }
    }

    private func refusal(
        _ problem: NameConstraintCheck.Problem, certificate: EncodedCertificate, authority: EncodedCertificate
    ) -> Refusal {
        switch problem {
        case .outside(let name):
            Refusal(
                .nameConstraint,
                "“\(authority.subject)” must not vouch for \(name), which “\(certificate.subject)” claims (nameConstraints)."
            )
        case .unknownForm:
            Refusal(
                .nameConstraint,
                "“\(authority.subject)” constrains a form of name in “\(certificate.subject)” that cannot be checked here."
            )
        case .tooMany:
            Refusal(.tooComplex, "The certification paths have too many names and name constraints to compare.")
        case .malformed(let what):
            Refusal(.unreadable, "\(what) in “\(certificate.subject)” or “\(authority.subject)” is malformed.")
        }
    }

    private func checkCommon(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) -> CertificateContent {
        guard let content = certificate.content else { throw Self.unreadable(certificate) }
        guard isAnchor || content.version == 3 else {
            throw Refusal(
                .unreadable,
                "“\(certificate.subject)” is of version \(content.version); only version 3 can say what it is for. Issue it anew."
            )
        }
        guard !content.issuer.isEmpty else {
            throw Refusal(
                .unreadable, "“\(certificate.subject)” names no issuer (it is empty), which it must. Issue it anew.")
        }
        if let unknown = content.extensions.first(where: { $0.isCritical && !Self.understood.contains($0.identifier) })
        {
            throw Refusal(
                .unhandledCriticalExtension,
                "“\(certificate.subject)” has the critical extension \(unknown.identifier), which is not understood here."
            )
        }
        if now < content.notBefore {
            throw Refusal(
                .notYetValid,
                """
                “\(certificate.subject)” is valid from \(UnixTime.text(content.notBefore)); it is \
                \(UnixTime.text(now)) by our clock. Check the clock.
                """)
        }
        if now > content.notAfter {
            throw Refusal(
                .expired,
                """
                “\(certificate.subject)” expired at \(UnixTime.text(content.notAfter)); it is \(UnixTime.text(now)) by \
                our clock. It must be renewed by its owner.
                """)
        }
        do throws(AlgorithmProblem) {
            _ = try PublicKey(publicKeyInfo: content.publicKeyInfo)
        } catch {
            throw Self.weak(certificate, "\(error)")
        }
        return content
    }

    private func checkSignatureAlgorithm(
        _ certificate: EncodedCertificate, _ content: CertificateContent, isAnchor: Bool
    ) throws(Refusal) {
        // Nobody relies on the signature of an anchor.
        if isAnchor { return }
        do throws(AlgorithmProblem) {
            _ = try SignatureAlgorithm(content.signatureAlgorithm)
        } catch {
            throw Self.weak(certificate, "\(error)")
        }
    }

    /// The purposes that a certificate names hold for it and for all below it, as every browser has it.
    private func checkPurpose(_ certificate: EncodedCertificate, _ content: CertificateContent) throws(Refusal) {
        guard let purposes = try read(certificate, { try content.extendedKeyUsage() }) else { return }
        let (wanted, name): (ASN1ObjectIdentifier, String) =
            if case .client = role { (.clientAuthentication, "clientAuth") } else {
                (.serverAuthentication, "serverAuth")
            }
        guard purposes.contains(wanted) || purposes.contains(.anyExtendedKeyUsage) else {
            throw Refusal(
                .wrongUsage,
                "“\(certificate.subject)” is not for this purpose: its extendedKeyUsage lacks \(name). Issue another one."
            )
        }
    }

    /// Whether the certificate is an end entity's, and that of the server that we wanted to reach; it is asked last, so
    /// that a stranger's certificate is refused as such.
    func checkEndEntity(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) {
        guard let content = certificate.content else { throw Self.unreadable(certificate) }
        // A self-signed certificate that is trusted as it stands may call itself an authority: many tools make it so.
        if !isAnchor, try read(certificate, { try content.basicConstraints() })?.isAuthority == true {
            throw Refusal(
                .wrongUsage,
                "“\(certificate.subject)” is an authority's certificate and cannot be a peer's own. Issue one for the peer."
            )
        }
        let names = try read(certificate) { try content.subjectAltNames() }
        guard case .server(let reference) = role, !reference.matches(names) else { return }
        let hosts = names.filter {
            switch $0 {
            case .dns, .ip: true
            case .directory, .other: false
            }
        }
        let shown = hosts.prefix(10).map(\.description)
        throw Refusal(
            .hostNameMismatch,
            """
            The certificate “\(certificate.subject)” is not for \(reference). \
            \(shown.isEmpty
                ? "It has no subjectAltName with a host, and a Common Name does not count."
                : "It is for \(shown.joined(separator: ", ")).") Check the address, or have a certificate issued for it.
            """)
    }

    private func read<T>(_ certificate: EncodedCertificate, _ body: () throws -> T) throws(Refusal) -> T {
        do { return try body() } catch { throw Self.unreadable(certificate) }
    }

    static func unreadable(_ certificate: EncodedCertificate) -> Refusal {
        let reason =
            if case .failure(let problem) = certificate.reading { ": \(problem)" } else {
                " (an extension is malformed)"
            }
        return Refusal(
            .unreadable,
            "The certificate “\(certificate.subject)” cannot be read\(reason). Its owner must have it issued anew.")
    }

    static func weak(_ certificate: EncodedCertificate, _ what: String) -> Refusal {
        Refusal(.weakAlgorithm, "“\(certificate.subject)” has \(what). Its owner must have it issued anew.")
    }
}
