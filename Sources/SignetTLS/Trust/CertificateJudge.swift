import SwiftASN1

/// The rules for each certificate of a path (RFC 5280 §6.1, RFC 9525).
struct CertificateJudge {
    let profile: TrustPolicy.Profile
    let role: PeerRole
    let now: Int64
    /// How many authorities may stand between a root and the end entity, self-issued ones not counted.
    let maximumIntermediates: Int?
    /// Recoverable rules that are treated as fulfilled, to find out which other rules are broken.
    let overlooking: Set<TrustError.Rule>
    /// The number of signatures checked so far, in all paths together.
    private(set) var signatureChecks: Int
    /// The most informative reason why no path was accepted so far.
    private(set) var refusal: Refusal?
    /// Whether a candidate broke a rule that no user may overlook, even when another refusal is more informative.
    private(set) var cannotBeOverruled = false
    private let profileRules: [ProfileRule]
    /// The result for each issuer that does not depend on the path, so that it is computed once however many paths
    /// there are.
    private var issuers: [IssuerKey: Result<Issuer, Refusal>] = [:]
    /// One check for all paths of an evaluation, so that its limit applies to all comparisons together.
    private var nameConstraints = NameConstraintCheck()
    private var constraintsRead: [EncodedCertificate: NameConstraints?] = [:]

    /// - Parameter signatureChecks: the number of signatures that were already checked for the same peer.
    init(
        profile: TrustPolicy.Profile, role: PeerRole, now: Int64, maximumIntermediates: Int? = nil,
        overlooking: Set<TrustError.Rule> = [], signatureChecks: Int = 0
    ) {
        self.overlooking = overlooking
        self.signatureChecks = signatureChecks
        self.profile = profile
        self.role = role
        self.now = now
        self.maximumIntermediates = maximumIntermediates
        profileRules = ProfileRule.all(of: profile)
    }

    /// The extensions that may be critical. certificatePolicies and its relatives restrict a path only when the caller
    /// demands a policy, which Signet does not offer; policyConstraints restricts it without a demand, and is not
    /// understood.
    static let understood: Set<ASN1ObjectIdentifier> = [
        .subjectKeyIdentifier, .keyUsage, .subjectAltName, .basicConstraints, .nameConstraints,
        .authorityKeyIdentifier, .extendedKeyUsage, .certificatePolicies, .policyMappings, .inhibitAnyPolicy,
    ]

    func checkLeaf(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) {
        let content = try checkCommon(certificate, isAnchor ? .anchor : .leaf)
        try checkSignatureAlgorithm(certificate, content, isAnchor: isAnchor)
        try checkPurpose(certificate, content)
        if let usage = try read(certificate, { try content.keyUsage() }),
            !(role == .signer ? usage.digitalSignature : usage.peerAuthentication)
        {
            let use = role == .signer ? "signatures" : "TLS"
            try object(
                .keyUsage, certificate,
                "The key of “\(certificate.subject)” must not be used for \(use) (keyUsage). Issue another one.")
        }
        if !isAnchor, content.isCritical(.nameConstraints) != nil {
            throw Refusal(
                .endEntity, certificate,
                "“\(certificate.subject)” has nameConstraints, which only an authority may have. Issue another one.")
        }
        try checkProfile(certificate, content, .leaf)
    }

    /// Checks that an issuer may be added to a path, and that it signed the last certificate of the path.
    ///
    /// - Parameter path: the certificates below the issuer, the end-entity certificate first.
    mutating func checkLink(
        _ issuer: EncodedCertificate, isAnchor: Bool, below path: [EncodedCertificate]
    ) throws(Refusal) {
        try checkIssuer(issuer, isAnchor: isAnchor, below: path)
        if let certificate = path.last { try checkSignature(on: certificate, by: issuer) }
    }

    private struct IssuerKey: Hashable {
        let certificate: EncodedCertificate
        let isAnchor: Bool
    }

    private struct Issuer {
        let isSelfIssued: Bool
        let pathLength: Int?
    }

    /// - Parameter path: the certificates below the issuer, the end-entity certificate first.
    private mutating func checkIssuer(
        _ certificate: EncodedCertificate, isAnchor: Bool, below path: [EncodedCertificate]
    ) throws(Refusal) {
        let key = IssuerKey(certificate: certificate, isAnchor: isAnchor)
        let outcome: Result<Issuer, Refusal>
        if let known = issuers[key] {
            outcome = known
        } else {
            do throws(Refusal) {
                outcome = .success(try issuer(certificate, isAnchor: isAnchor))
            } catch {
                outcome = .failure(error)
            }
            issuers[key] = outcome
        }
        let issuer = try outcome.get()
        let between = path.dropFirst().count { $0.content?.isSelfIssued == false }
        if let limit = issuer.pathLength, between > limit {
            throw Refusal(
                .pathLength, certificate,
                "“\(certificate.subject)” allows \(limit) authorities below it; there are \(between) (pathLenConstraint)."
            )
        }
        if let limit = maximumIntermediates, between + (isAnchor || issuer.isSelfIssued ? 0 : 1) > limit {
            throw Refusal(
                .pathLength, certificate,
                "More than \(limit) intermediate authorities, which is what the policy allows.")
        }
    }

    /// Checks whether a certificate may be an issuer, as far as this does not depend on the certificates below it.
    private func issuer(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) -> Issuer {
        let content = try checkCommon(certificate, isAnchor ? .anchor : .intermediate)
        // Two authorities without a name could not be distinguished.
        guard !content.subject.isEmpty else {
            throw Refusal(
                .subjectName, certificate,
                "The issuer “\(certificate.subject)” has an empty subject, which no authority may have. Name it and issue it anew."
            )
        }
        let constraints = try read(certificate) { try content.basicConstraints() }
        // Version 1 cannot mark an authority, so a trust anchor, which the user chose, may lack the mark.
        guard constraints?.isAuthority ?? (isAnchor && content.version < 3) else {
            throw Refusal(
                .authority, certificate,
                """
                “\(certificate.subject)” signed another certificate without being an authority (basicConstraints). \
                The owner of its key must not sign certificates: have the other one issued by an authority.
                """)
        }
        if let usage = try read(certificate, { try content.keyUsage() }), !usage.certificateSigning {
            throw Refusal(
                .certificateSigning, certificate,
                "The key of “\(certificate.subject)” must not sign certificates (keyUsage).")
        }
        try checkSignatureAlgorithm(certificate, content, isAnchor: isAnchor)
        try checkPurpose(certificate, content)
        try checkProfile(certificate, content, isAnchor ? .anchor : .intermediate)
        return Issuer(isSelfIssued: content.isSelfIssued, pathLength: constraints?.pathLength)
    }

    /// Checks the names of all certificates against the name constraints of every authority above them.
    mutating func checkNames(_ path: [EncodedCertificate]) throws(Refusal) {
        for (position, authority) in path.enumerated().dropFirst() {
            guard let constraints = try constraints(of: authority) else { continue }
            for (index, certificate) in path.prefix(position).enumerated() {
                guard let content = certificate.content, index == 0 || !content.isSelfIssued else { continue }
                do throws(NameConstraintCheck.Problem) {
                    try nameConstraints.check(constraints, on: certificate, content)
                } catch {
                    throw refusal(error, certificate: certificate, authority: authority)
                }
            }
        }
    }

    private mutating func constraints(of authority: EncodedCertificate) throws(Refusal) -> NameConstraints? {
        if let known = constraintsRead[authority] { return known }
        let constraints = try authority.content.flatMap { (content) throws(Refusal) in
            try read(authority) { try content.nameConstraints() }
        }
        constraintsRead[authority] = .some(constraints)
        return constraints
    }

    private func refusal(
        _ problem: NameConstraintCheck.Problem, certificate: EncodedCertificate, authority: EncodedCertificate
    ) -> Refusal {
        switch problem {
        case .outside(let name):
            Refusal(
                .nameConstraints, certificate,
                "“\(authority.subject)” must not vouch for \(name), which “\(certificate.subject)” claims (nameConstraints)."
            )
        case .unknownForm:
            Refusal(
                .nameConstraints, certificate,
                "“\(authority.subject)” constrains a form of name in “\(certificate.subject)” that cannot be checked here."
            )
        case .tooMany:
            Refusal(
                .nameComparisons, certificate,
                "The certification paths have too many names and name constraints to compare.")
        case .malformed(let what):
            Refusal(
                .encoding, certificate,
                "\(what) in “\(certificate.subject)” or “\(authority.subject)” is malformed.")
        }
    }

    private func checkCommon(
        _ certificate: EncodedCertificate, _ place: ProfileRule.Place
    ) throws(Refusal) -> CertificateContent {
        guard let content = certificate.content else { throw Self.unreadable(certificate) }
        // OpenSSL issues version 1 when it is given no extension. It is accepted for a peer only: in version 1, an
        // authority cannot be distinguished from a peer.
        let isOldLeaf = place == .leaf && profile == .privateAuthority && content.version == 1
        if place != .anchor, content.version != 3, !isOldLeaf {
            try object(
                .version, certificate,
                "“\(certificate.subject)” is of version \(content.version); only version 3 can say what it is for. Issue it anew."
            )
        }
        if place != .anchor, content.serialNumber.first.map({ $0 < 0x80 }) != true {
            try object(
                .serialNumber, certificate, "“\(certificate.subject)” has a negative serial number. Issue it anew.")
        }
        guard !content.issuer.isEmpty else {
            throw Refusal(
                .issuerName, certificate,
                "“\(certificate.subject)” has an empty issuer, which is not allowed. Issue it anew.")
        }
        if let unknown = content.extensions.first(where: { $0.isCritical && !Self.understood.contains($0.identifier) })
        {
            throw Refusal(
                .criticalExtensions, certificate,
                "“\(certificate.subject)” has the critical extension \(unknown.identifier), which is not understood here."
            )
        }
        try read(certificate) { try content.checkAuthorityInformationAccess() }
        if now < content.notBefore {
            try object(
                .notBefore, certificate,
                """
                “\(certificate.subject)” is valid from \(UnixTime.text(content.notBefore)); it is \
                \(UnixTime.text(now)) by the local clock. Check the clock.
                """)
        }
        if now > content.notAfter {
            try object(
                .notAfter, certificate,
                """
                “\(certificate.subject)” expired at \(UnixTime.text(content.notAfter)); it is \
                \(UnixTime.text(now)) by the local clock. Its owner must renew it.
                """)
        }
        do throws(AlgorithmProblem) {
            _ = try PublicKey(publicKeyInfo: content.publicKeyInfo)
        } catch {
            try object(Self.weak(.keyStrength, certificate, "\(error)"))
        }
        return content
    }

    private func checkProfile(
        _ certificate: EncodedCertificate, _ content: CertificateContent, _ place: ProfileRule.Place
    ) throws(Refusal) {
        for entry in profileRules where entry.places.contains(place) {
            if let complaint = try read(certificate, { try entry.complaint(content) }) {
                var refusal = Refusal(
                    entry.rule, certificate,
                    "“\(certificate.subject)” \(complaint), against the rules of public authorities. Issue it anew.")
                refusal.isOfProfile = true
                try object(refusal)
            }
        }
    }

    private func checkSignatureAlgorithm(
        _ certificate: EncodedCertificate, _ content: CertificateContent, isAnchor: Bool
    ) throws(Refusal) {
        // A trust anchor is trusted by itself, so its signature does not matter.
        if isAnchor { return }
        do throws(AlgorithmProblem) {
            _ = try SignatureAlgorithm(content.signatureAlgorithm)
        } catch {
            try object(Self.weak(.signatureAlgorithm, certificate, "\(error)"))
        }
    }

    /// A certificate's purposes apply to the certificate and to all certificates below it, as in every browser.
    private func checkPurpose(_ certificate: EncodedCertificate, _ content: CertificateContent) throws(Refusal) {
        guard let purposes = try read(certificate, { try content.extendedKeyUsage() }) else { return }
        let wanted: ASN1ObjectIdentifier
        let name: String
        switch role {
        case .client: (wanted, name) = (.clientAuthentication, "clientAuth")
        case .server: (wanted, name) = (.serverAuthentication, "serverAuth")
        case .signer: return
        }
        if !purposes.contains(wanted), !purposes.contains(.anyExtendedKeyUsage) {
            try object(
                .extendedKeyUsage, certificate,
                "“\(certificate.subject)” is not for this purpose: its extendedKeyUsage lacks \(name). Issue another one."
            )
        }
    }

    /// Checks that the certificate is an end entity's and is for the server that the client wants to reach. It is
    /// called last, so that a certificate of an unknown authority gets that error and not this one.
    func checkEndEntity(_ certificate: EncodedCertificate, isAnchor: Bool) throws(Refusal) {
        guard let content = certificate.content else { throw Self.unreadable(certificate) }
        // Many tools mark a self-signed certificate as an authority, so a trusted one may have that mark.
        if !isAnchor, try read(certificate, { try content.basicConstraints() })?.isAuthority == true {
            throw Refusal(
                .endEntity, certificate,
                "“\(certificate.subject)” is an authority's certificate and cannot be a peer's own. Issue one for the peer."
            )
        }
        let names = try read(certificate) { try content.subjectAltNames() }
        guard case .server(let reference) = role, !reference.matches(names) else { return }
        let hosts = names.filter {
            switch $0 {
            case .dns, .ip: true
            case .directory, .email, .other: false
            }
        }
        let shown = hosts.prefix(10).map(\.description)
        // An IP address in a dNSName looks right to a reader, but does not count.
        let isMisplaced = names.contains {
            if case .dns(let name) = $0, case .ip = reference {
                ReferenceIdentifier(host: name) == reference
            } else {
                false
            }
        }
        let hint =
            isMisplaced ? " The address stands there as a DNS name, which does not count; it must be an iPAddress." : ""
        try object(
            .hostName, certificate,
            """
            The certificate “\(certificate.subject)” is not for \(reference). \
            \(shown.isEmpty
                ? "It has no subjectAltName with a host, and a Common Name does not count."
                : "It is for \(shown.joined(separator: ", ")).")\(hint) Check the address, or have a certificate issued for it.
            """)
    }

    private mutating func checkSignature(
        on certificate: EncodedCertificate, by issuer: EncodedCertificate
    ) throws(Refusal) {
        guard signatureChecks < TrustPolicy.maximumSignatureChecks else {
            throw Refusal(
                .signatureChecks,
                """
                No certification path was found within \(TrustPolicy.maximumSignatureChecks) signature checks. The peer \
                should send one chain, not a mesh of cross-signed authorities.
                """)
        }
        signatureChecks += 1
        guard let content = certificate.content, let signer = issuer.content else {
            throw Self.unreadable(certificate)
        }
        let isGood: Bool
        do throws(AlgorithmProblem) {
            isGood = try content.isSigned(by: signer)
        } catch {
            // A signature that cannot be checked is accepted only where this rule is overlooked.
            return try object(Self.weak(.signatureAlgorithm, certificate, "\(error)"))
        }
        if !isGood {
            throw Refusal(
                .signature, certificate,
                """
                “\(certificate.subject)” names “\(issuer.subject)” as its issuer, but was not signed by that key. \
                It is forged or damaged, or the authority has a new key, whose certificate you must add.
                """)
        }
    }

    /// Keeps the most informative refusal: a concrete defect before a signature that does not fit (the candidate may
    /// only have the same name as the issuer), and that before an unknown issuer.
    mutating func note(_ new: Refusal) {
        if !new.rule.canBeOverruled { cannotBeOverruled = true }
        func rank(_ refusal: Refusal?) -> Int {
            switch refusal?.rule.code {
            case nil: 0
            case .unknownAuthority, .selfSigned: 1
            case .badSignature: 2
            default: 3
            }
        }
        if rank(new) > rank(refusal) { refusal = new }
    }

    /// Throws the refusal unless its rule is overlooked.
    private func object(
        _ rule: TrustError.Rule, _ certificate: EncodedCertificate, _ message: @autoclosure () -> String
    ) throws(Refusal) {
        if !overlooking.contains(rule) { throw Refusal(rule, certificate, message()) }
    }

    private func object(_ refusal: Refusal) throws(Refusal) {
        if !overlooking.contains(refusal.rule) { throw refusal }
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
            .encoding, certificate,
            "The certificate “\(certificate.subject)” cannot be read\(reason). Its owner must have it issued anew.")
    }

    private static func weak(_ rule: TrustError.Rule, _ certificate: EncodedCertificate, _ what: String) -> Refusal {
        Refusal(rule, certificate, "“\(certificate.subject)” has \(what). Its owner must have it issued anew.")
    }
}
