import Testing

@testable import SignetAuthentication

/// Where credentials go without another challenge.
@Suite struct ScopeTests {
    private static let good = Credentials.account(user: "u", password: "p")

    /// Whether a request carries something at once; an answer of 200 follows, behind a challenge if `challenges` are
    /// given.
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

    /// A proof for one realm says nothing of another, where the same account may be right.
    @Test func refusalInOneRealmDoesNotCountInAnother() async throws {
        func field(_ realm: String) -> [String] { ["Digest realm=\"\(realm)\", nonce=\"n\(realm)\", qop=\"auth\""] }
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        #expect(try await !isSent(session, "/a", challenge: field("A").first))
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443, path: "/b")
        let request = AuthenticationRequest(method: "GET", target: "/b", content: [])
        #expect(try await session.authorization(&exchange, for: request, over: .any)?.contains("realm=\"A\"") == true)
        try await session.challenged(&exchange, status: 401, fields: field("B"))
        #expect(try await session.authorization(&exchange, for: request, over: .any)?.contains("realm=\"B\"") == true)
        // Now it is refused.
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&exchange, status: 401, fields: field("B"))
        }
        #expect(error?.code == .credentialsRefused)
        session.finish(&exchange, status: nil)
    }

    /// Realms without end are no reason to try a password without end.
    @Test func endlessRealmsDoNotGetEndlessAttempts() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443, path: "/b")
        var legs = 0
        let error = await #expect(throws: AuthenticationError.self) {
            for number in 0..<10 {
                let field = "Digest realm=\"\(number)\", nonce=\"n\", qop=\"auth\""
                try await session.challenged(&exchange, status: 401, fields: [field])
                legs += 1
            }
        }
        // None of them has said that the password is wrong.
        #expect(error?.code == .undecided && legs == 2)
        session.finish(&exchange, status: nil)
        var next = try session.begin(scheme: "https", host: "host.example", port: 443, path: "/b")
        try await session.challenged(&next, status: 401, fields: ["Digest realm=\"1\", nonce=\"m\", qop=\"auth\""])
        #expect(next.isValid)
        session.finish(&next, status: nil)
    }

    /// A password sent without a challenge says nothing about its validity for Digest.
    @Test func credentialsSentUnaskedMayBeUsedForDigest() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good), sendsWithoutChallenge: true))
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443, path: "/b")
        try await session.prepare(&exchange)
        #expect(exchange.scheme == .basic && exchange.isValid)
        try await session.challenged(
            &exchange, status: 401, fields: ["Digest realm=\"B\", nonce=\"n\", qop=\"auth\""])
        #expect(exchange.scheme == .digest && exchange.isValid)
        session.finish(&exchange, status: 200)
    }

    /// Where dots lead is known to the server only.
    @Test func pathsWithDotSegmentsGetNoCredentials() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        #expect(try await !isSent(session, "/a/b", challenge: "Basic realm=\"r\""))
        for path in ["/a/../c", "/a/%2E./c", "/a/."] { #expect(try await !isSent(session, path), "\(path)") }
        #expect(try await isSent(session, "/a/..c"))
    }

    /// A proxy has let in what it has passed on, whatever the origin says to it.
    @Test(arguments: [(404, true), (302, true), (401, true), (500, true), (403, false), (502, false), (511, false)])
    func aRelayedAnswerShowsThatTheProxyAcceptedCredentials(status: Int, isAccepted: Bool) async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)), isProxy: true)
        var exchange = try session.begin(scheme: "https", host: "proxy.example", port: 443, path: "")
        try await session.challenged(&exchange, status: 407, fields: ["Basic realm=\"p\""])
        session.finish(&exchange, status: status)
        let next = try session.begin(scheme: "https", host: "proxy.example", port: 443, path: "")
        #expect(next.isValid == isAccepted)
    }

    @Test func theNearestRealmDecidesWhichCredentialsAreSent() async throws {
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
        // A path on another server adds nothing to the scope.
        (", domain=\"https://other.example/\"", ["/start"], ["/other"]),
        (", domain=\"https://host.example:444/ //host.example/a\"", ["/start"], ["/a"]),
    ])
    func digestIsSentWithinItsDomain(domain: String, inside: [String], outside: [String]) async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(Self.good)))
        #expect(
            try await !isSent(
                session, "/start", challenge: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\(domain)"))
        for path in inside { #expect(try await isSent(session, path), "\(path)") }
        for path in outside { #expect(try await !isSent(session, path), "\(path)") }
    }
}
