#if CommandLine
import ArgumentParser
import Foundation
import SignetGeneratorConfiguration
import SignetGeneratorCore
import SignetWSDL

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Makes Swift from a WSDL, the same text as the build-tool plugin makes.",
        discussion: """
            Writes NAME+Service.swift, NAME+Model1.swift … NAME+Model4.swift and NAME+Model1+Coding.swift … \
            NAME+Model4+Coding.swift. Imports are read from the WSDL's folder and below; nothing is fetched.

            Examples:
              signet generate WebEase.wsdl --output Sources/App/Generated
              signet generate big.wsdl --output Generated --operations Login,Query --access public
              signet generate WebEase.wsdl --output Generated --config signet-generator-config.yaml --check
              signet generate WebEase.wsdl --output Generated --json
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(help: "Where the Swift files are put.", completion: .directory)
    var output: String

    @Option(help: "The highest folder that imports may lead to; the WSDL's own unless given.", completion: .directory)
    var root: String?

    @Option(
        help: "A configuration, as the plugin reads it; the options here override it.",
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: "The access level of the generated code: public, package or internal (default: internal).")
    var access: AccessLevel?

    @Option(help: "Modules that the files import, separated by commas.", transform: Self.imports)
    var imports: [ModuleImport]?

    @Option(help: "Only these operations, separated by commas.")
    var operations: String?

    @Option(help: "The service, where the WSDL has several.")
    var service: String?

    @Option(help: "The port to make the service from; the first that can be used unless given.")
    var port: String?

    @Option(help: "The Swift namespace; the service's name unless given.")
    var namespace: String?

    @Option(
        help: ArgumentHelp(
            "The derived types to make although no declaration refers to them: all, named (none of them), or a list separated by commas.",
            valueName: "which"))
    var derived: String?

    @Flag(help: "Fail where something would be left out, or kept as XML because the schema cannot be followed.")
    var strict = false

    @Flag(help: "Write nothing: fail when a file is not what would be written.")
    var check = false

    @Flag(help: "Print the files written and the diagnostics as JSON.")
    var json = false

    private struct Report: Encodable {
        let files: [String]
        let diagnostics: [String]
    }

    private static func imports(_ list: String) throws -> [ModuleImport] {
        try list.split(separator: ",").map { item in
            guard let module = ModuleImport(parsing: String(item)) else {
                throw ValidationError("“\(item)” is not the name of a module.")
            }
            return module
        }
    }

    func run() throws {
        var task = Generator.Task(wsdl: wsdl, output: output)
        task.configuration = config
        task.onlyChecks = check
        task.options.access = access
        task.options.imports = imports
        task.options.operations = operations.map { $0.split(separator: ",").map(String.init) }
        task.options.service = service
        task.options.port = port
        task.options.namespace = namespace
        task.options.root = root
        task.options.derived = derived.map(DerivedTypes.init)
        if strict { task.options.strict = true }
        let result = Generator.run(task)
        let report = Report(
            files: result.hasErrors ? [] : result.files.map { "\(output)/\($0.name)" },
            diagnostics: result.diagnostics.map { "\($0)" })
        for line in report.diagnostics { print(TerminalText.line(line), to: &standardError) }
        if json {
            try Output.report(report)
        } else {
            for file in report.files { print(file) }
        }
        if result.hasErrors { throw ExitCode(1) }
    }
}

extension AccessLevel: ExpressibleByArgument {}
#endif
