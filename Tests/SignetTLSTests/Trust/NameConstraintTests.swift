import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

@Suite struct NameConstraintTests {
    @Test(
        arguments: [
            (["example.com"], [], "a.example.com", true), (["example.com"], [], "example.com", true),
            (["example.com"], [], "example.org", false), (["example.com"], [], "badexample.com", false),
            (["a.example.com"], [], "*.example.com", false), (["example.com"], [], "*.example.com", true),
            (["example.org", "example.com"], [], "a.example.com", true),
            ([], ["example.com"], "a.example.com", false), ([], ["example.com"], "example.org", true),
            ([], ["secret.example.com"], "*.example.com", false), ([], ["a.secret.example.com"], "*.example.com", true),
            (["example.com"], ["secret.example.com"], "a.secret.example.com", false),
            ([], [""], "a.example.com", false),
            (["not a name"], [], "a.example.com", false), ([".example.com"], [], "a.example.com", true),
            ([".example.com"], [], "example.com", false), ([], [".example.com"], "example.com", false),
            ([".example.com"], [], "*.example.com", true),
        ] as [([String], [String], String, Bool)])
    func constrainsDNSNames(permitted: [String], excluded: [String], name: String, isGood: Bool) throws {
        var profile = CertificateProfile.authority
        profile.permittedDomains = permitted
        profile.excludedDomains = excluded
        let root = try CertificateAuthority(commonName: "root")
        let middle = try root.issueIntermediate(commonName: "middle", profile)
        let host = name.hasPrefix("*") ? "secret" + name.dropFirst() : name
        for authority in [middle, try middle.issueIntermediate(commonName: "below")] {
            let server = try authority.issueServer(dnsNames: [name])
            let code = TrustPolicyTests.verdict(server.chain, .anchors(root.bundle), .server(.dns(host)))
            #expect(isGood ? code == nil : code == .nameConstraint || code == .unreadable)
        }
        let constrainedRoot = try CertificateAuthority(commonName: "constrained", profile)
        let server = try constrainedRoot.issueServer(dnsNames: [name])
        #expect(
            (TrustPolicyTests.verdict(server.chain, .anchors(constrainedRoot.bundle), .server(.dns(host))) == nil)
                == isGood)
    }

    /// Each of the two paths is within the limit, the two together are not.
    @Test func boundsTheComparisonsOfAllPathsTogether() throws {
        let (old, new) = (try CertificateAuthority(commonName: "old"), try CertificateAuthority(commonName: "new"))
        let middle = try CertificateAuthority(commonName: "middle")
        let server = try middle.issueServer(dnsNames: ["service.example"] + (1..<256).map { "s\($0).example" })
        var profile = CertificateProfile.authority
        profile.excludedDomains = (0..<200).map { "x\($0).invalid" }
        let good = try new.crossSign(middle, profile)
        profile.excludedDomains[0] = "service.example"
        let bad = try old.crossSign(middle, profile)
        let both = TrustPolicy.anchors(old.bundle).addingAnchors(new.bundle)
        #expect(TrustPolicyTests.verdict([server.leaf, good], both) == nil)
        #expect(TrustPolicyTests.verdict([server.leaf, bad], both) == .nameConstraint)
        #expect(TrustPolicyTests.verdict([server.leaf, bad, good], both) == .tooComplex)
    }

    /// Forms that the tests' own authority does not write.
    @Test(
        arguments: [
            ("permitted;IP:10.0.0.0/255.0.0.0", "IP:10.1.2.3,DNS:service.example", nil),
            ("permitted;IP:10.0.0.0/255.0.0.0", "IP:11.1.2.3,DNS:service.example", .nameConstraint),
            ("excluded;IP:10.0.0.0/255.0.0.0", "IP:10.1.2.3,DNS:service.example", .nameConstraint),
            ("permitted;IP:10.0.0.0/255.0.255.0", "IP:10.0.0.3,DNS:service.example", .unreadable),
            ("permitted;email:example.com", "DNS:service.example", nil),
            ("permitted;email:example.com", "email:a@EXAMPLE.com,DNS:service.example", nil),
            ("permitted;email:example.com", "email:a@b.example.com,DNS:service.example", .nameConstraint),
            ("permitted;email:.example.com", "email:a@b.example.com,DNS:service.example", nil),
            ("permitted;email:.example.com", "email:a@example.com,DNS:service.example", .nameConstraint),
            ("permitted;email:a@example.com", "email:a@example.com,DNS:service.example", nil),
            ("permitted;email:a@example.com", "email:A@example.com,DNS:service.example", .nameConstraint),
            ("excluded;email:example.com", "email:a@example.com,DNS:service.example", .nameConstraint),
            ("excluded;email:example.com", "email:a@b@example.com,DNS:service.example", .unreadable),
            ("excluded;URI:example.com", "URI:http://example.org/,DNS:service.example", .nameConstraint),
            ("permitted;dirName:there", "DNS:service.example", .nameConstraint),
            ("excluded;dirName:there", "DNS:service.example", nil),
            ("excluded;dirName:here", "DNS:service.example", .nameConstraint),
            ("permitted;dirName:here", "DNS:service.example", nil),
        ] as [(String, String, TrustError.Code?)])
    func constrainsOtherForms(constraint: String, names: String, expected: TrustError.Code?) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.write(
            """
            basicConstraints=critical,CA:TRUE
            nameConstraints=critical,\(constraint)
            [here]
            O=here
            [there]
            O=there
            """, "root.cnf")
        try openssl.write("subjectAltName=\(names)", "leaf.cnf")
        let elliptic = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try openssl("req -new \(elliptic) -subj /CN=root -keyout root.key -out root.csr")
        try openssl("x509 -req -in root.csr -signkey root.key -days 5 -extfile root.cnf -out root.pem")
        try openssl("req -new \(elliptic) -subj /O=here/CN=leaf -keyout leaf.key -out leaf.csr")
        try openssl(
            "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -days 5 -extfile leaf.cnf -out leaf.pem"
        )
        let root = try CertificateBundle(pem: openssl.bytes("root.pem"))
        let leaf = try CertificateBundle(pem: openssl.bytes("leaf.pem")).certificates
        #expect(TrustPolicyTests.verdict(leaf, .anchors(root)) == expected)
    }
}
