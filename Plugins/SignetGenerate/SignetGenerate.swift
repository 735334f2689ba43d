import Foundation
import PackagePlugin

/// Writes the Swift generated from a target's WSDLs into the target's own folder, for projects that check in generated
/// code.
@main
struct SignetGenerate: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        guard let command = try GenerateCommand(arguments) else { return print(GenerateCommand.usage) }
        let targets = context.package.targets.compactMap(\.sourceModule).map {
            GenerateCommand.Target(name: $0.name, files: $0.sourceFiles.map(\.url), folder: $0.directoryURL)
        }
        try command.run(tool: context.tool(named: "signet-generator").url, targets: targets)
    }
}
