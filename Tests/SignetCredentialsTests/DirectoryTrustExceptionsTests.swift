import Foundation
import SignetCredentials
import SignetTLS
import SignetTesting
import Testing

@Suite struct DirectoryTrustExceptionsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "signet-exceptions-\(UUID().uuidString)")

    private func exception(_ reason: String) throws -> TrustException {
        let leaf = try CertificateAuthority().issueServer(dnsNames: ["service.example"]).leaf
        return try TrustException(
            denying: leaf, host: "service.example", port: 8443, reason: reason, at: 1_900_000_000, until: 1_900_000_100)
    }

    @Test func recordedExceptionsAreReadAgain() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (try exception("“one”"), try exception("two"))
        let store = try DirectoryTrustExceptions(path: folder.path)
        #expect(try await store.exceptions().isEmpty)
        try await store.record(first)
        try await store.record(second)
        let again = try DirectoryTrustExceptions(path: folder.path)
        #expect(try await again.exceptions() == [first, second])
        try await again.revoke(first)
        #expect(try await store.exceptions() == [second])
        let file = folder.appending(path: "trust-exceptions.json")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"host\" : \"service.example\""))
        // A store of identities in the same folder does not mind.
        #expect(
            try await DirectoryIdentityStore(path: folder.path, password: "a long enough password").labels().isEmpty)
    }

    /// A file edited by hand permits no more than an exception can.
    @Test func extremeValuesInAnEditedFileAreSafe() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try CertificateAuthority(commonName: "unknown")
        let leaf = try authority.issueServer(dnsNames: ["service.example"]).leaf
        let store = try DirectoryTrustExceptions(path: folder.path)
        func entry(_ decision: String, rules: String, from: Int64, to: Int64, digest: [UInt8]) -> String {
            """
            {"decision":"\(decision)","certificate":\(digest),"subject":"","host":"service.example","port":443,"rules":[\(rules)],
             "reason":"","recorded":\(from),"expires":\(to)}
            """
        }
        let good = "\"knownAuthority\""
        for (text, outcome) in [
            (entry("accept", rules: good, from: .min, to: .max, digest: leaf.sha256), TrustOutcome.proceed),
            (entry("deny", rules: "", from: .min, to: .max, digest: leaf.sha256), .deny),
            (entry("accept", rules: good, from: .max, to: .min, digest: leaf.sha256), .recoverableTrustFailure),
            (entry("accept", rules: "", from: .min, to: .max, digest: leaf.sha256), .recoverableTrustFailure),
            (
                entry("accept", rules: good + ",\"pin\"", from: .min, to: .max, digest: leaf.sha256),
                .recoverableTrustFailure
            ),
            (entry("accept", rules: good, from: .min, to: .max, digest: []), .recoverableTrustFailure),
        ] {
            let file = folder.appending(path: "trust-exceptions.json")
            try? FileManager.default.removeItem(at: file)
            _ = FileManager.default.createFile(
                atPath: file.path, contents: Data("[\(text)]".utf8), attributes: [.posixPermissions: 0o600])
            let verdict = TrustPolicy.anchors(try CertificateAuthority(commonName: "known").bundle).evaluate(
                [leaf], host: "service.example", port: 443, at: Int64(Date().timeIntervalSince1970),
                exceptions: try await store.exceptions())
            #expect(verdict.outcome == outcome, "\(text)")
            // Saying it must not fail either.
            #expect(verdict.error.map { !"\($0)".isEmpty } ?? true)
        }
    }

    @Test(arguments: ["", "[", "{}", "[{\"host\":\"a\"}]"]) func aDamagedFileIsNoEmptyFile(text: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryTrustExceptions(path: folder.path)
        let file = folder.appending(path: "trust-exceptions.json")
        _ = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        await #expect(throws: IdentityStoreError(.damaged, "")) { try await store.exceptions() }
        let word = try exception("")
        await #expect(throws: IdentityStoreError(.damaged, "")) { try await store.record(word) }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
}
