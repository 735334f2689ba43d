#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDynamic
import SignetWSDL
import Synchronization

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Give operations of a service to an agent as tools (Model Context Protocol).",
        discussion: """
            Speaks the Model Context Protocol over standard input and output, in the revision \(MCPServer.revisions[0]) and \
            earlier ones. The agent sees the operations that --allow names, with the schemas of their inputs, and gets \
            answers as JSON. It never gets the identity, passwords or tokens that the options below give, nor values of \
            the service whose names look secret. What the service sends is marked as data.

            Standard input carries the protocol: passwords come from files, the environment or a store.

            Examples:
              signet mcp WebEase.wsdl --allow LogEntryQuery --identity device.p12 \\
                --identity-password-file device.password --ca authority.pem \\
                --user app --password-file app.password --print-config
              signet mcp WebEase.wsdl --allow LogEntryQuery --allow LogEntryCreate --dry-run
              signet mcp WebEase.wsdl --allow LogEntryQuery --audit calls.jsonl --calls-per-minute 10
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(help: ArgumentHelp("An operation that the agent may call; may be repeated.", valueName: "operation"))
    var allow: [String] = []

    @Flag(help: "Allow all operations that can be called.")
    var allowAll = false

    @Flag(help: "Show the agent the message of each call, and send nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Members of inputs that the agent neither sees nor changes: JSON, an object by operations.",
            valueName: "file"),
        completion: .file())
    var fixed: String?

    @Option(
        help: ArgumentHelp("Append a line of JSON for each call to this file.", valueName: "file"), completion: .file())
    var audit: String?

    @Option(help: ArgumentHelp("How many calls the agent may make a minute, from 1 to 6000.", valueName: "number"))
    var callsPerMinute = 30

    @Option(
        help: ArgumentHelp(
            "The longest answer, in bytes of JSON; it is sent as text and once more as structured content.",
            valueName: "bytes"))
    var answerBytes = 64 << 10

    @Flag(help: "Print what to write into the configuration of an agent, and end.")
    var printConfig = false

    @OptionGroup var secrets: SecretNameOptions
    @OptionGroup var access: AccessOptions

    func validate() throws {
        guard allow.isEmpty == allowAll else {
            throw ValidationError("Name operations with --allow, or give --allow-all.")
        }
        guard (1...6000).contains(callsPerMinute) else {
            throw ValidationError("--calls-per-minute is a number from 1 to 6000.")
        }
        guard (1 << 10...16 << 20).contains(answerBytes) else {
            throw ValidationError("--answer-bytes is a number from 1024 to \(16 << 20).")
        }
        if Set(allow).count < allow.count { throw ValidationError("--allow names an operation twice.") }
        if dryRun, fixed != nil || access.request.headerBlocks != nil {
            throw ValidationError("--dry-run shows the agent whole messages. Leave out --fixed and --header-blocks.")
        }
    }

    func run() async throws {
        secrets.add()
        if CommandLine.arguments.dropFirst().contains(where: { $0 == "-" || $0.hasSuffix("=-") }) {
            throw CommandError("Standard input carries the protocol. Name a file in the place of “-”.")
        }
        PasswordPrompt.isAllowed.withLock { $0 = false }
        let target = try CallTarget(wsdl: wsdl, request: access.request)
        let operations = try allowed(in: target.service)
        let fixed = try fixed.map(InputFile.value) ?? .object([])
        if case .object(let members) = fixed {
            for member in members where !operations.contains(where: { $0.name == member.name }) {
                throw CommandError("--fixed names the operation “\(member.name)”, which is not allowed.")
            }
        } else {
            throw CommandError("--fixed: an object by the names of operations is expected.")
        }
        let tools = try operations.map { try MCPTool($0, of: target.service, fixed: fixed[$0.name]) }
        if let twice = Dictionary(grouping: tools, by: \.name).first(where: { $0.value.count > 1 }) {
            throw CommandError("Two operations would have the tool name “\(twice.key)”. Allow one of them.")
        }
        if printConfig { return Output.json(printed(target.service.name)) }
        try await serve(tools, operations, target)
    }

    private func allowed(in service: DynamicService) throws -> [DynamicOperation] {
        let operations =
            allowAll
            ? service.operations.filter { $0.reasonNotCallable == nil } : try allow.map { try service.operation($0) }
        if let operation = operations.first(where: { $0.reasonNotCallable != nil }) {
            throw CommandError("\(operation.name) cannot be called: \(operation.reasonNotCallable ?? "")")
        }
        guard !operations.isEmpty else { throw CommandError("The service has no operation that can be called.") }
        return operations
    }

    /// Options with files and folders beside those whose names end in `-file`.
    private static let fileOptions: Set = [
        "--audit", "--ca", "--fixed", "--header-blocks", "--identity", "--proxy-ca", "--root", "--store",
        "--wss-identity",
        "--wss-recipient", "--wss-signer",
    ]

    /// What programs of agents call their servers: the command with its arguments, and files by their whole paths.
    private func printed(_ service: String) -> DynamicValue {
        var arguments: [String] = []
        for argument in CommandLine.arguments.dropFirst() where argument != "--print-config" {
            let isFile = { (option: String) in Self.fileOptions.contains(option) || option.hasSuffix("-file") }
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, argument.hasPrefix("--"), isFile(parts[0]) {
                arguments.append("\(parts[0])=\(Self.whole(parts[1]))")
            } else if argument == wsdl || arguments.last.map(isFile) == true {
                arguments.append(Self.whole(argument))
            } else {
                arguments.append(argument)
            }
        }
        return [
            "mcpServers": .object([
                .init(
                    service,
                    [
                        "command": .string(Bundle.main.executablePath ?? "signet"),
                        "args": .array(arguments.map { .string($0) }),
                    ])
            ])
        ]
    }

    private static func whole(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }

    private func serve(_ tools: [MCPTool], _ operations: [DynamicOperation], _ target: CallTarget) async throws {
        let audit = try self.audit.map { try MCPAudit($0) }
        let headers = try access.request.headerBlocks.map(InputFile.value) ?? .object([])
        try await access.credentials.withStore(access.store) { store in
            var configurations: [(String, ServiceConfiguration)] = []
            var authentication: AuthenticationPolicy?
            for operation in operations {
                var (configuration, missing) = try access.configuration(for: operation, target)
                if !dryRun, let first = missing.first { throw CommandError("\(operation.name): \(first)") }
                if !dryRun {
                    try access.addProofs(to: &configuration, for: operation, target)
                    let loaded =
                        try authentication ?? access.credentials.load(for: configuration.endpoint, store)
                    authentication = loaded
                    configuration.authentication = loaded
                }
                configurations.append((operation.name, configuration))
            }
            guard let transport = try configurations.first?.1.makeTransport() else { return }
            let calls = MCPCalls(
                service: target.service,
                callers: Dictionary(uniqueKeysWithValues: configurations.map { ($0, $1.caller(over: transport)) }),
                headers: headers, isDryRun: dryRun, answerBytes: answerBytes, audit: audit
            ) { error in
                for line in FailureLines.lines(error, isVerbose: true) { print("signet: \(line)", to: &standardError) }
            }
            let server = MCPServer(
                tools, instructions: instructions(of: target.service), callsPerMinute: callsPerMinute,
                call: { await calls.call($0, $1) }, refuse: { audit?.note(refused: $0, $1) },
                write: { Output.line($0) })
            await Self.read { server.receive($0) }
            await server.finish(cancelling: false)
            try await transport.shutdown()
        }
    }

    private func instructions(of service: DynamicService) -> String {
        "The tools call operations of the SOAP service \(service.name). "
            + (dryRun ? "Nothing is sent: each call shows the message that it would send. " : "") + MCPCalls.warning
    }

    /// Reads the lines of standard input, until its end. A client that does not read what it is told is not heard any more.
    private static func read(_ take: @escaping @Sendable ([UInt8]) -> Void) async {
        await withCheckedContinuation { continuation in
            // Reading waits, which no task of the pool should do.
            Thread {
                var line: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = buffer.withUnsafeMutableBytes {
                        Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count)
                    }
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    for byte in buffer.prefix(count) {
                        if byte == UInt8(ascii: "\n") {
                            if !line.isEmpty { take(line) }
                            line = []
                        } else if line.count <= MCPServer.longestMessage {
                            // One byte more says that the message is too long; what follows is dropped.
                            line.append(byte)
                        }
                    }
                }
                if !line.isEmpty { take(line) }
                continuation.resume()
            }.start()
        }
    }
}
#endif
