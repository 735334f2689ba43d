import Testing

@testable import SignetAuthentication

/// Where credentials go without another challenge.
@Suite struct ScopeTests {
    private static let good = Credentials.account(user: "u", password: "p")

    /// Whether a request carries something at once; an answer of 200 follows, behind a challenge if `challenges` are given.
    private func isSent(
        _ session: AuthenticationSession, _ path: String, port: Int = 443, challenge: String? = nil
    ) async throws -> Bool {
        var exchange = try session.begin(scheme: "https", host: "host.example", port: port, path: path)
        let request = AuthenticationRequest(method: "GET", target: path, content: [])
        let isSent = try await session.authorization(&exchange, for: request, over: .any) != nil
        if !isSent, let challenge {
            try await session.challenged(&exchange, status: 401, fields: [challenge])
            _ = try await session.authorization(&exchange, for: request, over: .any)
        }
        session.finish(&exchange, status: 200)
        return isSent
    }

    /// RFC 7617 §2.2
    @Test func basicGoesToTheFolderAndBelow() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        #expect(try await !isSent(session, "/a/b?x=1", challenge: "Basic realm=\"r\""))
        for path in ["/a/b", "/a/", "/a", "/a/c/d?q"] { #expect(try await isSent(session, path), "\(path)") }
        for path in ["/", "/b/", "/ab", "/A/b"] { #expect(try await !isSent(session, path), "\(path)") }
        #expect(try await !isSent(session, "/a/b", port: 444))
        // The same realm elsewhere: known from then on there too.
        #expect(try await !isSent(session, "/b/c", challenge: "Basic realm=\"r\""))
        #expect(try await isSent(session, "/b/d"))
        #expect(try await isSent(session, "/a/x"))
    }

    @Test func theNearestRealmGetsItsOwn() async throws {
        let asked: @Sendable (CredentialQuestion) -> Credentials = {
            .account(user: $0.space.realm, password: "p")
        }
        let session = AuthenticationSession(.init(credentials: .asking { asked($0) }))
        #expect(try await !isSent(session, "/x", challenge: "Basic realm=\"outer\""))
        #expect(try await isSent(session, "/a/x"))
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443, path: "/a/x")
        try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"inner\""])
        session.finish(&exchange, status: 200)
        func sent(_ path: String) async throws -> String? {
            var exchange = try session.begin(scheme: "https", host: "host.example", port: 443, path: path)
            defer { session.finish(&exchange, status: nil) }
            return try await session.authorization(
                &exchange, for: .init(method: "GET", target: path, content: []), over: .any)
        }
        // Base64 of inner:p, outer:p
        #expect(try await sent("/a/y") == "Basic aW5uZXI6cA==")
        #expect(try await sent("/z") == "Basic b3V0ZXI6cA==")
    }

    /// RFC 7616 §3.3
    @Test(arguments: [
        ("", ["/", "/a", "/b"], [String]()),
        (", domain=\"/a\"", ["/a", "/a/b"], ["/b", "/"]),
        (", domain=\"https://host.example/b /c\"", ["/b/x", "/c"], ["/a", "/"]),
        // Another server is none of ours.
        (", domain=\"https://other.example/\"", ["/start"], ["/other"]),
        (", domain=\"https://host.example:444/ //host.example/a\"", ["/start"], ["/a"]),
    ])
    func digestGoesWhereItsDomainSays(domain: String, inside: [String], outside: [String]) async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        #expect(
            try await !isSent(
                session, "/start", challenge: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\(domain)"))
        for path in inside { #expect(try await isSent(session, path), "\(path)") }
        for path in outside { #expect(try await !isSent(session, path), "\(path)") }
    }
}
