import Foundation
import SignetTLS
import SignetTesting
import TestSupport
import Testing

/// Certificates of the tests' throw-away authority, good and bad.
@Suite struct TrustPolicyTests {
    static let host = PeerRole.server(.dns("service.example"))
    /// An hour from now: what openssl makes during a test must already be valid.
    static let now = Int64(Date().timeIntervalSince1970) + 3_600

    static func verdict(
        _ presented: [EncodedCertificate], _ policy: TrustPolicy, _ role: PeerRole = host, at time: Int64 = now
    ) -> TrustError.Code? {
        switch policy.evaluate(presented, as: role, at: time) {
        case .success: return nil
        case .failure(let error):
            #expect(error.message.count > 20)
            #expect(error.certificates == presented)
            return error.code
        }
    }

    @Test func theRootThatIssuedACertificateIsFound() throws {
        let root = try CertificateAuthority(commonName: "root")
        let middle = try root.issueIntermediate(commonName: "middle")
        let (above, below) = (try root.issueClient().leaf, try middle.issueClient().leaf)
        #expect(TrustPolicy.anchors(root.bundle).root(issuing: above) == root.certificate)
        #expect(TrustPolicy.anchors(root.bundle).root(issuing: below) == nil)
        #expect(TrustPolicy.anchors(root.bundle).root(issuing: root.certificate) == nil)
        // An anchor that is no root, and a root of the same name with another key.
        #expect(TrustPolicy.anchors(CertificateBundle([middle.certificate])).root(issuing: below) == nil)
        let stranger = try CertificateAuthority(commonName: "root")
        #expect(TrustPolicy.anchors(stranger.bundle).root(issuing: above) == nil)
    }

    @Test func aServerBelowAnAnchorIsTrusted() throws {
        let root = try CertificateAuthority(commonName: "root")
        let middle = try root.issueIntermediate(commonName: "middle")
        let server = try middle.issueServer(dnsNames: ["service.example"])
        #expect(server.chain == [server.leaf, middle.certificate])
        let expected = [server.leaf, middle.certificate, root.certificate]
        for presented in [server.chain, expected, [expected[0], expected[2], expected[1]]] {
            let path = try TrustPolicy.anchors(root.bundle).evaluate(presented, as: Self.host, at: Self.now).get()
            #expect(path.certificates == expected)
        }
        #expect(Self.verdict([server.leaf], .anchors(root.bundle)) == .unknownAuthority)
        #expect(Self.verdict([server.leaf], .anchors(CertificateBundle([middle.certificate]))) == nil)
        #expect(
            Self.verdict(server.chain, .anchors(try CertificateAuthority(commonName: "other").bundle))
                == .unknownAuthority)
    }

    @Test func aClientBelowAnAnchorIsTrusted() throws {
        let root = try CertificateAuthority()
        let client = try root.issueClient()
        #expect(Self.verdict(client.chain, .anchors(root.bundle), .client) == nil)
        #expect(Self.verdict(client.chain, .anchors(root.bundle)) == .wrongUsage)
        let server = try root.issueServer(dnsNames: ["service.example"])
        #expect(Self.verdict(server.chain, .anchors(root.bundle), .client) == .wrongUsage)
    }

    @Test func refusesABadLeaf() throws {
        let root = try CertificateAuthority()
        func verdict(_ change: (inout CertificateProfile) -> Void) throws -> TrustError.Code? {
            var profile = CertificateProfile.server
            change(&profile)
            let server = try root.issueServer(dnsNames: ["service.example"], profile)
            return Self.verdict(server.chain, .anchors(root.bundle))
        }
        #expect(try verdict { _ in } == nil)
        #expect(try verdict { $0 = $0.expired } == .expired)
        #expect(try verdict { $0 = $0.notYetValid } == .notYetValid)
        #expect(try verdict { $0.purposes = [.client] } == .wrongUsage)
        #expect(try verdict { $0.purposes = [.codeSigning] } == .wrongUsage)
        #expect(try verdict { $0.purposes = [.client, .server] } == nil)
        #expect(try verdict { $0.purposes = nil } == nil)
        #expect(try verdict { $0.isAuthority = true } == .wrongUsage)
        #expect(try verdict { $0.isAuthority = nil } == nil)
        #expect(try verdict { $0.signsCertificates = true } == .wrongUsage)
        #expect(try verdict { $0.signsCertificates = nil } == nil)
        #expect(try verdict { $0.hasUnknownCriticalExtension = true } == .unhandledCriticalExtension)
    }

    @Test func validityIncludesItsFirstAndLastSecond() throws {
        let root = try CertificateAuthority()
        var profile = CertificateProfile.server
        profile.notBefore = Self.now
        profile.notAfter = Self.now + 60
        let server = try root.issueServer(dnsNames: ["service.example"], profile)
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(Self.verdict(server.chain, policy, at: profile.notBefore - 1) == .notYetValid)
        #expect(Self.verdict(server.chain, policy, at: profile.notBefore) == nil)
        #expect(Self.verdict(server.chain, policy, at: profile.notAfter) == nil)
        #expect(Self.verdict(server.chain, policy, at: profile.notAfter + 1) == .expired)
        #expect(server.leaf.notBefore == profile.notBefore)
        #expect(server.leaf.notAfter == profile.notAfter)
    }

    @Test func refusesABadIntermediate() throws {
        let root = try CertificateAuthority()
        func verdict(_ change: (inout CertificateProfile) -> Void) throws -> TrustError.Code? {
            var profile = CertificateProfile.authority
            change(&profile)
            let server = try root.issueIntermediate(profile).issueServer(dnsNames: ["service.example"])
            return Self.verdict(server.chain, .anchors(root.bundle))
        }
        #expect(try verdict { _ in } == nil)
        #expect(try verdict { $0 = $0.expired } == .expired)
        #expect(try verdict { $0 = $0.notYetValid } == .notYetValid)
        #expect(try verdict { $0.signsCertificates = false } == .notAnAuthority)
        #expect(try verdict { $0.signsCertificates = nil } == nil)
        #expect(try verdict { $0.purposes = [.client] } == .wrongUsage)
        #expect(try verdict { $0.purposes = [.server] } == nil)
        #expect(try verdict { $0.pathLength = 0 } == nil)
        #expect(try verdict { $0.hasUnknownCriticalExtension = true } == .unhandledCriticalExtension)
    }

    @Test func refusesAnEndEntityAsAuthority() throws {
        let root = try CertificateAuthority()
        for isAuthority in [false, nil] {
            var profile = CertificateProfile.authority
            profile.isAuthority = isAuthority
            let impostor = try root.issueIntermediate(commonName: "impostor", profile)
            let server = try impostor.issueServer(dnsNames: ["service.example"])
            #expect(Self.verdict([server.leaf, impostor.certificate], .anchors(root.bundle)) == .notAnAuthority)
        }
    }

    @Test func countsThePathLength() throws {
        var profile = CertificateProfile.authority
        profile.pathLength = 1
        let root = try CertificateAuthority(commonName: "root", profile)
        let first = try root.issueIntermediate(commonName: "first")
        let second = try first.issueIntermediate(commonName: "second")
        #expect(Self.verdict(try first.issueServer(dnsNames: ["service.example"]).chain, .anchors(root.bundle)) == nil)
        let below = try second.issueServer(dnsNames: ["service.example"])
        #expect(Self.verdict(below.chain, .anchors(root.bundle)) == .pathLength)
    }

    @Test func limitsTheDepth() throws {
        let root = try CertificateAuthority(commonName: "root")
        var authority = root
        for depth in 1...7 {
            authority = try authority.issueIntermediate(commonName: "authority \(depth)")
            let server = try authority.issueServer(dnsNames: ["service.example"])
            #expect(Self.verdict(server.chain, .anchors(root.bundle)) == (depth <= 6 ? nil : .tooComplex))
        }
    }

    @Test func noticesAForgery() throws {
        let root = try CertificateAuthority(commonName: "root")
        let forger = try CertificateAuthority(commonName: "root")
        let server = try forger.issueServer(dnsNames: ["service.example"])
        #expect(Self.verdict(server.chain, .anchors(root.bundle)) == .badSignature)
        #expect(Self.verdict([server.leaf, forger.certificate], .anchors(root.bundle)) == .badSignature)
        // Both keys under one name: the right one is found.
        #expect(Self.verdict(server.chain, .anchors(CertificateBundle([root.certificate, forger.certificate]))) == nil)

        let good = try root.issueServer(dnsNames: ["service.example"])
        for position in stride(from: 0, to: good.leaf.der.count, by: 3) {
            var der = good.leaf.der
            der[position] ^= 0x01
            #expect(Self.verdict([EncodedCertificate(der: der)], .anchors(root.bundle)) != nil, "byte \(position)")
        }
    }

    @Test func unreadableCertificatesAreRefused() throws {
        let root = try CertificateAuthority()
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(Self.verdict([], policy) == .noCertificate)
        for der in [[], [0x30, 0x00], Array("-----BEGIN".utf8)] as [[UInt8]] {
            let certificate = EncodedCertificate(der: der)
            #expect(Self.verdict([certificate], policy) == .unreadable)
            #expect(!certificate.subject.isEmpty)
            #expect(certificate.sha256.count == 32)
            #expect(certificate.publicKeySHA256 == nil)
        }
        // Rubbish beside a good chain does no harm.
        let server = try root.issueServer(dnsNames: ["service.example"])
        #expect(Self.verdict(server.chain + [EncodedCertificate(der: [1, 2, 3])], policy) == nil)
        #expect(Self.verdict(server.chain, .anchors(CertificateBundle([]))) == .invalidPolicy)
        #expect(
            Self.verdict(server.chain, .anchors(CertificateBundle([EncodedCertificate(der: [1])]))) == .invalidPolicy)
    }

    /// Seven authorities that certify each other: the number of paths explodes, the work must not.
    @Test func boundsTheWork() throws {
        let root = try CertificateAuthority(commonName: "root")
        let stranger = try CertificateAuthority(commonName: "stranger")
        let mesh = try (1...7).map { try CertificateAuthority(commonName: "mesh \($0)") }
        var crossings: [EncodedCertificate] = []
        for (index, issuer) in mesh.enumerated() {
            for (other, subject) in mesh.enumerated() where other != index {
                crossings.append(try issuer.crossSign(subject))
            }
        }
        let server = try #require(mesh.first).issueServer(dnsNames: ["service.example"])
        #expect(Self.verdict([server.leaf] + crossings, .anchors(root.bundle)) == .tooComplex)

        // Within the ten that are looked at: three authorities, six crossings, each with two certificates to choose.
        let three = mesh.prefix(3)
        var doubled: [EncodedCertificate] = []
        for issuer in three {
            for subject in three where subject.certificate != issuer.certificate {
                doubled.append(try issuer.crossSign(subject))
            }
        }
        for (issuer, subject) in zip(three, three.dropFirst()) { doubled.append(try issuer.crossSign(subject)) }
        let presented = [server.leaf] + doubled.prefix(8)
        let code = Self.verdict(presented, .anchors(root.bundle))
        #expect(code == .tooComplex || code == .unknownAuthority)
        #expect(Self.verdict(presented + [try stranger.crossSign(mesh[0])], .anchors(stranger.bundle)) == nil)
    }

    /// Ten certificates whose every combination must be tried end at 64 signature checks.
    @Test func stopsAtSixtyFourSignatureChecks() throws {
        let a = try CertificateAuthority(commonName: "a")
        let server = try a.issueServer(dnsNames: ["service.example"])
        // Nine self-issued certificates for one key: 9·8·7·… orders of them.
        let copies = try (0..<9).map { _ in try a.crossSign(a) }
        let root = try CertificateAuthority(commonName: "root")
        #expect(Self.verdict([server.leaf] + copies, .anchors(root.bundle)) == .tooComplex)
    }

    @Test func findsItsWayAroundAnExpiredCrossing() throws {
        let (old, new) = (try CertificateAuthority(commonName: "old"), try CertificateAuthority(commonName: "new"))
        let middle = try CertificateAuthority(commonName: "middle")
        let server = try middle.issueServer(dnsNames: ["service.example"])
        let (bad, good) = (try old.crossSign(middle, .authority.expired), try new.crossSign(middle))
        let both = TrustPolicy.anchors(old.bundle).addingAnchors(new.bundle)
        for presented in [[server.leaf, bad, good], [server.leaf, good, bad]] {
            #expect(
                try both.evaluate(presented, as: Self.host, at: Self.now).get().certificates.last == new.certificate)
        }
        #expect(Self.verdict([server.leaf, bad], both) == .expired)
    }

    @Test func trustsASelfSignedLeafOnlyAsAnAnchor() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("own", algorithm: "rsa:2048", ["-addext", "subjectAltName=DNS:service.example"])
        let bundle = try CertificateBundle(pem: openssl.bytes("own.pem"))
        let other = try CertificateAuthority().bundle
        #expect(Self.verdict(bundle.certificates, .anchors(bundle)) == nil)
        // It also lacks what public authorities write, which would not count for it as an anchor.
        let error = #expect(throws: TrustError.self) {
            try TrustPolicy.system.evaluate(bundle.certificates, as: Self.host, at: Self.now).get()
        }
        #expect(error?.code == .selfSigned && error?.message.contains("--ca") == true, "\(error?.message ?? "")")
        #expect(Self.verdict(bundle.certificates, .anchors(other)) == .selfSigned)
        #expect(
            Self.verdict(bundle.certificates, .anchors(bundle), .server(.dns("other.example"))) == .hostNameMismatch)
        #expect(Self.verdict(bundle.certificates, .anchors(bundle), at: Self.now + 20 * 86_400) == .expired)
    }

    @Test func namesTheCertificateAndTheDates() throws {
        let root = try CertificateAuthority()
        let server = try root.issueServer(dnsNames: ["service.example"], .server.expired)
        let error = #expect(throws: TrustError.self) {
            try TrustPolicy.anchors(root.bundle).evaluate(server.chain, as: Self.host, at: 1_795_000_000).get()
        }
        #expect(error?.message.contains("CN=service.example") == true)
        #expect(error?.message.contains("2026-11-18 11:06:40 UTC") == true, "\(error?.message ?? "")")
    }
}
