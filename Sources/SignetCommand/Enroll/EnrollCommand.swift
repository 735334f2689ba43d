#if CommandLine
import ArgumentParser

/// `signet enroll`: obtains identities from authorities.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Obtain an identity from an authority, or renew it, and keep it in a store.",
        subcommands: [
            EnrollESTCommand.self, EnrollSCEPCommand.self, EnrollWSTEPCommand.self, EnrollPoliciesCommand.self,
            EnrollSOAPCommand.self, EnrollPKCS12Command.self,
        ])
}
#endif
