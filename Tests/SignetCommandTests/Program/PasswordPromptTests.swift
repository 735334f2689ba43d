#if os(Linux)
import Foundation
import Testing

@testable import SignetDemo

extension ProgramTests {
    /// The question for a password on a real terminal, which `script` makes.
    @Suite struct PasswordPromptTests {
        private func onTerminal(_ program: Program, _ command: String, typed: String) async throws
            -> Program.Outcome
        {
            try await program.run(
                "/usr/bin/script", ["-qec", command, "/dev/null"], typing: [("the password of the user", typed)])
        }

        @Test func theTerminalDoesNotShowTheTypedPassword() async throws {
            try await WebEaseFixture.use { webEase in
                let arguments = webEase.asDistribution.dropLast(2).joined(separator: " ")
                let command =
                    "\(try Program.path()) call \(Program.wsdl) Register --set serialNumber=WE-7 \(arguments) >\(webEase.program.folder.path)/answer"
                let outcome = try await onTerminal(
                    webEase.program, command, typed: "\(webEase.world.servicePassword)\n")
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.output.contains("the password of the user \(World.serviceUser): "), "\(outcome)")
                #expect(!outcome.output.contains(webEase.world.servicePassword))
                let answer = try String(
                    contentsOf: webEase.program.folder.appending(path: "answer"), encoding: .utf8)
                #expect(answer.contains("device-WE-7"))
            }
        }

        @Test func aTerminalIsNotLeftSilent() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            // Control-C reaches the shell as well, which is to live and to say what it finds.
            let command =
                "trap : INT; \(try Program.path()) call \(Program.wsdl) LogEntryDelete --set id=1 --user app; stty -a"
            let outcome = try await onTerminal(program, command, typed: "se\u{3}")
            #expect(outcome.output.contains("the password of the user app: "), "\(outcome)")
            #expect(outcome.output.contains(" echo "), "\(outcome)")
            #expect(!outcome.output.contains(" -echo "), "\(outcome)")
        }
    }
}
#endif
