import ReferenceServices
import Signet
import SignetCredentialsPostgreSQL
import SignetCredentialsSQLite
import SignetServer
import SignetTesting
import SignetWSSecurity
import Testing

// The code of the article ServerAccounts. It is compiled, and DocumentationTests compares it with the page.

private func serve() async throws -> (HostedService, Accounts) {
    var options = EncryptedDatabase.Options()
    options.makesStore = false
    let database = try await EncryptedDatabase(
        path: "/var/lib/diary/state.sqlite", key: SystemdCredential(name: "state-key"), options: options)
    let state = try await SQLiteServerState(database)
    let accounts = Accounts(state, verifiers: [.hash, .digest(realm: "Diary", .sha256)])
    var diary = HostedService(WebEase.dispatcher(Diary()), path: "/diary")
    diary.authentication = .digest(realm: "Diary", accounts: accounts)
    return (diary, accounts)
}

private func share(_ databasePassword: SecretBytes) async throws -> PostgreSQLServerState {
    var shared = PostgreSQLDatabase(
        "diary", at: .tls(host: "db.example.com", anchors: "/etc/diary/database-ca.pem"), user: "diary",
        password: databasePassword)
    shared.connections = 16
    let state = try await PostgreSQLServerState(shared, key: SystemdCredential(name: "state-key"))
    return state
}

private func change(_ accounts: Accounts, _ password: String) async throws {
    try await accounts.add("laptop-7", password: SecretBytes(password))
    let certificate = try CertificateBundle(pem: .init(contentsOfFile: "printer.pem")).certificates[0]
    try await accounts.add("printer", owning: certificate)
    try await accounts.lock("laptop-7")
}

private func recognise(
    _ dispatcher: ServiceDispatcher, _ accounts: Accounts, _ serverIdentity: Identity,
    _ deviceAuthority: CertificateBundle
) throws -> SOAPServer {
    let devices = HostedService(dispatcher, path: "/diary", authentication: .digest(realm: "Diary", accounts: accounts))
    let certified = HostedService(dispatcher, path: "/certified", authentication: .certificate(accounts: accounts))
    let server = try SOAPServer(
        [devices, certified],
        tls: .init(identity: .fixed(serverIdentity), clients: .certificateOptional(.anchors(deviceAuthority))))
    return server
}

private func verify(_ accounts: Accounts, _ state: SQLiteServerState) throws -> (ServiceDispatcher, Accounts) {
    let guarded = WebEase.dispatcher(Diary()).verified(by: try UsernameTokenVerifier(accounts: accounts))
    let strict = Accounts(
        state, verifiers: [.hash, .digest(realm: "Diary", .sha256)],
        failureLimit: .init(failures: 10, in: .seconds(300)))
    return (guarded, strict)
}

@Suite struct ServerAccountsPageTests {
    @Test(arguments: ServerStateConformance.checks)
    func conforms(_ check: ServerStateConformance.Check) async throws {
        try await check.run { MemoryServerState() }
    }

    @Test func aServiceIsTested() async throws {
        let accounts = Accounts(MemoryServerState(), verifiers: [.digest(realm: "Diary", .sha256)])
        try await accounts.add("laptop-7", password: SecretBytes("secret"))
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            WebEase.dispatcher(Diary()), path: "/diary",
            authentication: .digest(realm: "Diary", accounts: accounts), settings: settings)
        var service = try ServiceConfiguration("http://127.0.0.1:\(try await server.start())/diary")
        service.authentication.credentials = .fixed(.account(user: "laptop-7", password: "secret"))
        let transport = try service.makeTransport()
        let answer = try await transport.send(ClientRequest(service.endpoint, method: .post))
        // The server knows the user, and asks for a message.
        #expect(answer.status == 415)
        try await transport.shutdown()
        await server.shutdown()
    }
}
