#if CommandLine
import Foundation
import Signet

/// A call from a process without a network.
public enum EmptyNetwork {
    /// Runs this program again in an empty network namespace, and returns its output; nil when the system does not
    /// allow it.
    static func run(port: Int) throws -> String? {
        let unshare = "/usr/bin/unshare"
        guard FileManager.default.isExecutableFile(atPath: unshare), let program = Bundle.main.executablePath,
            try output(unshare, ["-rn", "true"]) != nil
        else { return nil }
        return try output(unshare, ["-rn", program, "demo", "--call-only", "https://127.0.0.1:\(port)/soap"])
            ?? "no answer"
    }

    /// The output of a command; nil when it failed.
    private static func output(_ command: String, _ arguments: [String]) throws -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes one call and returns a line about its failure.
    public static func call(_ address: String) async throws -> String {
        var service = try ServiceConfiguration(address)
        service.deadlines.connect = .seconds(5)
        let client = WebEase.Client(service)
        var answer = "the call came through"
        do { _ = try await client.logEntryQuery(.init(patientId: "")) } catch let error as TransportError {
            answer = "\(error.code): \(error)"
        }
        try await client.shutdown()
        return answer
    }
}
#endif
