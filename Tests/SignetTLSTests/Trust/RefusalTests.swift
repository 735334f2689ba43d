import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// Every refusal is a value: which rule, which certificate, and whether a person may overrule it.
@Suite struct RefusalTests {
    private static func refusal(
        _ presented: [EncodedCertificate], _ policy: TrustPolicy, _ role: PeerRole = TrustPolicyTests.host,
        at now: Int64 = TrustPolicyTests.now
    ) throws -> TrustError {
        let error = #expect(throws: TrustError.self) { try policy.evaluate(presented, as: role, at: now).get() }
        return try #require(error)
    }

    @Test func namesRuleAndCertificate() throws {
        let root = try CertificateAuthority(commonName: "root")
        func expect(
            _ rule: TrustError.Rule, _ culprit: TrustError.Culprit?, recoverable: Bool,
            leaf: CertificateProfile = .server,
            middle: CertificateProfile = .authority, host: String = "service.example",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let authority = try root.issueIntermediate(commonName: "middle", middle)
            let chain = try authority.issueServer(dnsNames: ["service.example"], leaf).chain
            let error = try Self.refusal(chain, .anchors(root.bundle), .server(.dns(host)))
            #expect(error.rule == rule, sourceLocation: sourceLocation)
            #expect(error.code == rule.code, sourceLocation: sourceLocation)
            #expect(error.culprit == culprit, sourceLocation: sourceLocation)
            #expect(error.canBeOverruled == recoverable, sourceLocation: sourceLocation)
        }
        func changed(_ profile: CertificateProfile, _ change: (inout CertificateProfile) -> Void) -> CertificateProfile
        {
            var profile = profile
            change(&profile)
            return profile
        }
        try expect(.notAfter, .presented(0), recoverable: true, leaf: .server.expired)
        try expect(.notAfter, .presented(1), recoverable: true, middle: .authority.expired)
        try expect(.notBefore, .presented(0), recoverable: true, leaf: .server.notYetValid)
        try expect(.hostName, .presented(0), recoverable: true, host: "other.example")
        try expect(
            .extendedKeyUsage, .presented(0), recoverable: true, leaf: changed(.server) { $0.purposes = [.client] })
        try expect(.keyUsage, .presented(0), recoverable: true, leaf: changed(.server) { $0.signsCertificates = true })
        try expect(.endEntity, .presented(0), recoverable: false, leaf: changed(.server) { $0.isAuthority = true })
        try expect(
            .endEntity, .presented(0), recoverable: false,
            leaf: changed(.server) { $0.permittedDomains = ["service.example"] })
        try expect(
            .authority, .presented(1), recoverable: false, middle: changed(.authority) { $0.isAuthority = false })
        try expect(
            .certificateSigning, .presented(1), recoverable: false,
            middle: changed(.authority) { $0.signsCertificates = false })
        try expect(
            .nameConstraints, .presented(0), recoverable: false,
            middle: changed(.authority) { $0.permittedDomains = ["other.example"] })
        try expect(
            .criticalExtensions, .presented(1), recoverable: false,
            middle: changed(.authority) { $0.hasUnknownCriticalExtension = true })
    }

    /// Reported as expired, the forgery might be overlooked.
    @Test func aForgeryThatIsExpiredIsAForgery() throws {
        let root = try CertificateAuthority(commonName: "root")
        let forger = try CertificateAuthority(commonName: "root")
        let forged = try forger.issueServer(dnsNames: ["service.example"], .server.expired)
        let error = try Self.refusal(forged.chain, .anchors(root.bundle))
        #expect(error.rule == .signature && !error.canBeOverruled)
        // A namesake of the issuer that has expired changes nothing.
        let namesake = try CertificateAuthority(commonName: "none").issueIntermediate(
            commonName: "root", .authority.expired)
        let leaf = try forger.issueServer(dnsNames: ["service.example"])
        #expect(try !Self.refusal(leaf.chain + [namesake.certificate], .anchors(root.bundle)).canBeOverruled)
    }

    @Test func theErrorNamesRulesThatConcernTheWholeChain() throws {
        let root = try CertificateAuthority(commonName: "root")
        let server = try root.issueServer(dnsNames: ["service.example"])
        let policy = TrustPolicy.anchors(root.bundle)
        let empty = try Self.refusal([], policy)
        #expect(empty.rule == .presence && empty.culprit == nil && !empty.canBeOverruled)
        #expect(try Self.refusal(server.chain, .anchors(CertificateBundle([]))).rule == .usablePolicy)
        let stranger = try Self.refusal(
            server.chain, .anchors(try CertificateAuthority(commonName: "other").bundle))
        #expect(stranger.rule == .knownAuthority && stranger.culprit == .presented(0) && stranger.canBeOverruled)
        let old = try CertificateAuthority(commonName: "old", .authority.expired)
        let below = try old.issueServer(dnsNames: ["service.example"])
        let error = try Self.refusal(below.chain, .anchors(old.bundle))
        #expect(error.rule == .notAfter && error.culprit == .known(old.certificate))
    }

    /// A pin says that no person shall decide.
    @Test func noFailureIsRecoverableBesideAPin() throws {
        let root = try CertificateAuthority(commonName: "root")
        let server = try root.issueServer(dnsNames: ["service.example"], .server.expired)
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(try Self.refusal(server.chain, policy).canBeOverruled)
        let key = Text.base64(try #require(server.leaf.publicKeySHA256))
        let pinned = policy.pinned(to: [.publicKey(sha256: key), PinTests.reserve])
        let error = try Self.refusal(server.chain, pinned)
        #expect(error.rule == .notAfter && !error.canBeOverruled)
    }

    /// What no library understands, or what breaks its own format, can still be shown to a person.
    @Test(arguments: [
        "-newkey rsa:1024", "-newkey ec -pkeyopt ec_paramgen_curve:secp256k1", "-newkey ed448",
    ]) func describesKeysThatCannotBeUsed(key: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl("req -x509 -nodes -days 10 -subj /CN=service.example \(key) -keyout a.key -out a.pem")
        let leaf = try #require(CertificateBundle(pem: openssl.bytes("a.pem")).certificates.first)
        for policy in [.anchors(CertificateBundle([leaf])), TrustPolicy.anchors(try CertificateAuthority().bundle)] {
            let error = try Self.refusal([leaf], policy)
            #expect(error.rule == .keyStrength && error.culprit == .presented(0) && error.canBeOverruled)
        }
        #expect(leaf.subject == "CN=service.example")
        #expect(leaf.notAfter ?? 0 > TrustPolicyTests.now)
    }

    @Test func unreadableCertificatesAreDescribed() throws {
        let root = try CertificateAuthority(commonName: "root")
        let leaf = try root.issueServer(dnsNames: ["service.example"]).leaf
        let version: [UInt8] = [0xA0, 3, 2, 1, 2]
        let place = try #require(leaf.der.firstRange(of: version)).upperBound - 1
        var der = leaf.der
        der[place] = 9
        let broken = EncodedCertificate(der: der)
        #expect(broken.content == nil)
        #expect(broken.subject.hasPrefix("(unreadable; CN=service.example; SHA-256 "))
        #expect(broken.issuer == "CN=root")
        #expect(broken.notBefore == leaf.notBefore && broken.notAfter == leaf.notAfter)
        #expect(broken.publicKeySHA256 == nil)
        let error = try Self.refusal([broken], .anchors(root.bundle))
        #expect(error.rule == .encoding && !error.canBeOverruled)
        #expect(error.message.contains("CN=service.example"))
        // However it is damaged, something is said.
        for end in stride(from: 0, to: der.count, by: 7) {
            #expect(!EncodedCertificate(der: Array(der.prefix(end))).subject.isEmpty)
        }
    }
}
