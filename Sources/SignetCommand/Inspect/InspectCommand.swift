#if CommandLine
import ArgumentParser
import Foundation
import SignetWSDL

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a WSDL offers: services, ports, operations, types, what it asks for.",
        discussion: """
            Behind a name, ? means at most one, * any number, + at least one, {2,5} from two to five; nothing means exactly \
            one. @ marks an attribute. What signet cannot call or generate is said with the reason. The status is 1 where \
            signet generate would make nothing.

            Examples:
              signet inspect WebEase.wsdl
              signet inspect WebEase.wsdl --operation LogEntryQuery --types 8
              signet inspect WebEase.wsdl --json | jq -r '.services[].operations[].name'
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(help: ArgumentHelp("Only this operation.", valueName: "name"))
    var operation: String?

    @Option(help: ArgumentHelp("How deep types are shown; 0 shows the names of messages only.", valueName: "depth"))
    var types = 3

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports may lead to; the WSDL's own unless given.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Flag(help: "Print the description as JSON.")
    var json = false

    /// The maximum depth; deeper types are not readable.
    private static let deepest = 32

    func validate() throws {
        guard (0...Self.deepest).contains(types) else {
            throw ValidationError("--types is a number from 0 to \(Self.deepest).")
        }
    }

    func run() throws {
        let definitions = try WSDLLoader.load(file: wsdl, root: root)
        var inspector = Inspector(definitions, file: wsdl, operation: operation, depth: types)
        let report = inspector.report()
        if let operation, report.services.allSatisfy(\.operations.isEmpty) {
            throw CommandError(definitions.absence(of: operation, in: wsdl))
        }
        for line in report.diagnostics { print(TerminalText.line(line), to: &standardError) }
        if json {
            try Output.report(report)
        } else {
            for line in DescriptionText(report, style: Style(for: STDOUT_FILENO)).lines { print(line) }
        }
        if let reason = report.reasonNotGenerated(service: definitions.candidates.first?.name.localName) {
            throw CommandError("No code can be made of \(wsdl): \(reason)")
        }
    }
}

extension WSDLDefinitions {
    /// The message for an operation that no service has, with a suggestion and the existing names.
    fileprivate func absence(of operation: String, in file: String) -> String {
        var names: [String] = []
        var known: Set<String> = []
        for port in servicesOrBindings.flatMap(\.ports) {
            let portType = bindings[port.binding].flatMap { portTypes[$0.portType] }
            for operation in portType?.operations ?? [] where known.insert(operation.name).inserted {
                names.append(operation.name)
            }
        }
        let others = names.isEmpty ? "It has none." : "It has \(names.quotedList(limit: 40))."
        return "There is no operation ‘\(operation)’ in \(file)\(NearMatch.hint(operation, among: names)) \(others)"
    }
}
#endif
