#if CommandLine
import ArgumentParser

/// `signet identity`: files of keys and certificates.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Shows what a file of keys and certificates is good for, and turns it into other forms.",
        subcommands: [IdentityShowCommand.self, IdentityConvertCommand.self])
}
#endif
