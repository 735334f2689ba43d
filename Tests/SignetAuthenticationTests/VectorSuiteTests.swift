import CorpusFiles
import Foundation
import Testing

@testable import SignetAuthentication

/// Vectors and messages of standards and of other implementations, which are not part of this package.
@Suite struct VectorSuiteTests {
    private static let folder = "suites/http-auth-vectors"

    private struct Digest: Decodable {
        let source, algorithm, username, realm, password, method, uri, nonce: String
        let cnonce, qop, opaque, userhash_errata4897: String?
        let response_computed: String
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func digest() throws {
        let file = try Corpus.file("\(Self.folder)/digest.json")
        let vectors = try JSONDecoder().decode([Digest].self, from: Data(contentsOf: file))
        #expect(vectors.count == 13)
        for vector in vectors {
            var field = "Digest realm=\"\(vector.realm)\", nonce=\"\(vector.nonce)\", algorithm=\(vector.algorithm)"
            if let protection = vector.qop { field += ", qop=\"\(protection)\"" }
            if let opaque = vector.opaque { field += ", opaque=\"\(opaque)\"" }
            if vector.userhash_errata4897 != nil { field += ", userhash=true" }
            let space = ProtectionSpace(scheme: "https", host: "h.example", port: 443, realm: vector.realm)
            let challenge = try #require(try Challenge.read([field]).first)
            let digest = try #require(try DigestChallenge(challenge, space: space), "\(vector.source)")
            var key = DigestKey(
                .account(user: vector.username, password: vector.password), for: digest, cnonce: vector.cnonce ?? "c")
            let answer = key.authorization(for: .init(method: vector.method, target: vector.uri, content: [])).field
            let read = try #require(try Challenge.read([answer]).first)
            #expect(read["response"] == vector.response_computed, "\(vector.source), \(vector.algorithm)")
            if let user = vector.userhash_errata4897 { #expect(read["username"] == user) }
        }
    }

    private struct Basic: Decodable {
        let source, user, password, credentials: String
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func basic() throws {
        let file = try Corpus.file("\(Self.folder)/basic.json")
        for vector in try JSONDecoder().decode([Basic].self, from: Data(contentsOf: file)) {
            let account = Credentials.Account.account(user: vector.user, password: vector.password)
            #expect(try BasicScheme.authorization(for: account) == "Basic \(vector.credentials)", "\(vector.source)")
        }
    }

    /// Messages that Windows and MIT Kerberos have written.
    private func message(_ name: String) throws -> [UInt8] {
        let file = try Corpus.file("\(Self.folder)/pyspnego-data/tests/data/\(name)")
        return Array(try Data(contentsOf: file))
    }

    private let space = ProtectionSpace(scheme: "https", host: "h.example", port: 443, realm: "")

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func theChallengeOfWindowsIsRead() throws {
        let bytes = try message("ntlm_challenge")
        let challenge = try NTLMChallenge(bytes, space: space)
        #expect(challenge.flags.isSuperset(of: [.unicode, .ntlm, .extendedSessionSecurity, .targetInfo, .key128]))
        #expect(challenge.value(NTLMChallenge.Pair.domainName) == "DOMAIN".utf16LittleEndian)
        for length in 0..<bytes.count {
            // Whatever is cut off: an error, or less, and never a trap.
            _ = try? NTLMChallenge(Array(bytes.prefix(length)), space: space)
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func theAnswerOfNegotiateIsRead() throws {
        let bytes = try message("neg_token_resp")
        let answer = try SPNEGO.ServerToken(bytes, space: space)
        #expect(answer.state == .accepted && answer.mechanism == SPNEGO.kerberos && answer.token?.count == 0x9C)
        for length in 0..<bytes.count {
            #expect(throws: AuthenticationError.self) {
                try SPNEGO.ServerToken(Array(bytes.prefix(length)), space: space)
            }
        }
        // A client's words are none of a server's.
        for name in ["initial_context_token_neg_token_init", "ntlm_negotiate", "krb_error"] {
            let other = try message(name)
            #expect(throws: AuthenticationError.self) { try SPNEGO.ServerToken(other, space: space) }
        }
    }
}
