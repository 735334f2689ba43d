#if CommandLine
import ArgumentParser
import Foundation
import SignetGeneratorCore
import SignetHTTP
import SignetWSDL

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write a package that hosts the service of a WSDL.",
        discussion: """
            The package has the WSDL, handlers to fill in, a test that calls each of them, and a folder with what a machine \
            needs to run it: the server's configuration, a systemd unit, a Containerfile, and configurations for nginx and \
            HAProxy. Nothing that is there is overwritten.

            Examples:
              signet new Parcels.wsdl --signet ../signet
              signet new WSDL/diary.wsdl --name diary --output diary-server --signet https://git.example/signet
              signet new Parcels.wsdl --signet ../signet --json
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(help: "The name of the program, in lower case; the service's unless given.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the package, which must be empty or absent; the package's name unless given.",
            valueName: "folder"), completion: .directory
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Where the package gets Signet from: the path of its repository, or an address.", valueName: "path-or-url"))
    var signet: String

    @Option(help: ArgumentHelp("The service, where the WSDL has several.", valueName: "name"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "The port to make the service from; the first that can be used unless given.", valueName: "name"))
    var port: String?

    @Flag(help: "Print the files written and the diagnostics as JSON.")
    var json = false

    private struct Report: Encodable {
        var folder = ""
        var files: [String] = []
        var diagnostics: [String] = []
    }

    func validate() throws { if let name { try NewPackage.checkName(name) } }

    func run() throws {
        var report = Report()
        var files: [String: [UInt8]] = [:]
        var failed = true
        defer { if failed, json { try? Output.report(report) } }
        do {
            let (package, diagnostics) = try read()
            report.diagnostics = diagnostics.map { "\($0)" }
            for line in report.diagnostics { print(TerminalText.line(line), to: &standardError) }
            guard let package else { throw ExitCode(1) }
            files = try package.files()
            report.folder = output ?? package.name
        } catch let error as WSDLError {
            report.diagnostics.append("\(error.diagnostic)")
            print(TerminalText.line("\(error.diagnostic)"), to: &standardError)
            throw ExitCode(1)
        }
        try write(files, into: report.folder)
        report.files = files.keys.sorted().map { "\(report.folder)/\($0)" }
        failed = false
        if json { return try Output.report(report) }
        for file in report.files { print(TerminalText.line(file)) }
        print("\nNext: cd \(TerminalText.line(report.folder)), swift test, and read README.md.")
    }

    private func read() throws -> (NewPackage?, [Diagnostic]) {
        try BundleManifest.verify(wsdl: wsdl)
        var imported: [String] = []
        let definitions = try WSDLLoader.load(file: wsdl) { imported.append($0) }
        var options = GeneratorOptions()
        options.service = service
        options.port = port
        var (skeleton, diagnostics) = Generator.skeleton(definitions, options: options)
        let folder = URL(filePath: wsdl, directoryHint: .notDirectory).deletingLastPathComponent()
        for name in ["signet-generator-config.yaml", "signet-generator-config.yml"]
        where FileManager.default.fileExists(atPath: folder.appending(path: name).path) {
            diagnostics.append(
                Diagnostic(
                    .warning,
                    "it is not used, and not copied: copy it beside the WSDL of the package, if it is for this WSDL.",
                    at: SourceLocation(file: folder.appending(path: name).path)))
        }
        guard let skeleton, !diagnostics.contains(where: { $0.severity == .error }) else { return (nil, diagnostics) }
        let package = try NewPackage(
            skeleton, name: name, wsdl: URL(filePath: wsdl, directoryHint: .notDirectory), imported: imported,
            service: service, port: port, signet: SignetPlace(signet, from: output ?? "package"))
        return (package, diagnostics)
    }

    private func write(_ files: [String: [UInt8]], into folder: String) throws {
        let manager = FileManager.default
        let place = URL(filePath: folder, directoryHint: .isDirectory)
        if let there = try? manager.contentsOfDirectory(atPath: place.path), !there.isEmpty {
            throw CommandError("The folder \(folder) is not empty. Name another one with --output.")
        }
        do {
            for (name, content) in files {
                let file = place.appending(path: name, directoryHint: .notDirectory)
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(content).write(to: file)
            }
        } catch { throw CommandError("The package cannot be written into \(folder): \(error.fileReason).") }
    }
}

/// Where a new package gets Signet from.
enum SignetPlace: Hashable {
    /// Relative to the folder of the package, or absolute.
    case path(String)
    case url(String)

    /// - Parameters:
    ///   - text: a path from the working directory, or an address.
    ///   - folder: that of the package.
    init(_ text: String, from folder: String) throws {
        guard !text.isEmpty, !text.contains(where: { $0 == "\"" || $0 == "\\" || $0.isNewline }) else {
            throw ValidationError("--signet is “\(text)”, which is neither a path nor an address.")
        }
        let isThere = FileManager.default.fileExists(atPath: text)
        if !isThere, text.contains("://") || text.wholeMatch(of: /[\w.-]+@[\w.-]+:.+/) != nil {
            self = .url(text)
            return
        }
        let signet = URL(filePath: text, directoryHint: .isDirectory).standardizedFileURL.pathComponents
        guard FileManager.default.fileExists(atPath: "\(text)/Package.swift") else {
            throw CommandError(
                "--signet is “\(text)”, where there is no package: name the folder of Signet, or its address.")
        }
        guard !text.hasPrefix("/") else {
            self = .path(URL(filePath: text, directoryHint: .isDirectory).standardizedFileURL.path)
            return
        }
        // The manifest is read in the folder of the package.
        let package = URL(filePath: folder, directoryHint: .isDirectory).standardizedFileURL.pathComponents
        let common = zip(signet, package).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: package.count - common)
        self = .path((up + signet[common...]).joined(separator: "/"))
    }

    /// How the manifest of a package names it: the last part of its path or address.
    var name: String {
        switch self {
        case .path: "signet"
        case .url(let url):
            String(url.split(whereSeparator: { $0 == "/" || $0 == ":" }).last ?? "signet")
                .replacing(/\.git$/, with: "")
        }
    }
}
#endif
