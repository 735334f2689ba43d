import Support

@testable import SignetTLS

/// Certificates that sign each other in every way, some of them anchors: a trusted path must be valid by the plan from
/// which the certificates were made, independently of how the path builder reads their bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let host = ["a.example", "b.example", "127.0.0.1"][input.number(below: 3)]
    let role = input.number(below: 2) == 0 ? PeerRole.client : .server(ReferenceIdentifier(host: host))
    let anchorCount = 1 + input.number(below: 3)
    let settings = input.byte()
    var plans: [Plan] = []
    while !input.isAtEnd, plans.count < 14 { plans.append(Plan(&input)) }
    let certificates = plans.map { EncodedCertificate(der: $0.der) }
    let anchors = Array(certificates.suffix(anchorCount))
    var presented = Array(certificates.dropLast(anchorCount))
    // A peer may send the anchor as well, or an anchor may be the peer.
    if settings & 1 == 1 { presented += anchors.prefix(1) }

    var policy = TrustPolicy.anchors(CertificateBundle(anchors))
    if settings & 2 == 2 { policy.profile = .webPKI }
    let judgement = policy.judge(presented, as: role, at: Plan.now)
    require(judgement.signatureChecks <= TrustPolicy.maximumSignatureChecks, "\(judgement.signatureChecks) signatures")
    let verdict = judgement.verdict
    require(verdict == policy.evaluate(presented, as: role, at: Plan.now), "another answer the second time")
    require(
        verdict == policy.addingAnchors(CertificateBundle([])).evaluate(presented, as: role, at: Plan.now),
        "another answer of a policy that remembers nothing")
    guard case .success(let path) = verdict else { return 0 }
    let byCertificate = Dictionary(zip(certificates, plans)) { first, _ in first }
    let chosen = path.certificates.map { certificate -> Plan in
        guard let plan = byCertificate[certificate] else { fatalError("a certificate from nowhere") }
        return plan
    }
    require(path.certificates.first == presented.first, "the path begins at another certificate")
    require(path.certificates.last.map(anchors.contains) == true, "the path ends at no anchor")
    require(path.certificates.count <= TrustPolicy.maximumDepth, "a path of \(path.certificates.count)")
    require(Set(path.certificates).count == path.certificates.count, "a path goes round")
    for plan in chosen { requireGood(plan) }
    for (index, (below, above)) in zip(chosen, chosen.dropFirst()).enumerated() {
        require(below.damage == nil, "a changed certificate is trusted")
        require(below.issuer == above.subject && below.signer == above.key, "a signature that was not made")
        let isAnchor = index + 2 == chosen.count
        require(above.isAuthority == true || (isAnchor && above.isOld), "no authority, and issues")
        require(above.isOld || (above.keyUsage ?? 0x04) & 0x04 != 0, "its key may not sign certificates")
        // The path length counts the certificates between this one and the end entity that are not self-issued.
        let between = chosen[1..<max(1, index + 1)].count { $0.subject != $0.issuer }
        if !above.isOld, above.isAuthority == true, let limit = above.pathLength, !isAnchor {
            require(between <= limit, "a path longer than \(limit)")
        }
    }
    requireName(chosen[0], host, role)
    return 0
}

/// Requires the properties that every certificate of a path must have.
func requireGood(_ plan: Plan) {
    require(plan.validity != 6 && plan.validity != 7, "not valid now")
    require(plan.isOld || plan.constraints != 4, "an unknown critical extension is accepted")
}

func requireName(_ leaf: Plan, _ host: String, _ role: PeerRole) {
    let isServer = role != .client
    require(leaf.isOld || leaf.purposes != 4, "its key is for code only")
    if !leaf.isOld { require(leaf.purposes != (isServer ? 2 : 1), "its key is for the other end only") }
    guard isServer else { return }
    require(!leaf.isOld, "a certificate without names names a server")
    let matches =
        switch host {
        case "a.example": leaf.names == 0 || leaf.names == 1
        case "b.example": leaf.names == 1 || leaf.names == 2
        default: leaf.names == 4
        }
    require(matches, "the names \(leaf.names) are not \(host)")
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}
