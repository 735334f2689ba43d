import SignetSOAP
import Synchronization
import Testing

@testable import SignetWSSecurity

/// Header blocks that are what policies ask for.
@Suite struct DemandedSecurityTests {
    private func port(_ requirements: ServiceRequirement...) -> ServicePort {
        ServicePort(name: "P", address: "https://localhost/", version: .soap11, requires: requirements)
    }

    private func block(_ header: SecurityHeader, operation: [ServiceRequirement] = []) async throws -> XMLFragment? {
        var attempt = CallAttempt(operation: "Echo", endpoint: try Endpoint("https://localhost/"), version: .soap11)
        attempt.requirements = operation
        guard let block = try await header.headerBlocks(for: attempt).first else { return nil }
        let text = Mutex<XMLFragment?>(nil)
        var dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Echo.operation.route { input, context in
                    text.withLock { $0 = context.headerBlocks.first?.fragment }
                    return input
                }
            ])
        dispatcher.understoodHeaderBlocks = [SecurityName.security]
        var caller = try Echo.caller(dispatcher, SecurityHeader())
        caller.headerBlocks = [block]
        _ = try await caller.call(Echo.operation, XMLAny())
        return text.withLock { $0 }
    }

    @Test func thePolicyDecidesTheFormOfTheToken() async throws {
        let digest = SecurityHeader(
            for: port(.tls, .usernameToken(.digest), .timestamp), user: "ada", password: "secret")
        let block = try #require(try await block(digest))
        #expect(block.children.map(\.localName) == ["Timestamp", "UsernameToken"])
        let token = try #require(block.children.first(named: "UsernameToken"))
        #expect(token.children.map(\.localName) == ["Username", "Password", "Nonce", "Created"])
        #expect(token.children.first(named: "Password")?.attribute("Type") == UsernameTokenForm.digest.uri)

        let text = SecurityHeader(for: port(.usernameToken(.text)), user: "ada", password: "secret")
        let plain = try #require(try await self.block(text)?.children.first)
        #expect(plain.children.map(\.localName) == ["Username", "Password"])

        let timed = SecurityHeader(for: port(.usernameToken(.textWithNonce)), user: "ada", password: "secret")
        #expect(
            try await self.block(timed)?.children.first?.children.map(\.localName)
                == ["Username", "Password", "Nonce", "Created"])

        let named = SecurityHeader(for: port(.usernameToken(.noPassword)), user: "ada")
        #expect(try await self.block(named)?.children.first?.children.map(\.localName) == ["Username"])
    }

    @Test func tokensThatTheServiceDoesNotRequestAreNotSent() async throws {
        let header = SecurityHeader(for: port(.tls), user: "ada", password: "secret")
        #expect(try await block(header) == nil)
        let token = try await block(header, operation: [.usernameToken(.text)])
        #expect(token?.children.map(\.localName) == ["UsernameToken"])
    }

    @Test func optionalTokensAreSentWhenThereIsAUser() async throws {
        let port = ServicePort(
            name: "P", address: nil, version: .soap11, accepts: [.timestamp, .usernameToken(.text), .mtom])
        let block = try #require(try await block(SecurityHeader(for: port, user: "ada", password: "secret")))
        #expect(block.children.map(\.localName) == ["Timestamp", "UsernameToken"])
        #expect(block.children.last?.children.map(\.localName) == ["Username", "Password"])
        #expect(try await self.block(SecurityHeader(for: port)) == nil)
        #expect(try await self.block(SecurityHeader(for: port) { _ in ("ada", "secret") }) != nil)
        // The port does not require it.
        #expect(try await self.block(SecurityHeader(for: port, user: "ada")) == nil)
        let both = ServicePort(
            name: "P", address: nil, version: .soap11, requires: [.usernameToken(.digest)], accepts: [.timestamp])
        let whole = try await self.block(SecurityHeader(for: both, user: "ada", password: "secret"))
        #expect(whole?.children.map(\.localName) == ["Timestamp", "UsernameToken"])
    }

    @Test func missingCredentialsAreReportedBeforeSending() async throws {
        for header in [
            SecurityHeader(for: port(.usernameToken(.digest))),
            SecurityHeader(for: port(.usernameToken(.digest)), user: "ada"),
            SecurityHeader(for: port(.usernameToken(.noPassword))),
        ] {
            let error = await #expect(throws: WSSecurityError.self) { try await block(header) }
            #expect(error?.code == .missingCredentials)
            #expect(error?.message.contains("Nothing was sent") == true)
        }
        let asking = SecurityHeader(for: port(.usernameToken(.text))) { _ in ("ada", "secret") }
        #expect(try await block(asking) != nil)
    }

    @Test func theQuestionCountsRefusals() async throws {
        let asked = Mutex<[Int]>([])
        let header = SecurityHeader(for: port(.usernameToken(.digest))) { question in
            asked.withLock { $0.append(question.refusals) }
            return ("ada", question.refusals > 0 ? "secret" : "outdated")
        }
        let caller = try Echo.caller(Echo.dispatcher.verified(by: Echo.verifier()), header)
        await #expect(throws: SOAPFault.self) { try await caller.call(Echo.operation, XMLAny()) }
        #expect(try await caller.call(Echo.operation, XMLAny()).text == "ada")
        #expect(asked.withLock { $0 } == [0, 1])
    }

    @Test func aPasswordInTextStillNeedsTLS() async throws {
        let header = SecurityHeader(for: port(.usernameToken(.text)), user: "ada", password: "secret")
        let attempt = CallAttempt(operation: "o", endpoint: try Endpoint("http://h/"), version: .soap11)
        let error = await #expect(throws: WSSecurityError.self) { try await header.headerBlocks(for: attempt) }
        #expect(error?.code == .plaintextRefused)
    }

    @Test func theVerifierAcceptsTheHeaderOfTheClient() async throws {
        let header = SecurityHeader(for: port(.timestamp, .usernameToken(.digest)), user: "ada", password: "secret")
        var verifier = Echo.verifier()
        verifier.requiresTimestamp = true
        let caller = try Echo.caller(Echo.dispatcher.verified(by: verifier), header)
        #expect(try await caller.call(Echo.operation, XMLAny()).text == "ada")
    }
}
