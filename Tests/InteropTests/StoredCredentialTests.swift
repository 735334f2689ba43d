import Foundation
import SignetTLS
import SignetTesting
import Testing

/// `signet credentials test` with an nginx that wants a password.
@Suite(.serialized) struct StoredCredentialTests {
    @Test func checkReportsWhetherTheServerAcceptsCredentials() async throws {
        let authority = try CertificateAuthority(commonName: "origins")
        try await WatchedOrigin.run(authority: authority) { origin async throws in
            let files = try IdentityFiles()
            try files.write(authority.bundle.certificates, as: "authority.pem")
            let url = "https://localhost:\(origin.port)/private"
            let environment = ["K": String(repeating: "5a", count: 32), "P": "inside", "WRONG": "outside"]
            func signet(_ arguments: [String]) async throws -> (status: Int32, output: String, error: String) {
                try await PeerProcess.output(
                    of: .init(
                        program: try SignetProgram.path(),
                        arguments: arguments + ["--store", files.path("store.sqlite"), "--key-env", "K"],
                        environment: environment))
            }
            let test = ["credentials", "test", url, "--ca", files.path("authority.pem")]
            #expect(try await signet(["store", "init"]).status == 0)
            let none = try await signet(test)
            #expect(none.status == 1 && none.error.contains("none for it"), "\(none)")
            let set = ["credentials", "set", url, "--account", "guest", "--realm", "Inside", "--password-env"]
            #expect(try await signet(set + ["WRONG"]).status == 0)
            let wrong = try await signet(test)
            #expect(wrong.status == 1 && wrong.error.contains("refused"), "\(wrong)")
            #expect(try await signet(set + ["P"]).status == 0)
            let right = try await signet(test)
            #expect(right.status == 0 && right.output.contains("accepts them by Basic"), "\(right)")
            for outcome in [none, wrong, right] {
                #expect(!"\(outcome)".contains("inside") && !"\(outcome)".contains("outside"))
            }
        }
    }
}
