#if CommandLine
import ArgumentParser
import Foundation
import HTTPTypes
import Signet
import SignetCredentialsSQLite
import SignetWSDL

/// `signet credentials`: the passwords and tokens that a store keeps for servers and proxies.
struct CredentialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Keep passwords and tokens for servers and proxies in an encrypted store.",
        subcommands: [
            CredentialsSetCommand.self, CredentialsListCommand.self, CredentialsRemoveCommand.self,
            CredentialsTestCommand.self,
        ])
}

/// The server or proxy for which credentials are.
struct CredentialPlace: ParsableArguments {
    @Argument(help: "The address of the server or proxy. The credentials apply to its path and all paths below.")
    var url: String

    @Option(help: ArgumentHelp("The account.", valueName: "name"))
    var account: String

    @Option(
        help: ArgumentHelp(
            "The realm that the server names; all realms of the server unless given.", valueName: "text"))
    var realm = ""

    @Option(
        help: ArgumentHelp(
            "The scheme that the credentials are for, such as digest or bearer; any unless given.", valueName: "name"))
    var auth: String?

    @Flag(help: "The credentials are for the proxy at this address, not for a server.")
    var proxy = false

    func validate() throws {
        _ = try Endpoint(argument: url)
        if let auth, AuthenticationScheme(registered: auth) == nil {
            throw ValidationError(
                "--auth: there is no scheme “\(auth)”; there are negotiate, ntlm, bearer, digest and basic.")
        }
    }

    func key() throws -> CredentialKey {
        let endpoint = try Endpoint(url)
        let space = ProtectionSpace(
            scheme: endpoint.origin.scheme.rawValue, host: endpoint.origin.host, port: endpoint.origin.port,
            realm: realm, isProxy: proxy)
        let path = proxy || endpoint.path == "/" ? "" : endpoint.path
        return CredentialKey(space: space, path: path, scheme: auth, account: account)
    }
}

struct CredentialsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a password or a token, or replace the stored one.",
        discussion: """
            Example:
              signet credentials set https://reports.example/soap --account app --password-file app.password \\
                --key-file store.key
            """)

    @OptionGroup var place: CredentialPlace
    @OptionGroup(title: "The store") var options: StoreOptions

    @Option(
        help: ArgumentHelp("A file that holds the password or token alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the password or token.", valueName: "name"))
    var passwordEnv: String?

    @Option(help: ArgumentHelp("The label in lists.", valueName: "text"))
    var label: String?

    func validate() throws {
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
    }

    func run() async throws {
        let key = try place.key()
        let source = SecretSource(
            purpose: "the password of \(key.account)", options: "--password-file or --password-env", file: passwordFile,
            environmentVariable: passwordEnv)
        let secret = SecretBytes(try source.read())
        try await options.withStore { database in
            let store = SQLiteCredentialStore(database)
            do {
                try await store.update(key, with: CredentialChange(secret: secret, label: label))
                print("changed \(key)")
            } catch let error as CredentialStoreError where error.code == .notFound {
                try await store.add(
                    StoredCredential(key: key, secret: secret, label: label ?? "", persistence: .permanent))
                print("kept \(key)")
            }
        }
    }
}

struct CredentialsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is kept, without passwords.",
        discussion: """
            Examples:
              signet credentials list --key-file store.key
              signet credentials list --key-file store.key --json | jq -r '.[].account'
            """)

    @OptionGroup(title: "The store") var options: StoreOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    private struct Entry: Encodable {
        let host: String
        let port: Int
        let `protocol`: String
        let proxy: Bool
        let realm: String
        let path: String
        let scheme: String?
        let account: String
        let label: String
        let modified: Int64
    }

    func run() async throws {
        let (found, damaged) = try await options.withStore { database in
            try await SQLiteCredentialStore(database).search(CredentialQuery())
        }
        let entries = found.map(\.entry)
        if json {
            try Output.report(
                entries.map { entry in
                    let (key, space) = (entry.key, entry.key.space)
                    return Entry(
                        host: space.host, port: space.port, protocol: space.scheme, proxy: space.isProxy,
                        realm: space.realm, path: key.path, scheme: key.scheme, account: key.account,
                        label: entry.label, modified: entry.modified)
                })
        } else {
            for entry in entries {
                print(TerminalText.block("\(entry.key)\(entry.label.isEmpty ? "" : "  \(entry.label)")"))
            }
        }
        for record in damaged { print("✗ \(record)", to: &standardError) }
        if !damaged.isEmpty { throw ExitCode(1) }
    }
}

struct CredentialsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget a password or a token.",
        discussion: """
            Example:
              signet credentials remove https://reports.example/soap --account app --key-file store.key
            """)

    @OptionGroup var place: CredentialPlace
    @OptionGroup(title: "The store") var options: StoreOptions

    func run() async throws {
        let key = try place.key()
        guard try await options.withStore({ try await SQLiteCredentialStore($0).remove(key) }) else {
            throw CommandError("The store has nothing for \(key); see signet credentials list.")
        }
        print("forgot \(key)")
    }
}

struct CredentialsTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Ask a server whether it accepts what the store has for it.",
        discussion: """
            Sends one request (GET) to the address, and answers the server's challenge with what the store has. The status is 1 when the \
            server refuses it, or there is nothing.

            Example:
              signet credentials test https://reports.example/soap --key-file store.key
            """)

    @Argument(help: "The address of the service.")
    var url: String

    @OptionGroup(title: "The store") var options: StoreOptions
    @OptionGroup(title: "Trust in the server") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    @Option(
        name: .customLong("auth"),
        help: ArgumentHelp(
            "The schemes that may be used, the strongest first, separated by commas: negotiate, ntlm, bearer, digest, basic.",
            valueName: "schemes"))
    var schemes: String?

    @Flag(
        help:
            "Let a password or a token travel over plain HTTP, where an attacker on the network can read it, or guess it from an answer to Digest or NTLM."
    )
    var allowPlaintext = false

    @Flag(help: "Answer Digest challenges without qop, from which the service can look the password up (RFC 2069).")
    var allowDigestWithoutQop = false

    func validate() throws {
        _ = try CredentialOptions.schemes(named: schemes, option: "--auth")
        _ = try Endpoint(argument: url)
    }

    func run() async throws {
        let (endpoint, answer) = try await options.withStore { try await ask($0) }
        guard let scheme = answer.report.legs.last?.authorization else {
            print("\(endpoint.origin) answered \(answer.status.code) without asking for credentials")
            return
        }
        print("\(endpoint.origin) accepts them by \(scheme), and answered \(answer.status.code)")
    }

    private func ask(_ database: EncryptedDatabase) async throws -> (Endpoint, ClientResponse) {
        var service = try ServiceConfiguration(url)
        try trust.check(for: service.endpoint)
        try trust.apply(to: &service.connection)
        service.proxy = try proxy.load()
        service.authentication.credentials = .stored(in: SQLiteCredentialStore(database))
        service.authentication.allowsPlaintext = allowPlaintext
        service.authentication.allowsDigestWithoutQop = allowDigestWithoutQop
        if let schemes = try CredentialOptions.schemes(named: schemes, option: "--auth") {
            service.authentication.schemes = schemes
        }
        service.authentication.enableConnectionSchemes(at: service.endpoint.origin.host)
        let transport = try service.makeTransport()
        let result: Result<ClientResponse, any Error>
        do { result = .success(try await transport.send(ClientRequest(service.endpoint, method: .get))) } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        return (service.endpoint, try result.get())
    }
}
#endif
