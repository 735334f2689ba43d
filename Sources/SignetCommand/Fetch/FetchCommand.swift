#if CommandLine
import ArgumentParser
import HTTPTypes
import Signet
import SignetCredentialsSQLite
import SignetWSDL

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch a WSDL and what it imports into a folder, for builds without a network.",
        discussion: """
            Imports are followed to the service's own origin; other hosts are asked only where --allow-host names them, and \
            never see the identity, the credentials or the fields, nor are they held to the pins. The folder gets the \
            documents as they came, a catalog.xml that says which address each has, and a signet-bundle.json with their \
            SHA-256. With --check nothing is written, and the status is 1 when the server has something else.

            Examples:
              signet fetch https://service.example/ws?wsdl --output Sources/App/WSDL
              signet fetch https://service.example/ws?wsdl --output WSDL \\
                --ca authority.pem --identity device.p12 --allow-host schemas.example
              signet fetch https://service.example/ws?wsdl --output WSDL --check
              signet generate WSDL/ws.wsdl --output Sources/App/Generated
            """)

    @Argument(help: "The address of the WSDL.")
    var url: String

    @Option(
        help: ArgumentHelp("The folder that the documents are put into.", valueName: "folder"),
        completion: .directory)
    var output: String

    @Flag(help: "Write nothing: compare the folder with what the server has.")
    var check = false

    @Flag(help: "Print what was fetched, or what differs, as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Another host that imports may lead to; may be repeated.", valueName: "host[:port]"))
    var allowHost: [String] = []

    @Flag(help: "Fetch also over plain HTTP, where an attacker on the network can read and change the documents.")
    var allowHTTP = false

    @Option(help: ArgumentHelp("How many redirects are followed for a document.", valueName: "number"))
    var redirects = 0

    @Option(help: ArgumentHelp("How many documents are fetched at most.", valueName: "number"))
    var maximumDocuments = 500

    @Option(help: ArgumentHelp("How many bytes the documents have at most, all together.", valueName: "bytes"))
    var maximumBytes = 64 << 20

    @OptionGroup var fields: FieldOptions

    @Option(help: ArgumentHelp("How long each document may take.", valueName: "seconds"))
    var timeout: Double?

    @OptionGroup(title: "Who we are") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "The store, with --stored") var store: StoreOptions
    @OptionGroup(title: "Trust in the service") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    func validate() throws {
        try credentials.check(store)
        let start = try Endpoint(argument: url)
        if start.origin.scheme == .http, !allowHTTP {
            throw ValidationError(
                "\(start.origin) is plain HTTP, where an attacker on the network can change the documents. Allow it with --allow-http."
            )
        }
        guard (0...10).contains(redirects) else { throw ValidationError("--redirects is a number from 0 to 10.") }
        guard maximumDocuments > 0, maximumBytes > 0 else {
            throw ValidationError("--maximum-documents and --maximum-bytes are above 0.")
        }
        if let timeout, !(timeout > 0 && timeout <= TimeoutOptions.longestTimeout) {
            throw ValidationError(
                "--timeout is a number of seconds above 0 and at most \(Int(TimeoutOptions.longestTimeout)).")
        }
        for host in allowHost where (try? Endpoint("https://\(host)"))?.path != "/" || host.hasSuffix("/") {
            throw ValidationError("--allow-host: “\(host)” is no host. Write host or host:port.")
        }
    }

    func run() async throws {
        var rules = FetchRules(start: try Endpoint(url))
        rules.hosts = Set(try allowHost.flatMap(Self.authorities))
        rules.allowsHTTP = allowHTTP
        rules.redirects = redirects
        rules.documents = maximumDocuments
        rules.bytes = maximumBytes
        let bundle = DocumentBundle(try await credentials.withStore(store) { try await fetch(rules, $0) })
        for omission in bundle.omissions {
            warn("warning: \(omission.address) is not fetched: \(omission.reason).")
        }
        for diagnostic in try bundle.load().diagnostics { warn("\(diagnostic)") }
        let folder = BundleFolder(path: output)
        if check {
            let changes = try folder.changes(to: bundle)
            if json {
                try Output.report(changes)
            } else {
                for change in changes { print(TerminalText.line(change.line)) }
            }
            if !changes.isEmpty { throw ExitCode(1) }
        } else {
            try folder.write(bundle)
            if json {
                try Output.report(bundle.manifest)
            } else {
                for entry in bundle.entries { print(TerminalText.line("\(output)/\(entry.file)")) }
            }
        }
    }

    private func warn(_ line: String) { print(TerminalText.line(line), to: &standardError) }

    /// The forms of the authority of this host's origins, for both schemes.
    private static func authorities(_ host: String) throws -> [String] {
        try ["https://\(host)", "http://\(host)"].map { try Endpoint($0).origin.authority }
    }

    private func fetch(_ rules: FetchRules, _ store: EncryptedDatabase?) async throws -> Fetcher.Outcome {
        let fields = try fields.load()
        var service = try ServiceConfiguration(rules.start.url)
        try trust.check(for: service.endpoint, authorities: false)
        try trust.apply(to: &service.connection)
        service.identity = try identity.loadIdentity().map { .fixed($0) }
        service.toleratedIdentityProblems = identity.toleratedIdentityProblems
        service.allowsIdentityInRenegotiation = identity.identityLate
        service.authentication = try credentials.load(for: service.endpoint, store)
        // Hosts other than the service get a separate transport without identity, credentials and pins.
        var withoutProofs = try ServiceConfiguration(rules.start.url)
        withoutProofs.trust = try trust.loadAnchors()
        service.proxy = try proxy.load()
        withoutProofs.proxy = service.proxy
        let transports = [try service.makeTransport(), try withoutProofs.makeTransport()]
        var deadlines = Deadlines()
        if let timeout { deadlines.total = .seconds(timeout) }
        let limits = deadlines
        let fetcher = Fetcher(rules: rules) { endpoint, party, maximumBytes in
            var request = ClientRequest(
                endpoint, method: .get, fields: party == .service ? fields : [:], deadlines: limits,
                maximumResponseBytes: maximumBytes)
            request.fields[.accept] = "text/xml, application/xml;q=0.9, */*;q=0.1"
            return try await transports[party == .service ? 0 : 1].send(request)
        }
        let result: Result<Fetcher.Outcome, any Error>
        do { result = .success(try await fetcher.run()) } catch { result = .failure(error) }
        for transport in transports { try await transport.shutdown() }
        return try result.get()
    }
}
#endif
