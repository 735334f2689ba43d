import Foundation
import Testing

/// Tests that run the program, one after the other: each of them needs the machine, and a server in this process.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ProgramTests {}

/// The built program, run as a user runs it.
struct Program {
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var error: String
    }

    let folder: URL

    /// Makes a folder of its own for the files of a test.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func removeFiles() { try? FileManager.default.removeItem(at: folder) }

    /// The program lies beside the tests that the package manager built with it.
    static func path(_ name: String = "signet") throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appending(path: name).path(percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    static let wsdl = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/SignetDemo/WebEase.wsdl").standardized.path(percentEncoded: false)

    /// Writes a file into the folder and gives its path.
    @discardableResult func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path(percentEncoded: false)
    }

    @discardableResult func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

    func signet(
        _ arguments: String..., input: String = "", environment: [String: String] = [:],
        whileRunning: @Sendable (_ process: Int32) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await run(
            Self.path(), arguments, input: input, environment: environment, whileRunning: whileRunning)
    }

    /// Waits without holding a thread, which the server of the same test may need.
    ///
    /// - Parameter typing: what is given to the program when its output has a question, one after the other, instead of
    ///   an input.
    func run(
        _ path: String, _ arguments: [String], input: String = "", environment: [String: String] = [:],
        typing: [(question: String, answer: String)] = [],
        whileRunning: @Sendable (_ process: Int32) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        // Files, because a full pipe would stop the program.
        let run = UUID().uuidString
        let files = ["in", "out", "err"].map { folder.appending(path: "\(run).\($0)") }
        for (file, content) in zip(files, [input, "", ""]) { try Data(content.utf8).write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let keyboard = Pipe()
        process.standardInput = typing.isEmpty ? try FileHandle(forReadingFrom: files[0]) : keyboard
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let ended = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            ended.continuation.yield(process.terminationStatus)
            ended.continuation.finish()
        }
        try process.run()
        // It still runs when the time limit of the tests ended the wait.
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        for (question, answer) in typing {
            while process.isRunning, try !String(contentsOf: files[1], encoding: .utf8).contains(question) {
                try await Task.sleep(for: .milliseconds(20))
            }
            try keyboard.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
        }
        try await whileRunning(process.processIdentifier)
        var status: Int32 = -1
        for await value in ended.stream { status = value }
        try keyboard.fileHandleForWriting.close()
        return Outcome(
            status: status, output: try String(contentsOf: files[1], encoding: .utf8),
            error: try String(contentsOf: files[2], encoding: .utf8))
    }
}
