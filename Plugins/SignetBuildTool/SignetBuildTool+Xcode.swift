// Compiled in CI against a stub of Xcode's module; it was not run in Xcode.
#if canImport(XcodeProjectPlugin)
import PackagePlugin
import XcodeProjectPlugin

extension SignetBuildTool: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
        try commands(
            tool: context.tool(named: "signet-generator").url, files: target.inputFiles.map(\.url),
            target: target.displayName, folder: context.xcodeProject.directoryURL,
            workFolder: context.pluginWorkDirectoryURL)
    }
}
#endif
