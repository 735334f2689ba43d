#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetEnrollment

struct IdentityRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Renew an identity in a store in the way in which signet enroll obtained it.",
        discussion: """
            The store has kept the options of signet enroll with the identity, such as the address of the authority; passwords are read \
            from the same files and variables. Options about the store are those of this command.

            Examples:
              signet identity renew device --key-file store.key
              signet identity renew device --key-file store.key --unless-valid-for 30
            """)

    @Argument(help: "The label in the store.")
    var label: String

    @Option(
        help: ArgumentHelp(
            "Do nothing when the identity in the store is valid for at least so long.", valueName: "days"))
    var unlessValidFor: Int?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup(title: "The store") var options: StoreOptions

    func validate() throws { try ReplacementOptions.check(unlessValidFor: unlessValidFor) }

    func run() async throws {
        let (identity, isNew) = try await options.withStore { database in
            let store = SQLiteIdentityStore(database)
            let command = try await EnrollmentRecipe(of: label, in: store).command()
            let enrollment = try await command.prepared(store)
            let before = try await store.identity(label: label)
            let identity = try await enrollment.run(unlessValidFor: ReplacementOptions.duration(days: unlessValidFor))
            return (identity, identity != before)
        }
        try StoredIdentityEntry(label: label, identity).report(json: json, isNew: isNew)
    }
}
#endif
