#if CommandLine
import ArgumentParser
import Signet
import SignetCredentialsSQLite
import SignetEnrollment
import SignetWSDL

struct IdentityListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the identities in a store, with what is wrong with them.",
        discussion: """
            Labels that end with .new and .requested belong to an enrollment that has not ended (see signet enroll est).

            Examples:
              signet identity list --key-file store.key
              signet identity list --key-file store.key --json | jq -r '.[] | [.label, .notAfter] | @tsv'
            """)

    @OptionGroup(title: "The store") var options: StoreOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
        let entries = try await options.withStore { database in
            let store = SQLiteIdentityStore(database)
            var entries: [StoredIdentityEntry] = []
            for label in try await store.labels() {
                if let identity = try await store.identity(label: label) {
                    entries.append(StoredIdentityEntry(label: label, identity))
                }
            }
            return entries
        }
        if json {
            try Output.report(entries)
        } else {
            for entry in entries { print(TerminalText.block(entry.text)) }
        }
    }
}

struct IdentityImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Put the identity of a file into a store.",
        discussion: """
            An identity that the store has under the label is replaced only with --force.

            Example:
              signet identity import device.p12 --label device --key-file store.key --identity-password-file device.password
            """)

    @Argument(help: "PKCS#12, or PEM with key and certificates.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The label in the store.", valueName: "text"))
    var label: String

    @OptionGroup var password: IdentityPasswordOptions

    @Flag(help: "Replace the identity that the store has under the label.")
    var force = false

    @OptionGroup(title: "The store") var options: StoreOptions

    func validate() throws {
        if label.isEmpty || IdentityReplacement.isReserved(label) {
            throw ValidationError(
                "--label is not empty, and does not end with .new or .requested (see signet enroll est).")
        }
    }

    func run() async throws {
        let identity = try Identity(file: file, password: password.source(for: file))
        try await options.withStore { database in
            let store = SQLiteIdentityStore(database)
            try await store.exclusively(label: label) {
                guard try await store.identity(label: label) == nil || force else {
                    throw CommandError(
                        "The store has an identity “\(label)”. Choose another label, or replace it with --force.")
                }
                try await store.store(identity, label: label)
                // It was not obtained as the one before.
                try await store.keep(recipe: nil, label: label)
                try await store.keep(received: nil, label: label)
            }
        }
        print(TerminalText.block(StoredIdentityEntry(label: label, identity).text))
    }
}

struct IdentityExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an identity of a store into a file.",
        discussion: """
            The file can be read by you alone, and replaces nothing unless told.

            Example:
              signet identity export device device.p12 --to pfx --key-file store.key --new-password-file device.password
            """)

    @Argument(help: "The label in the store.")
    var label: String

    @Argument(help: "The file to write.", completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The form to write: pfx or pem.", valueName: "form"))
    var to: IdentityFormat

    @OptionGroup(title: "The file written") var newPassword: NewPasswordOptions

    @Flag(help: "Replace the output if it is there.")
    var force = false

    @OptionGroup(title: "The store") var options: StoreOptions

    func validate() throws {
        if to != .pfx, to != .pem { throw ValidationError("--to is pfx or pem.") }
        if to == .pfx, newPassword.unencrypted {
            throw ValidationError("--unencrypted: a PFX always has a password. Use --to pem.")
        }
        if newPassword.samePassword {
            throw ValidationError("--same-password: an identity in a store has no password of its own.")
        }
    }

    func run() async throws {
        let identity = try await options.withStore { database in
            try await SQLiteIdentityStore(database).identity(label: label)
        }
        guard let identity else {
            throw CommandError("The store has no identity “\(label)”. signet identity list names those that it has.")
        }
        let password = try newPassword.read(for: output, old: nil)
        let bytes = try IdentityConversion.bytes(
            of: .identity(identity), to: to, password: password, label: label, algorithms: PFXReader.openssl.algorithms)
        try KeyOutput.write(bytes, to: output, replaces: force)
    }
}

struct IdentityRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an identity from a store; its key is lost.",
        discussion: """
            Example:
              signet identity remove distribution --key-file store.key
            """)

    @Argument(help: "The label in the store.")
    var label: String

    @OptionGroup(title: "The store") var options: StoreOptions

    func run() async throws {
        try await options.withStore { database in
            let store = SQLiteIdentityStore(database)
            try await store.exclusively(label: label) {
                let isReceived = try await store.receivedFile(label: label) != nil
                guard try await store.labels().contains(label) || isReceived else {
                    throw CommandError(
                        "The store has no identity “\(label)”. signet identity list names those that it has.")
                }
                try await store.remove(label: label)
            }
        }
        print("removed \(TerminalText.line(label))")
    }
}
#endif
