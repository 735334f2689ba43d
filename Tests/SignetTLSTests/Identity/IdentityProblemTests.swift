import Foundation
import SignetTLS
import SignetTesting
import TestSupport
import Testing

/// The problems of an identity that are found before a peer sees it.
@Suite struct IdentityProblemTests {
    static let now = TrustPolicyTests.now
    static let month: Int64 = 30 * 86_400

    /// A profile that does not end soon.
    private func lasting(_ profile: CertificateProfile) -> CertificateProfile {
        var profile = profile
        profile.notAfter = Self.now + 3 * Self.month
        return profile
    }

    private func codes(
        _ identity: Identity, _ role: Identity.Role = .client, at now: Int64 = now
    ) -> [IdentityProblem.Code] {
        let problems = identity.problems(at: now, for: role)
        for problem in problems {
            #expect(problem.message.hasPrefix("“\(problem.certificate.subject)” "))
            #expect(problem.message.count > 40)
        }
        // Errors stand before notes.
        let severities = problems.map(\.severity)
        #expect(!zip(severities, severities.dropFirst()).contains { $0 == .note && $1 == .error })
        return problems.map(\.code)
    }

    @Test func aGoodIdentityHasNoProblems() throws {
        let root = try CertificateAuthority(commonName: "root", lasting(.authority))
        let middle = try root.issueIntermediate(commonName: "middle", lasting(.authority))
        #expect(codes(try middle.issueClient(lasting(.client))) == [])
        #expect(codes(try middle.issueServer(dnsNames: ["a.example"], lasting(.server)), .server) == [])
        #expect(codes(try middle.issueServer(ipAddresses: ["127.0.0.1"], lasting(.server)), .server) == [])
        var both = lasting(.client)
        both.purposes = [.client, .server]
        both.dnsNames = ["a.example"]
        for role in Identity.Role.allCases { #expect(codes(try root.issueClient(both), role) == []) }
        both.purposes = nil
        both.signsCertificates = nil
        for role in Identity.Role.allCases { #expect(codes(try root.issueClient(both), role) == []) }
    }

    @Test func validityIsCheckedToTheSecond() throws {
        let root = try CertificateAuthority(lasting(.authority))
        var profile = CertificateProfile.client
        profile.notBefore = Self.now
        profile.notAfter = Self.now + Self.month
        let client = try root.issueClient(profile)
        #expect(codes(client, at: Self.now - 1) == [.notYetValid])
        #expect(codes(client, at: Self.now) == [])
        #expect(codes(client, at: Self.now + 1) == [.expiresSoon])
        #expect(codes(client, at: profile.notAfter) == [.expiresSoon])
        #expect(codes(client, at: profile.notAfter + 1) == [.expired])
        let early = try #require(client.problems(at: Self.now - 1, for: .client).first)
        #expect(early.severity == .error)
        #expect(early.certificate == client.leaf)
        let soon = try #require(client.problems(at: profile.notAfter - 86_400 * 3, for: .client).first)
        #expect(soon.severity == .note)
        #expect(soon.message.contains("in 3 days"))
        #expect(codes(client, at: .min) == [.notYetValid])
        #expect(codes(client, at: .max).contains(.expired))
    }

    @Test(
        arguments: [
            ([.client], .client, []), ([.client], .server, [.wrongExtendedKeyUsage, .noHostName]),
            ([.server], .client, [.wrongExtendedKeyUsage]), ([.codeSigning], .client, [.wrongExtendedKeyUsage]),
            ([.codeSigning, .client], .client, []),
        ] as [([CertificateProfile.Purpose], Identity.Role, [IdentityProblem.Code])])
    func extendedKeyUsageMustAllowTheRole(
        purposes: [CertificateProfile.Purpose], role: Identity.Role, expected: [IdentityProblem.Code]
    ) throws {
        var profile = lasting(.client)
        profile.purposes = purposes
        let client = try CertificateAuthority(lasting(.authority)).issueClient(profile)
        #expect(codes(client, role) == expected)
        let wrong = client.problems(at: Self.now, for: role).first { $0.code == .wrongExtendedKeyUsage }
        #expect(wrong.map(\.severity) == (expected.isEmpty ? nil : .error))
        if let wrong { #expect(wrong.message.contains(role == .client ? "clientAuth" : "serverAuth")) }
    }

    @Test func keyUsageMustAllowSignatures() throws {
        var profile = lasting(.client)
        profile.signsCertificates = true
        let client = try CertificateAuthority(lasting(.authority)).issueClient(profile)
        #expect(codes(client) == [.wrongKeyUsage])
        #expect(client.problems(at: Self.now, for: .client).first?.severity == .error)
    }

    @Test func problemsOfAnIssuerAreNotes() throws {
        let root = try CertificateAuthority(commonName: "root", lasting(.authority))
        var profile = CertificateProfile.authority.expired
        profile.purposes = [.server]
        let middle = try root.issueIntermediate(commonName: "middle", profile)
        let client = try middle.issueClient(lasting(.client))
        let problems = client.problems(at: Self.now, for: .client)
        #expect(Set(problems.map(\.code)) == [.expired, .wrongExtendedKeyUsage])
        #expect(problems.allSatisfy { $0.severity == .note && $0.certificate == middle.certificate })
    }

    @Test func theEndOfThePathIsNamed() throws {
        let root = try CertificateAuthority(commonName: "root", lasting(.authority))
        let middle = try root.issueIntermediate(commonName: "middle", lasting(.authority))
        let client = try middle.issueClient(lasting(.client))
        func path(_ others: [EncodedCertificate]) -> [IdentityProblem] {
            CertificateAppraisal(chain: [client.leaf], others: others, now: Self.now).problems(for: .client)
        }
        #expect(path([root.certificate, middle.certificate]) == [])
        let rootAbsent = path([middle.certificate])
        #expect(rootAbsent.map(\.code) == [.chainIncomplete])
        #expect(rootAbsent.first?.certificate == middle.certificate)
        #expect(rootAbsent.first?.message.contains("“CN=root”") == true)
        let middleAbsent = path([root.certificate])
        #expect(middleAbsent.map(\.code) == [.chainIncomplete])
        #expect(middleAbsent.first?.certificate == client.leaf)
        let namesake = try root.issueIntermediate(commonName: "middle", lasting(.authority))
        let broken = path([namesake.certificate, root.certificate])
        #expect(broken.map(\.code) == [.chainBroken])
        #expect(broken.first?.severity == .note)
    }

    @Test func weakAlgorithmsAreNoted() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl("req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=root -keyout root.key -out root.pem")
        try openssl("req -new -newkey rsa:2048 -nodes -subj /CN=old -keyout old.key -out old.csr")
        try openssl("x509 -req -sha1 -in old.csr -CA root.pem -CAkey root.key -set_serial 1 -days 60 -out old.pem")
        let identity = try Identity(
            pem: try openssl.bytes("old.pem") + openssl.bytes("root.pem"), privateKey: try openssl.bytes("old.key"))
        let problems = identity.problems(at: Self.now, for: .client)
        #expect(problems.map(\.code) == [.weakSignature])
        #expect(problems.first?.message.contains("SHA-1") == true)
        // The certificate of a weak key, without the key.
        try openssl("req -x509 -newkey rsa:1024 -nodes -days 90 -subj /CN=small -keyout small.key -out small.pem")
        let small = try CertificateBundle(pem: openssl.bytes("small.pem")).certificates
        let found = CertificateAppraisal(chain: small, others: [], now: Self.now).problems(for: .client)
        #expect(found.map(\.code) == [.weakKey])
        let damaged = CertificateAppraisal(chain: [EncodedCertificate(der: [0x30, 0])], others: [], now: Self.now)
        #expect(damaged.problems(for: .client).map(\.code) == [.unreadable])
    }
}
