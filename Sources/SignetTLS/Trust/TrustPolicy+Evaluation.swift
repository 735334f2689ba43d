extension TrustPolicy {
    /// Judges the certificates that a peer presented.
    ///
    /// It follows RFC 5280 §6 and, for the name of a server, RFC 9525: subjectAltName only. A peer may present at most
    /// ten certificates, a path has at most eight, and at most 64 signatures are checked, so that a peer cannot make
    /// this slow. It looks nothing up: with ``RevocationPolicy/hard`` it accepts only a peer whose own certificate is a
    /// trust anchor, or is valid for so short a time that its authority publishes no revocation (RFC 9608).
    ///
    /// - Parameters:
    ///   - presented: the peer's own certificate first; the others in any order.
    ///   - role: the role of the peer.
    ///   - now: seconds since 1970 in UTC.
    /// - Returns: the path that is trusted, or why no path is.
    public func evaluate(
        _ presented: [EncodedCertificate], as role: PeerRole, at now: Int64
    ) -> Result<CertificationPath, TrustError> {
        path(of: presented, as: role, at: now).flatMap { confirm($0, presented, nil) }
    }

    /// The path that is trusted as far as can be known without looking anything up.
    package func path(
        of presented: [EncodedCertificate], as role: PeerRole, at now: Int64
    ) -> Result<CertificationPath, TrustError> {
        judge(presented, as: role, at: now).verdict
    }

    /// Judges a path again with what was found out about revocation.
    ///
    /// - Parameter report: Nil when nothing was looked up.
    package func confirm(
        _ path: CertificationPath, _ presented: [EncodedCertificate], _ report: RevocationReport?
    ) -> Result<CertificationPath, TrustError> {
        guard revocation.mode != .off else { return .success(path) }
        let report = report ?? RevocationCheck.withoutLookup(of: path)
        if let error = report.error(in: revocation.mode, presented: presented) { return .failure(error) }
        return .success(
            CertificationPath(
                certificates: path.certificates, pinMismatches: path.pinMismatches, revocation: report))
    }

    /// A verdict, and the number of signatures that it cost.
    struct Judgement {
        var verdict: Result<CertificationPath, TrustError>
        var signatureChecks = 0
    }

    /// - Parameter makeSource: makes the source of paths.
    func judge(
        _ presented: [EncodedCertificate], as role: PeerRole, at now: Int64,
        makeSource: (PathRequest) -> any PathSource = PathRequest.source
    ) -> Judgement {
        // Input beyond the limit is neither digested nor kept.
        let key = presented.count <= Self.maximumPresented ? PathCache.key(presented, role) : nil
        let pins = ActivePins(pinSets, for: role, at: now)
        // Since the path was found, other pins may have begun to apply; then another path may match them.
        if let key, let path = cache.path(for: key, at: now), pins.refusing(path) == nil {
            return Judgement(verdict: .success(.init(certificates: path, pinMismatches: pins.mismatches(path))))
        }
        var judge = CertificateJudge(
            profile: profile, role: role, now: now, maximumIntermediates: maximumIntermediates)
        do throws(Refusal) {
            let path = try path(presented, pins, &judge, makeSource)
            if let key { cache.keep(path, for: key, at: now) }
            return Judgement(
                verdict: .success(.init(certificates: path, pinMismatches: pins.mismatches(path))),
                signatureChecks: judge.signatureChecks)
        } catch {
            let isFinal = pins.isEnforced || revocation.mode == .hard
            let recoverable = isFinal ? [] : failures(from: error, presented, &judge, makeSource)
            return Judgement(
                verdict: .failure(TrustError(error, presented: presented, recoverable: recoverable)),
                signatureChecks: judge.signatureChecks)
        }
    }

    /// All rules that a user would have to overlook, found by overlooking one after the other; empty when a rule
    /// remains that no user may overlook.
    ///
    /// - Parameter judge: the judge that found `first`. Its limits apply to all searches together.
    private func failures(
        from first: Refusal, _ presented: [EncodedCertificate], _ judge: inout CertificateJudge,
        _ makeSource: (PathRequest) -> any PathSource
    ) -> [Refusal] {
        var found: [Refusal] = []
        var next = first
        while next.rule.canBeOverruled, !judge.cannotBeOverruled, !found.contains(where: { $0.rule == next.rule }) {
            found.append(next)
            judge = CertificateJudge(
                profile: profile, role: judge.role, now: judge.now, maximumIntermediates: maximumIntermediates,
                overlooking: Set(found.map(\.rule)), signatureChecks: judge.signatureChecks)
            do throws(Refusal) {
                _ = try path(presented, ActivePins([], for: judge.role, at: judge.now), &judge, makeSource)
                return found
            } catch {
                next = error
            }
        }
        return []
    }

    private func path(
        _ presented: [EncodedCertificate], _ pins: ActivePins, _ judge: inout CertificateJudge,
        _ makeSource: (PathRequest) -> any PathSource
    ) throws(Refusal) -> [EncodedCertificate] {
        if let problem = pinSets.lazy.compactMap(\.problem).first ?? revocation.problem {
            throw Refusal(.usablePolicy, problem)
        }
        let anchors = try usableAnchors()
        guard let leaf = presented.first else {
            throw Refusal(.presence, "The peer presented no certificate. Check that it has one for this purpose.")
        }
        guard presented.count <= Self.maximumPresented else {
            throw Refusal(
                .presentedCount,
                """
                The peer presented \(presented.count) certificates; at most \(Self.maximumPresented) are looked at. It \
                should send its own and those of its issuers only.
                """)
        }
        let isAnchor = anchors.contains(leaf)
        // A forger must not be able to choose the softer verdict: a recoverable refusal is reported only when no worse
        // one is found.
        var soft: Refusal?
        do throws(Refusal) {
            try judge.checkLeaf(leaf, isAnchor: isAnchor)
        } catch {
            guard error.rule.canBeOverruled else { throw error }
            soft = error
        }
        var source = makeSource(
            PathRequest(
                leaf: leaf, others: presented.dropFirst() + intermediates, anchors: anchors, role: judge.role,
                now: judge.now, usesSystemAnchors: usesSystemAnchors, goesBeyondAnchors: pins.isEnforced))
        let (pinned, any) = try search(from: leaf, pins, &source, &judge)
        // There is no path; the certificate alone is accepted where the rule about an unknown authority is overlooked.
        let isAlone = pinned == nil && any == nil
        if isAlone {
            let refusal = judge.refusal ?? .unknownIssuer(of: leaf, isLeaf: true)
            guard judge.overlooking.contains(refusal.rule), !judge.cannotBeOverruled else {
                // A trust anchor that the user adds need not follow the rules for public authorities.
                let isSaidFirst = soft?.isOfProfile == true || !refusal.rule.canBeOverruled
                throw isSaidFirst ? refusal : soft ?? refusal
            }
        }
        let path = pinned ?? any ?? [leaf]
        do throws(Refusal) {
            let isItsOwn = isAlone && leaf.content?.isSelfIssued == true
            try judge.checkEndEntity(leaf, isAnchor: isAnchor || isItsOwn)
        } catch {
            throw error.rule.canBeOverruled ? soft ?? error : error
        }
        if pinned == nil, let pins = pins.refusing(path) { throw Refusal(.pin, pins.mismatch(path)) }
        if let soft { throw soft }
        return path
    }

    /// The first accepted path that matches a pin, when pins are enforced, and the first accepted path at all. When the
    /// limits are reached while only a pin was missing, the error is a missing pin.
    private func search(
        from leaf: EncodedCertificate, _ pins: ActivePins, _ source: inout any PathSource,
        _ judge: inout CertificateJudge
    ) throws(Refusal) -> (pinned: [EncodedCertificate]?, any: [EncodedCertificate]?) {
        var any: [EncodedCertificate]?
        do throws(Refusal) {
            while let path = try source.next(&judge) {
                // The peer has proved only its own key, so a path for another certificate does not count.
                guard path.first == leaf else { continue }
                do throws(Refusal) {
                    try judge.checkNames(path)
                } catch {
                    if error.rule.code == .tooComplex { throw error }
                    judge.note(error)
                    continue
                }
                if pins.refusing(path) == nil { return (path, path) }
                any = any ?? path
            }
        } catch {
            if any == nil { throw error }
        }
        return (nil, any)
    }

    /// The root among the trust anchors that issued a certificate; nil when none did. An operating system that does not
    /// list its roots is not asked.
    package func root(issuing certificate: EncodedCertificate) -> EncodedCertificate? {
        guard let issuer = certificate.content?.issuer, let anchors = try? usableAnchors() else { return nil }
        let roots = (anchors.bySubject[issuer] ?? []).filter { $0.content?.isSelfIssued == true }
        let path = IssuancePath(from: certificate, among: roots)
        return path.end == .root ? path.certificates.dropFirst().first : nil
    }

    private func usableAnchors() throws(Refusal) -> AnchorSet {
        #if canImport(Security)
        // The operating system has its own trust anchors, which it does not list.
        if usesSystemAnchors { return anchors }
        #endif
        var result = usesSystemAnchors ? SystemAnchors.shared : anchors
        if usesSystemAnchors { result.add(anchors.bySubject.values.flatMap { $0 }) }
        if result.isEmpty {
            throw Refusal(
                .usablePolicy,
                usesSystemAnchors
                    ? "The system has no trust anchors where they are looked for. Install ca-certificates or set SSL_CERT_FILE."
                    : "The policy has no readable trust anchor, so it can trust no certificate. Add one.")
        }
        return result
    }
}
