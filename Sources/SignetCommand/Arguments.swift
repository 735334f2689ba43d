#if CommandLine
import ArgumentParser
import Foundation

/// What the argument parser lets pass in the arguments of the program, although it cannot be what the user wants.
enum Arguments {
    /// Bytes that are not UTF-8, which Swift replaces: the command would use another value than the one that was given.
    static func checkEncoding() throws(ValidationError) {
        for number in 0..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[number], String(validatingCString: argument) == nil else {
                continue
            }
            throw ValidationError("Argument \(number) is not UTF-8. Convert it, for instance with iconv.")
        }
    }

    /// A command that does not exist behind `signet help`, in place of which the parser explains the one before it.
    static func checkHelp(_ arguments: [String], of root: any ParsableCommand.Type) throws(ValidationError) {
        guard arguments.first == "help" else { return }
        var command = root
        for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
            let configuration = command.configuration
            guard let next = configuration.subcommands.first(where: { $0._commandName == name }) else {
                // A command without subcommands explains itself, whatever follows its name.
                if configuration.subcommands.isEmpty { return }
                let shown = name.count > 40 ? "\(name.prefix(40))…" : name
                throw ValidationError("There is no command “\(shown)”. “signet help” lists the commands.")
            }
            command = next
        }
    }

    /// An option that is given twice and takes one value: the parser would use the last one.
    static func checkRepetition(_ arguments: [String], of command: any ParsableCommand.Type) throws {
        let words = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
            .map { argument in argument.prefix { $0 != "=" } }
        let repeated = Dictionary(grouping: words) { $0 }.filter { $1.count > 1 }
        guard !repeated.isEmpty else { return }
        let description = try JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
        for option in description.command.arguments where option.kind == "option" && !option.isRepeating {
            for name in option.names ?? [] where repeated[name.word[...]] != nil {
                throw ValidationError("\(name.word) takes one value. Give it once.")
            }
        }
    }

    /// What the parser says of a command, as far as it is needed.
    private struct Description: Decodable {
        struct Command: Decodable { var arguments: [Argument] }
        struct Argument: Decodable {
            var kind: String
            var isRepeating: Bool
            var names: [Name]?
        }
        struct Name: Decodable {
            var kind: String
            var name: String
            var word: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }
        var command: Command
    }
}
#endif
