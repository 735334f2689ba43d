import Foundation
import Testing

/// The built program, run as a user runs it.
@Suite struct CommandTests {
    struct Outcome {
        var status: Int32
        var output: String
        var error: String
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "signet-command-\(UUID().uuidString)")

    /// The program lies beside the tests that the package manager built with it.
    static func program() throws -> URL {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appending(path: "signet")
            if FileManager.default.isExecutableFile(atPath: candidate.path(percentEncoded: false)) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    func signet(_ arguments: String...) throws -> Outcome { try signet(arguments) }

    func signet(_ arguments: [String]) throws -> Outcome {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = try Self.program()
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        // Files, because a full pipe would stop the program.
        let files = ["out", "err"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
            error: try String(contentsOf: files[1], encoding: .utf8))
    }

    static let wsdl = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/SignetDemo/WebEase.wsdl").standardized.path(percentEncoded: false)

    @Test(arguments: [[], ["demo"], ["generate"]]) func helpHasExamples(command: [String]) throws {
        let outcome = try signet(command + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: signet"))
        if !command.isEmpty { #expect(outcome.output.contains("Examples:")) }
    }

    @Test(arguments: [
        ["--nonsense"], ["generate"], ["generate", "x.wsdl"],
        ["generate", "x.wsdl", "--output", "d", "--access", "secret"], ["demo", "extra"],
    ])
    func wrongUsageIsTwo(arguments: [String]) throws {
        let outcome = try signet(arguments)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(!outcome.error.isEmpty)
        #expect(outcome.output.isEmpty)
    }

    @Test func generateWritesTheFilesItNames() throws {
        let target = folder.appending(path: "Generated").path(percentEncoded: false)
        let outcome = try signet("generate", Self.wsdl, "--output", target)
        #expect(outcome.status == 0, "\(outcome)")
        let names = outcome.output.split(separator: "\n").map(String.init)
        #expect(names.count == 5)
        for name in names { #expect(FileManager.default.fileExists(atPath: name), "\(name)") }
        let service = try String(contentsOfFile: "\(target)/WebEase+Service.swift", encoding: .utf8)
        #expect(service.contains("public enum WebEase"))
        try FileManager.default.removeItem(at: folder)
    }

    @Test func generateSaysWhatIsWrongWithAFile() throws {
        let missing = try signet("generate", "/nonexistent/a.wsdl", "--output", folder.path(percentEncoded: false))
        #expect(missing.status == 1)
        #expect(missing.error.contains("/nonexistent/a.wsdl"))
        let bad = folder.appending(path: "bad.wsdl")
        try Data("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>\n<service".utf8).write(to: bad)
        let outcome = try signet(
            "generate", bad.path(percentEncoded: false), "--output", folder.path(percentEncoded: false), "--json")
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("bad.wsdl:2:"), "\(outcome)")
        #expect(
            outcome.output.contains("\"files\" : []") || outcome.output.contains("\"files\" : [\n\n  ]"), "\(outcome)")
        try FileManager.default.removeItem(at: folder)
    }
}
