import Foundation
import Testing

/// A program in Python that serves on the loopback address: it writes its ports in a line, and ends when its input
/// does, however the tests end.
final class PythonProcess: @unchecked Sendable {
    let ports: [Int]
    // Only touched when the process is started and when it ends, which cannot overlap; that makes the class sendable.
    private let process = Process()
    private let folder: URL
    private let lifeline = Pipe()

    /// - Parameters:
    ///   - program: gets the folder of `files`, which is its own, before `arguments`.
    ///   - python: the interpreter; another than the first on the path where the system's packages are needed.
    init(
        _ program: String, files: [String: String] = [:], arguments: [String] = [], python: String = "python3"
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files.merging(["peer.py": Self.watch + program], uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, folder.appending(path: "peer.py").path, folder.path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = lifeline
        try process.run()
        let number = process.processIdentifier
        let limit = DispatchWorkItem { kill(number, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: limit)
        defer { limit.cancel() }
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
            !byte.isEmpty
        {
            line += byte
        }
        ports = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        try #require(!ports.isEmpty)
    }

    deinit {
        // The child inherits the signal mask of a worker thread, which blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The lines of the file `log` in its folder.
    var log: [String] {
        get throws {
            guard let data = try? Data(contentsOf: folder.appending(path: "log")) else { return [] }
            return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private static let watch = #"""
        import os, sys, threading
        def watch():
            sys.stdin.read()
            os._exit(0)
        threading.Thread(target=watch, daemon=True).start()

        """#
}
