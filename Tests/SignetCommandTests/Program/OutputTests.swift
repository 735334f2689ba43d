import Foundation
import Testing

extension ProgramTests {
    /// What the program says when its output is lost.
    @Suite struct OutputTests {
        private static let commands = [
            ["inspect", Program.wsdl], ["inspect", Program.wsdl, "--json"],
            ["call", Program.wsdl, "LogEntryDelete", "--sample"],
            ["call", Program.wsdl, "LogEntryDelete", "--set", "id=1", "--dry-run"],
            ["doctor", "http://127.0.0.1:9/", "--json"], ["help"], ["--version"],
        ]

        @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: commands)
        func aFullDiskIsAFailure(command: [String]) async throws {
            try await expectFailure(of: command, redirection: ">/dev/full")
        }

        @Test(arguments: commands) func closedOutputIsAFailure(command: [String]) async throws {
            try await expectFailure(of: command, redirection: ">&-")
        }

        private func expectFailure(of command: [String], redirection: String) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(
                "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(redirection)", try Program.path()] + command)
            #expect(outcome.status == 1, "\(outcome)")
            // The reason follows, unless the stream is written line by line and has not kept it.
            #expect(outcome.error.contains("signet: Standard output cannot be written"), "\(outcome)")
        }

        /// Swift would replace the bytes, and the command would send another password.
        @Test(arguments: [["call", Program.wsdl, "LogEntryDelete", "--dry-run", "--set"], ["inspect"], []])
        func argumentsThatAreNotUTF8AreRefused(command: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(
                "/bin/sh", ["-c", "exec \"$0\" \"$@\" \"$(printf 'id=\\377\\376')\"", try Program.path()] + command)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.error.contains("Argument \(command.count + 1) is not UTF-8"), "\(outcome)")
        }

        /// A command whose output is fine ends as before.
        @Test func whatIsWrittenStandsThere() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet("--version")
            #expect(outcome.status == 0 && outcome.output.hasPrefix("signet ") && outcome.error.isEmpty, "\(outcome)")
        }
    }
}
