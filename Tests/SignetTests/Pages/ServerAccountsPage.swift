import ReferenceServices
import Signet
import SignetCredentials
import SignetCredentialsSQLite
import SignetServer
import SignetTesting
import SignetWSSecurity
import Testing

// The code of the article ServerAccounts. It is compiled, and DocumentationTests compares it with the page.

private func serve() async throws -> (HostedService, Accounts) {
    let database = try await EncryptedDatabase(
        path: "/var/lib/diary/state.sqlite", key: SystemdCredential(name: "state-key"))
    let state = try await SQLiteServerState(database)
    let accounts = Accounts(state, verifiers: [.hash, .digest(realm: "Diary", .sha256)])
    var diary = HostedService(WebEase.dispatcher(Diary()), path: "/diary")
    diary.authentication = .digest(realm: "Diary", accounts: accounts)
    return (diary, accounts)
}

private func change(_ accounts: Accounts, _ password: String, _ certificate: EncodedCertificate) async throws {
    try await accounts.add("laptop-7", password: SecretBytes(password))
    try await accounts.addCertificate(certificate, of: "laptop-7")
    try await accounts.lock("laptop-7")
}

private func recognise(
    _ diary: inout HostedService, _ accounts: Accounts, _ state: SQLiteServerState
) throws -> (ServiceDispatcher, Accounts) {
    diary.authentication = .certificate(accounts: accounts)
    let guarded = WebEase.dispatcher(Diary()).verified(by: try UsernameTokenVerifier(accounts: accounts))
    let strict = Accounts(state, failureLimit: .init(failures: 10, in: .seconds(300)))
    return (guarded, strict)
}

@Suite struct ServerAccountsPageTests {
    @Test(arguments: ServerStateConformance.checks)
    func conforms(_ check: ServerStateConformance.Check) async throws {
        try await check.run { MemoryServerState() }
    }
}
