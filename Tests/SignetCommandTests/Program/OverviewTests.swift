import ArgumentParser
import Testing

@testable import SignetCommand

/// `signet --help` fits a screen.
@Suite struct OverviewTests {
    @Test func theOverviewFitsAScreen() {
        let lines = SignetCommand.overview.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 24, "the prompt needs a line, too")
        for line in lines { #expect(line.count <= 80, "\(line)") }
    }

    @Test func theOverviewNamesEverySubcommand() {
        let words = SignetCommand.overview.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
        let names = SignetCommand.configuration.subcommands.map { $0._commandName }
        #expect(names.count > 20)
        #expect(Set(names).count == names.count)
        for name in names { #expect(words.contains(name), "\(name) is not named") }
        #expect(SignetCommand.configuration.ungroupedSubcommands.isEmpty, "the overview shows groups only")
    }
}

extension ProgramTests {
    @Suite struct OverviewProgramTests {
        @Test(arguments: [["--help"], ["-h"], []]) func theOverviewIsPrinted(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(try Program.path(), arguments)
            #expect(outcome.status == 0)
            #expect(outcome.output == SignetCommand.overview + "\n")
        }

        @Test func helpListsWhatEachSubcommandDoes() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let list = try await program.signet("help")
            #expect(list.status == 0)
            #expect(list.output.contains("Call an operation of a service"))
            let one = try await program.signet("help", "call")
            #expect(one.output.contains("USAGE: signet call"))
        }

        @Test(arguments: [["help", "nix"], ["help", "identity", "nix"]])
        func helpForNoCommandIsRefused(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(try Program.path(), arguments)
            #expect(outcome.status == 2 && outcome.error.contains("There is no command “nix”"), "\(outcome)")
            #expect(outcome.output.isEmpty)
        }

        /// A shell reads the script, and gets the names of subcommands from it.
        @Test func bashCompletesSubcommands() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let script = try await program.signet("--generate-completion-script", "bash")
            #expect(script.status == 0)
            let path = try program.write(script.output, to: "signet.bash")
            let typed = """
                source "$0"; COMP_WORDS=(signet iden); COMP_CWORD=1; COMP_LINE="signet iden"; COMP_POINT=11; COMP_TYPE=9
                _signet signet iden signet; echo "${COMPREPLY[*]}"
                """
            let outcome = try await program.run("/usr/bin/env", ["bash", "-c", typed, path])
            #expect(outcome.output == "identity\n", "\(outcome.error)")
        }
    }
}
