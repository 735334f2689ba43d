import Foundation
import Signet
import SignetDynamic
import SignetMock
import SignetServer
import SignetTesting
import Synchronization
import Testing

@testable import SignetDemo

/// `signet mock` and `signet record`, called by clients that others make.
@Suite(.serialized) struct MockTests {
    private static let wsdl = WebEasePeer.wsdl.path(percentEncoded: false)

    private func signet(
        _ arguments: [String], port: Int, during body: () async throws -> Void
    ) async throws {
        try await PeerProcess.run(
            .init(
                program: try SignetProgram.path(), arguments: arguments + ["--listen", "127.0.0.1:\(port)"],
                environment: ["PASSWORD": "geheim"], port: port), during: body)
    }

    @Test(arguments: ClientPeer.allCases, WebEasePeerTests.versions)
    func clientsOfOtherMakersAcceptAllAnswers(client: ClientPeer, version: SOAPVersion) async throws {
        let authority = try CertificateAuthority()
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.join(["server.pem", "server.key"], as: "both.pem")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        // An example is nothing that can be written back: its kind is that of an entry by hand.
        let port = try Port.free()
        try await signet(
            [
                "mock", Self.wsdl, "--identity", files.path("both.pem"), "--client-ca", files.path("authority.pem"),
                "--require-certificate", "--user", "anna", "--password-env", "PASSWORD",
            ], port: port
        ) { () async throws in
            func report(_ password: String) async throws -> [String: Call] {
                let text = try await client.report(
                    version, endpoint: "https://localhost:\(port)/soap", authority: authority,
                    identity: try authority.issueClient(commonName: "device-7"), credentials: ("anna", password))
                return try JSONDecoder().decode([String: Call].self, from: Data(text.utf8))
            }
            let calls = try await report("geheim")
            #expect(calls.count == 7)
            #expect(calls.values.allSatisfy { $0.hasResult && $0.contentType == version.mediaType }, "\(calls)")
            #expect(try await report("wrong").values.allSatisfy { !$0.hasResult })
        }
    }

    /// What a client says of a call, whatever its operation.
    private struct Call: Decodable {
        let hasResult: Bool
        let contentType: String?

        private enum Key: String, CodingKey { case result, contentType }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            hasResult = container.contains(.result)
            contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        }
    }

    /// A way of proof: the options of the mock, and those of a client that has it.
    private static let proofs: [(mock: [String], client: [String])] = [
        (["--signed-by", "authority.pem"], ["--wss-identity", "device.pem"]),
        (
            ["--wss-user", "anna", "--wss-password-env", "PASSWORD"],
            ["--wss-user", "anna", "--wss-password-file", "password", "--wss-allow-plaintext"]
        ),
        (["--token-env", "PASSWORD"], ["--token-file", "password", "--allow-plaintext"]),
        (
            ["--user", "anna", "--password-env", "PASSWORD", "--auth", "digest"],
            ["--user", "anna", "--password-file", "password", "--allow-plaintext"]
        ),
    ]

    @Test(arguments: 0..<4) func aClientWithoutTheProofIsRefused(number: Int) async throws {
        let (demands, proof) = Self.proofs[number]
        let authority = try CertificateAuthority()
        let port = try Port.free()
        let signet = try SignetProgram(WebEasePeer.wsdl, options: ["--endpoint", "http://127.0.0.1:\(port)/soap"])
        try await signet.files.write(try authority.issueClient(commonName: "device-7"), as: "own")
        try signet.files.join(["own.pem", "own.key"], as: "device.pem")
        try signet.files.write(authority.bundle.certificates, as: "authority.pem")
        try signet.files.write("geheim", as: "password")
        let files: Set = ["authority.pem", "device.pem", "password"]
        func placed(_ options: [String]) -> [String] { options.map { files.contains($0) ? signet.files.path($0) : $0 } }
        try await self.signet(["mock", Self.wsdl] + placed(demands), port: port) { () async throws in
            let without = try await signet.call("LogEntryQuery", ["--set", "patientId=1"])
            #expect(without.status == 1 && without.output.isEmpty, "\(without)")
            let with = try await signet.call("LogEntryQuery", ["--set", "patientId=1"] + placed(proof))
            #expect(with.status == 0 && with.output.contains("entry"), "\(with)")
        }
    }

    @Test func ntlmIsDemandedOfEachConnection() async throws {
        let port = try Port.free()
        try await signet(
            ["mock", Self.wsdl, "--user", "anna", "--password-env", "PASSWORD", "--auth", "ntlm"], port: port
        ) { () async throws in
            let url = "http://127.0.0.1:\(port)/soap"
            for user in ["anna:geheim", "CORP\\anna:geheim", "ANNA:geheim"] {
                let answer = try await curl(url, query("1"), options: ["--ntlm", "--user", user])
                #expect(
                    answer.output.contains("LogEntryQueryResponse") && answer.output.hasSuffix("[200]"), "\(answer)")
            }
            for user in ["anna:wrong", "otto:geheim"] {
                let answer = try await curl(url, query("1"), options: ["--ntlm", "--user", user])
                #expect(answer.output.hasSuffix("[401]"), "\(answer)")
            }
            #expect(try await curl(url, query("1")).output.hasSuffix("[401]"))
            let signet = try SignetProgram(WebEasePeer.wsdl, options: ["--endpoint", url])
            try signet.files.write("geheim", as: "password")
            let called = try await signet.call(
                "LogEntryQuery",
                [
                    "--set", "patientId=1", "--user", "anna", "--domain", "CORP", "--password-file",
                    signet.files.path("password"), "--auth", "ntlm", "--allow-plaintext",
                ])
            #expect(called.status == 0 && called.output.contains("entry"), "\(called)")
        }
    }

    @Test(arguments: [ClientPeer.zeep, .php], WebEasePeerTests.versions)
    func aClientCannotTellTheMockFromTheService(client: ClientPeer, version: SOAPVersion) async throws {
        let world = try await World()
        do { try await record(world, client, version) } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private func record(_ world: World, _ client: ClientPeer, _ version: SOAPVersion) async throws {
        let device = try world.deviceAuthority.issueClient(commonName: client.name)
        #expect(try await world.database.register(serialNumber: client.name, subject: device.leaf.subject))
        let files = try IdentityFiles()
        try await files.write(device, as: "device")
        try files.join(["device.pem", "device.key"], as: "both.pem")
        try files.write(world.serverAuthority.bundle.certificates, as: "authority.pem")
        try files.write(world.servicePassword, as: "password")
        let port = try Port.free()
        let address = "http://127.0.0.1:\(port)\(try Endpoint(world.address).path)"
        let recorded = Mutex("")
        try await signet(
            [
                "record", world.address, "--into", files.path("recording"), "--identity", files.path("both.pem"),
                "--ca",
                files.path("authority.pem"), "--user", World.serviceUser, "--password-file", files.path("password"),
            ], port: port
        ) { () async throws in
            // The client is a plain one: the recorder has the certificate and the password.
            let report = try await client.report(
                version, endpoint: address, authority: world.serverAuthority, identity: device)
            recorded.withLock { $0 = report }
        }
        let first = recorded.withLock { $0 }
        let calls = try JSONDecoder().decode([String: PeerCall].self, from: Data(first.utf8))
        #expect(calls.count == 7 && calls["create"]?.result?.entry?.source == client.name, "\(first)")
        #expect(calls["deleteAgain"]?.fault != nil)

        let folder = files.path("recording")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 21, "\(names)")
        let credentials = Data("\(World.serviceUser):\(world.servicePassword)".utf8).base64EncodedString()
        for name in names {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            for secret in [world.servicePassword, credentials, "uthorization", "PRIVATE KEY"] {
                #expect(!text.contains(secret), "\(name)")
            }
        }

        try await signet(["mock", Self.wsdl, "--recorded", folder], port: port) { () async throws in
            let replayed = try await client.report(
                version, endpoint: address, authority: world.serverAuthority, identity: device)
            #expect(replayed == first)
        }
    }

    // MARK: The server in this process

    private func serve(
        rules: String = "[]", wsdl: String = wsdl, tls: ServerTLSConfiguration? = nil,
        _ body: (_ url: String, _ events: @Sendable () -> [MockEvent]) async throws -> Void
    ) async throws {
        var mock = Mock(try MockedService.all(inFile: wsdl))
        mock.rules = try MockRules.read(Array(rules.utf8), name: "rules.json", for: mock.services.map(\.service))
        let events = EventList()
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.logger = Logger(label: "mock") { _ in MockLog { _ in } }
        let services = try mock.hosted(&settings) { event in events.all.withLock { $0.append(event) } }
        let server =
            if let tls { try SOAPServer(services, tls: tls, settings: settings) } else {
                try SOAPServer.withoutTLS(services, settings: settings)
            }
        let port = try await server.start()
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body("\(tls == nil ? "http" : "https")://127.0.0.1:\(port)\(mock.services[0].path)") {
                    events.all.withLock { $0 }
                })
        } catch { result = .failure(error) }
        await server.shutdown()
        try result.get()
    }

    private final class EventList: Sendable {
        let all = Mutex<[MockEvent]>([])
    }

    private func curl(_ url: String, _ body: String, options: [String] = []) async throws -> (
        status: Int32, output: String
    ) {
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:signet:example:webease:types"><s:Body>
            \(body)</s:Body></s:Envelope>
            """
        let result = try await PeerProcess.output(
            of: .init(
                program: "curl",
                arguments: [
                    "--disable", "--silent", "--show-error", "--insecure", "--noproxy", "*", "--max-time", "30",
                    "--write-out",
                    " [%{http_code}]", "--header", "Content-Type: text/xml", "--data-binary", envelope, url,
                ] + options))
        return (result.status, result.output)
    }

    private func query(_ patient: String) -> String {
        "<LogEntryQuery><patientId>\(patient)</patientId></LogEntryQuery>"
    }

    @Test(
        arguments: [
            // Exit statuses of curl: 52 nothing was received, 56 the connection was reset, 18 a part of the content only.
            ("\"break\": \"close\"", 52, "[000]"), ("\"break\": \"reset\"", 56, "[000]"),
            ("\"break\": \"truncate\"", 18, "<soap:Envelope"), ("\"break\": \"empty\"", 0, " [200]"),
            ("\"break\": \"html\"", 0, "<!DOCTYPE html>"), ("\"status\": 503", 0, "The mock answers with 503.\n [503]"),
            ("\"status\": 204", 0, " [204]"),
            ("\"fault\": {\"reason\": \"Not today.\", \"code\": \"server\"}", 0, "Not today."),
        ] as [(String, Int32, String)])
    func anAnswerIsSpoiltAsTheRuleSays(rule: String, status: Int32, text: String) async throws {
        let rules = "[{\"operation\": \"LogEntryQuery\", \"when\": {\"patientId\": \"1\"}, \(rule)}]"
        try await serve(rules: rules) { url, events async throws in
            let spoilt = try await curl(url, query("1"))
            #expect(spoilt.status == status && spoilt.output.contains(text), "\(spoilt)")
            let whole = try await curl(url, query("2"))
            #expect(whole.status == 0 && whole.output.hasSuffix("</soap:Envelope> [200]"), "\(whole)")
            #expect(events().map(\.operation) == ["LogEntryQuery", "LogEntryQuery"])
            #expect(events().first?.answer?.contains("rule 1") == true)
            #expect(events().last?.answer == "an example")
        }
    }

    @Test(arguments: [("close", 52, 92), ("reset", 56, 56)] as [(String, Int32, Int32)])
    func aConnectionOverTLSEndsTheSameWay(name: String, http1: Int32, http2: Int32) async throws {
        let identity = try CertificateAuthority().issueServer(ipAddresses: ["127.0.0.1"])
        let rules = "[{\"operation\": \"*\", \"break\": \"\(name)\"}]"
        try await serve(rules: rules, tls: .init(identity: .fixed(identity))) { url, _ async throws in
            let first = try await curl(url, query("1"), options: ["--http1.1"])
            #expect(first.status == http1, "\(first)")
            let second = try await curl(url, query("1"), options: ["--http2"])
            #expect(second.status == http2, "\(second)")
        }
    }

    @Test func rulesDecideAboutOneWayMessagesToo() async throws {
        let files = try IdentityFiles()
        try files.write(Self.oneWay, as: "oneway.wsdl")
        let rules = """
            [{"operation": "Tell", "when": {"word": "fault"}, "fault": {"reason": "Not today."}},
             {"operation": "Tell", "when": {"word": "reset"}, "break": "reset"},
             {"operation": "Tell", "when": {"word": "busy"}, "status": 503}]
            """
        try await serve(rules: rules, wsdl: files.path("oneway.wsdl")) { url, events async throws in
            func tell(_ word: String) async throws -> (status: Int32, output: String) {
                try await curl(url, "<Tell xmlns=\"urn:t\"><word>\(word)</word></Tell>")
            }
            #expect(try await tell("hello").output == " [202]")
            #expect(try await tell("fault").output.contains("Not today."))
            #expect(try await tell("reset").status == 56)
            #expect(try await tell("busy").output.hasSuffix("[503]"))
            let wrong = try await curl(url, "<Tell xmlns=\"urn:t\"><wrong/></Tell>")
            #expect(wrong.output.contains("“wrong” is not known here") && wrong.output.hasSuffix("[500]"), "\(wrong)")
            #expect(events().map(\.operation) == Array(repeating: "Tell", count: 5))
            #expect(events().map(\.status) == [202, 500, nil, 503, 500])
        }
    }

    private static let oneWay = """
        <definitions targetNamespace="urn:w" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:w="urn:w" xmlns:t="urn:t"
            xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified"><xs:element name="Tell"><xs:complexType>
          <xs:sequence><xs:element name="word" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema></types>
        <message name="Tell"><part name="p" element="t:Tell"/></message>
        <portType name="P"><operation name="Tell"><input message="w:Tell"/></operation></portType>
        <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Tell"><s:operation soapAction="urn:tell"/><input><s:body use="literal"/></input></operation></binding>
        <service name="S"><port name="A" binding="w:B"><s:address location="http://localhost/a"/></port></service>
        </definitions>
        """

    @Test func theMalformedAnswerDoesNotEnd() async throws {
        try await serve(rules: "[{\"operation\": \"*\", \"break\": \"malformed\"}]") { url, _ async throws in
            let answer = try await curl(url, query("1"))
            #expect(answer.status == 0 && answer.output.contains("<soap:Envelope"), "\(answer)")
            #expect(!answer.output.contains("</soap:Envelope>") && answer.output.hasSuffix("[200]"))
        }
    }

    @Test func operatorAndClientLearnWhatIsWrong() async throws {
        try await serve { url, events async throws in
            let wrong = "<LogEntryQuery><patientId>1</patientId><kind>Nobody</kind><limit>x</limit></LogEntryQuery>"
            let answer = try await curl(url, wrong)
            #expect(
                answer.output.contains("line 2, column 40") && answer.output.contains("line 2, column 59"), "\(answer)")
            #expect(answer.output.contains("one of ‘Manual’, ‘Device’, ‘Imported’ and ‘Corrected’ is expected"))
            _ = try await curl(url, "<Unknown/>")
            _ = try await curl(url.replacing("/soap", with: "/else"), query("1"))
            let all = events()
            #expect(all.map(\.status) == [500, 500, 404])
            #expect(all.map(\.operation) == ["LogEntryQuery", nil, nil])
            #expect(all[0].remarks.contains { $0.contains("“x” is not a value of xs:int") }, "\(all)")
            #expect(all[1].remarks.contains { $0.contains("no operation that takes “Unknown”") }, "\(all)")
            #expect(all[2].remarks == ["refused: another path"], "\(all)")
        }
    }

    @Test func aDelayIsKept() async throws {
        try await serve(rules: "[{\"operation\": \"*\", \"times\": 1, \"delay\": 0.4}]") { url, _ async throws in
            let clock = ContinuousClock()
            let took = try await clock.measure { _ = try await curl(url, query("1")) }
            #expect(took >= .milliseconds(400))
        }
    }

    // MARK: The recorder in this process

    /// What the service behind the recorder has got.
    private final class Arrivals: ServerHTTPMiddleware {
        let all = Mutex<[ServerRequest]>([])

        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse {
            all.withLock { $0.append(request) }
            if request.fields[.authorization] == nil {
                return ServerResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            var response = try await next(request)
            response.fields[.setCookie] = "session=geheim"
            return response
        }
    }

    @Test func theRecorderPassesOnWhatIsForTheService() async throws {
        let arrivals = Arrivals()
        let mock = Mock(try MockedService.all(inFile: Self.wsdl))
        var settings = SOAPServer.Settings()
        settings.port = 0
        var services = try mock.hosted(&settings) { _ in }
        for index in services.indices { services[index].dispatcher.checksInput = true }
        settings.httpMiddlewares.insert(arrivals, at: 0)
        let server = try SOAPServer.withoutTLS(services, settings: settings)
        let port = try await server.start()
        let files = try IdentityFiles()
        let recorderPort = try Port.free()
        try await signet(
            ["record", "http://127.0.0.1:\(port)/soap", "--into", files.path("recording")], port: recorderPort
        ) { () async throws in
            let url = "http://127.0.0.1:\(recorderPort)/soap?client=100"
            let challenged = try await curl(url, query("1"), options: ["--include"])
            #expect(challenged.output.contains("[401]"), "\(challenged)")
            #expect(challenged.output.lowercased().contains("www-authenticate: basic realm=\"r\""), "\(challenged)")
            let answered = try await curl(
                url, query("1"),
                options: [
                    "--include", "--user", "anna:geheim", "--header", "Connection: keep-alive, X-Hop", "--header",
                    "X-Hop: 1",
                    "--header", "X-Other: 2", "--header", "Proxy-Authorization: Basic eDp5",
                ])
            #expect(answered.output.contains("[200]") && answered.output.contains("session=geheim"), "\(answered)")
        }
        await server.shutdown()
        let request = try #require(arrivals.all.withLock { $0.last })
        #expect(request.path == "/soap?client=100")
        let names = Set(request.fields.map { $0.name.canonicalName })
        #expect(names.contains("x-other") && names.contains("authorization"))
        #expect(names.isDisjoint(with: ["x-hop", "proxy-authorization"]))
        let folder = files.path("recording")
        let recorded = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(recorded == ["0001-answer.xml", "0001-request.xml", "0001.json"])
        for name in recorded {
            #expect(try !String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).contains("geheim"), "\(name)")
        }
    }
}
