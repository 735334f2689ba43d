// Compiled in CI against a stub of Xcode's module; it was not run in Xcode.
#if canImport(XcodeProjectPlugin)
import Foundation
import PackagePlugin
import XcodeProjectPlugin

extension SignetGenerate: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
        guard let command = try GenerateCommand(arguments) else { return print(GenerateCommand.usage) }
        // A target of a project has no folder of its own; by convention the folder has the name of the target.
        let targets = context.xcodeProject.targets.map {
            GenerateCommand.Target(
                name: $0.displayName, files: $0.inputFiles.map(\.url),
                folder: context.xcodeProject.directoryURL.appending(
                    path: $0.displayName, directoryHint: .isDirectory)
            )
        }
        try command.run(tool: context.tool(named: "signet-generator").url, targets: targets)
    }
}
#endif
