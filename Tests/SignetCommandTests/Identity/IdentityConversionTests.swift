import Signet
import SignetTesting
import Testing

@testable import SignetCommand

@Suite struct IdentityConversionTests {
    /// What is written may take the place of what was read.
    @Test func aKeyIsNotLeftOutSilently() throws {
        let authority = try CertificateAuthority()
        let device = try authority.issueClient(commonName: "device").pem(password: nil)
        let other = try authority.issueClient(commonName: "other").pem(password: nil)
        // The key comes first, and its certificate stays behind.
        let end = try #require(String(decoding: other, as: UTF8.self).range(of: "-----BEGIN CERTIFICATE-----"))
        let key = Array(String(decoding: other, as: UTF8.self)[..<end.lowerBound].utf8)
        let content = try KeyFile(device + key)
        #expect(content.keys.count == 2)
        func subject(_ pick: String?) throws -> IdentityConversion.Subject {
            try IdentityConversion(content: content, authorities: CertificateBundle([]), pick: pick).subject(for: .pfx)
        }
        let error = #expect(throws: CommandError.self) { try subject(nil) }
        #expect(error.map { "\($0)".contains("--pick 1") } == true)
        guard case .identity(let identity) = try subject("1") else {
            Issue.record("no identity")
            return
        }
        #expect(identity.leaf.subject == "CN=device")
    }
}
