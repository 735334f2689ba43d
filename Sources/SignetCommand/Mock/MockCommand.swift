#if CommandLine
import ArgumentParser
import Foundation
import Logging
import Signet
import SignetDynamic
import SignetMock
import SignetServer
import SignetWSDL

struct MockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Answer every operation of a WSDL, to write a client against before there is a service.",
        discussion: """
            Starts a server on this machine that answers with examples the schema allows, or as rules say. It checks \
            each request against the schema, and tells the client and you what is wrong with it. It demands \
            certificates, passwords or signatures if you ask for that. Each service has the path of its address in the \
            WSDL; GET with ?wsdl gives the WSDL with the address of the mock, unless the port is 0. Ctrl-C ends it.

            Rules are a JSON array; the first one that matches a request decides:
              [{"operation": "LogEntryQuery", "when": {"patientId": "4711"}, "answer": {"entry": [], "truncated": false}},
               {"operation": "LogEntryQuery", "fault": {"element": "EntryNotFound", "detail": {"id": 7}, "reason": "No such entry."}},
               {"operation": "*", "times": 2, "break": "reset"},
               {"operation": "*", "delay": 0.5}]
            ‘break’ is one of close, empty, html, malformed, reset, truncate; ‘status’ answers with an HTTP status.

            Examples:
              signet mock WebEase.wsdl
              signet mock WebEase.wsdl --seed 7 --rules rules.json
              signet mock WebEase.wsdl --recorded recording
              signet mock WebEase.wsdl --tls tls --require-certificate --user anna --password-env PASSWORD
              signet call WebEase.wsdl LogEntryQuery --endpoint http://127.0.0.1:8080/soap --set patientId=4711
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports may lead to; the WSDL's own unless given.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Option(help: ArgumentHelp("Answer for this service only.", valueName: "name"))
    var service: String?

    @Option(help: ArgumentHelp("Answer for this port only.", valueName: "name"))
    var portName: String?

    @Option(
        help: ArgumentHelp(
            "Where to listen, such as 127.0.0.1:9000 or [::1]:0; port 0 takes a free one. 127.0.0.1:8080 unless given, with TLS 127.0.0.1:8443.",
            valueName: "address:port"))
    var listen: ListeningAddress?

    @Option(
        help: ArgumentHelp(
            "Answer by chance instead of with examples; the same number gives the same answers.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("A file of rules, in JSON (see above).", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var rules: String?

    @Option(
        help: ArgumentHelp(
            "A folder of ‘signet record’, from which requests are answered; others get a fault.", valueName: "folder"),
        completion: .directory)
    var recorded: String?

    @Flag(help: "Answer requests that depart from the schema too, and say only here what is wrong with them.")
    var lenient = false

    @Flag(help: "Print each request as a line of JSON.")
    var json = false

    @OptionGroup(title: "TLS") var tls: MockTLSOptions
    @OptionGroup(title: "What clients must prove") var proof: MockAuthenticationOptions

    func validate() throws {
        if recorded != nil, seed != nil || lenient {
            throw ValidationError("--recorded answers only what was recorded; leave out --seed and --lenient.")
        }
    }

    func run() async throws {
        let mocked: [MockedService]
        do { mocked = try MockedService.all(inFile: wsdl, root: root, service: service, port: portName) } catch {
            throw CommandError(TerminalText.block("\(error)"))
        }
        let lines = MockLines(name: "mock", isJSON: json, style: Style(for: STDOUT_FILENO))
        var mock = Mock(mocked)
        let unreadable: [(operation: String, reason: String)]
        do { unreadable = try mock.unreadableOperations() } catch {
            throw CommandError(TerminalText.block(error.description))
        }
        for (operation, reason) in unreadable {
            lines.warn("the input of \(operation) cannot be read in full: \(reason)")
        }
        mock.seed = seed
        mock.isLenient = lenient
        if let rules {
            let bytes = try BoundedFile.read(rules, name: "The file of rules “\(rules)”", maximumBytes: 16 << 20)
            do { mock.rules = try MockRules.read(bytes, name: rules, for: mocked.map(\.service)) } catch {
                throw CommandError(TerminalText.block(error.description))
            }
        }
        if let recorded {
            do {
                let exchanges = try Recording.exchanges(in: recorded)
                for name in Set(exchanges.flatMap(\.exchange.secretNames)) { SecretName.add(name) }
                let answers = try await RecordedAnswers(exchanges, for: mocked)
                for problem in answers.problems { lines.warn("not used: \(problem)") }
                mock.recorded = answers
            } catch let error as MockError { throw CommandError(TerminalText.block(error.description)) }
        }
        let address = listen ?? (tls.isGiven ? .usual : .usualWithoutTLS)
        let configuration = try tls.load(for: address)
        var settings = SOAPServer.Settings()
        (settings.host, settings.port) = (address.host, address.port)
        // A client that waits for a late answer does not keep the mock from ending.
        settings.shutdownGrace = .seconds(2)
        settings.logger = Logger(label: "signet.mock") { _ in MockLog { lines.warn($0) } }
        var services = try mock.hosted(&settings) { lines.show($0) }
        let readable = recorded == nil ? mock.operationsWithoutAnswer() : []
        for (operation, reason) in readable where !unreadable.contains(where: { $0.operation == operation }) {
            lines.warn("\(operation) has no answer, unless a rule gives one: \(reason)")
        }
        try await proof.apply(to: &services, &settings)
        // Without its address, the WSDL would lead clients to the real service.
        if address.port != 0 { publish(&services, of: mocked, at: address, isSecure: configuration != nil, lines) }
        let server =
            if let configuration { try SOAPServer(services, tls: configuration, settings: settings) } else {
                try SOAPServer.withoutTLS(services, settings: settings)
            }
        let withWSDL = Set(services.filter { $0.wsdl != nil }.map(\.path))
        let addresses = mocked.flatMap { mocked in
            ([mocked.path] + mocked.otherPaths).map {
                MockLines.Address(service: mocked.service, path: $0, hasWSDL: withWSDL.contains($0))
            }
        }
        let run = MockRun(server: server) { port in
            lines.begin(addresses) { address.url(port: port, path: $0, isSecure: configuration != nil) }
        }
        try await run.untilSignal(settings.logger)
    }

    /// Gives each service the WSDL, in which each port has its address at the mock.
    private func publish(
        _ services: inout [HostedService], of mocked: [MockedService], at address: ListeningAddress, isSecure: Bool,
        _ lines: MockLines
    ) {
        func endpoint(_ path: String) throws -> Endpoint {
            try Endpoint(address.url(port: address.port, path: path, isSecure: isSecure))
        }
        do {
            var ports: [PublishedWSDL.Port: Endpoint] = [:]
            for mocked in mocked {
                for (name, path) in mocked.ports {
                    ports[.init(service: mocked.service.name, port: name)] = try endpoint(path)
                }
            }
            for index in services.indices {
                services[index].wsdl = try PublishedWSDL(
                    file: wsdl, address: try endpoint(services[index].path), ports: ports, root: root)
            }
        } catch { lines.warn("?wsdl gives no WSDL: \(error)") }
    }
}
#endif
