import Foundation
import Signet
import SignetTesting
import Testing

/// The example `SmartCard` as a client of nginx, with keys in SoftHSM.
@Suite(.serialized) struct SmartCardTests {
    private func withServer(
        _ token: SoftToken, _ authority: CertificateAuthority, version: String, _ body: (String) async throws -> Void
    ) async throws {
        let files = token.files
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let port = try Port.free()
        try await Nginx.run("smartcard.conf", ["VERSION": version], in: files, port: port) {
            try await body("https://localhost:\(port)/")
        }
    }

    @Test func keysThatNeverLeaveTheirTokenSign() async throws {
        let token = try await SoftToken()
        let authority = try CertificateAuthority(commonName: "Plant authority")
        for (label, type, identifier) in [("rsa", "rsa:2048", "01"), ("p256", "EC:prime256v1", "02")] {
            let key = try await token.makeKey(label, type: type, identifier: identifier)
            try token.files.write(
                try authority.issueClient(signingKey: key, commonName: "device \(label)").chain, as: "\(label).pem")
        }
        // The token itself says that it gives no key away.
        let objects = try await token.pkcs11("--list-objects", "--type", "privkey")
        #expect(objects.components(separatedBy: "never extractable").count == 3, "\(objects)")
        try await token.makeKey("stranger", type: "EC:prime256v1", identifier: "03")
        try token.files.write("000000\n", as: "wrong-pin")

        for version in ["TLSv1.2", "TLSv1.3"] {
            try await withServer(token, authority, version: version) { url in
                for label in ["rsa", "p256"] {
                    let answer = try await token.call(
                        key: label, certificates: "\(label).pem", authority: "clients.pem", url: url)
                    #expect(answer.output == "CN=device \(label) over \(version)\n", "\(answer)")
                }
                let wrong = try await token.call(
                    key: "stranger", certificates: "rsa.pem", authority: "clients.pem", url: url)
                #expect(wrong.status == 1)
                #expect(wrong.error.contains("belongs to the key “stranger” in the token “Plant 7”"), "\(wrong)")
                let locked = try await token.call(
                    key: "rsa", certificates: "rsa.pem", authority: "clients.pem", url: url, pin: "wrong-pin")
                #expect(locked.status == 1)
                #expect(locked.error.contains("PIN incorrect"), "\(locked)")
            }
        }
    }
}
