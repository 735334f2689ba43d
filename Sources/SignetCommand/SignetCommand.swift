#if CommandLine
import ArgumentParser
import SignetWSDL

/// The command line. Exit status: 0 fine, 1 the job failed, 2 wrong usage.
@main struct SignetCommand: AsyncParsableCommand {
    /// The version of the command and of the library that it is built with (Semantic Versioning 2.0.0).
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "Calls and hosts SOAP services that demand proof of who is calling.",
        version: "signet \(version)",
        subcommands: [
            CallCommand.self, ConsoleCommand.self, MCPCommand.self, MockCommand.self, RecordCommand.self,
            DoctorCommand.self,
            RehearseCommand.self, InspectCommand.self, FetchCommand.self, GenerateCommand.self, NewCommand.self,
            DiffCommand.self, IdentityCommand.self, EnrollCommand.self,
            CSRCommand.self,
            SignCommand.self, VerifyCommand.self, CredentialsCommand.self, AccountsCommand.self, StoreCommand.self,
            DemoCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            // The argument parser ends with 64 for wrong usage; 2 is what shells and scripts expect.
            let code = exitCode(for: error)
            if code == .validationFailure {
                print(fullMessage(for: error), to: &standardError)
                exit(withError: ExitCode(2))
            }
            if code == .success { exit(withError: error) }
            print("signet: \(TerminalText.indented("\(error)"))", to: &standardError)
            exit(withError: ExitCode(1))
        }
    }
}
#endif
