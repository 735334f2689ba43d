import SignetCredentials
import SignetSOAP
import Testing

@testable import SignetWSSecurity

/// UsernameTokens that are verified with accounts.
@Suite struct AccountTokenTests {
    private func user(
        _ accounts: Accounts, _ form: UsernameTokenForm, user: String = "anna", password: String
    ) async throws -> String? {
        let dispatcher = Echo.dispatcher.verified(by: try UsernameTokenVerifier(accounts: accounts))
        let caller = try Echo.caller(dispatcher, SecurityHeader(UsernameToken(form, user: user, password: password)))
        return try await caller.call(Echo.operation, XMLAny()).text
    }

    @Test(arguments: [UsernameTokenForm.text, .digest]) func passwordsOfAccountsAreVerified(form: UsernameTokenForm)
        async throws
    {
        let accounts = Accounts(
            MemoryServerState(), form == .text ? [.hash] : [.password], .init(), .seconds(300),
            cost: .init(logarithm: 4, blockSize: 8, parallelism: 1)
        ) { 0 }
        try await accounts.add("anna", password: SecretBytes("wäy in"))
        #expect(try await self.user(accounts, form, password: "wäy in") == "anna")
        for (user, password) in [("anna", "way in"), ("bert", "wäy in"), ("anna", "")] {
            let fault = await #expect(throws: SOAPFault.self) {
                try await self.user(accounts, form, user: user, password: password)
            }
            #expect(fault?.code == .failedAuthentication)
        }
        try await accounts.lock("anna")
        let fault = await #expect(throws: SOAPFault.self) { try await self.user(accounts, form, password: "wäy in") }
        #expect(fault?.code == .failedAuthentication)
    }

    @Test func digestsNeedThePassword() async throws {
        let accounts = Accounts(MemoryServerState(), verifiers: [.hash])
        try await accounts.add("anna", password: SecretBytes("wäy in"))
        #expect(try UsernameTokenVerifier(accounts: accounts).forms == [.text, .textWithNonce])
        let digests = Accounts(MemoryServerState(), verifiers: [.digest(realm: "R", .sha256)])
        #expect(throws: CredentialStoreError(.unsupported, "")) { try UsernameTokenVerifier(accounts: digests) }
    }
}
