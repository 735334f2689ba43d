import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

@Suite struct PinTests {
    static let reserve = TrustPolicy.Pin.publicKey(sha256: Text.base64([UInt8](repeating: 7, count: 32)))

    static let reserveCertificate = TrustPolicy.Pin.certificate(
        sha256: Text.hexadecimal([UInt8](repeating: 9, count: 32)))

    private static func verdict(
        _ pins: (EncodedCertificate, EncodedCertificate) throws -> [TrustPolicy.Pin]
    ) throws -> TrustError.Code? {
        let root = try CertificateAuthority(commonName: "root")
        let server = try root.issueServer(dnsNames: ["service.example"])
        let policy = TrustPolicy.anchors(root.bundle).pinned(to: try pins(server.leaf, root.certificate))
        return TrustPolicyTests.verdict(server.chain, policy)
    }

    private static func base64(_ bytes: [UInt8]?) throws -> String { Text.base64(try #require(bytes)) }

    @Test func anyKeyOfThePathSatisfies() throws {
        #expect(
            try Self.verdict { leaf, _ in [.publicKey(sha256: try Self.base64(leaf.publicKeySHA256)), Self.reserve] }
                == nil)
        #expect(
            try Self.verdict { _, root in
                [Self.reserve, .publicKey(sha256: "sha256//\(try Self.base64(root.publicKeySHA256))")]
            } == nil)
        for write in [Text.hexadecimal, { Text.hexadecimal($0).uppercased() }, { Text.base64($0) }]
            as [([UInt8]) -> String]
        {
            #expect(
                try Self.verdict { leaf, _ in [.certificate(sha256: write(leaf.sha256)), Self.reserveCertificate] }
                    == nil)
        }
    }

    @Test func theErrorOfAMismatchShowsTheSeenKeys() throws {
        let root = try CertificateAuthority(commonName: "root")
        let server = try root.issueServer(dnsNames: ["service.example"])
        let other = TrustPolicy.Pin.publicKey(sha256: Text.base64([UInt8](repeating: 9, count: 32)))
        let policy = TrustPolicy.anchors(root.bundle).pinned(to: [Self.reserve, other, Self.reserveCertificate])
        let error = #expect(throws: TrustError.self) {
            try policy.evaluate(server.chain, as: TrustPolicyTests.host, at: TrustPolicyTests.now).get()
        }
        #expect(error?.code == .pinMismatch)
        for certificate in [server.leaf, root.certificate] {
            #expect(error?.message.contains("sha256//\(try Self.base64(certificate.publicKeySHA256))") == true)
        }
    }

    /// A pin on a certificate that is merely sent along proves nothing.
    @Test func onlyTheValidatedPathCounts() throws {
        let (root, bystander) = (
            try CertificateAuthority(commonName: "root"), try CertificateAuthority(commonName: "other")
        )
        let server = try root.issueServer(dnsNames: ["service.example"])
        let policy = TrustPolicy.anchors(root.bundle)
            .pinned(to: [.publicKey(sha256: try Self.base64(bystander.certificate.publicKeySHA256)), Self.reserve])
        #expect(TrustPolicyTests.verdict(server.chain + [bystander.certificate], policy) == .pinMismatch)
    }

    @Test func aPinDoesNotReplaceTrust() throws {
        let (root, other) = (
            try CertificateAuthority(commonName: "root"), try CertificateAuthority(commonName: "other")
        )
        let server = try other.issueServer(dnsNames: ["service.example"])
        let policy = TrustPolicy.anchors(root.bundle)
            .pinned(to: [.certificate(sha256: Text.hexadecimal(server.leaf.sha256)), Self.reserveCertificate])
        #expect(TrustPolicyTests.verdict(server.chain, policy) == .unknownAuthority)
    }

    @Test func unusablePinsFailEveryEvaluation() throws {
        let good = { (leaf: EncodedCertificate) in
            TrustPolicy.Pin.publicKey(sha256: Text.base64(leaf.publicKeySHA256 ?? []))
        }
        #expect(try Self.verdict { _, _ in [] } == .invalidPolicy)
        #expect(try Self.verdict { leaf, _ in [good(leaf)] } == .invalidPolicy)
        #expect(try Self.verdict { leaf, _ in [good(leaf), good(leaf)] } == .invalidPolicy)
        #expect(
            try Self.verdict { leaf, _ in
                [good(leaf), .publicKey(sha256: "sha256//" + Text.base64(leaf.publicKeySHA256 ?? []))]
            } == .invalidPolicy)
        // A key and a certificate do not stand in for each other: when the key changes, so does its certificate.
        #expect(
            try Self.verdict { leaf, _ in [good(leaf), .certificate(sha256: Text.hexadecimal(leaf.sha256))] }
                == .invalidPolicy)
        #expect(try Self.verdict { leaf, _ in [good(leaf), Self.reserveCertificate] } == .invalidPolicy)
        #expect(try Self.verdict { leaf, _ in [good(leaf), Self.reserveCertificate, Self.reserve] } == nil)
        for text in [
            "", "sha256//", "AAAA", "not base64!", String(repeating: "A", count: 44),
            String(repeating: "zz", count: 32),
        ] {
            #expect(
                try Self.verdict { leaf, _ in [good(leaf), Self.reserve, .publicKey(sha256: text)] } == .invalidPolicy)
            #expect(
                try Self.verdict { leaf, _ in [good(leaf), Self.reserve, .certificate(sha256: text)] } == .invalidPolicy
            )
        }
    }

    private static func pins(_ certificate: EncodedCertificate) throws -> [TrustPolicy.Pin] {
        [.publicKey(sha256: try base64(certificate.publicKeySHA256)), reserve]
    }

    /// Two valid paths, of which the one with the pin counts, in whatever order they are found.
    @Test func aPinIsFoundOnAnyValidPath() throws {
        let (old, new) = (try CertificateAuthority(commonName: "old"), try CertificateAuthority(commonName: "new"))
        let middle = try CertificateAuthority(commonName: "middle")
        let server = try middle.issueServer(dnsNames: ["service.example"])
        let crossings = [try old.crossSign(middle), try new.crossSign(middle)]
        let both = TrustPolicy.anchors(old.bundle).addingAnchors(new.bundle)
        for presented in [[server.leaf] + crossings, [server.leaf] + crossings.reversed()] {
            for root in [old, new] {
                let policy = both.pinned(to: try Self.pins(root.certificate))
                let path = try policy.evaluate(presented, as: TrustPolicyTests.host, at: TrustPolicyTests.now).get()
                #expect(path.certificates.last == root.certificate)
            }
            let none = both.pinned(to: try Self.pins(try CertificateAuthority().certificate))
            #expect(TrustPolicyTests.verdict(presented, none) == .pinMismatch)
            #expect(TrustPolicyTests.verdict(presented, none, .server(.dns("b.example"))) == .hostNameMismatch)
        }
        // A path that holds the pin and is not valid is of no use.
        let expired = try new.crossSign(middle, .authority.expired)
        let policy = both.pinned(to: try Self.pins(new.certificate))
        for presented in [[server.leaf, expired, crossings[0]], [server.leaf, crossings[0], expired]] {
            #expect(TrustPolicyTests.verdict(presented, policy) == .pinMismatch)
        }
    }

    /// A path may pass through one anchor to another that holds the pin.
    @Test func anAnchorMayStandInTheMiddle() throws {
        let root = try CertificateAuthority(commonName: "root")
        let middle = try root.issueIntermediate(commonName: "middle")
        let server = try middle.issueServer(dnsNames: ["service.example"])
        for anchors in [[middle.certificate], [server.leaf]] as [[EncodedCertificate]] {
            let policy = TrustPolicy.anchors(CertificateBundle(anchors)).addingAnchors(root.bundle)
            #expect(TrustPolicyTests.verdict(server.chain, policy) == nil)
            #expect(TrustPolicyTests.verdict(server.chain, policy.pinned(to: try Self.pins(root.certificate))) == nil)
        }
        let policy = TrustPolicy.anchors(CertificateBundle([middle.certificate, root.certificate]))
        #expect(TrustPolicyTests.verdict([server.leaf], policy.pinned(to: try Self.pins(root.certificate))) == nil)
        let alone = TrustPolicy.anchors(CertificateBundle([middle.certificate]))
        #expect(
            TrustPolicyTests.verdict(server.chain, alone.pinned(to: try Self.pins(root.certificate))) == .pinMismatch)
    }

    /// The search for a pin is as bounded as any other, and the error still shows what was seen.
    @Test func aMeshWithoutThePinIsAMismatch() throws {
        let root = try CertificateAuthority(commonName: "root")
        let a = try CertificateAuthority(commonName: "a")
        let server = try a.issueServer(dnsNames: ["service.example"])
        let copies = try (0..<8).map { _ in try a.crossSign(a) }
        let policy = TrustPolicy.anchors(root.bundle).pinned(to: try Self.pins(try CertificateAuthority().certificate))
        #expect(TrustPolicyTests.verdict([server.leaf, try root.crossSign(a)] + copies, policy) == .pinMismatch)
    }

    @Test func opensslAgreesOnThePin() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("x509 -in leaf.pem -noout -pubkey -out leaf.pub")
        try openssl("pkey -pubin -in leaf.pub -outform DER -out leaf.spki")
        try openssl("dgst -sha256 -binary -out leaf.hash leaf.spki")
        let leaf = try #require(CertificateBundle(pem: openssl.bytes("leaf.pem")).certificates.first)
        #expect(leaf.publicKeySHA256 == (try openssl.bytes("leaf.hash")))
    }
}
