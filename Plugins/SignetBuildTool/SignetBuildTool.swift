import Foundation
import PackagePlugin

/// Generates Swift from every WSDL among a target's sources, again when a WSDL, a schema or the configuration has
/// changed.
@main
struct SignetBuildTool: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        return try commands(
            tool: context.tool(named: "signet-generator").url, files: target.sourceFiles.map(\.url),
            target: target.name,
            folder: target.directoryURL, workFolder: context.pluginWorkDirectoryURL)
    }

    func commands(tool: URL, files: [URL], target: String, folder: URL, workFolder: URL) throws -> [Command] {
        let service = try ServiceFiles(files, of: target)
        if service.wsdls.isEmpty {
            Diagnostics.warning("SignetBuildTool finds no WSDL among the sources of the target ‘\(target)’.")
        }
        return service.wsdls.map { wsdl in
            let output = workFolder.appending(
                path: wsdl.deletingPathExtension().lastPathComponent, directoryHint: .isDirectory)
            return .buildCommand(
                displayName: "Signet: \(wsdl.lastPathComponent)", executable: tool,
                arguments: service.arguments(for: wsdl, output: output, folder: folder), inputFiles: service.inputs,
                outputFiles: service.outputNames(for: wsdl).map {
                    output.appending(path: $0, directoryHint: .notDirectory)
                })
        }
    }
}
