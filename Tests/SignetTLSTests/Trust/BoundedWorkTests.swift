import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// A peer cannot make the check slow with any certificates.
@Suite struct BoundedWorkTests {
    private static func cost(
        _ presented: [EncodedCertificate], _ policy: TrustPolicy
    ) -> (rule: TrustError.Rule?, checks: Int) {
        let judgement = policy.judge(presented, as: TrustPolicyTests.host, at: TrustPolicyTests.now)
        if case .failure(let error) = judgement.verdict { return (error.rule, judgement.signatureChecks) }
        return (nil, judgement.signatureChecks)
    }

    /// Seven authorities that certify each other: 42 certificates, and more paths than anyone can try.
    @Test func aMeshOfAuthorities() throws {
        let root = try CertificateAuthority(commonName: "root")
        let mesh = try (1...7).map { try CertificateAuthority(commonName: "mesh \($0)") }
        var crossings: [EncodedCertificate] = []
        for (index, issuer) in mesh.enumerated() {
            for (other, subject) in mesh.enumerated() where other != index {
                crossings.append(try issuer.crossSign(subject))
            }
        }
        let leaf = try mesh[0].issueServer(dnsNames: ["service.example"]).leaf
        #expect(crossings.count == 42)
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(Self.cost([leaf] + crossings, policy) == (.presentedCount, 0))
        #expect(Self.cost([leaf] + crossings, policy.addingIntermediates(CertificateBundle(crossings))).checks == 0)
        let known = Self.cost([leaf], policy.addingIntermediates(CertificateBundle(crossings)))
        #expect(known == (.signatureChecks, 64))
        let sent = Self.cost([leaf] + crossings.prefix(9), policy)
        #expect(sent.rule != nil && sent.checks <= 64)
    }

    @Test func aThousandCertificates() throws {
        let root = try CertificateAuthority(commonName: "root")
        let forger = try CertificateAuthority(commonName: "root")
        let leaf = try forger.issueServer(dnsNames: ["service.example"]).leaf
        let thousand = [leaf] + (1..<1_000).map { EncodedCertificate(der: [0x30, UInt8($0 & 0x7F)]) }
        #expect(Self.cost(thousand, .anchors(root.bundle)) == (.presentedCount, 0))
        // A hundred authorities with the same name, in the caller's bundle.
        let namesakes = try (0..<100).map { _ in try CertificateAuthority(commonName: "root").certificate }
        let policy = TrustPolicy.anchors(root.bundle).addingIntermediates(CertificateBundle(namesakes))
        #expect(Self.cost([leaf], policy) == (.signatureChecks, 64))
    }

    @Test func tenThousandNames() throws {
        var constrained = CertificateProfile.authority
        constrained.excludedDomains = (0..<64).map { "x\($0).invalid" }
        let root = try CertificateAuthority(commonName: "root", constrained)
        func leaf(_ count: Int) throws -> EncodedCertificate {
            try root.issueServer(dnsNames: ["service.example"] + (1..<count).map { "host\($0).service.example" }).leaf
        }
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.write(
            "[req]\ndistinguished_name=name\nx509_extensions=ext\n[name]\n[ext]\nsubjectAltName=@names\n[names]\n"
                + (1...10_000).map { "DNS.\($0)=host\($0).service.example" }.joined(separator: "\n"), "large.cnf")
        try openssl(
            "req -x509 -config large.cnf -newkey ed25519 -nodes -subj /CN=large -keyout large.key -out large.pem")
        let block = try #require(PEMBlock.all(in: try openssl.bytes("large.pem")).first)
        #expect(Self.cost([EncodedCertificate(der: block.der)], .anchors(root.bundle)) == (.encoding, 0))
        #expect(Self.cost([try leaf(1_500)], .anchors(root.bundle)) == (.nameComparisons, 1))
        #expect(Self.cost([try leaf(500)], .anchors(root.bundle)) == (nil, 1))
    }
}
