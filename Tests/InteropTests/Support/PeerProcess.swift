import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program of others that a test talks to. It is ended when `run` returns, whichever way.
struct PeerProcess {
    /// What to start and how to know that it is ready.
    struct Command: Sendable {
        var program: String
        var arguments: [String] = []
        /// Added to the environment of the tests.
        var environment: [String: String] = [:]
        var folder: URL?
        /// The port on loopback that answers once the program is ready; nil for a program that is run to its end.
        var port: Int?
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a program, waits until its port answers, runs `body`, and ends the program. What it wrote is part of the
    /// error when it does not start.
    static func run<Value: Sendable>(
        _ command: Command, during body: () async throws -> Value
    ) async throws -> Value {
        let (process, output) = try start(command)
        defer { end(process, output) }
        if let port = command.port {
            // Two minutes, since a busy machine starts a dozen of them. One that ends is noticed at once.
            var triesLeft = 1_200
            while !Port.answers(port) {
                triesLeft -= 1
                guard process.isRunning, triesLeft > 0 else {
                    throw Failure(description: "\(command.program) does not answer at port \(port): \(output.text)")
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        return try await body()
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its exit status and all that it wrote.
    static func output(of command: Command) async throws -> (status: Int32, output: String, error: String) {
        let (process, output) = try start(command)
        defer { end(process, output) }
        await withTaskCancellationHandler {
            await output.ended()
        } onCancel: {
            end(process)
        }
        return (process.terminationStatus, output.read("out"), output.read("err"))
    }

    private static func start(_ command: Command) throws -> (Process, Output) {
        guard let program = Tool.path(of: command.program) else {
            throw Failure(
                description: "The program \(command.program) is not installed. Run scripts/test, which sees to it.")
        }
        let output = try Output()
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = command.arguments
        process.environment = ProcessInfo.processInfo.environment.merging(command.environment) { $1 }
        process.currentDirectoryURL = command.folder
        let files = (try output.handle("out"), try output.handle("err"))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = files.0
        process.standardError = files.1
        process.terminationHandler = { _ in output.end() }
        // The program has them for itself; a process that has ended keeps these.
        defer {
            try? files.0.close()
            try? files.1.close()
        }
        do {
            try process.runUnblocked()
        } catch {
            output.remove()
            throw error
        }
        return (process, output)
    }

    /// Ends one program and removes what it wrote.
    private static func end(_ process: Process, _ output: Output) {
        end(process)
        output.remove()
    }

    /// Ends one program by its number: kindly first, then for good.
    private static func end(_ process: Process) {
        guard process.isRunning else { return }
        process.terminate()
        for _ in 0..<50 where process.isRunning { usleep(20_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// What a program writes goes into files: a full pipe would stop it.
    private final class Output: Sendable {
        private let folder: URL
        private let isEnded = Mutex((ended: false, waiting: [CheckedContinuation<Void, Never>]()))

        init() throws {
            folder = URL(filePath: NSTemporaryDirectory()).appending(path: "signet-peer-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        /// Not left to `deinit`: a process that has ended keeps its handler, and with it this.
        func remove() { try? FileManager.default.removeItem(at: folder) }

        func handle(_ name: String) throws -> FileHandle {
            let file = folder.appending(path: name)
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        }

        func read(_ name: String) -> String {
            String(decoding: (try? Data(contentsOf: folder.appending(path: name))) ?? Data(), as: UTF8.self)
        }

        var text: String { read("out") + read("err") }

        func end() {
            let waiting = isEnded.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func ended() async {
            await withCheckedContinuation { continuation in
                let isOver = isEnded.withLock { state in
                    if !state.ended { state.waiting.append(continuation) }
                    return state.ended
                }
                if isOver { continuation.resume() }
            }
        }
    }
}

/// Ports on loopback.
enum Port {
    /// A port at which no server listens. Each process takes ports from a range of its own, so that tests that run side
    /// by side do not get the same one.
    static func free() throws -> Int {
        for _ in 0..<1000 {
            let candidate = next.withLock { number in
                number = number >= 29_999 ? 20_000 : number + 1
                return number
            }
            if isFree(candidate) { return candidate }
        }
        throw PeerProcess.Failure(description: "There is no free port between 20000 and 29999.")
    }

    // Two runs of the tests at a time begin far from each other.
    private static let next = Mutex(20_000 + Int(getpid() % 97) * 100)

    static func answers(_ port: Int) -> Bool { withSocket(port) { connect($0, $1, $2) } }

    private static func isFree(_ port: Int) -> Bool { withSocket(port) { bind($0, $1, $2) } }

    private static func withSocket(
        _ port: Int, _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Where programs are.
enum Tool {
    /// The absolute path of a program; names without a slash are looked for as a shell does, and in the folders of
    /// system programs, where Debian puts nginx.
    static func path(of program: String) -> String? {
        let candidates: [String]
        if program.contains("/") {
            candidates = [program]
        } else {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
            candidates = folders.map { "\($0)/\(program)" }
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Where programs are kept that were made for these tests.
    static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/tools").standardized
    }

    /// Python with zeep, put there by `scripts/test`.
    static var python: String { folder.appending(path: "zeep/bin/python3").path(percentEncoded: false) }
}
