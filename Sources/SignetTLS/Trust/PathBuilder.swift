/// Finds a certification path (RFC 4158) from the peer's certificate to a trust anchor, depth first and within a
/// fixed number of signature checks.
struct PathBuilder {
    let presented: [EncodedCertificate]
    let anchors: AnchorSet
    let pins: PinSet?

    private var judge: CertificateJudge
    private var signatureChecks = 0
    /// The first good path but for its lack of a pin.
    private var unpinned: [EncodedCertificate]?
    /// The most telling reason why no path was good so far.
    private var refusal: Refusal?

    init(presented: [EncodedCertificate], anchors: AnchorSet, pins: PinSet?, role: PeerRole, now: Int64) {
        self.presented = presented
        self.anchors = anchors
        self.pins = pins
        judge = CertificateJudge(role: role, now: now)
    }

    mutating func path() throws(Refusal) -> [EncodedCertificate] {
        guard let leaf = presented.first else {
            throw Refusal(.noCertificate, "The peer presented no certificate. Check that it has one for this purpose.")
        }
        guard presented.count <= TrustPolicy.maximumPresented else {
            throw Refusal(
                .tooComplex,
                """
                The peer presented \(presented.count) certificates; at most \(TrustPolicy.maximumPresented) are looked \
                at. It should send its own and those of its issuers only.
                """)
        }
        let isAnchor = anchors.contains(leaf)
        try judge.checkLeaf(leaf, isAnchor: isAnchor)
        let found = try isAnchor && accepts([leaf]) ? [leaf] : search(from: leaf)
        guard let path = found ?? unpinned else { throw refusal ?? unknownIssuer(of: leaf, isLeaf: true) }
        try judge.checkEndEntity(leaf, isAnchor: isAnchor)
        if found == nil, let pins { throw Refusal(.pinMismatch, pins.mismatch(path)) }
        return path
    }

    /// Looks for a good path; that the work ran out while only a pin was missing is told as a missing pin.
    private mutating func search(from leaf: EncodedCertificate) throws(Refusal) -> [EncodedCertificate]? {
        do throws(Refusal) {
            return try extend([leaf])
        } catch {
            if unpinned == nil { throw error }
            return nil
        }
    }

    /// Whether a path that is otherwise good holds a pin, when one is wanted.
    private mutating func accepts(_ path: [EncodedCertificate]) -> Bool {
        if pins?.holds(path) ?? true { return true }
        unpinned = unpinned ?? path
        return false
    }

    /// The first good path that begins with `path`, whose certificates are already checked.
    private mutating func extend(_ path: [EncodedCertificate]) throws(Refusal) -> [EncodedCertificate]? {
        guard let current = path.last, let content = current.content else { return nil }
        guard path.count < TrustPolicy.maximumDepth else {
            note(Refusal(.tooComplex, "The certification path has more than \(TrustPolicy.maximumDepth) certificates."))
            return nil
        }
        let known = (anchors.bySubject[content.issuer] ?? []).filter { !path.contains($0) }
        var others = presented.filter {
            $0.content?.subject == content.issuer && !path.contains($0) && !known.contains($0)
        }
        // A path that ends at an anchor may go on from there to another one that holds the pin.
        if pins != nil { others += known.filter { $0.content?.isSelfIssued == false } }
        if known.isEmpty && others.isEmpty { note(unknownIssuer(of: current, isLeaf: path.count == 1)) }
        for (candidate, isAnchor) in ranked(known, for: content, isAnchor: true)
            + ranked(others, for: content, isAnchor: false)
        {
            do throws(Refusal) {
                try judge.checkIssuer(candidate, isAnchor: isAnchor, below: path)
                try checkSignature(on: current, by: candidate)
                if isAnchor {
                    let complete = path + [candidate]
                    try judge.checkNames(complete)
                    if accepts(complete) { return complete }
                    continue
                }
            } catch {
                if error.code == .tooComplex { throw error }
                note(error)
                continue
            }
            if let complete = try extend(path + [candidate]) { return complete }
        }
        return nil
    }

    /// The issuer whose key identifier is the one named comes first (RFC 4158 §3.5.12).
    private func ranked(
        _ candidates: [EncodedCertificate], for content: CertificateContent, isAnchor: Bool
    ) -> [(EncodedCertificate, Bool)] {
        let wanted = try? content.authorityKeyIdentifier()
        let fits = candidates.map { candidate in
            wanted != nil && (try? candidate.content?.subjectKeyIdentifier()) == wanted
        }
        let pairs = zip(candidates, fits)
        return (pairs.filter(\.1) + pairs.filter { !$0.1 }).map { ($0.0, isAnchor) }
    }

    private mutating func checkSignature(
        on certificate: EncodedCertificate, by issuer: EncodedCertificate
    ) throws(Refusal) {
        signatureChecks += 1
        guard signatureChecks <= TrustPolicy.maximumSignatureChecks else {
            throw Refusal(
                .tooComplex,
                """
                No certification path was found within \(TrustPolicy.maximumSignatureChecks) signature checks. The peer \
                should send one chain, not a mesh of cross-signed authorities.
                """)
        }
        guard let content = certificate.content, let signer = issuer.content else {
            throw CertificateJudge.unreadable(certificate)
        }
        do {
            guard try content.isSigned(by: signer) else {
                throw Refusal(
                    .badSignature,
                    """
                    “\(certificate.subject)” names “\(issuer.subject)” as its issuer, but was not signed by that key. \
                    It is forged or damaged, or the authority has a new key whose certificate must be got first.
                    """)
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw CertificateJudge.weak(certificate, "\(error)")
        }
    }

    private func unknownIssuer(of certificate: EncodedCertificate, isLeaf: Bool) -> Refusal {
        if isLeaf, certificate.content?.isSelfIssued == true {
            return Refusal(
                .selfSigned,
                """
                “\(certificate.subject)” signed itself and is not a trust anchor. If it is the right one (compare \
                SHA-256 \(Text.hexadecimal(certificate.sha256))), add it to the anchors.
                """)
        }
        return Refusal(
            .unknownAuthority,
            """
            No trust anchor vouches for “\(certificate.subject)”: its issuer “\(certificate.issuer ?? "?")” is neither \
            trusted nor among the certificates sent. Add that authority to the anchors, or have the peer send its chain.
            """)
    }

    /// Keeps the refusal that tells most: a concrete defect before a signature that does not fit (which may only mean
    /// that the candidate was a namesake), and that before an unknown issuer.
    private mutating func note(_ new: Refusal) {
        func rank(_ refusal: Refusal?) -> Int {
            switch refusal?.code {
            case nil: 0
            case .unknownAuthority, .selfSigned: 1
            case .badSignature: 2
            default: 3
            }
        }
        if rank(new) > rank(refusal) { refusal = new }
    }
}
