import ArgumentParser
import Foundation
import SignetGeneratorCore

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Makes Swift from a WSDL, the same text as the build-tool plugin makes.",
        discussion: """
            Writes NAME+Service.swift and NAME+Types1.swift … NAME+Types4.swift. Imports are read from the WSDL's folder and
            below; nothing is fetched.

            Examples:
              signet generate WebEase.wsdl --output Sources/App/Generated
              signet generate big.wsdl --output Generated --operations Login,Query --access internal
              signet generate WebEase.wsdl --output Generated --json
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(help: "Where the Swift files are put.", completion: .directory)
    var output: String

    @Option(help: "The highest folder that imports may lead to; the WSDL's own unless given.", completion: .directory)
    var root: String?

    @Option(help: "Who may use what is generated: public, package or internal.")
    var access = AccessLevel.public

    @Option(help: "Only these operations, apart by commas.")
    var operations: String?

    @Option(help: "The service, where the WSDL has several.")
    var service: String?

    @Option(help: "The Swift namespace; the service's name unless given.")
    var namespace: String?

    @Flag(help: "Print the files written and the diagnostics as JSON.")
    var json = false

    private struct Report: Encodable {
        let files: [String]
        let diagnostics: [String]
    }

    func run() throws {
        var options = GeneratorOptions()
        options.access = access
        options.operations = operations.map { $0.split(separator: ",").map(String.init) }
        options.service = service
        options.namespace = namespace
        let result = Generator.run(wsdl: wsdl, output: output, root: root, options: options)
        let report = Report(
            files: result.hasErrors ? [] : result.files.map { "\(output)/\($0.name)" },
            diagnostics: result.diagnostics.map { "\($0)" })
        for line in report.diagnostics { print(line, to: &standardError) }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            for file in report.files { print(file) }
        }
        if result.hasErrors { throw ExitCode(1) }
    }
}

extension AccessLevel: ExpressibleByArgument {}
