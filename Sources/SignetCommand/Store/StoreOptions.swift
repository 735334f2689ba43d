#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite

/// The options for a store and its master key.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store, a file in a folder that only its owner can reach. Unless given, it is what SIGNET_STORE says, or signet/store.sqlite in the folder for data of programs.",
            valueName: "file"), completion: .file())
    var store: String?

    @Option(
        help: ArgumentHelp("A file that holds the master key, in another folder than the store.", valueName: "file"),
        completion: .file())
    var keyFile: String?

    @Option(help: ArgumentHelp("The name of a systemd credential that is the master key.", valueName: "name"))
    var keySystemd: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable that holds the master key, in hexadecimal digits or base64.", valueName: "name"))
    var keyEnv: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the passphrase alone, from which the master key is made.", valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The environment variable that holds that passphrase. Without any of these options the command asks for it.",
            valueName: "name"))
    var passphraseEnv: String?

    func validate() throws {
        if [keyFile, keySystemd, keyEnv, passphraseFile, passphraseEnv].count(where: { $0 != nil }) > 1 {
            throw ValidationError(
                "Give one of --key-file, --key-systemd, --key-env, --passphrase-file and --passphrase-env.")
        }
    }

    /// The first of these options that the user gave, for commands that work without a store.
    var given: String? {
        [
            ("--store", store), ("--key-file", keyFile), ("--key-systemd", keySystemd), ("--key-env", keyEnv),
            ("--passphrase-file", passphraseFile), ("--passphrase-env", passphraseEnv),
        ].first { $0.1 != nil }?.0
    }

    /// The file of the store.
    func path(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(CommandError) -> String {
        if let store { return store }
        if let named = environment["SIGNET_STORE"], !named.isEmpty { return named }
        if let data = environment["XDG_DATA_HOME"], !data.isEmpty { return "\(data)/signet/store.sqlite" }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw CommandError("The environment has no variable HOME; name the store with --store.")
        }
        return "\(home)/.local/share/signet/store.sqlite"
    }

    /// Where the master key comes from.
    var key: any MasterKeyProvider {
        if let keyFile { return MasterKeyFile(path: keyFile) }
        if let keySystemd { return SystemdCredential(name: keySystemd) }
        if let keyEnv {
            return EnvironmentMasterKey(variable: keyEnv) { warning in print("signet: \(warning)", to: &standardError) }
        }
        return Self.passphrase(
            SecretSource(
                purpose: "the passphrase of the store", options: "--passphrase-file or --passphrase-env",
                file: passphraseFile, environmentVariable: passphraseEnv))
    }

    static func passphrase(_ source: SecretSource) -> PassphraseMasterKey {
        PassphraseMasterKey { request in
            let passphrase = try source.read()
            // After a typing error the user could not open the store.
            if request.isNew, !source.isGiven {
                var again = source
                again.purpose += " again"
                guard try again.read() == passphrase else {
                    throw CommandError("The two passphrases typed are not the same. Nothing was changed.")
                }
            }
            return SecretBytes(passphrase)
        }
    }

    /// Opens the existing store for `body`, and closes it afterwards: the store is then one file, which a backup may
    /// copy.
    func withStore<Value>(_ body: (EncryptedDatabase) async throws -> Value) async throws -> Value {
        var options = EncryptedDatabase.Options()
        options.makesStore = false
        let database = try await EncryptedDatabase(path: try path(), key: key, options: options)
        do {
            let value = try await body(database)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}
#endif
