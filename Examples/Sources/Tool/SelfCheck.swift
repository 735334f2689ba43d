import ArgumentParser
import Foundation
import Signet
import SignetServer
import SignetTesting

/// Runs this program against a service in this process, and looks at what it prints and how it ends.
struct SelfCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Checks this program.", shouldDisplay: false)

    private struct Case {
        let arguments: [String]
        let status: Int32
        /// A part of what is printed, on either stream.
        let text: String
    }

    func run() async throws {
        let authority = try CertificateAuthority(commonName: "Example authority")
        let server = try Self.server(authority)
        let endpoint = ["--endpoint", "https://localhost:\(try await server.start())/soap"]

        let folder = FileManager.default.temporaryDirectory.appending(path: "diary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            let url = folder.appending(path: name)
            try Data(bytes).write(to: url)
            return url.path
        }
        let password = UUID().uuidString
        let trusting = endpoint + ["--authority", try file("authority.pem", authority.bundle.pem)]
        let device = try authority.issueClient(commonName: "Example device").pkcs12(password: password)
        let identity = trusting + ["--identity", try file("device.p12", device)]
        let known = identity + ["--password-file", try file("password", Array("\(password)\n".utf8))]
        let wrong = identity + ["--password-file", try file("wrong", Array("wrong\n".utf8))]

        let cases = [
            Case(arguments: ["entries", "4711"] + known, status: 0, text: "1 2026-11-01 121/80 mmHg"),
            Case(
                arguments: ["entries", "4711", "--json"] + identity + ["--password-variable", "DIARY_PASSWORD"],
                status: 0, text: #""systolic" : 121"#),
            Case(arguments: ["delete", "99"] + known, status: 1, text: "No such entry."),
            Case(arguments: ["entries", "4711"] + trusting, status: 1, text: "certificate"),
            Case(arguments: ["entries", "4711", "--json"] + endpoint, status: 1, text: #""mostLikely""#),
            Case(arguments: ["entries", "4711"] + wrong, status: 2, text: "password"),
            Case(arguments: ["entries"], status: 2, text: "Usage:"),
            Case(arguments: ["--help"], status: 0, text: "USAGE:"),
        ]
        var failures = 0
        for check in cases {
            let (status, text) = try await Self.output(of: check.arguments, password: password)
            let isRight = status == check.status && text.contains(check.text) && !text.contains(password)
            print(
                isRight ? "ok   " : "WRONG", status,
                check.arguments.prefix { !$0.hasPrefix("--end") }.joined(separator: " "))
            if !isRight {
                failures += 1
                print(text)
            }
        }
        await server.shutdown()
        if failures > 0 { throw ExitCode.failure }
    }

    /// Runs this program, and waits for its end.
    private static func output(of arguments: [String], password: String) async throws -> (Int32, String) {
        guard let program = Bundle.main.executableURL else { throw ValidationError("This program has no path.") }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["DIARY_PASSWORD": password]) { $1 }
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { process in
                // What is printed fits into the pipe.
                let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
                continuation.resume(returning: (process.terminationStatus, text))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    private static func server(_ authority: CertificateAuthority) throws -> SOAPServer {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let routes = [
            WebEase.Operations.logEntryQuery.route { input, _ in
                let entry = WebEase.LogEntry(
                    id: 1, patientId: input.patientId, entryDate: "2026-11-01", recordedAt: "2026-11-01T08:00:00Z",
                    systolic: 121, diastolic: 80, weight: 81, flagged: false, kind: .device, revision: 1)
                return .init(entry: [entry], truncated: false)
            },
            WebEase.Operations.logEntryDelete.route { input, _ in
                throw DeclaredFault(WebEase.EntryNotFound(id: input.id), reason: "No such entry.")
            },
        ]
        return try SOAPServer(
            ServiceDispatcher(name: "WebEase", versions: [.soap11], routes: routes), path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
    }
}
