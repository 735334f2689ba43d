import Foundation
import Testing

extension ProgramTests {
    @Suite struct DiffTests {
        @Test func theStatusSaysWhetherCallersBreak() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let text = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let same = try await program.signet("diff", Program.wsdl, Program.wsdl)
            #expect(same.status == 0)
            #expect(same.output == "nothing changed\n")

            let renamed = try program.write(text.replacing("LogEntryDelete", with: "LogEntryErase"), to: "renamed.wsdl")
            let broken = try await program.signet("diff", Program.wsdl, renamed)
            #expect(broken.status == 1)
            #expect(broken.output.contains("breaks: operation LogEntryDelete: it is gone"), "\(broken.output)")

            let json = try await program.signet("diff", Program.wsdl, renamed, "--json")
            #expect(json.status == 1)
            struct Report: Decodable {
                struct Change: Decodable {
                    var path: [String]
                    var message: String
                    var breaking: Bool
                }
                var breaking: Bool
                var changes: [Change]
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
            #expect(report.breaking)
            #expect(report.changes.contains { $0.path == ["operation LogEntryErase"] && !$0.breaking })
        }

        @Test func unreadableFilesGiveExitStatusTwo() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for arguments in [[Program.wsdl], [Program.wsdl, "gone.wsdl"], [Program.wsdl, #filePath]] {
                let outcome = try await program.run(Program.path(), ["diff"] + arguments)
                #expect(outcome.status == 2, "\(outcome)")
                #expect(outcome.output.isEmpty)
            }
        }
    }
}
