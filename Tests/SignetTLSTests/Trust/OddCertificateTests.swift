import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// Certificates that openssl makes and the tests' own authority cannot.
@Suite struct OddCertificateTests {
    private static let elliptic = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

    /// A root and a leaf for service.example, each made with its own options.
    private static func verdict(
        root: String, rootExtensions: String? = "basicConstraints=critical,CA:TRUE", leaf: String = elliptic,
        signing: String = ""
    ) throws -> TrustError.Code? {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.write("subjectAltName=DNS:service.example", "leaf.cnf")
        try openssl("req -new \(root) -subj /CN=root -keyout root.key -out root.csr")
        if let rootExtensions { try openssl.write(rootExtensions, "root.cnf") }
        try openssl(
            "x509 -req -in root.csr -signkey root.key -days 5 -out root.pem \(rootExtensions == nil ? "" : "-extfile root.cnf")"
        )
        try openssl("req -new \(leaf) -subj /CN=leaf -keyout leaf.key -out leaf.csr")
        try openssl(
            "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -CAcreateserial -days 5 -extfile leaf.cnf -out leaf.pem \(signing)"
        )
        return TrustPolicyTests.verdict(
            try CertificateBundle(pem: openssl.bytes("leaf.pem")).certificates,
            .anchors(try CertificateBundle(pem: openssl.bytes("root.pem"))))
    }

    @Test(arguments: [
        ("-newkey rsa:2048 -nodes", ""), ("-newkey rsa:3072 -nodes", "-sha384"), ("-newkey rsa:2048 -nodes", "-sha512"),
        ("-newkey rsa:2048 -nodes", "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
        (elliptic, "-sha384"), ("-newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes", "-sha256"),
        ("-newkey ec -pkeyopt ec_paramgen_curve:P-521 -nodes", "-sha512"), ("-newkey ed25519 -nodes", ""),
    ]) func everyGoodAlgorithmIsTrusted(root: String, signing: String) throws {
        #expect(try Self.verdict(root: root, signing: signing) == nil)
    }

    @Test(arguments: [
        ("-newkey rsa:2048 -nodes", "-sha1"), ("-newkey rsa:2048 -nodes", "-md5"), (elliptic, "-sha1"),
        ("-newkey rsa:1024 -nodes", ""), ("-newkey rsa:2048 -nodes", "-sigopt rsa_padding_mode:pss -sha1"),
        ("-newkey ec -pkeyopt ec_paramgen_curve:secp256k1 -nodes", ""), ("-newkey ed448 -nodes", ""),
    ]) func refusesEveryWeakAlgorithm(root: String, signing: String) throws {
        #expect(try Self.verdict(root: root, signing: signing) == .weakAlgorithm)
    }

    @Test func refusesAWeakKeyInTheLeaf() throws {
        #expect(try Self.verdict(root: Self.elliptic, leaf: "-newkey rsa:1024 -nodes") == .weakAlgorithm)
    }

    @Test func aVersion1RootIsTrustedAndAVersion1IntermediateIsNot() throws {
        #expect(try Self.verdict(root: Self.elliptic, rootExtensions: nil) == nil)
        #expect(try Self.verdict(root: Self.elliptic, rootExtensions: "subjectKeyIdentifier=hash") == .notAnAuthority)
        #expect(try Self.verdict(root: Self.elliptic, rootExtensions: "basicConstraints=CA:FALSE") == .notAnAuthority)
        #expect(
            try Self.verdict(root: Self.elliptic, rootExtensions: "basicConstraints=CA:TRUE\nkeyUsage=cRLSign")
                == .notAnAuthority)

        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        // A certificate of version 1 for the key of “middle”, as an end entity of the root could have.
        try openssl("x509 -req -in middle.csr -CA root.pem -CAkey root.key -days 5 -out old.pem")
        let leaf = try CertificateBundle(pem: openssl.bytes("leaf.pem") + openssl.bytes("old.pem"))
        let policy = TrustPolicy.anchors(try CertificateBundle(pem: openssl.bytes("root.pem")))
        #expect(TrustPolicyTests.verdict(leaf.certificates, policy, .server(.dns("leaf.example"))) == .unreadable)
        // As a peer's own, OpenSSL issues such certificates where it is told no extensions; public authorities do not.
        #expect(TrustPolicyTests.verdict(Array(leaf.certificates.suffix(1)), policy, .client) == nil)
        var strict = policy
        strict.profile = .webPKI
        #expect(TrustPolicyTests.verdict(Array(leaf.certificates.suffix(1)), strict, .client) == .unreadable)
    }

    /// RFC 5280 §4.1.2.4, §4.1.2.6.
    @Test func refusesAnAuthorityWithoutAName() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let nameless = "req -new \(Self.elliptic) -subj /"
        try openssl("\(nameless) -x509 -days 5 -keyout bare.key -out bare.pem")
        try openssl("\(nameless) -keyout between.key -out between.csr")
        try openssl(
            "x509 -req -in between.csr -CA root.pem -CAkey root.key -days 5 -extfile middle.cnf -out between.pem")
        for issuer in ["bare", "between"] {
            try openssl(
                "x509 -req -in leaf.csr -CA \(issuer).pem -CAkey \(issuer).key -days 5 -extfile leaf.cnf -out \(issuer)-leaf.pem"
            )
        }
        func certificate(_ name: String) throws -> EncodedCertificate {
            try #require(CertificateBundle(pem: openssl.bytes("\(name).pem")).certificates.first)
        }
        func refusal(_ presented: [String], anchor: String) throws -> TrustError? {
            let policy = TrustPolicy.anchors(CertificateBundle([try certificate(anchor)]))
            return #expect(throws: TrustError.self) {
                try policy.evaluate(try presented.map(certificate), as: .client, at: TrustPolicyTests.now).get()
            }
        }
        for (presented, anchor) in [
            (["bare-leaf"], "bare"), (["between-leaf", "between"], "root"), (["bare"], "bare"),
        ] {
            let error = try refusal(presented, anchor: anchor)
            #expect(error?.code == .unreadable)
            #expect(error?.message.contains("issuer") == true, "\(error?.message ?? "")")
        }
        // What certifies a key under no name is refused before anything below it is looked at.
        var judge = CertificateJudge(profile: .privateAuthority, role: .client, now: TrustPolicyTests.now)
        for (name, isAnchor) in [("between", false), ("between", true)] {
            let error = #expect(throws: Refusal.self) {
                try judge.checkLink(try certificate(name), isAnchor: isAnchor, below: [])
            }
            #expect(error?.rule == .subjectName)
        }
        // An end entity needs no subject.
        try openssl("x509 -req -in between.csr -CA root.pem -CAkey root.key -days 5 -extfile leaf.cnf -out anyone.pem")
        let policy = TrustPolicy.anchors(CertificateBundle([try certificate("root")]))
        #expect(TrustPolicyTests.verdict([try certificate("anyone")], policy, .client) == nil)
    }

    @Test func unknownKeysAndNamesAreDescribed() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("k1", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:secp256k1"])
        let certificate = try #require(CertificateBundle(pem: openssl.bytes("k1.pem")).certificates.first)
        #expect(certificate.subject == "CN=k1")
        #expect(certificate.publicKeySHA256?.count == 32)
        #expect(certificate.notAfter ?? 0 > TrustPolicyTests.now)
        try openssl.makeSelfSigned("hostile", algorithm: "ed25519", ["-utf8", "-subj", "/CN=a\u{1B}[31mb\u{202E}c"])
        let hostile = try #require(CertificateBundle(pem: openssl.bytes("hostile.pem")).certificates.first)
        #expect(hostile.subject == #"CN=a\1B[31mb\E2\80\AEc"#)
    }

    @Test func readsTheSystemsAnchors() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let root = try CertificateBundle(pem: openssl.bytes("root.pem")).certificates
        let path = openssl.folder.path
        #expect(SystemAnchors.load { $0 == "SSL_CERT_FILE" ? "\(path)/root.pem" : nil } == AnchorSet(root))
        #expect(SystemAnchors.load { $0 == "SSL_CERT_FILE" ? "\(path)/none.pem" : nil }.isEmpty)
        let all = SystemAnchors.load { $0 == "SSL_CERT_DIR" ? "/nonexistent:\(path)" : nil }
        // The end entity beside the two authorities does not become an anchor.
        #expect(all.bySubject.count == 2)
        #expect(all.contains(root[0]))
    }
}
