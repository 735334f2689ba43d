import Foundation
import Synchronization
import TestSupport

/// A script of Python that a test talks to by lines.
final class PythonScript: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let lines: AsyncStream<String>

    init(_ script: String, _ arguments: [String]) throws {
        let output = Pipe()
        // Debian installs its packages of Python, such as hyperframe and hpack, for this one.
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-u", "-c", script] + arguments
        process.standardInput = input
        process.standardOutput = output
        let (lines, said) = AsyncStream<String>.makeStream()
        self.lines = lines
        let unfinished = Mutex(Data())
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return said.finish()
            }
            // A line may come in pieces, and with others.
            let whole = unfinished.withLock { unfinished in
                unfinished += data
                let parts = unfinished.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                unfinished = parts.last.map { Data($0) } ?? Data()
                return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            }
            for line in whole { said.yield(line) }
        }
        try process.runUnblocked()
    }

    deinit { process.terminate() }

    /// The next line that the script prints; nil when it has ended.
    func line() async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// The other lines that the script prints until it ends.
    func rest() async -> [String] {
        var all: [String] = []
        for await line in lines { all.append(line) }
        return all
    }

    /// Gives the script a line to read.
    func send(_ line: String = "") throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }
}
