#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetWSDL

/// `signet store`: the encrypted file itself.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Make, check and re-encrypt the file that stores credentials and identities.",
        subcommands: [StoreInitCommand.self, StoreRekeyCommand.self, StoreCheckCommand.self])
}

struct StoreInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make an empty store.",
        discussion: """
            Only the owner can read the store and its folder. The content of the store cannot be read without the master key: \
            keep a copy of the key.

            Examples:
              signet store init --store ~/private/store.sqlite --key-file ~/keys/store.key --make-key
              signet store init --passphrase-file passphrase
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Make the file of --key-file, with a new key.")
    var makeKey = false

    func validate() throws {
        if makeKey, options.keyFile == nil { throw ValidationError("--make-key is about a file; give --key-file.") }
    }

    func run() async throws {
        let path = try options.path()
        if FileManager.default.fileExists(atPath: path) {
            throw CommandError("“\(path)” is there already. Name another file, or use it: signet store check.")
        }
        if makeKey, let file = options.keyFile { _ = try MasterKeyFile.create(path: file) }
        await (try await EncryptedDatabase(path: path, key: options.key)).close()
        print("made \(path)")
    }
}

struct StoreRekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Seal everything in a store with another master key.",
        discussion: """
            It is done as a whole or not at all, while other programs use the store. They have to be given the new key from then on.

            Example:
              signet store rekey --key-file old.key --new-key-file new.key --make-key
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: ArgumentHelp("A file that holds the new master key.", valueName: "file"), completion: .file())
    var newKeyFile: String?

    @Option(help: ArgumentHelp("The name of a systemd credential that is the new master key.", valueName: "name"))
    var newKeySystemd: String?

    @Option(help: ArgumentHelp("A file that holds the new passphrase alone.", valueName: "file"), completion: .file())
    var newPassphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable that holds the new passphrase. Without any of these options the command asks for it.",
            valueName: "name"))
    var newPassphraseEnv: String?

    @Flag(help: "Make the file of --new-key-file, with a new key.")
    var makeKey = false

    func validate() throws {
        if [newKeyFile, newKeySystemd, newPassphraseFile, newPassphraseEnv].count(where: { $0 != nil }) > 1 {
            throw ValidationError(
                "Give one of --new-key-file, --new-key-systemd, --new-passphrase-file and --new-passphrase-env.")
        }
        if makeKey, newKeyFile == nil { throw ValidationError("--make-key is about a file; give --new-key-file.") }
    }

    private var newKey: any MasterKeyProvider {
        if let newKeyFile { return MasterKeyFile(path: newKeyFile) }
        if let newKeySystemd { return SystemdCredential(name: newKeySystemd) }
        return StoreOptions.passphrase(
            SecretSource(
                purpose: "the new passphrase of the store", options: "--new-passphrase-file or --new-passphrase-env",
                file: newPassphraseFile, environmentVariable: newPassphraseEnv))
    }

    func run() async throws {
        try await options.withStore { database in
            if makeKey, let newKeyFile { _ = try MasterKeyFile.create(path: newKeyFile) }
            try await database.rekey(to: newKey)
            print("sealed \(database.path) anew")
        }
    }
}

struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read everything in a store and say what is damaged.",
        discussion: """
            The status is 1 when something is.

            Examples:
              signet store check --key-file store.key
              signet store check --key-file store.key --json | jq .sound
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Remove the damaged records after naming them.")
    var repair = false

    @Flag(
        help:
            "With --repair, keep intact records that may be old versions, because the store's lists of records are damaged."
    )
    var keepUnproven = false

    @Flag(help: "With --repair, remove such records as well.")
    var dropUnproven = false

    func validate() throws {
        if keepUnproven, dropUnproven { throw ValidationError("Give either --keep-unproven or --drop-unproven.") }
        if !repair, keepUnproven || dropUnproven {
            throw ValidationError("--keep-unproven and --drop-unproven are about a repair; give --repair.")
        }
    }

    @Flag(help: "Print the report as JSON.")
    var json = false

    private struct Report: Encodable {
        let sound: Int
        let damaged: [String]
        let damagedLists: Int
        let fileProblems: [String]
        let generation: Int64
    }

    func run() async throws { try await options.withStore { try await check($0) } }

    private func check(_ database: EncryptedDatabase) async throws {
        let report = try await database.check()
        if json {
            try Output.report(
                Report(
                    sound: report.sound, damaged: report.damaged.map(\.description),
                    damagedLists: report.damagedLists, fileProblems: report.fileProblems, generation: report.generation
                ))
        } else {
            print("\(report.sound) sound, \(report.damaged.count) damaged (generation \(report.generation))")
            for record in report.damaged { print("✗ \(record)") }
            if report.damagedLists > 0 { print("✗ \(report.damagedLists) of the store's lists of records") }
            for problem in report.fileProblems { print("✗ \(TerminalText.block(problem))") }
        }
        if repair {
            guard report.damagedLists == 0 || keepUnproven || dropUnproven else {
                throw CommandError(
                    "The store's lists of records are damaged, so that it is unknown which records are the latest. Nothing was changed; give --keep-unproven or --drop-unproven."
                )
            }
            let found = try await database.repair(keepsUnproven: keepUnproven)
            if !json { print("repaired: \(found.count) were damaged") }
            if !report.fileProblems.isEmpty { throw ExitCode(1) }
        } else if !report.isSound {
            throw ExitCode(1)
        }
    }
}
#endif
