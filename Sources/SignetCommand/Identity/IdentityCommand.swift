#if CommandLine
import ArgumentParser

/// `signet identity`: files of keys and certificates, and identities in a store.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Show what a file of keys and certificates is good for, and keep identities in a store.",
        subcommands: [
            IdentityShowCommand.self, IdentityConvertCommand.self, IdentityListCommand.self,
            IdentityImportCommand.self, IdentityExportCommand.self, IdentityRenewCommand.self,
            IdentityRemoveCommand.self, IdentityWatchCommand.self,
        ])
}
#endif
