import Foundation
import GreetingService
import SignetAuthentication
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AdmissionTests {
    let curl: Curl

    init() throws { curl = try Curl() }

    @Test func clientWithCertificateIsServedAndNamed() async throws {
        try await TestServer.run { test async throws in
            let device = try test.authority.issueClient(commonName: "device-7")
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(device) + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 200, "\(answer.problem)")
            #expect(answer.fields.lowercased().contains("content-type: text/xml; charset=utf-8"))
            #expect(answer.body.contains("Hello Ada, CN=device-7, none"))
        }
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"])
    func aClientWithoutACertificateIsRefused(version: String) async throws {
        try await TestServer.run(handler: { _, _ in
            Issue.record("the handler ran")
            return .init(text: "")
        }) { test async throws in
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + version.split(separator: " ").map(String.init)
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 0)
            #expect(answer.exit != 0)
            #expect(answer.body.isEmpty)
        }
    }

    @Test func unsuitableClientCertificatesAreRefused() async throws {
        try await TestServer.run { test async throws in
            let stranger = try CertificateAuthority().issueClient(commonName: "device-7")
            let expired = try test.authority.issueClient(commonName: "device-7", CertificateProfile.client.expired)
            let server = try test.authority.issueClient(commonName: "device-7", .server)
            for identity in [stranger, expired, server] {
                let answer = try await curl(
                    test.url,
                    curl.trusting(test.authority) + curl.showing(identity) + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == 0)
                #expect(answer.exit != 0)
            }
        }
    }

    @Test func requestedCertificateMayBeAbsent() async throws {
        try await TestServer.run(clients: { .certificateOptional($0) }) { test async throws in
            let trusting = try curl.trusting(test.authority)
            let without = try await curl(test.url, trusting + Greeting.posting(Greeting.envelope("Ada")))
            #expect(without.body.contains("Hello Ada, nobody, none"))
            let device = try test.authority.issueClient(commonName: "device-7")
            let with = try await curl(
                test.url, trusting + curl.showing(device) + Greeting.posting(Greeting.envelope("Ada")))
            #expect(with.body.contains("Hello Ada, CN=device-7, none"))
        }
    }

    @Test func registryDecidesAfterTLS() async throws {
        struct RegistryIsDown: Error {}
        let admit: ClientAdmission.Decision = { question in
            switch question.path.leaf?.subject {
            case "CN=device-7": question.remoteAddress?.hasPrefix("127.0.0.1:") ?? false
            case "CN=broken": throw RegistryIsDown()
            default: false
            }
        }
        try await TestServer.run(clients: { .certificateRequired($0, admitting: admit) }) { test async throws in
            let statuses = ["device-7": 200, "device-8": 403, "broken": 500]
            for (name, status) in statuses {
                let answer = try await curl(
                    test.url,
                    curl.trusting(test.authority) + curl.showing(test.authority.issueClient(commonName: name))
                        + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == status, "\(name)")
                #expect(!answer.body.contains("RegistryIsDown"))
            }
        }
    }

    @Test func basicCredentialsAreAskedForAfterTheCertificate() async throws {
        let authentication = ServerAuthentication.basic(realm: "Greet \"ings\"") { question in
            ConstantTime.equal(question.user, "service") && ConstantTime.equal(question.password, "pä:ss")
                && question.peer.certificateSubject == "CN=device-7"
        }
        try await TestServer.run(authentication: authentication) { test async throws in
            let base =
                try curl.trusting(test.authority) + curl.showing(test.authority.issueClient(commonName: "device-7"))
                + Greeting.posting(Greeting.envelope("Ada"))
            let none = try await curl(test.url, base)
            #expect(none.status == 401)
            #expect(none.fields.lowercased().contains(#"www-authenticate: basic realm="greet \"ings\"""#))
            let right = try await curl(test.url, base + ["--user", "service:pä:ss"])
            #expect(right.status == 200)
            #expect(right.body.contains("Hello Ada, CN=device-7, service"))
            #expect(try await curl(test.url, base + ["--user", "service:wrong"]).status == 401)
            #expect(try await curl(test.url, base + ["--header", "Authorization: Basic !!!"]).status == 401)
            #expect(try await curl(test.url, base + ["--header", "Authorization: Bearer c2VydmljZQ=="]).status == 401)
            let nobody = try await curl(
                test.url,
                curl.trusting(test.authority) + ["--user", "service:pä:ss"] + Greeting.posting(Greeting.envelope("Ada"))
            )
            #expect(nobody.status == 0)
        }
    }

    /// A token, and one that is bound to the certificate of its client.
    @Test func tokensAreAskedForAfterTheCertificate() async throws {
        let logs = LogCollector()
        var settings = SOAPServer.Settings()
        settings.logger = logs.logger
        let authority = try CertificateAuthority()
        let owner = try authority.issueClient(commonName: "device-7")
        let bound = owner.leaf.sha256
        let authentication = ServerAuthentication.bearer(realm: "Greetings") { question in
            let token = question.token
            if token == "broken" { throw CancellationError() }
            if token == "forger" { return "ada\nnotice: admin let in" }
            if token == "unnamed" { return "" }
            if token == "bound.to-7~+/==" { return question.peer.certificateSHA256 == bound ? "device 7" : nil }
            return token == "free" ? "anyone" : nil
        }
        try await TestServer.run(
            authority: authority, clients: { .certificateOptional($0) }, authentication: authentication,
            settings: settings
        ) { test async throws in
            let base = try curl.trusting(test.authority) + Greeting.posting(Greeting.envelope("Ada"))
            let own = try base + curl.showing(owner)
            let other = try base + curl.showing(authority.issueClient(commonName: "device-8"))
            let none = try await curl(test.url, base)
            #expect(none.status == 401)
            #expect(none.fields.contains(#"Bearer realm="Greetings""#) && !none.fields.contains("error="))
            #expect(try await curl(test.url, base + ["--oauth2-bearer", "free"]).body.contains("anyone"))
            for (arguments, status) in [(own, 200), (other, 401), (base, 401)] {
                let answer = try await curl(test.url, arguments + ["--oauth2-bearer", "bound.to-7~+/=="])
                #expect(answer.status == status)
                #expect((status == 200) == answer.body.contains("device 7"))
                #expect((status == 401) == answer.fields.contains(#"error="invalid_token""#))
            }
            #expect(try await curl(test.url, base + ["--oauth2-bearer", "broken"]).status == 500)
            for token in ["forger", "unnamed"] {
                #expect(try await curl(test.url, base + ["--oauth2-bearer", token]).status == 401)
            }
            for field in [
                "Basic YTpi", "Bearer", "Bearer a b", "Bearer a, Bearer free", "Bearer token=\"free\"", "bearer",
            ] {
                let answer = try await curl(test.url, base + ["--header", "Authorization: \(field)"])
                #expect(answer.status == 401, "\(field)")
            }
            let two = ["--header", "Authorization: Bearer free", "--header", "Authorization: Bearer free"]
            #expect(try await curl(test.url, base + two).status == 401)
            #expect(try await curl(test.url + "?access_token=free", base).status == 401)
        }
        #expect(!logs.text.contains("bound.to") && !logs.text.contains("free") && logs.text.contains("not good"))
    }

    @Test func namesThatAreLoggedCannotFakeALine() async throws {
        let logs = LogCollector()
        var settings = SOAPServer.Settings()
        settings.logger = logs.logger
        let asked = Mutex<[String]>([])
        let authentication = ServerAuthentication.basic(realm: "Greetings") { question in
            asked.withLock { $0.append(question.user) }
            return false
        }
        try await TestServer.run(
            clients: { _ in .noCertificateRequested }, authentication: authentication, settings: settings
        ) {
            test async throws in
            for (user, status) in [("eve\nnotice: admin let in", 401), ("eve\u{202E}nimda\u{2028}", 401)] {
                let field = Data("\(user):x".utf8).base64EncodedString()
                let answer = try await curl(
                    test.url,
                    curl.trusting(test.authority) + ["--header", "Authorization: Basic \(field)"]
                        + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == status)
            }
        }
        // A text with a control character is not a user name, so the server does not ask the verifier about it.
        #expect(asked.withLock { $0 } == ["eve\u{202E}nimda\u{2028}"])
        #expect(logs.text.contains("credentials with control characters"))
        #expect(logs.text.contains("“eve\u{FFFD}nimda\u{FFFD}”"))
        #expect(!logs.text.contains("admin let in"))
        #expect(!logs.text.contains("\u{202E}"))
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["-tls1_2", "-tls1_3"])
    func aResumedSessionDoesNotLoseTheCertificate(version: String) async throws {
        for clients in [ClientAdmission.certificateOptional, ClientAdmission.certificateRequired] {
            try await TestServer.run(clients: { clients($0, nil) }) { test async throws in
                let device = try test.authority.issueClient(commonName: "device-7")
                let file = try curl.write(pem(device), "client.pem")
                let message = Greeting.envelope("Ada")
                let request =
                    "POST /soap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/xml\r\n"
                    + "SOAPAction: \"\"\r\nContent-Length: \(message.utf8.count)\r\n\r\n\(message)"
                for option in ["-sess_out", "-sess_in"] {
                    let answer = try await openssl(
                        [
                            "s_client", "-connect", "127.0.0.1:\(test.port)", version, "-ign_eof", "-cert", file,
                            "-key", file, "-cert_chain", file, option, curl.path("session"),
                        ], input: request)
                    #expect(answer.contains("New, TLSv"), "\(answer)")
                    #expect(answer.contains("Hello Ada, CN=device-7, none"), "\(answer)")
                }
            }
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"]) func theServerNamesTheAuthoritiesOfItsPolicy(version: String) async throws
    {
        let authority = try CertificateAuthority(commonName: "Fleet authority")
        for (policy, names) in [
            (TrustPolicy.anchors(authority.bundle), "Acceptable client certificate CA names\nCN = Fleet authority\n"),
            (.system, "No client certificate CA names sent"),
        ] {
            try await TestServer.run(
                authority: authority, clients: { _ in .certificateOptional(policy) }
            ) { test async throws in
                let said = try await openssl(["s_client", "-connect", "127.0.0.1:\(test.port)", version], input: "")
                #expect(said.contains(names), "\(said)")
            }
        }
    }

    private func pem(_ identity: Identity) -> [UInt8] {
        let parts = identity.chain.map { ("CERTIFICATE", $0.der) } + [("PRIVATE KEY", identity.privateKey?.pkcs8 ?? [])]
        let text = parts.map { type, der in
            let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN \(type)-----\n\(lines)\n-----END \(type)-----\n"
        }
        return Array(text.joined().utf8)
    }

    /// Waits without a thread: the server needs those that there are.
    private func openssl(_ arguments: [String], input: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = try FileHandle(
            forReadingFrom: URL(filePath: curl.write(Array(input.utf8), "input")))
        let output = URL(filePath: try curl.write([], "output"))
        let file = try FileHandle(forWritingTo: output)
        process.standardOutput = file
        process.standardError = file
        let ended = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        for await _ in ended.stream {}
        // The time limit of the tests ends the wait as well.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        return String(decoding: try Data(contentsOf: output), as: UTF8.self)
    }

    @Test func challengeIsAnsweredOnTheSameConnection() async throws {
        let authentication = ServerAuthentication.basic(realm: "Greetings") {
            $0.user == "service" && $0.password == "right"
        }
        try await TestServer.run(authentication: authentication) { test async throws in
            // With --anyauth curl asks without credentials first and repeats the request after the 401.
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(test.authority.issueClient())
                    + ["--anyauth", "--user", "service:right", "--write-out", "%{num_connects} %{http_code}"]
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.fields.components(separatedBy: "HTTP/2 ").count == 3)
            #expect(answer.body.contains("Hello Ada"))
        }
    }

    @Test func questionsDoNotShowSecrets() {
        let questions: [Any] = [
            PasswordQuestion(user: "ada", password: "secret"), TokenQuestion(token: "secret"),
        ]
        for question in questions {
            var dumped = ""
            dump(question, to: &dumped)
            #expect(!"\(question) \(String(reflecting: question)) \(dumped)".contains("secret"))
        }
    }

    @Test func theErrorOfAPasswordCheckIsNotShownToThePeer() async throws {
        struct DatabasePasswordIsSecret: Error {}
        let authentication = ServerAuthentication.basic(realm: "Greetings") { _ in throw DatabasePasswordIsSecret() }
        try await TestServer.run(authentication: authentication) { test async throws in
            let answer = try await curl(
                test.url,
                curl.trusting(test.authority) + curl.showing(test.authority.issueClient()) + ["--user", "a:b"]
                    + Greeting.posting(Greeting.envelope("Ada")))
            #expect(answer.status == 500)
            #expect(!(answer.body + answer.fields).contains("Secret"))
        }
    }
}
