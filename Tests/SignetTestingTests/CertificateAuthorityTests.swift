import Foundation
import SignetTLS
import SignetTesting
import Testing

@Suite struct CertificateAuthorityTests {
    let now = Int64(Date().timeIntervalSince1970)

    private func judge(_ identity: Identity, by authority: CertificateAuthority, as role: PeerRole) -> TrustError.Code?
    {
        switch TrustPolicy.anchors(authority.bundle).evaluate(identity.chain, as: role, at: now) {
        case .success: nil
        case .failure(let error): error.code
        }
    }

    @Test func validIdentitiesAreTrusted() throws {
        let authority = try CertificateAuthority(commonName: "Root")
        let server = try authority.issueServer(dnsNames: ["a.example"], ipAddresses: ["127.0.0.1"])
        #expect(judge(server, by: authority, as: .server(.dns("a.example"))) == nil)
        #expect(judge(server, by: authority, as: .server(.ip([127, 0, 0, 1]))) == nil)
        #expect(judge(try authority.issueClient(), by: authority, as: .client) == nil)
        let below = try authority.issueIntermediate(commonName: "Below")
        #expect(judge(try below.issueClient(), by: authority, as: .client) == nil)
    }

    @Test func badIdentitiesFailForTheStatedReason() throws {
        let authority = try CertificateAuthority()
        let name = PeerRole.server(.dns("a.example"))
        let expired = try authority.issueServer(dnsNames: ["a.example"], CertificateProfile.server.expired)
        #expect(judge(expired, by: authority, as: name) == .expired)
        let early = try authority.issueServer(dnsNames: ["a.example"], CertificateProfile.server.notYetValid)
        #expect(judge(early, by: authority, as: name) == .notYetValid)
        #expect(judge(try authority.issueServer(commonName: "a.example"), by: authority, as: name) == .hostNameMismatch)
        #expect(judge(try authority.issueServer(dnsNames: ["a.example"]), by: authority, as: .client) == .wrongUsage)
        #expect(
            judge(
                try authority.issueServer(dnsNames: ["a.example"]), by: try CertificateAuthority(commonName: "Other"),
                as: name)
                == .unknownAuthority)
    }

    @Test func authoritiesAreNewEachTime() throws {
        let (one, other) = (try CertificateAuthority(), try CertificateAuthority())
        #expect(one.certificate.publicKeySHA256 != nil)
        #expect(one.certificate.publicKeySHA256 != other.certificate.publicKeySHA256)
    }
}
