import Foundation
import Testing

/// A small torture; `scripts/torture-stores` runs the large one.
@Suite struct TortureTests {
    static func tool() throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let tool = folder.appending(path: "store-torture").path
            if FileManager.default.isExecutableFile(atPath: tool) { return tool }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// The operating system lets no file grow: nothing that was confirmed is lost, and afterwards all goes on.
    @Test func aFullDiskLosesNothing() async throws {
        try await StoreFolder.with { folder in
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: try Self.tool())
            process.arguments = ["--fill", folder.path + "/full"]
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && text.contains("none lost, none damaged"), "\(text)")
        }
    }

    @Test func killedProcessesLoseNothing() async throws {
        try await StoreFolder.with { folder in
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: try Self.tool())
            process.arguments = [
                "--processes", "3", "--items", "500", "--every", "200", "--folder", folder.path + "/torture",
            ]
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
            #expect(text.hasPrefix("500 items by 3 processes"), "\(text)")
            #expect(text.contains("none lost, none damaged"), "\(text)")
        }
    }
}
