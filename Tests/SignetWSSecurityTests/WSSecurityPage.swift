import SignetCredentials
import SignetSOAP
import SignetWSSecurity
import Testing

/// The code of the article UsernameTokens, compiled, run, and compared with the article.
@Suite struct WSSecurityPage {
    private struct Accounts: Sendable {
        func password(of user: String) async throws -> String? { user == "admin" ? "secret" : nil }
    }

    @Test func clientAndService() async throws {
        let (accounts, password, dispatcher) = (Accounts(), "secret", Echo.dispatcher)
        var verifier = UsernameTokenVerifier(replayCache: MemoryReplayCache(capacity: 50_000)) { user in
            try await accounts.password(of: user)
        }
        verifier.requiresTimestamp = true
        let guarded = dispatcher.verified(by: verifier)

        var service = try Echo.caller(guarded, SecurityHeader())
        let clock = ServerClock(learningFrom: [.dateField])
        var header = SecurityHeader(
            .init(.digest, user: "admin", password: password), lifetime: .seconds(60), clock: clock)
        header.writesMilliseconds = false
        service.headerProviders = [header]
        #expect(try await service.call(Echo.operation, XMLAny()).text == "admin")
    }

    @Test func theShortestClient() async throws {
        let password = "secret"
        let verifier = UsernameTokenVerifier { $0 == "admin" ? password : nil }
        var service = try Echo.caller(Echo.dispatcher.verified(by: verifier), SecurityHeader())
        service.headerProviders = [SecurityHeader(.init(.digest, user: "admin", password: password))]
        #expect(try await service.call(Echo.operation, XMLAny()).text == "admin")
    }

    /// The service has refused the password.
    private struct PasswordRefused: Error {}

    private struct PasswordVault: Sendable {
        func account() async throws -> (user: String, password: String) { ("admin", "wrong") }
    }

    @Test func aPasswordIsAskedForUntilItIsRefused() async throws {
        let vault = PasswordVault()
        let verifier = UsernameTokenVerifier { $0 == "admin" ? "secret" : nil }
        var service = try Echo.caller(Echo.dispatcher.verified(by: verifier), SecurityHeader())
        let token = UsernameToken(.digest) { question in
            guard question.refusals == 0 else { throw PasswordRefused() }
            return try await vault.account()
        }
        service.headerProviders = [SecurityHeader(token)]
        let caller = service
        await #expect(throws: SOAPFault.self) { try await caller.call(Echo.operation, XMLAny()) }
        await #expect(throws: PasswordRefused.self) { try await caller.call(Echo.operation, XMLAny()) }
    }

    private enum Vault {
        enum Ports {
            static let vaultPort = ServicePort(
                name: "Vault", address: "https://localhost/", version: .soap11,
                requires: [.tls, .timestamp, .usernameToken(.digest)])
        }
    }

    @Test func portsKnowWhatTheyDemand() async throws {
        let password = "secret"
        var verifier = UsernameTokenVerifier { $0 == "clerk" ? password : nil }
        verifier.forms = [.digest]
        verifier.requiresTimestamp = true
        var service = try Echo.caller(Echo.dispatcher.verified(by: verifier), SecurityHeader())
        let port = Vault.Ports.vaultPort
        service.headerProviders = [SecurityHeader(for: port, user: "clerk", password: password)]
        #expect(try await service.call(Echo.operation, XMLAny()).text == "clerk")
    }
}
