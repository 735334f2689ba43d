import Foundation
import PackagePlugin

/// Makes Swift from every WSDL among a target's sources, anew when the WSDL or a schema of the target has changed.
@main
struct SignetBuildTool: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let tool = try context.tool(named: "signet-generator").url
        let files = target.sourceFiles.map(\.url)
        let schemas = files.filter { $0.pathExtension.lowercased() == "xsd" }
        let wsdls = files.filter { $0.pathExtension.lowercased() == "wsdl" }
        // One WSDL may import another one, so that each of them is an input of all.
        return wsdls.map { wsdl in
            let base = wsdl.deletingPathExtension().lastPathComponent
            let folder = context.pluginWorkDirectoryURL.appending(path: base, directoryHint: .isDirectory)
            return .buildCommand(
                displayName: "Signet: \(wsdl.lastPathComponent)",
                executable: tool,
                arguments: [
                    "--wsdl", wsdl.path(percentEncoded: false), "--output", folder.path(percentEncoded: false),
                    "--root", target.directoryURL.path(percentEncoded: false),
                ],
                inputFiles: wsdls + schemas,
                outputFiles: outputNames(for: base).map { folder.appending(path: $0, directoryHint: .notDirectory) })
        }
    }

    /// The generator writes these five for every WSDL, empty where there is nothing to say.
    private func outputNames(for base: String) -> [String] {
        ["\(base)+Service.swift"] + (1...4).map { "\(base)+Types\($0).swift" }
    }
}
