#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDiagnosis
import SignetDoctor
import SignetDynamic
import SignetWSDL

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why calls to a service fail, and who has to act.",
        discussion: """
            Connects to the service several times, each time with one thing changed, and reports what it saw: addresses, \
            proxies, TLS, the certificates of both sides, whether and how the server asks for a client certificate, what \
            it answers. Each finding says what shows it, why it is so, what to do next, and who has to act.

            No user name and no password is sent to the service, and no operation is called: the requests are GET, and, \
            to a server that asks late for a certificate, an envelope without content. The identity is shown only to a \
            server that the options trust.

            With --listen it is a server instead, for clients that fail: it shows --identity as its own, demands a \
            certificate that comes from --ca, answers every request with a small text, and says of each connection what \
            the client offered, what it showed, and why it was refused.

            The status is 0 when nothing was found that makes calls fail, 1 when something was found or a \
            file cannot be used, 2 for wrong usage, such as an address that cannot be used.

            Examples:
              signet doctor https://api.example/soap
              signet doctor https://api.example/soap --ca authority.pem --identity device.p12 \\
                --identity-password-file device.password
              signet doctor --wsdl WebEase.wsdl --identity device.p12 --proxy http://proxy.example:3128
              signet doctor https://api.example/soap --identity device.p12 \\
                --document https://api.example/soap?wsdl
              signet doctor https://api.example/soap --identity device.p12 --save report.html
              signet doctor https://api.example/soap --identity device.p12 --save-evidence evidence
              signet doctor --listen 0.0.0.0:8443 --identity server.p12 --ca clients.pem --count 1
              signet doctor https://api.example/soap --json | jq -r .diagnosis.mostLikely
            """)

    @Argument(help: "The address of the service; that in the WSDL unless given.")
    var url: String?

    @Option(
        help: ArgumentHelp("The WSDL, whose other ports are examined too.", valueName: "file"),
        completion: .file(extensions: ["wsdl"]))
    var wsdl: String?

    @Option(
        help: ArgumentHelp(
            "Also fetch this WSDL without the identity, as many programs do.", valueName: "url"))
    var document: String?

    @Option(help: ArgumentHelp("How long each connection may take.", valueName: "seconds"))
    var timeout = 8

    @Flag(help: "Print the report as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Also write the report as a page.", valueName: "file"), completion: .file())
    var save: String?

    @Option(
        help: ArgumentHelp(
            "Also write all evidence into a new or empty folder, without secrets, for the support of the other side.",
            valueName: "folder"), completion: .directory)
    var saveEvidence: String?

    @Option(
        defaultAsFlag: ListeningAddress.usual,
        help: ArgumentHelp(
            "Be a server for clients that fail, until interrupted.", valueName: "address:port"))
    var listen: ListeningAddress? = nil

    @Option(help: ArgumentHelp("With --listen, end after so many connections.", valueName: "number"))
    var count: Int?

    @OptionGroup(title: "Who we are") var identity: IdentityOptions
    @OptionGroup(title: "Trust in the service") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions
    /// Known, so that the refusal says why.
    @OptionGroup(visibility: .hidden) var credentials: CredentialOptions

    func validate() throws {
        if credentials.isGiven || credentials.allowPlaintext {
            throw ValidationError(
                "The doctor sends no credentials to the service. Leave out --user, --token-file, --ticket and the like."
            )
        }
        if listen != nil {
            try validateListening()
        } else if count != nil {
            throw ValidationError("--count is about --listen; give it too.")
        } else if url == nil, wsdl == nil {
            throw ValidationError("Give the address of the service, or --wsdl.")
        }
        if let url { _ = try Endpoint(argument: url) }
        if let document { _ = try Endpoint(argument: document, "--document: the address") }
        if document != nil, identity.identity == nil || listen != nil {
            throw ValidationError(
                "--document is about a WSDL that may need the identity of a client; give --identity, without --listen.")
        }
        if identity.identityAnyway, listen == nil {
            throw ValidationError("--identity-anyway is left out: the report says what is wrong with the identity.")
        }
        if !(1...120).contains(timeout) { throw ValidationError("--timeout is from 1 to 120 seconds.") }
        if trust.revocation != .off {
            throw ValidationError(
                "--revocation is left out: the report says for each certificate whether it is revoked.")
        }
    }

    func run() async throws {
        if let listen { return try await self.listen(on: listen) }
        let ports = try wsdl.map(Self.ports) ?? []
        guard let address = url ?? ports.first?.url else {
            throw CommandError("No port in “\(wsdl ?? "")” has an address. Give the address of the service.")
        }
        let endpoint = try Endpoint(address)
        let evidence = saveEvidence.map(EvidenceFolder.init)
        try evidence?.check()
        try trust.check(for: endpoint)
        if identity.identity != nil, endpoint.origin.scheme == .http {
            throw CommandError(
                "--identity is about TLS, but \(endpoint.origin) uses plain HTTP; give an address with https://, or leave --identity out."
            )
        }
        var connection = ConnectionConfiguration()
        try trust.apply(to: &connection)
        connection.proxy = try proxy.load()
        var examination = Examination(of: endpoint, connection) { Int64(Date().timeIntervalSince1970) }
        do {
            if let own = try identity.loadIdentity() { examination.use(own, isShownLate: identity.identityLate) }
        } catch {
            guard let problem = IdentityError(ofKeyFile: error) else { throw error }
            examination.identityFile = IdentityFileProblem(problem)
        }
        examination.ports = ports.map { port in
            var port = port
            port.isTarget = (try? Endpoint(port.url)) == endpoint
            return port
        }
        examination.document = try document.map { try Endpoint($0) }
        examination.stepLimit = .seconds(timeout)
        if isatty(STDERR_FILENO) == 1 {
            examination.progress = { print("\(TerminalText.line($0)) …", to: &standardError) }
        }
        let result = try await examination.run()
        let report = DoctorReport(of: endpoint, result.facts)
        print(json ? TerminalText.json(report.json) : TerminalText.block(report.text))
        // The report is not lost when the page cannot be written.
        if let save {
            do { try Data(report.html.utf8).write(to: URL(filePath: save)) } catch {
                throw CommandError("The report cannot be written to “\(save)”: \(error.fileReason).")
            }
        }
        try evidence?.write(
            EvidenceBundle(of: endpoint, result, identity: examination.identity.map(PublicIdentity.init)))
        if report.diagnosis.mostLikely != nil { throw ExitCode(1) }
    }

    private static func ports(of wsdl: String) throws -> [PortFacts] {
        let service = try DynamicService(try WSDLLoader.load(file: wsdl), service: nil, port: nil)
        return service.ports.compactMap { port in port.address.map { PortFacts(port.name, url: $0) } }
    }
}
#endif
