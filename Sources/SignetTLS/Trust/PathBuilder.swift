/// Finds certification paths from the peer's certificate to a trust anchor, depth first. Each candidate is judged as
/// soon as it is found, so that no search continues above a bad one.
struct PathBuilder: PathSource {
    /// A path that may continue, and the candidates for its next certificate.
    private struct Branch {
        let path: [EncodedCertificate]
        var candidates: ArraySlice<(certificate: EncodedCertificate, isAnchor: Bool)>
    }

    private let request: PathRequest
    private var hasBegun = false
    private var branches: [Branch] = []

    init(_ request: PathRequest) { self.request = request }

    mutating func next(_ judge: inout CertificateJudge) throws(Refusal) -> [EncodedCertificate]? {
        if !hasBegun {
            hasBegun = true
            extend([request.leaf], &judge)
            if request.anchors.contains(request.leaf) { return [request.leaf] }
        }
        while var branch = branches.popLast() {
            guard let candidate = branch.candidates.popFirst() else { continue }
            branches.append(branch)
            do throws(Refusal) {
                try judge.checkLink(candidate.certificate, isAnchor: candidate.isAnchor, below: branch.path)
            } catch {
                if error.rule.code == .tooComplex { throw error }
                judge.note(error)
                continue
            }
            let path = branch.path + [candidate.certificate]
            if candidate.isAnchor { return path }
            extend(path, &judge)
        }
        return nil
    }

    /// Looks for issuers of the last certificate of `path`, whose certificates have all been judged.
    private mutating func extend(_ path: [EncodedCertificate], _ judge: inout CertificateJudge) {
        guard let current = path.last, let content = current.content else { return }
        guard path.count < TrustPolicy.maximumDepth else { return judge.note(.tooDeep) }
        let known = (request.anchors.bySubject[content.issuer] ?? []).filter { !path.contains($0) }
        var others = request.others.filter {
            $0.content?.subject == content.issuer && !path.contains($0) && !known.contains($0)
        }
        if request.goesBeyondAnchors { others += known.filter { $0.content?.isSelfIssued == false } }
        if known.isEmpty && others.isEmpty { judge.note(.unknownIssuer(of: current, isLeaf: path.count == 1)) }
        let candidates = ranked(known, for: content, isAnchor: true) + ranked(others, for: content, isAnchor: false)
        branches.append(Branch(path: path, candidates: candidates[...]))
    }

    /// Puts the issuer first whose key identifier the certificate names (RFC 4158 §3.5.12).
    private func ranked(
        _ candidates: [EncodedCertificate], for content: CertificateContent, isAnchor: Bool
    ) -> [(certificate: EncodedCertificate, isAnchor: Bool)] {
        let wanted = try? content.authorityKeyIdentifier()
        let fits = candidates.map { candidate in
            wanted != nil && (try? candidate.content?.subjectKeyIdentifier()) == wanted
        }
        let pairs = zip(candidates, fits)
        return (pairs.filter(\.1) + pairs.filter { !$0.1 }).map { ($0.0, isAnchor) }
    }
}
