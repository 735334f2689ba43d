#if CommandLine
import ArgumentParser
import Foundation
import SignetGeneratorConfiguration
import SignetGeneratorCore
import SignetWSDL

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Make Swift from a WSDL, the same text as the build-tool plugin makes.",
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

    @Option(
        help: ArgumentHelp("The folder that the Swift files are put into.", valueName: "folder"),
        completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports may lead to; the WSDL's own unless given.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Option(
        help: ArgumentHelp("A configuration, as the plugin reads it; the options here override it.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The access level of the generated code: public, package or internal; internal unless given.",
            valueName: "level"))
    var access: AccessLevel?

    @Option(
        help: ArgumentHelp("The modules that the files import, separated by commas.", valueName: "modules"),
        transform: Self.imports)
    var imports: [ModuleImport]?

    @Option(help: ArgumentHelp("Only these operations, separated by commas.", valueName: "names"))
    var operations: String?

    @Option(help: ArgumentHelp("The service, where the WSDL has several.", valueName: "name"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "The port to make the service from; the first that can be used unless given.", valueName: "name"))
    var port: String?

    @Option(help: ArgumentHelp("The Swift namespace; the service's name unless given.", valueName: "name"))
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
