import Foundation
import GreetingService
import SignetCredentials
import SignetServer
import SignetTLS
import SignetTesting
import Testing

@testable import SignetAuthentication

/// Credentials that are checked with the accounts of a state.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AccountTests {
    private let curl: Curl
    private static let password = "Secret, or not?"
    private static let post = Greeting.posting(Greeting.envelope("Ada"))
    private static let realm = "Greetings “\"1\"”"

    init() throws { curl = try Curl() }

    private func accounts(
        _ verifiers: Set<Accounts.Verifier>, limit: Int = 20, state: any ServerState = MemoryServerState()
    ) async throws -> Accounts {
        let accounts = Accounts(
            state, verifiers, .init(failures: limit, in: .seconds(600)), .seconds(300),
            cost: .init(logarithm: 4, blockSize: 8, parallelism: 1)
        ) { 1_800_000_000 }
        for user in ["anna", "bert", "carl"] { try await accounts.add(user, password: SecretBytes(Self.password)) }
        try await accounts.lock("bert")
        return accounts
    }

    private func user(_ name: String, _ password: String, _ scheme: String) -> [String] {
        ["--\(scheme)", "--user", "\(name):\(password)"]
    }

    /// The head without what differs from answer to answer.
    private func head(_ answer: Curl.Answer) -> String {
        answer.fields.replacing(/(nonce="[^"]*"|Date: [^\r]*)/.ignoresCase(), with: "")
    }

    @Test(arguments: ["basic", "digest"]) func allRefusalsLookAlike(scheme: String) async throws {
        let accounts = try await accounts([.hash, .digest(realm: Self.realm, .sha256)], limit: 2)
        let authentication: ServerAuthentication =
            scheme == "basic"
            ? .basic(realm: Self.realm, accounts: accounts) : .digest(realm: Self.realm, accounts: accounts)
        try await withPlainServer(Greeting.dispatcher, authentication: authentication) { url async throws in
            for _ in 0..<2 { #expect(try await curl(url, Self.post + user("carl", "wrong", scheme)).status == 401) }
            let right = try await curl(url, Self.post + user("anna", Self.password, scheme))
            #expect(right.status == 200 && right.body.contains("anna"))
            var answers: [Curl.Answer] = []
            for (name, password) in [
                ("anna", "wrong"), ("bert", Self.password), ("carl", Self.password), ("dora", "x"),
            ] {
                answers.append(try await curl(url, Self.post + user(name, password, scheme)))
            }
            #expect(answers.allSatisfy { $0.status == 401 })
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(Set(answers.map { head($0) }).count == 1, "\(answers.map(\.fields))")
        }
    }

    @Test func aProofIsGoodOnce() async throws {
        let accounts = try await accounts([.digest(realm: Self.realm, .sha256)])
        let authentication = ServerAuthentication.digest(realm: Self.realm, accounts: accounts)
        try await withPlainServer(Greeting.dispatcher, authentication: authentication) { url async throws in
            let asked = try await curl(url, Self.post)
            let challenge = try #require(asked.fields.firstMatch(of: /(?i)www-authenticate: (Digest [^\r]*)/)?.1)
            #expect(asked.status == 401 && challenge.contains("algorithm=SHA-256") && !challenge.contains("stale"))
            let line = try proof(String(challenge), user: "anna")
            let first = try await curl(url, Self.post + ["--header", "Authorization: \(line)"])
            #expect(first.status == 200)
            let information = try #require(first.fields.firstMatch(of: /(?i)authentication-info: ([^\r]*)/)?.1)
            #expect(information.contains("rspauth=") && !information.contains("nextnonce"))
            let again = try await curl(url, Self.post + ["--header", "Authorization: \(line)"])
            #expect(again.status == 401 && again.fields.contains("stale=true"))
            // Another path needs another proof, and what was refused there is still good here.
            let next = try await proof(at: url)
            let elsewhere = try await curl(url + "?x", Self.post + next)
            #expect(elsewhere.status == 401 && !elsewhere.fields.contains("stale"))
            // Of many that arrive at the same time, one is accepted.
            let all = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await curl(url, Self.post + next).status } }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(all == [200: 1, 401: 15])
            // A nonce that this server has not made, with the right password.
            let nonce = try #require(challenge.firstMatch(of: /nonce="([^"]*)"/)?.1)
            let foreign = String(challenge).replacing(nonce, with: nonce.dropLast(6) + "AAAAAA")
            let old = try await curl(
                url, Self.post + ["--header", "Authorization: \(try proof(foreign, user: "anna"))"])
            #expect(old.status == 401 && old.fields.contains("stale=true"))
            let wrong = try await curl(
                url, Self.post + ["--header", "Authorization: \(try proof(foreign, user: "anna", "wrong"))"])
            #expect(wrong.status == 401 && !wrong.fields.contains("stale"))
        }
    }

    /// The arguments that make curl send a proof for a fresh challenge.
    private func proof(at url: String) async throws -> [String] {
        let fields = try await curl(url, Self.post).fields
        let challenge = try #require(fields.firstMatch(of: /(?i)www-authenticate: (Digest [^\r]*)/)?.1)
        return ["--header", "Authorization: \(try proof(String(challenge), user: "anna"))"]
    }

    private func proof(_ challenge: String, user: String, _ password: String = password) throws -> String {
        let read = try #require(try Challenge.read([challenge]).first)
        let space = ProtectionSpace(scheme: "http", host: "localhost", port: 80, realm: "")
        let parsed = try #require(try DigestChallenge(read, space: space))
        var key = DigestKey(
            .init(user: user, password: password, domain: ""), for: parsed, cnonce: "0123456789abcdef")
        return key.authorization(for: .init(method: "POST", target: "/soap")).field
    }

    /// Two servers of one state are one server to their clients.
    @Test func serversThatShareAStateShareTheirNonces() async throws {
        let accounts = try await accounts([.digest(realm: Self.realm, .sha256)])
        let other = Accounts(accounts.state, accounts.verifiers, nil, .zero) { 1_800_000_000 }
        func authentication(_ accounts: Accounts) -> ServerAuthentication {
            .digest(realm: Self.realm, accounts: accounts)
        }
        try await withPlainServer(Greeting.dispatcher, authentication: authentication(accounts)) { one async throws in
            try await withPlainServer(Greeting.dispatcher, authentication: authentication(other)) {
                two async throws in
                let line = try await proof(at: one)
                #expect(try await curl(two, Self.post + line).status == 200)
                #expect(try await curl(one, Self.post + line).status == 401)
            }
        }
    }

    /// What cannot be remembered is not accepted.
    @Test func withoutRoomAProofIsNotAccepted() async throws {
        let accounts = try await accounts(
            [.digest(realm: Self.realm, .sha256)], state: MemoryServerState(capacity: 1))
        let authentication = ServerAuthentication.digest(realm: Self.realm, accounts: accounts)
        try await withPlainServer(Greeting.dispatcher, authentication: authentication) { url async throws in
            #expect(try await curl(url, Self.post + proof(at: url)).status == 200)
            let full = try await curl(url, Self.post + proof(at: url))
            #expect(full.status == 503 && full.fields.lowercased().contains("retry-after"))
        }
    }

    @Test func whatAccountsCannotVerifyIsAnErrorBeforeTheStart() async throws {
        let hashes = try await accounts([.hash])
        let digests = try await accounts([.digest(realm: "A", .sha256)])
        for (authentication, words) in [
            (.basic(realm: "A", accounts: digests), "cannot verify Basic"),
            (.digest(realm: "A", accounts: hashes), "cannot verify Digest"),
            (.digest(realm: "B", accounts: digests), "realm: \"B\""),
            (.digest(realm: "A", algorithms: [.sha256, .md5], accounts: digests), "MD5"),
            (.digest(realm: "A", algorithms: [], accounts: digests), "needs an algorithm"),
            (.digest(realm: "A", nonceLifetime: .seconds(9), accounts: digests), "10 seconds"),
            (.digest(realm: "A", nonceLifetime: .seconds(Int64.max), accounts: digests), "a day"),
            (.certificate(accounts: hashes), "requests no certificate"),
        ] as [(ServerAuthentication, String)] {
            let error = #expect(throws: SOAPServerError.self) {
                try SOAPServer.withoutTLS([HostedService(Greeting.dispatcher, authentication: authentication)])
            }
            #expect(error?.code == .invalidConfiguration && error?.message.contains(words) == true, "\(error as Any)")
        }
    }

    @Test func aCertificateBelongsToAnAccount() async throws {
        let authority = try CertificateAuthority()
        let accounts = try await accounts([.hash])
        let (known, unknown) = (try authority.issueClient(commonName: "Laptop"), try authority.issueClient())
        try await accounts.addCertificate(known.leaf, of: "anna")
        try await TestServer.run(authority: authority, authentication: .certificate(accounts: accounts)) {
            server async throws in
            let trust = Self.post + (try curl.trusting(authority))
            let (mine, other) = (try curl.showing(known), try curl.showing(unknown))
            let right = try await curl(server.url, trust + mine)
            #expect(right.status == 200 && right.body.contains("anna"))
            let strange = try await curl(server.url, trust + other)
            try await accounts.lock("anna")
            let locked = try await curl(server.url, trust + mine)
            #expect(strange.status == 403 && locked.status == 403)
            #expect(strange.body == locked.body && head(strange) == head(locked))
            try await accounts.unlock("anna")
            #expect(try await curl(server.url, trust + mine).status == 200)
        }
    }
}
