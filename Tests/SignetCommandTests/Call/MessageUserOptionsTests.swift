import ArgumentParser
import Signet
import SignetWSSecurity
import Testing

@testable import SignetCommand

@Suite struct MessageUserOptionsTests {
    private func content(
        _ arguments: [String], demands: [ServiceRequirement] = [], allows: [ServiceRequirement] = [],
        url: String = "https://service.example/x"
    ) async throws -> String? {
        let options = try MessageUserOptions.parse(arguments)
        let port = ServicePort(name: "P", address: nil, version: .soap11, requires: demands, accepts: allows)
        guard let header = try options.load(for: port, environment: ["P": "canary & <b>"]) else { return nil }
        let attempt = CallAttempt(operation: "", endpoint: try Endpoint(url), version: .soap11)
        let blocks = try await header.headerBlocks(for: attempt)
        let name = XMLName("urn:x", "x")
        let operation = ServiceOperation<XMLAny, XMLAny>(
            name: "x", soapAction: "", version: .soap11, input: name, output: name)
        let caller = ServiceCaller(endpoint: attempt.endpoint, transport: NoTransport())
        return String(
            decoding: try caller.envelope(for: operation, XMLAny(), headerBlocks: blocks), as: UTF8.self)
    }

    @Test func aTokenGoesIntoTheMessage() async throws {
        // Users of some services have a colon.
        let account = ["--wss-user", "ada:company", "--wss-password-env", "P"]
        let digest = try #require(try await content(account))
        #expect(digest.contains("ada:company") && !digest.contains("canary"))
        let text = try #require(try await content(account + ["--wss-text"]))
        #expect(text.contains("ada:company") && text.contains("canary &amp; &lt;b"))
        #expect(try await content([]) == nil)
    }

    @Test func textTravelsInTheOpenOnlyIfAllowed() async throws {
        let account = ["--wss-user", "ada", "--wss-password-env", "P", "--wss-text"]
        await #expect(throws: (any Error).self) { try await content(account, url: "http://service.example/x") }
        let text = try await content(account + ["--wss-allow-plaintext"], url: "http://service.example/x")
        #expect(text?.contains("canary") == true)
    }

    /// A password can be guessed from its digest.
    @Test func digestsTravelInTheOpenOnlyIfAllowed() async throws {
        let account = ["--wss-user", "ada", "--wss-password-env", "P"]
        let error = await #expect(throws: (any Error).self) {
            try await content(account, url: "http://service.example/x")
        }
        #expect(error.map { "\($0)".contains("--wss-allow-plaintext") } == true)
        let digest = try await content(account + ["--wss-allow-plaintext"], url: "http://service.example/x")
        #expect(digest?.contains("PasswordDigest") == true)
        // There is no password that it could let travel.
        await #expect(throws: CommandError.self) {
            try await content(
                ["--wss-user", "ada", "--wss-allow-plaintext"], demands: [.usernameToken(.noPassword)])
        }
    }

    @Test func thePolicyDecidesTheFormOfThePassword() async throws {
        let account = ["--wss-user", "ada", "--wss-password-env", "P"]
        let text = try #require(try await content(account, demands: [.usernameToken(.text), .timestamp]))
        #expect(text.contains("canary") && text.contains("Timestamp") && !text.contains("Nonce"))
        let timed = try #require(try await content(account + ["--wss-text"], demands: [.usernameToken(.textWithNonce)]))
        #expect(timed.contains("canary") && timed.contains("Nonce"))
        let digest = try #require(try await content(account, demands: [.usernameToken(.digest)]))
        #expect(digest.contains("PasswordDigest") && !digest.contains("canary"))
        let named = try #require(try await content(["--wss-user", "ada"], demands: [.usernameToken(.noPassword)]))
        #expect(named.contains("ada") && !named.contains("Password"))
    }

    @Test func optionalTokensAreSentInTheAllowedForm() async throws {
        let account = ["--wss-user", "ada", "--wss-password-env", "P"]
        let text = try #require(try await content(account, allows: [.timestamp, .usernameToken(.text)]))
        #expect(text.contains("canary") && text.contains("Timestamp"))
        #expect(try await content([], allows: [.timestamp, .usernameToken(.text)]) == nil)
    }

    @Test func aTimestampAloneNeedsNoUser() async throws {
        let block = try #require(try await content([], demands: [.timestamp]))
        #expect(block.contains("Timestamp") && !block.contains("UsernameToken"))
        #expect(try await content([], demands: [.timestamp, .usernameToken(.text)]) == nil)
        #expect(try await content([], demands: [.tls]) == nil)
    }

    @Test(arguments: [
        ["--wss-text"], ["--wss-password-env", "P"], ["--wss-password-file", "p"],
        ["--wss-user", ""],
        ["--wss-user", "a", "--wss-password-env", "P", "--wss-password-file", "p"],
    ])
    func conflictingOptionsAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { try MessageUserOptions.parse(arguments) }
    }

    /// A permission without a secret that it is about would have no effect.
    @Test func plaintextIsAllowedForAUserOrATokenOnly() throws {
        let options = try MessageUserOptions.parse(["--wss-allow-plaintext"])
        #expect(throws: (any Error).self) { try options.checkPlaintext() }
        #expect(throws: Never.self) { try options.checkPlaintext(hasToken: true) }
        for arguments in [["--wss-user", "a", "--wss-allow-plaintext"], []] {
            let options = try MessageUserOptions.parse(arguments)
            #expect(throws: Never.self) { try options.checkPlaintext() }
        }
    }
}
