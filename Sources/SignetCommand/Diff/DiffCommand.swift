#if CommandLine
import ArgumentParser
import SignetWSDL

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what changed between two versions of a WSDL, and whether callers of the old one break.",
        discussion: """
            The new service must accept every message that callers of the old one may write, and must write nothing that \
            the old WSDL does not allow: an element that is new and required breaks callers in an input, an element that \
            may now be left out breaks them in an output. Readers skip new elements in an answer, so these break no caller.

            The status is 0 when no caller breaks, and 1 when one may, or when not all could be compared. A file that cannot be loaded is wrong usage: 2.

            Examples:
              signet diff old/ws.wsdl new/ws.wsdl
              signet diff released.wsdl WSDL/ws.wsdl --json
            """)

    @Argument(help: "The WSDL that callers were made for.", completion: .file(extensions: ["wsdl"]))
    var old: String

    @Argument(help: "The WSDL that the service has now.", completion: .file(extensions: ["wsdl"]))
    var new: String

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports of the old WSDL may lead to; its own unless given.", valueName: "folder"),
        completion: .directory)
    var oldRoot: String?

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports of the new WSDL may lead to; its own unless given.", valueName: "folder"),
        completion: .directory)
    var newRoot: String?

    @Flag(help: "Print the changes as JSON.")
    var json = false

    struct Report: Encodable {
        struct Change: Encodable {
            let path: [String]
            let message: String
            let breaking: Bool
        }

        let breaking: Bool
        let changes: [Change]
    }

    func run() throws {
        let (before, after): (WSDLDefinitions, WSDLDefinitions)
        do {
            before = try WSDLLoader.load(file: old, root: oldRoot)
            after = try WSDLLoader.load(file: new, root: newRoot)
        } catch {
            warn("signet: \(error)")
            throw ExitCode(2)
        }
        warnOfGaps(before, old)
        warnOfGaps(after, new)
        let changes = ContractComparison.changes(from: before, to: after)
        let breaking = changes.filter(\.isBreaking).count
        if json {
            let list = changes.map { Report.Change(path: $0.path, message: $0.message, breaking: $0.isBreaking) }
            try Output.report(Report(breaking: breaking > 0, changes: list))
        } else {
            for change in changes { print(TerminalText.line("\(change)")) }
            print(changes.isEmpty ? "nothing changed" : "\(changes.count) changed, \(breaking) of them break callers")
        }
        if breaking > 0 { throw ExitCode(1) }
    }

    /// Warns of documents that are not compared.
    private func warnOfGaps(_ definitions: WSDLDefinitions, _ file: String) {
        for unread in definitions.schema.unreadImports {
            warn("warning: \(file): ‘\(unread.address)’ is not read; what it declares is not compared.")
        }
    }

    private func warn(_ line: String) { print(TerminalText.line(line), to: &standardError) }
}
#endif
