import Foundation
import SignetSOAP
import SignetWSSecurity
import Testing

/// The code of Documentation/WSSecurity.md, compiled, run, and compared with the page.
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

    @Test func thePageShowsThisCode() throws {
        let here = URL(fileURLWithPath: #filePath).standardizedFileURL
        let page = here.deletingLastPathComponent().appendingPathComponent("../../Documentation/WSSecurity.md")
        let compiled = try words(of: String(contentsOf: here, encoding: .utf8))
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```").filter {
            $0.hasPrefix("swift\n")
        }
        #expect(blocks.count == 3)
        for block in blocks { #expect(compiled.contains(words(of: String(block.dropFirst(6)))), "\(block)") }
    }

    /// Neither lines nor spaces count: the formatter breaks lines where it likes.
    private func words(of text: String) -> String { String(text.filter { !$0.isWhitespace }) }
}
