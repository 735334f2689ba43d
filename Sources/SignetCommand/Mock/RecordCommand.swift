#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetMock
import SignetServer
import SignetWSDL

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Pass calls on to a service and record them without secrets, for ‘signet mock --recorded’.",
        discussion: """
            Starts a server on this machine, without TLS. Let the client call it instead of the service: same path, \
            other host and port. It passes each POST on to the address that you give here, with the identity and the \
            credentials that you give here, and gives the client the answer. Ctrl-C ends it.

            The recording has files for each exchange: 0001.json, 0001-request.xml and 0001-answer.xml. They have \
            no HTTP fields but the media type and the action. The values of elements and attributes whose names look \
            secret are replaced; name others with --secret. Each attachment has a file of its own; those that \
            secret elements name are left out. Answers 401 are passed on and not recorded. Other data of the messages \
            stays: keep the recording as carefully as the data of the service.

            Examples:
              signet record https://diary.example/soap --into recording --identity device.p12 --ca authority.pem
              signet mock WebEase.wsdl --recorded recording
            """)

    @Argument(help: ArgumentHelp("The address of the service.", valueName: "url"))
    var endpoint: String

    @Option(
        help: ArgumentHelp("The folder of the recording, which is made if it does not exist.", valueName: "folder"),
        completion: .directory)
    var into: String

    @Option(
        help: ArgumentHelp(
            "Where to listen, such as 127.0.0.1:9000 or [::1]:0; port 0 takes a free one. 127.0.0.1:8080 unless given.",
            valueName: "address:port"))
    var listen: ListeningAddress?

    @OptionGroup var secrets: SecretNameOptions

    @Option(help: ArgumentHelp("How long the service may take for an answer; 60 unless given.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print each exchange as a line of JSON.")
    var json = false

    @OptionGroup(title: "Who we are") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "The store, with --stored") var store: StoreOptions
    @OptionGroup(title: "Trust in the service") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    func validate() throws {
        _ = try Endpoint(argument: endpoint)
        try credentials.check(store, fieldFiles: [])
        if let timeout, !(timeout > 0 && timeout <= TimeoutOptions.longestTimeout) {
            throw ValidationError(
                "--timeout is a number of seconds above 0 and at most \(Int(TimeoutOptions.longestTimeout)).")
        }
    }

    func run() async throws {
        secrets.add()
        var configuration = try ServiceConfiguration(endpoint)
        configuration.allowsPlaintextCredentials = credentials.allowPlaintext
        try trust.check(for: configuration.endpoint)
        try trust.apply(to: &configuration.connection)
        if let timeout {
            configuration.deadlines.total = .seconds(timeout)
            configuration.deadlines.read = .seconds(timeout)
            configuration.deadlines.connect = min(configuration.deadlines.connect, .seconds(timeout))
        }
        configuration.identity = try identity.loadIdentity().map { .fixed($0) }
        configuration.toleratedIdentityProblems = identity.toleratedIdentityProblems
        configuration.allowsIdentityInRenegotiation = identity.identityLate
        configuration.proxy = try proxy.load()
        let recording: Recording
        do { recording = try Recording(adding: into) } catch {
            throw CommandError(TerminalText.block(error.description))
        }
        try await credentials.withStore(store) { store in
            var configuration = configuration
            configuration.authentication = try credentials.load(for: configuration.endpoint, store)
            try await serve(configuration, recording)
        }
    }

    private func serve(_ configuration: ServiceConfiguration, _ recording: Recording) async throws {
        let address = listen ?? .usualWithoutTLS
        let lines = MockLines(name: "record", isJSON: json, style: Style(for: STDOUT_FILENO))
        let transport = try configuration.makeTransport()
        var recorder = Recorder(configuration.endpoint, over: transport, into: recording) { lines.show($0) }
        recorder.passesCredentials = !credentials.isGiven
        recorder.deadlines = configuration.deadlines
        recorder.secretNames = secrets.secret
        var settings = SOAPServer.Settings()
        (settings.host, settings.port) = (address.host, address.port)
        settings.shutdownGrace = .seconds(2)
        settings.logger = Logger(label: "signet.record") { _ in MockLog(showsRefusals: true) { lines.warn($0) } }
        let path = String(configuration.endpoint.path.prefix { $0 != "?" })
        let server = try recorder.server(tls: nil, settings: settings)
        do {
            try await MockRun(server: server) { port in
                lines.begin(
                    recorderOf: "\(configuration.endpoint)", at: address.url(port: port, path: path, isSecure: false),
                    into: into)
            }.untilSignal(settings.logger)
        } catch {
            try? await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
    }
}
#endif
