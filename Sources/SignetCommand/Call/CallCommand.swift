#if CommandLine
import ArgumentParser
import Foundation
import HTTPTypes
import Signet
import SignetDynamic
import SignetWSDL

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call an operation of a service, without generated code.",
        discussion: """
            The input is JSON by the local names of elements: --sample prints one to fill in. --set puts single values into \
            it, which the schema's types read: a.b=text, a[0].b=text, a[]=text for one more, a.@attribute=text, a:=JSON for \
            anything else. The answer is printed as JSON on standard output; faults and refusals are said on standard error \
            with status 1, wrong usage with 2.

            Passwords come from files, the environment or the terminal, never from arguments, which others can read.

            Examples:
              signet call WebEase.wsdl LogEntryQuery --sample > query.json
              signet call WebEase.wsdl LogEntryQuery --json query.json \\
                --ca authority.pem --identity device.p12 --user app
              signet call WebEase.wsdl LogEntryQuery --set patientId=P-4711 \\
                --set kind[]=Manual --set kind[]=Device \\
                --set entryDate.operator=after --set entryDate.value=2026-11-01 \\
                --identity device.p12 --identity-password-file device.password \\
                --user app --password-env WEBEASE_PASSWORD --verbose
              signet call WebEase.wsdl LogEntryDelete --set id=12 --dry-run
              signet call WebEase.wsdl LogEntryDelete --set id=12 --proxy http://proxy.example:3128 \\
                --proxy-user clerk --proxy-password-env PROXY_PASSWORD --proxy-allow-plaintext
              signet call Archive.wsdl Forward --set to=registry --attach 'scan.tiff;image/tiff' --attachments received
              echo '{"id": 12}' | signet call WebEase.wsdl LogEntryDelete \\
                --json - --soap 1.2 --endpoint https://test.example/soap
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Argument(help: "The operation, by its name in the WSDL.")
    var operation: String

    @Option(
        help: ArgumentHelp(
            "A value of the input; may be repeated, also to change what --json gives.", valueName: "path=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("The input as JSON.", valueName: "file|-"), completion: .file())
    var json: String?

    @Flag(help: "Print the answer's envelope as it came, instead of JSON.")
    var xml = false

    @Flag(help: "Print an input to fill in, as JSON. Nothing is sent.")
    var sample = false

    @Flag(
        help:
            "Print the envelope (without SOAP: the content, or the address), and where it would go. Nothing is sent, no password is asked for."
    )
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Say on standard error what happened on the wire, and what caused an error.")
    var verbose = false

    @Flag(help: "Also show the messages, with values replaced whose names look secret.")
    var trace = false

    @OptionGroup var secrets: SecretNameOptions

    @OptionGroup var access: AccessOptions
    @OptionGroup(title: "Beside the envelope") var attachments: AttachmentOptions

    func validate() throws {
        do { _ = try assignments() } catch { throw ValidationError("--set: \(error)") }
        if json == "-", access.request.headerBlocks == "-" {
            throw ValidationError("--json and --header-blocks cannot both be read from standard input.")
        }
        if sample {
            let ineffective = [(dryRun, "--dry-run"), (!set.isEmpty, "--set"), (json != nil, "--json"), (xml, "--xml")]
            if let (_, name) = ineffective.first(where: \.0) {
                throw ValidationError("Give either --sample or \(name).")
            }
        }
    }

    private func assignments() throws(CommandError) -> [InputAssignment] {
        try set.map { (argument) throws(CommandError) in try InputAssignment(argument) }
    }

    func run() async throws {
        secrets.add()
        do { try await call() } catch {
            FailureLines.print(error, isVerbose: verbose || trace)
            throw ExitCode(1)
        }
    }

    private func call() async throws {
        let target = try CallTarget(wsdl: wsdl, request: access.request)
        if verbose || trace { for line in target.service.warnings { remark(line) } }
        if sample {
            Output.json(try target.service.sample(of: operation))
            return
        }
        let described = try target.service.operation(operation)
        for item in described.unsupportedRequirements {
            remark(
                "the policies of the WSDL demand \(item); signet does not do that, and the service may refuse the call")
        }
        for item in described.unknownRequirements {
            remark("it is not known what the policies of the WSDL demand: \(item); the service may refuse the call")
        }
        let input = try DynamicValue.assembled(assignments(), over: try json.map(InputFile.value) ?? .object([]))
        let headers = try access.request.headerBlocks.map(InputFile.value) ?? .object([])
        var (configuration, missing) = try access.configuration(for: described, target)
        if attachments.mtom { configuration.attachments.mtom = .always() }
        let attached = try attachments.load()
        if dryRun {
            for line in missing { remark(line) }
            try await show(input, headers, target, configuration)
            return
        }
        if let first = missing.first {
            for line in missing.dropFirst() { remark(line) }
            throw CommandError("Nothing was sent. \(first)")
        }
        try access.addProofs(to: &configuration, for: described, target)
        if trace { configuration.logger = Logger(label: "signet", factory: { _ in TraceLog() }) }
        if verbose || trace {
            configuration.onExchange = { exchange in for line in exchange.lines { remark(line) } }
        }
        try await access.credentials.withStore(access.store) { store in
            var configuration = configuration
            configuration.authentication = try access.credentials.load(for: configuration.endpoint, store)
            try await send(input, headers, attached, target, configuration)
        }
    }

    private func send(
        _ input: DynamicValue, _ headers: DynamicValue, _ attached: [MessageAttachment], _ target: CallTarget,
        _ configuration: ServiceConfiguration
    ) async throws {
        let transport = RecordingTransport(try configuration.makeTransport(), records: xml)
        let client = DynamicClient(target.service, configuration.caller(over: transport))
        let result: Result<DynamicAnswer, any Error>
        do {
            result = .success(try await client.answer(to: operation, input, headers: headers, attachments: attached))
        } catch { result = .failure(error) }
        try await transport.shutdown()
        if xml, let answer = transport.answer, result.isAnswer { try Output.document(answer) }
        let answer = try result.get()
        // One-way operations have no answer to print. The answer is printed before attachments are saved, so that an
        // unwritable folder does not lose it.
        if !xml, try target.service.operation(operation).output != nil { Output.json(answer.output) }
        for line in DeviationLines.lines(answer.deviations, isVerbose: verbose || trace) { remark(line) }
        for line in try await attachments.save(answer.attachments) { remark(line) }
    }

    private func show(
        _ input: DynamicValue, _ headers: DynamicValue, _ target: CallTarget, _ configuration: ServiceConfiguration
    ) async throws {
        let client = DynamicClient(target.service, configuration.caller(over: NoTransport()))
        let document: [UInt8]
        if let request = try client.plainRequest(of: operation, input, headers: headers) {
            let content = request.body.bytes ?? []
            document = content.isEmpty ? Array("\(request.endpoint.origin)\(request.path)".utf8) : content
            remark("\(request.method) \(configuration.endpoint)")
            remark("HTTP without SOAP, \(content.count) bytes")
        } else {
            document = try await client.attemptedEnvelope(of: operation, input, headers: headers)
            let action = try target.service.operation(operation).soapAction
            let version = (configuration.version ?? target.service.version)?.description ?? ""
            remark("POST \(configuration.endpoint)")
            remark("\(version), SOAPAction \"\(action)\", \(document.count) bytes")
        }
        let shown = try access.request.fields.arguments()
        for field in configuration.fields {
            // Fields from a file may be secret.
            remark("\(field.name): \(shown.contains(field) ? field.value : "(from a file)")")
        }
        if let file = access.identity.identity { remark("identity: \(file)") }
        if let user = access.credentials.user { remark("user: \(user)") }
        if let user = access.messageUser.wssUser { remark("user in the message: \(user)") }
        if let file = access.messageSignature.wssIdentity { remark("signed by: \(file), which is left out here") }
        remark("nothing was sent")
        try Output.document(document)
    }
}

extension Result<DynamicAnswer, any Error> {
    /// Whether the error is an answer of the service itself.
    fileprivate var isAnswer: Bool {
        switch self {
        case .success: true
        case .failure(let error): error is SOAPFault || error is DynamicFault
        }
    }
}
#endif
