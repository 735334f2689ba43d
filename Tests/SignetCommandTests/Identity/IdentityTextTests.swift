import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetCommand

/// The report as people see it, with what differs from run to run replaced.
@Suite struct IdentityTextTests {
    /// 2026-11-21 12:00:00 UTC.
    static let now: Int64 = 1_795_262_400
    static let day: Int64 = 86_400

    private func profile(_ profile: CertificateProfile, days: Int64) -> CertificateProfile {
        var profile = profile
        profile.notBefore = Self.now - Self.day
        profile.notAfter = Self.now + days * Self.day
        return profile
    }

    private func report(
        _ content: KeyFile, authorities: CertificateBundle? = nil, for purpose: IdentityPurpose? = nil,
        at now: Int64 = now
    ) -> IdentityReport {
        IdentityInspector(file: "device.pem", content: content, authorities: authorities, purpose: purpose, now: now)
            .report()
    }

    private func text(_ report: IdentityReport, isColoured: Bool = false) -> String {
        var text = IdentityText(report, style: Style(isColoured: isColoured)).lines.joined(separator: "\n")
        for (pattern, name) in [("[0-9a-f]{64}", "HEX"), ("sha256//[A-Za-z0-9+/]{43}=", "PIN")] {
            text = text.replacingOccurrences(of: pattern, with: name, options: .regularExpression)
        }
        return text.replacingOccurrences(of: "serial    [0-9a-f]+", with: "serial    N", options: .regularExpression)
    }

    @Test func aGoodIdentityWithItsPath() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let middle = try root.issueIntermediate(commonName: "middle", profile(.authority, days: 200))
        var leaf = profile(.client, days: 100)
        leaf.purposes = [.client, .server]
        leaf.dnsNames = ["device.example"]
        let content = try KeyFile(try middle.issueClient(commonName: "device 7", leaf).pem(password: nil))
        let whole = report(content, authorities: root.bundle)
        #expect(whole.works)
        #expect(
            text(whole) == """
                device.pem  PEM
                  not protected: every reader of the file has the key

                Identity  with its key, P-256
                  CN=device 7
                  │ valid     2026-11-20T12:00:00Z to 2027-03-01T12:00:00Z, 100 days left
                  │ names     dns:device.example
                  │ key usage digitalSignature
                  │ for       clientAuth, serverAuth
                  │ key       P-256, signed by ECDSA with SHA-256
                  │ serial    N
                  │ SHA-256   HEX
                  │ pin       PIN
                  └─ CN=middle
                     │ valid     2026-11-20T12:00:00Z to 2027-06-09T12:00:00Z, 200 days left
                     │ key       P-256, signed by ECDSA with SHA-256
                     │ SHA-256   HEX
                     │ pin       PIN
                     └─ CN=root  (root)
                          valid     2026-11-20T12:00:00Z to 2027-12-26T12:00:00Z, 400 days left
                          key       P-256, signed by ECDSA with SHA-256
                          SHA-256   HEX
                          pin       PIN
                  ✓ TLS client, and the authorities given vouch for it
                  ✓ TLS server for device.example, and the authorities given vouch for it
                """)
        #expect(whole.identities.first?.path.map(\.isSent) == [true, true, false])
    }

    @Test func problemsOfAnIdentityAreShown() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let client = try root.issueClient(commonName: "device 7", profile(.client, days: 1))
        let content = try KeyFile(CertificateBundle(client.chain).pem + client.pkcs8PEM)
        let soon = report(content)
        #expect(soon.works)
        let shown = text(soon)
        for line in [
            "  │ valid     2026-11-20T12:00:00Z to 2026-11-22T12:00:00Z, 1 day left", "  └─ CN=root  (absent)",
            "  ! “CN=device 7” expires at 2026-11-22 12:00:00 UTC, in 1 day. Have it renewed.", "  ✓ TLS client",
            "  ✗ TLS server", "      ✗ “CN=device 7” is not for a TLS server: its extendedKeyUsage lacks serverAuth.",
            "      ✗ “CN=device 7” names no host:",
        ] { #expect(shown.contains("\n\(line)"), "\(line)\n\(shown)") }
        let late = report(content, at: Self.now + 2 * Self.day)
        #expect(!late.works)
        #expect(text(late).contains(", ended\n"))
        #expect(text(late).contains("\n  ✗ “CN=device 7” expired at 2026-11-22 12:00:00 UTC"))
        #expect(text(late).contains("\n  ✗ TLS client"))
        // The colours of a terminal, and nowhere else an escape.
        #expect(text(soon, isColoured: true).contains("\u{1B}[32m✓\u{1B}[0m TLS client"))
        #expect(!shown.contains("\u{1B}"))
    }

    @Test func aQuestionIsAnswered() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let server = try root.issueServer(dnsNames: ["a.example", "*.b.example"], profile(.server, days: 100))
        let content = try KeyFile(server.pem(password: nil))
        #expect(report(content, for: .server).works)
        #expect(!report(content, for: .client).works)
        #expect(report(content, for: .host("a.example")).works)
        #expect(report(content, authorities: root.bundle, for: .host("x.b.example")).works)
        let other = report(content, for: .host("c.example"))
        #expect(!other.works)
        #expect(other.identities.first?.uses.map(\.role) == [.server])
        #expect(other.identities.first?.uses.first?.problems.map(\.code) == ["hostNameMismatch"])
        let stranger = try CertificateAuthority(commonName: "stranger", profile(.authority, days: 400)).bundle
        let foreign = report(content, authorities: stranger, for: .host("a.example"))
        #expect(!foreign.works)
        #expect(foreign.identities.first?.uses.first?.isTrusted == false)
        #expect(foreign.identities.first?.uses.first?.problems.map(\.code) == ["unknownAuthority"])
        // Certificates alone prove nothing.
        let alone = try KeyFile(CertificateBundle(server.chain).pem)
        #expect(report(alone).works)
        #expect(!report(alone, for: .server).works)
        #expect(text(report(alone)).contains("✓ TLS server for a.example, *.b.example, with its key"))
    }

    /// An identity that the authorities refuse is not good for “signing only” instead.
    @Test func authoritiesThatRefuseAreNotOverlooked() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let stranger = try CertificateAuthority(commonName: "stranger", profile(.authority, days: 400)).bundle
        let content = try KeyFile(
            root.issueClient(commonName: "device", profile(.client, days: 100)).pem(password: nil))
        #expect(report(content, authorities: root.bundle).works)
        let refused = report(content, authorities: stranger)
        #expect(!refused.works)
        #expect(refused.identities.first?.uses.map(\.role) == [.client, .server])
    }

    @Test func otherFilesAreDescribed() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let middle = try root.issueIntermediate(commonName: "middle", profile(.authority, days: 200))
        // An issuer stands above what it issued, not once more by itself.
        let authorities = report(try KeyFile(CertificateBundle([root.certificate, middle.certificate]).pem))
        #expect(authorities.certificates.map { $0.path.map(\.subject) } == [["CN=middle", "CN=root"]])
        #expect(authorities.certificates.first?.uses == [])
        #expect(authorities.certificates.first?.problems == [])
        #expect(authorities.works)
        let expired = report(try KeyFile(root.bundle.pem), at: Self.now + 500 * Self.day)
        #expect(!expired.works)
        let client = try middle.issueClient(commonName: "device 7", profile(.client, days: 100))
        let key = report(try KeyFile(client.pkcs8PEM))
        #expect(key.keys.map(\.algorithm) == ["P-256"])
        #expect(key.works)
        #expect(text(key).hasSuffix("\n\nKey  P-256, without a certificate"))
        let strange = try KeyFile(
            root.issueClient(profile(.client, days: 9)).pkcs8PEM + CertificateBundle([client.leaf]).pem)
        let unpaired = report(strange)
        #expect(!unpaired.works)
        #expect(unpaired.identities.isEmpty && unpaired.keys.count == 1 && unpaired.certificates.count == 1)
        #expect(unpaired.problems.count == 1)
        var code = profile(.client, days: 100)
        code.purposes = [.codeSigning]
        let signing = report(try KeyFile(root.issueClient(commonName: "coder", code).pem(password: nil)))
        #expect(signing.works)
        #expect(signing.identities.first?.uses.filter(\.works).map(\.role) == [.signing])
    }

    @Test func aNamesakeAndAnExpiredIssuerAreShown() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let middle = try root.issueIntermediate(commonName: "middle", profile(.authority, days: 10))
        let namesake = try root.issueIntermediate(commonName: "middle", profile(.authority, days: 10))
        let client = try middle.issueClient(commonName: "device 7", profile(.client, days: 100))
        let broken = report(try KeyFile(client.pkcs8PEM + CertificateBundle([client.leaf, namesake.certificate]).pem))
        if let identity = broken.identities.first {
            #expect(identity.end == .init(kind: .broken, issuer: "CN=middle"))
        } else {
            // The reader may refuse such a file as a whole.
            #expect(!broken.problems.isEmpty)
        }
        let late = report(try KeyFile(client.pem(password: nil)), at: Self.now + 20 * Self.day)
        #expect(late.works)
        #expect(late.identities.first?.problems.map(\.code) == ["expired"])
        #expect(late.identities.first?.problems.map(\.severity) == ["note"])
        #expect(late.identities.first?.problems.map(\.certificate) == ["CN=middle"])
        // With the authority at hand it is known for sure.
        let judged = report(
            try KeyFile(client.pem(password: nil)), authorities: root.bundle, for: .client, at: Self.now + 20 * Self.day
        )
        #expect(!judged.works)
    }

    @Test func jsonIsStable() throws {
        let root = try CertificateAuthority(commonName: "root", profile(.authority, days: 400))
        let client = try root.issueClient(commonName: "device 7", profile(.client, days: 100))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let report = report(try KeyFile(client.pem(password: nil)))
        let value = try #require(
            try JSONSerialization.jsonObject(with: encoder.encode(report)) as? [String: Any])
        #expect(
            value.keys.sorted() == [
                "certificates", "certificatesNotShown", "checkedAt", "file", "format", "identities", "keys", "problems",
                "protections", "works",
            ])
        #expect(value["checkedAt"] as? String == "2026-11-21T12:00:00Z")
        let identity = try #require((value["identities"] as? [[String: Any]])?.first)
        #expect(identity.keys.sorted() == ["end", "key", "path", "problems", "uses"])
        let leaf = try #require((identity["path"] as? [[String: Any]])?.first)
        #expect(
            leaf.keys.sorted() == [
                "daysLeft", "extendedKeyUsage", "isAuthority", "isFromAuthorities", "isSent", "issuer", "key",
                "keyUsage",
                "names", "notAfter", "notBefore", "pin", "serialNumber", "sha256", "signature", "subject",
            ])
    }
}

extension Identity {
    /// The key alone, as it is.
    fileprivate var pkcs8PEM: [UInt8] {
        get throws {
            let text = String(decoding: try pem(password: nil), as: UTF8.self)
            let end = "-----END PRIVATE KEY-----\n"
            return Array((text.components(separatedBy: end)[0] + end).utf8)
        }
    }
}
