import SignetAuthentication
import Testing

/// The questions that CFHTTPAuthentication answers about what a server demands.
@Suite struct AuthenticationExchangeTests {
    private let account = Credentials.account(user: "u", password: "p", domain: "D")

    /// What an exchange says after a challenge.
    private func exchange(
        _ fields: [String], _ credentials: CredentialSource? = nil, isProxy: Bool = false, path: String = "/a/b",
        rounds: Int = 1
    ) async throws -> (AuthenticationExchange, AuthenticationError?) {
        var policy = AuthenticationPolicy(credentials: credentials ?? .fixed(account))
        policy.schemes = [.negotiate, .ntlm, .digest, .basic]
        policy.ntlmHosts = ["h"]
        policy.allowsDigestWithoutQop = true
        let session = AuthenticationSession(policy, isProxy: isProxy)
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: path)
        do {
            for _ in 0..<rounds {
                try await session.challenged(&exchange, status: isProxy ? 407 : 401, fields: fields)
            }
        } catch let error as AuthenticationError { return (exchange, error) }
        return (exchange, nil)
    }

    @Test func isValid() async throws {
        let basic = ["Basic realm=\"r\""]
        #expect(try await exchange(basic).0.isValid)
        // Refused, without others to try.
        let (refused, error) = try await exchange(basic, rounds: 2)
        #expect(!refused.isValid && error?.code == .credentialsRefused)
        let (without, missing) = try await exchange(basic, CredentialSource.none)
        #expect(!without.isValid && missing?.code == .credentialsRequired)
        let (unknown, unusable) = try await exchange(["Strange"])
        #expect(!unknown.isValid && unusable?.code == .noUsableScheme && unknown.scheme == nil)
        // Another person's are.
        let asking = CredentialSource.asking { .account(user: "u\($0.attempt)", password: "p") }
        #expect(try await exchange(basic, asking, rounds: 2).0.isValid)
    }

    @Test func appliesToRequest() async throws {
        func applies(
            _ fields: [String], to path: String, scheme: String = "https", host: String = "H", port: Int = 443,
            isProxy: Bool = false
        ) async throws -> Bool {
            try await exchange(fields, isProxy: isProxy).0.applies(
                toScheme: scheme, host: host, port: port, path: path)
        }
        let basic = ["Basic realm=\"r\""]
        for (path, expected) in [
            ("/a/b", true), ("/a/c?d=/e", true), ("/a/b/c", true), ("/", false), ("/c?/a/b", false),
        ] {
            #expect(try await applies(basic, to: path) == expected, "\(path)")
        }
        #expect(try await !applies(basic, to: "/a/b", scheme: "http"))
        #expect(try await !applies(basic, to: "/a/b", host: "i"))
        #expect(try await !applies(basic, to: "/a/b", port: 444))
        #expect(try await applies(basic, to: "other.example:443", isProxy: true))
        let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
        #expect(try await applies([digest], to: "/elsewhere"))
        #expect(try await !applies([digest + ", domain=\"/a /d\""], to: "/elsewhere"))
        #expect(try await applies([digest + ", domain=\"/a /d\""], to: "/d/e"))
        #expect(try await applies(["NTLM"], to: "/elsewhere"))
        // Without credentials nothing applies to anything.
        let (without, _) = try await exchange(basic, CredentialSource.none)
        #expect(!without.applies(toScheme: "https", host: "h", port: 443, path: "/a/b"))
    }

    @Test(arguments: [
        ("Basic realm=\"r\"", false), ("Digest realm=\"r\", nonce=\"n\"", false), ("NTLM", true), ("Negotiate", true),
    ]) func requiresOrderedRequests(field: String, expected: Bool) async throws {
        #expect(try await exchange([field]).0.requiresOrderedRequests == expected)
    }

    @Test(arguments: [
        ("Basic realm=\"r\"", true), ("Digest realm=\"r\", nonce=\"n\"", true), ("NTLM", true), ("Negotiate", false),
    ]) func requiresUserNameAndPassword(field: String, expected: Bool) async throws {
        #expect(try await exchange([field]).0.requiresUserNameAndPassword == expected)
        // Also when the source has no credentials.
        let asking = CredentialSource.asking { question in
            #expect(question.requiresUserNameAndPassword == expected)
            return nil
        }
        let (without, error) = try await exchange([field], asking)
        #expect(error?.code == .credentialsRequired && without.requiresUserNameAndPassword == expected)
    }

    @Test(arguments: [
        ("Basic realm=\"r\"", false), ("Digest realm=\"r\", nonce=\"n\"", false), ("NTLM", true), ("Negotiate", false),
    ]) func requiresAccountDomain(field: String, expected: Bool) async throws {
        let asking = CredentialSource.asking { question in
            #expect(question.requiresAccountDomain == expected)
            return nil
        }
        #expect(try await exchange([field], asking).0.requiresAccountDomain == expected)
    }

    @Test func methodAndRealm() async throws {
        let both = ["Basic realm=\"weak\"", "Digest realm=\"strong \u{1F512}\", nonce=\"n\""]
        let (exchange, _) = try await exchange(both)
        #expect(exchange.scheme == .digest && exchange.realm == "strong \u{1F512}")
        let (ntlm, _) = try await self.exchange(["NTLM"])
        #expect(ntlm.scheme == .ntlm && ntlm.realm == "")
        let session = AuthenticationSession(.init(credentials: .fixed(account)))
        let fresh = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
        #expect(fresh.scheme == nil && fresh.realm == nil && !fresh.isValid)
    }
}
