import Foundation
import Testing

/// `signet-generator`, the small program that the plugin runs.
@Suite struct ToolTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, error: String) {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        var tool = folder.appending(path: "signet-generator")
        while !FileManager.default.isExecutableFile(atPath: tool.path(percentEncoded: false)), folder.path != "/" {
            folder.deleteLastPathComponent()
            tool = folder.appending(path: "signet-generator")
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = tool
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        let error = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, error)
    }

    @Test(arguments: [
        [], ["--wsdl"], ["--wsdl", "a"], ["--nonsense", "a"], ["--wsdl", "a", "--output", "b", "--access", "c"],
    ])
    func wrongUsageIsTwo(arguments: [String]) throws {
        let (status, error) = try run(arguments)
        #expect(status == 2)
        #expect(error.contains("Usage: signet-generator"))
    }

    @Test func aMissingFileIsOne() throws {
        let (status, error) = try run(["--wsdl", "/nonexistent/a.wsdl", "--output", "/nonexistent/b"])
        #expect(status == 1)
        #expect(error.hasPrefix("/nonexistent/a.wsdl: error: "))
    }

    /// The plugin names its outputs without asking the tool.
    @Test func theFilesAreThoseThatThePluginNames() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-tool-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let wsdl = GoldenTests.root.appending(path: "Sources/SignetDemo/WebEase.wsdl").path(percentEncoded: false)
        #expect(
            try run(["--wsdl", wsdl, "--output", folder.path(percentEncoded: false), "--access", "public"]).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
        #expect(
            names == (1...4).flatMap { ["WebEase+Model\($0)+Coding.swift", "WebEase+Model\($0).swift"] }
                + ["WebEase+Service.swift"])
        for name in names {
            let checkedIn = GoldenTests.root.appending(path: "Tests/ReferenceServices/WebEase/\(name)")
            let isSame = try Data(contentsOf: folder.appending(path: name)) == Data(contentsOf: checkedIn)
            #expect(isSame, "\(name)")
        }
    }
}
