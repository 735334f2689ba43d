#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite

/// The client's credentials for HTTP authentication: `--user` and its password, a token, a ticket, or an entry in
/// `.netrc` or a store.
struct CredentialOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name for HTTP authentication.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The domain of the user's account, for NTLM and Negotiate.", valueName: "name"))
    var domain: String?

    @Option(
        help: ArgumentHelp("A file that holds the user's password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the user's password.", valueName: "name"))
    var passwordEnv: String?

    @Flag(help: "Take the user and the password for the service's host from ~/.netrc, or from --netrc-file.")
    var netrc = false

    @Option(
        help: ArgumentHelp("A file in the form of .netrc that only its owner may read.", valueName: "file"),
        completion: .file())
    var netrcFile: String?

    @Flag(help: "Use the store's credentials for the service (see signet credentials).")
    var stored = false

    @Option(help: ArgumentHelp("A file that holds a bearer token alone.", valueName: "file"), completion: .file())
    var tokenFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds a bearer token.", valueName: "name"))
    var tokenEnv: String?

    @Flag(help: "Use the Kerberos ticket that kinit has got (see klist).")
    var ticket = false

    @Option(
        name: .customLong("auth"),
        help: ArgumentHelp(
            "The schemes that may be used, the strongest first, separated by commas: negotiate, ntlm, bearer, digest, basic. NTLM and Negotiate are used only if they are listed here, or with --ticket.",
            valueName: "schemes"))
    var schemes: String?

    @Flag(help: "Send a password or a token with the first request, before the service asks for it.")
    var preemptive = false

    @Flag(
        help:
            "Let a password or a token travel over plain HTTP, where an attacker on the network can read it, or guess it from an answer to Digest or NTLM."
    )
    var allowPlaintext = false

    @Flag(
        help:
            "Answer Digest challenges without qop, from which the service can look the password up (RFC 2069).")
    var allowDigestWithoutQop = false

    func validate() throws {
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
        if tokenFile != nil, tokenEnv != nil { throw ValidationError("Give either --token-file or --token-env.") }
        let ways = [user != nil, netrc || netrcFile != nil, stored, tokenFile != nil || tokenEnv != nil, ticket]
            .count { $0 }
        if ways > 1 {
            throw ValidationError("Give one of --user, --netrc, --stored, --token-file (or --token-env) and --ticket.")
        }
        // The text after the colon would be the password.
        if let user, user.utf8.contains(UInt8(ascii: ":")) {
            throw ValidationError(
                "--user: a user name has no colon (RFC 7617 §2). Give the password with --password-file or --password-env."
            )
        }
        if user == nil, passwordFile != nil || passwordEnv != nil || domain != nil {
            throw ValidationError("--password-file, --password-env and --domain are about a user; give --user.")
        }
        if ways == 0, preemptive || allowDigestWithoutQop || schemes != nil {
            throw ValidationError(
                "--preemptive, --allow-digest-without-qop and --auth are about credentials; give --user, --netrc, --stored, --token-file, --token-env or --ticket."
            )
        }
        let named = try Self.schemes(named: schemes, option: "--auth")
        if let named, user != nil, !named.contains(where: \.requiresUserNameAndPassword), !named.contains(.negotiate) {
            throw ValidationError(
                "--auth names no scheme that takes a user's password; name basic, digest, ntlm or negotiate.")
        }
        if let named, domain != nil, !named.contains(where: \.requiresAccountDomain), !named.contains(.negotiate) {
            throw ValidationError("--domain is part of NTLM and Negotiate, which --auth does not name.")
        }
        let isForDigest = !ticket && tokenFile == nil && tokenEnv == nil && named?.contains(.digest) ?? true
        if allowDigestWithoutQop, !isForDigest {
            throw ValidationError("--allow-digest-without-qop is about Digest, which these options do not allow.")
        }
    }

    /// Whether the options name any credentials.
    var isGiven: Bool {
        user != nil || netrc || netrcFile != nil || stored || tokenFile != nil || tokenEnv != nil || ticket
    }

    /// Refuses options without effect: those of the store without `--stored`, and `--allow-plaintext` without
    /// credentials.
    ///
    /// - Parameter fieldFiles: files with fields, one of which may be `Authorization`.
    func check(_ store: StoreOptions, fieldFiles: [String] = []) throws {
        if allowPlaintext, !isGiven, fieldFiles.isEmpty {
            let advice = "give --user, --netrc, --stored, --token-file, --token-env or --ticket"
            throw ValidationError("--allow-plaintext is about credentials; \(advice).")
        }
        guard !stored, let given = store.given else { return }
        throw ValidationError("\(given) is about the store with credentials; give --stored, which takes them from it.")
    }

    /// Keeps the store open while `body` runs, if credentials come from it.
    func withStore<Value>(
        _ store: StoreOptions, _ body: (EncryptedDatabase?) async throws -> Value
    ) async throws -> Value {
        if stored { try await store.withStore { try await body($0) } } else { try await body(nil) }
    }

    /// The schemes of an option's value; nil when it is not given.
    static func schemes(named list: String?, option: String) throws -> [AuthenticationScheme]? {
        guard let list else { return nil }
        let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let schemes = try names.map { name in
            guard let scheme = AuthenticationScheme(registered: name), scheme != .oauth1 else {
                throw ValidationError(
                    "\(option): there is no scheme “\(name)”; there are negotiate, ntlm, bearer, digest and basic.")
            }
            return scheme
        }
        guard !schemes.isEmpty else { throw ValidationError("\(option) names no scheme.") }
        return schemes
    }

    /// Reads the credentials that the options name; asks for a password when no option gives it.
    ///
    /// - Parameters:
    ///   - endpoint: the service's endpoint; only its host gets an answer to NTLM.
    ///   - store: the store from ``withStore(_:_:)``.
    func load(
        for endpoint: Endpoint, _ store: EncryptedDatabase?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(sendsWithoutChallenge: preemptive, allowsPlaintext: allowPlaintext)
        policy.allowsDigestWithoutQop = allowDigestWithoutQop
        if let store {
            policy.credentials = .stored(in: SQLiteCredentialStore(store))
        } else if let credentials = try credentials(for: endpoint, environment) {
            policy.credentials = .fixed(credentials)
        }
        if let schemes = try Self.schemes(named: schemes, option: "--auth") {
            policy.schemes = schemes
        } else if ticket {
            policy.schemes = [.negotiate]
        }
        policy.enableConnectionSchemes(at: endpoint.origin.host)
        return policy
    }

    private func credentials(for endpoint: Endpoint, _ environment: [String: String]) throws -> Credentials? {
        if let user {
            let password = SecretSource(
                purpose: "the password of the user \(user)", options: "--password-file or --password-env",
                file: passwordFile, environmentVariable: passwordEnv)
            return .account(user: user, password: try password.read(environment: environment), domain: domain ?? "")
        }
        if tokenFile != nil || tokenEnv != nil {
            let token = SecretSource(
                purpose: "the token", options: "--token-file or --token-env", file: tokenFile,
                environmentVariable: tokenEnv)
            return .bearer(try token.read(environment: environment))
        }
        if ticket { return .ticket }
        guard netrc || netrcFile != nil else { return nil }
        let file = try netrcFile ?? Netrc.usualFile(environment)
        let host = endpoint.origin.host
        guard let found = try Netrc(file: file).login(host: host) else {
            throw CommandError("“\(file)” has nothing for the machine \(host), and no default.")
        }
        return .account(user: found.user, password: found.password)
    }
}

extension AuthenticationPolicy {
    /// When the schemes include NTLM or Negotiate, enables Kerberos, and NTLM for this host if NTLM is one of them.
    mutating func enableConnectionSchemes(at host: String) {
        guard schemes.contains(where: \.bindsToConnection) else { return }
        if schemes.contains(.ntlm) { ntlmHosts = [host] }
        kerberos = Kerberos()
    }
}
#endif
