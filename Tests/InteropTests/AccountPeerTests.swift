import Foundation
import Signet
import SignetCredentials
import SignetCredentialsSQLite
import SignetDynamic
import SignetServer
import Testing

/// Clients of other makers at a server whose accounts are in a file.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AccountPeerTests {
    private static let wsdl = UsernameTokenPeer.wsdl.path(percentEncoded: false)
    private static let password = "way in, or not?"
    private static let realm = "Echoes"

    /// Answers with the name of the user.
    static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            ServiceOperation<XMLAny, XMLAny>(
                name: "Echo", soapAction: "urn:echo", version: .soap11,
                input: XMLName("urn:signet:example:echo", "Echo"), output: XMLName("urn:signet:example:echo", "Echo")
            ).route { _, context in
                XMLAny(children: [
                    try XMLFragment(XMLName("urn:signet:example:echo", "text"), text: context.peer.user ?? "")
                ])
            }
        ])

    private func serve(
        _ authentication: (Accounts) -> ServerAuthentication, during body: (_ url: String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-accounts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await EncryptedDatabase(
            path: folder.appending(path: "data/state.sqlite").path(percentEncoded: false),
            key: FixedMasterKey(.random()))
        let accounts = Accounts(
            try await SQLiteServerState(database),
            verifiers: [.hash, .digest(realm: Self.realm, .sha256), .digest(realm: Self.realm, .md5)])
        try await accounts.add("clerk", password: SecretBytes(Self.password))
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            [HostedService(Self.dispatcher, path: "/soap", authentication: authentication(accounts))],
            settings: settings)
        let url = "http://127.0.0.1:\(try await server.start())/soap"
        do { try await body(url) } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    private func output(_ program: String, _ arguments: [String], password: String) async throws -> [String] {
        let result = try await PeerProcess.output(
            of: .init(program: program, arguments: arguments, environment: ["PASSWORD": password]))
        #expect(result.status == 0, "\(result.error)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["basic", "digest"]) func zeepIsKnown(scheme: String) async throws {
        try await serve { accounts in
            scheme == "basic"
                ? .basic(realm: Self.realm, accounts: accounts) : .digest(realm: Self.realm, accounts: accounts)
        } during: { url in
            let script = PeerFile.url("account_client.py").path(percentEncoded: false)
            let right = try await output(
                Tool.python, [script, Self.wsdl, url, scheme, "clerk"], password: Self.password)
            #expect(right == ["clerk", "clerk", "clerk"])
            let wrong = try await output(Tool.python, [script, Self.wsdl, url, scheme, "clerk"], password: "guess")
            #expect(wrong == ["401", "401", "401"])
        }
    }

    /// PHP's SoapClient knows MD5 only, so the server must offer it too.
    @Test(arguments: ["SOAP_AUTHENTICATION_BASIC", "SOAP_AUTHENTICATION_DIGEST"])
    func phpIsKnown(scheme: String) async throws {
        try await serve { accounts in
            scheme.hasSuffix("BASIC")
                ? .basic(realm: Self.realm, accounts: accounts)
                : .digest(realm: Self.realm, algorithms: [.md5], accounts: accounts)
        } during: { url in
            let script = """
                $client = new SoapClient($argv[1], ['location' => $argv[2], 'authentication' => \(scheme),
                    'login' => 'clerk', 'password' => getenv('PASSWORD')]);
                for ($turn = 0; $turn < 3; $turn++)
                    try { echo $client->Echo(['text' => 'hello'])->text, "\\n"; }
                    catch (SoapFault $fault) { echo $fault->getMessage(), "\\n"; }
                """
            let arguments = ["-d", "soap.wsdl_cache_enabled=0", "-r", script, "--", Self.wsdl, url]
            #expect(try await output("php", arguments, password: Self.password) == ["clerk", "clerk", "clerk"])
            let wrong = try await output("php", arguments, password: "guess")
            #expect(wrong == Array(repeating: "Unauthorized", count: 3))
        }
    }

    /// The server offers several algorithms, and proves who it is; the client takes the strongest, and many calls at the same time share a
    /// nonce.
    @Test func theClientOfThisLibraryIsKnown() async throws {
        try await serve { accounts in
            .digest(realm: Self.realm, algorithms: [.sha256, .md5], accounts: accounts)
        } during: { url in
            var configuration = try ServiceConfiguration(url)
            configuration.authentication = .init(
                credentials: .fixed(
                    .account(user: "clerk", password: Self.password)), allowsPlaintext: true)
            let client = DynamicClient(
                try DynamicService(contentsOfFile: Self.wsdl), ServiceCaller(configuration))
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<50 { group.addTask { try await client.call("Echo", ["text": "hello"]) } }
                return try await group.reduce(into: Set<DynamicValue>()) { $0.insert($1) }
            }
            #expect(answers == [["text": "clerk"]])
            try await client.caller.transport.shutdown()
        }
    }
}
