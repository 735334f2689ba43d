#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentials
import SignetCredentialsSQLite
import SignetTLS
import SignetWSDL

/// `signet accounts`: the accounts of a server's clients.
struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Keep the accounts of a server's clients in an encrypted store.",
        discussion: """
            A server whose state is in the store sees each change at once. What an account keeps of its password decides by which \
            schemes its client can authenticate: a hash for Basic and for passwords in UsernameTokens, unless options say more.
            """,
        subcommands: [
            AccountsAddCommand.self, AccountsPasswordCommand.self, AccountsListCommand.self, AccountsLockCommand.self,
            AccountsUnlockCommand.self, AccountsCertificateCommand.self, AccountsRemoveCommand.self,
        ])
}

/// The user, and the store that has the account.
struct AccountOptions: ParsableArguments {
    @Argument(help: "The name of the user.")
    var user: String

    @OptionGroup(title: "The store") var options: StoreOptions

    /// Lets `body` change the accounts.
    func withAccounts(
        _ verifiers: Set<Accounts.Verifier> = [], _ body: (Accounts) async throws -> Void
    ) async throws {
        try await options.withStore { database in
            try await body(Accounts(try await SQLiteServerState(database), verifiers: verifiers))
        }
    }
}

/// The password of an account, and what is kept of it.
struct AccountPasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that holds the password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the password.", valueName: "name"))
    var passwordEnv: String?

    @Option(
        help: ArgumentHelp(
            "Keep what verifies the Digest scheme in this realm too: a program that opens the store can authenticate with it. May be repeated.",
            valueName: "text"))
    var digestRealm: [String] = []

    @Option(
        help: ArgumentHelp(
            "The algorithms for it, separated by commas: sha-256, sha-512-256, md5; sha-256 unless given.",
            valueName: "names")
    )
    var digestAlgorithms: String?

    @Flag(
        help: "Keep the password itself too, for digests in UsernameTokens: a program that opens the store can read it."
    )
    var keepPassword = false

    func validate() throws {
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
        _ = try verifiers()
    }

    func verifiers() throws -> Set<Accounts.Verifier> {
        var verifiers: Set<Accounts.Verifier> = keepPassword ? [.hash, .password] : [.hash]
        let names = (digestAlgorithms ?? "sha-256").split(separator: ",")
        guard digestAlgorithms == nil || !digestRealm.isEmpty && !names.isEmpty else {
            throw ValidationError(
                names.isEmpty
                    ? "--digest-algorithms names no algorithm; there are sha-256, sha-512-256 and md5."
                    : "--digest-algorithms is about a realm; give --digest-realm.")
        }
        for name in names {
            let name = name.trimmingCharacters(in: .whitespaces)
            guard let algorithm = DigestAlgorithm(rawValue: name.uppercased()) else {
                throw ValidationError(
                    "--digest-algorithms: there is no algorithm “\(name)”; there are sha-256, sha-512-256 and md5.")
            }
            for realm in digestRealm { verifiers.insert(.digest(realm: realm, algorithm)) }
        }
        return verifiers
    }

    func password(of user: String) throws -> SecretBytes {
        SecretBytes(
            try SecretSource(
                purpose: "the password of \(user)", options: "--password-file or --password-env", file: passwordFile,
                environmentVariable: passwordEnv
            ).read())
    }
}

struct AccountsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add an account with a password.",
        discussion: """
            Give --digest-realm and --digest-algorithms as the server has them: the command does not know its settings.

            Examples:
              signet accounts add laptop-7 --password-file laptop-7.password --key-file state.key
              signet accounts add laptop-7 --digest-realm WebEase --key-file state.key
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup(title: "The password") var password: AccountPasswordOptions

    func run() async throws {
        let secret = try password.password(of: account.user)
        try await account.withAccounts(password.verifiers()) { try await $0.add(account.user, password: secret) }
        print("added \(account.user)")
    }
}

struct AccountsPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Replace the password of an account.",
        discussion: """
            Nothing is kept of the old password, so give the options that were given when the account was added.

            Example:
              signet accounts password laptop-7 --digest-realm WebEase --key-file state.key
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup(title: "The password") var password: AccountPasswordOptions

    func run() async throws {
        let secret = try password.password(of: account.user)
        try await account.withAccounts(password.verifiers()) {
            try await $0.setPassword(secret, of: account.user)
        }
        print("changed the password of \(account.user)")
    }
}

struct AccountsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts, and what each keeps, without secrets.",
        discussion: """
            Examples:
              signet accounts list --key-file state.key
              signet accounts list --key-file state.key --json | jq -r '.[] | select(.locked) | .user'
            """)

    @OptionGroup(title: "The store") var options: StoreOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    private struct Entry: Encodable {
        let user: String
        let locked: Bool
        let hash: Bool
        let password: Bool
        let digests: [String]
        let certificates: [String]
    }

    func run() async throws {
        let entries = try await options.withStore { database in
            let state = try await SQLiteServerState(database)
            var entries: [Entry] = []
            for user in try await state.users() {
                guard let account = try await state.account(user) else { continue }
                entries.append(
                    Entry(
                        user: user, locked: account.isLocked, hash: account.hash != nil,
                        password: account.password != nil,
                        digests: account.digests.map { "\($0.algorithm.rawValue) \($0.realm)" }.sorted(),
                        certificates: account.certificates.map { Text.hexadecimal($0) }.sorted()))
            }
            return entries
        }
        if json { return try Output.report(entries) }
        for entry in entries {
            let kept =
                (entry.locked ? ["locked"] : []) + (entry.hash ? ["hash"] : []) + (entry.password ? ["password"] : [])
                + entry.digests.map { "digest \($0)" } + entry.certificates.map { "certificate \($0)" }
            print(TerminalText.block("\(entry.user)  \(kept.joined(separator: ", "))"))
        }
    }
}

struct AccountsLockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Refuse the passwords and the certificates of an account from now on.",
        discussion: """
            Example:
              signet accounts lock laptop-7 --key-file state.key
            """)

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await account.withAccounts { try await $0.lock(account.user) }
        print("locked \(account.user)")
    }
}

struct AccountsUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Admit an account again, also one that has had too many failures.",
        discussion: """
            Example:
              signet accounts unlock laptop-7 --key-file state.key
            """)

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await account.withAccounts { try await $0.unlock(account.user) }
        print("unlocked \(account.user)")
    }
}

struct AccountsCertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Give a certificate to an account, or take it away.",
        discussion: """
            Without an account of this name, one without a password is made.

            Examples:
              signet accounts certificate laptop-7 --file laptop-7.pem --key-file state.key
              signet accounts certificate laptop-7 --file laptop-7.pem --remove --key-file state.key
            """)

    @OptionGroup var account: AccountOptions

    @Option(
        help: ArgumentHelp("The certificate of the client, in PEM or DER.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Take the certificate away.")
    var remove = false

    func run() async throws {
        let bundle = try CertificateBundle(file: file, purpose: "The certificate")
        guard let certificate = bundle.certificates.first, bundle.certificates.count == 1 else {
            throw CommandError(
                "“\(file)” has \(bundle.certificates.count) certificates; name a file with that of the client alone.")
        }
        try await account.withAccounts { accounts in
            if remove { return try await accounts.removeCertificate(certificate, of: account.user) }
            if try await accounts.state.account(account.user) == nil {
                return try await accounts.add(account.user, owning: certificate)
            }
            try await accounts.addCertificate(certificate, of: account.user)
        }
        print("\(remove ? "took the certificate from" : "gave the certificate to") \(account.user)")
    }
}

struct AccountsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account.",
        discussion: """
            Example:
              signet accounts remove laptop-7 --key-file state.key
            """)

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await account.withAccounts { try await $0.remove(account.user) }
        print("removed \(account.user)")
    }
}
#endif
