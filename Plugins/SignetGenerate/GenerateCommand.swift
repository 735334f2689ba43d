import Foundation
import PackagePlugin

/// The arguments of `swift package signet-generate`.
struct GenerateCommand {
    static let usage = """
        Usage: swift package --allow-writing-to-package-directory signet-generate [OPTION…]

        Makes Swift from the WSDLs of this package's targets and writes it into the folder ‘Generated’ of each target.
        A signet-generator-config.yaml among the target's files says how.

          --target NAME    only this target; may be given more than once
          --wsdl FILE      only the WSDL of this name; may be given more than once
          --check          write nothing: fail when a file is not what would be written
          --help           this text
        """

    /// A target that may have WSDLs.
    struct Target {
        let name: String
        let files: [URL]
        let folder: URL
    }

    private let targets: [String]
    private let wsdls: [String]
    private let onlyChecks: Bool

    /// Nil when the arguments only ask for the usage.
    init?(_ arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        if extractor.extractFlag(named: "help") > 0 { return nil }
        targets = extractor.extractOption(named: "target")
        wsdls = extractor.extractOption(named: "wsdl")
        onlyChecks = extractor.extractFlag(named: "check") > 0
        if let unknown = extractor.remainingArguments.first {
            throw ServiceFiles.Misuse(description: "signet-generate does not know ‘\(unknown)’; see --help.")
        }
    }

    func run(tool: URL, targets all: [Target]) throws {
        for name in targets where !all.contains(where: { $0.name == name }) {
            throw ServiceFiles.Misuse(
                description: "there is no target ‘\(name)’; there is \(all.map(\.name).joined(separator: ", ")).")
        }
        var found = 0
        var failures = 0
        for target in all where targets.isEmpty || targets.contains(target.name) {
            let service = try ServiceFiles(target.files, of: target.name)
            let folder = target.folder.appending(path: "Generated", directoryHint: .isDirectory)
            for wsdl in service.wsdls where wsdls.isEmpty || wsdls.contains(wsdl.lastPathComponent) {
                found += 1
                let arguments = service.arguments(for: wsdl, output: folder, folder: target.folder)
                let process = try Process.run(tool, arguments: arguments + (onlyChecks ? ["--check"] : []))
                process.waitUntilExit()
                if process.terminationStatus != 0 {
                    failures += 1
                } else {
                    let verb = onlyChecks ? "up to date" : "generated"
                    for name in service.outputNames(for: wsdl) {
                        print("\(verb): \(folder.appending(path: name).path(percentEncoded: false))")
                    }
                }
            }
        }
        if found == 0 {
            throw ServiceFiles.Misuse(description: "there is no such WSDL among the sources of the targets.")
        }
        if failures > 0 {
            let what = onlyChecks ? "not up to date" : "not made"
            throw ServiceFiles.Misuse(description: "the Swift of \(failures) of \(found) WSDLs is \(what); see above.")
        }
    }
}
