#if CommandLine
import ArgumentParser
import SignetWSDL

/// The command line. Exit status: 0 fine, 1 the job failed, 2 wrong usage.
@main struct SignetCommand: AsyncParsableCommand {
    /// The version of the command and of the library that it is built with (Semantic Versioning 2.0.0).
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "Call and host SOAP services that demand proof of who is calling.",
        version: "signet \(version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Call a service",
                subcommands: [CallCommand.self, TokenCommand.self, ConsoleCommand.self, MCPCommand.self]),
            CommandGroup(name: "Look for devices in networks", subcommands: [DiscoverCommand.self]),
            CommandGroup(
                name: "Find out why calls fail, or will", subcommands: [DoctorCommand.self, RehearseCommand.self]),
            CommandGroup(name: "Answer in place of a service", subcommands: [MockCommand.self, RecordCommand.self]),
            CommandGroup(
                name: "Read and compare WSDLs",
                subcommands: [InspectCommand.self, FetchCommand.self, DiffCommand.self]),
            CommandGroup(name: "Write Swift from a WSDL", subcommands: [GenerateCommand.self, NewCommand.self]),
            CommandGroup(
                name: "Obtain and keep certificates",
                subcommands: [IdentityCommand.self, EnrollCommand.self, CSRCommand.self]),
            CommandGroup(name: "Sign documents of XML", subcommands: [SignCommand.self, VerifyCommand.self]),
            CommandGroup(
                name: "Keep passwords and accounts",
                subcommands: [CredentialsCommand.self, AccountsCommand.self, StoreCommand.self]),
            CommandGroup(name: "See all of it at work", subcommands: [DemoCommand.self]),
        ])

    static func main() async {
        Output.begin()
        var status = await run(Array(CommandLine.arguments.dropFirst()))
        do { try Output.flush() } catch {
            print("signet: \(error)", to: &standardError)
            if status == .success { status = .failure }
        }
        exit(withError: status)
    }

    private static func run(_ arguments: [String]) async -> ExitCode {
        var isParsed = false
        do {
            try Arguments.checkEncoding()
            try Arguments.checkHelp(arguments, of: self)
            var command = try parseAsRoot()
            isParsed = true
            try Arguments.checkRepetition(arguments, of: type(of: command))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .success
        } catch let code as ExitCode {
            return code
        } catch {
            // The argument parser ends with 64 for wrong usage; 2 is what shells and scripts expect.
            let code = exitCode(for: error)
            if code == .validationFailure {
                // Only the parser's own errors know the command whose usage they show.
                print(isParsed ? "Error: \(message(for: error))" : fullMessage(for: error), to: &standardError)
                return ExitCode(2)
            }
            if code == .success {
                let message = fullMessage(for: error)
                let isList = arguments == ["help"]
                print(!isList && message == helpMessage() ? overview : message)
                return .success
            }
            print("signet: \(TerminalText.indented("\(error)"))", to: &standardError)
            return .failure
        }
    }
}
#endif
