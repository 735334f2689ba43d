import ArgumentParser
import Signet

/// Who we are: `--identity` and what opens it, `--user` and its password.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Our key and certificate: PKCS#12, or PEM with both (see signet identity show). Shown to the service's own host only.",
            valueName: "file"),
        completion: .file())
    var identity: String?

    @Option(
        help: ArgumentHelp("A file that holds the identity's password alone.", valueName: "file"), completion: .file())
    var identityPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the identity's password.", valueName: "name"))
    var identityPasswordEnv: String?

    @Flag(help: "Connect also with an identity that is expired, not yet valid, or not for clients.")
    var identityAnyway = false

    @Flag(
        help:
            "Let the service ask for the identity in a second handshake, as some do for some of their paths only (TLS 1.2, nothing newer is offered)."
    )
    var identityLate = false

    @Option(help: ArgumentHelp("The user name for HTTP authentication.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("A file that holds the user's password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the user's password.", valueName: "name"))
    var passwordEnv: String?

    @Flag(help: "Send the user's credentials with the first request, before the service asks for them.")
    var preemptive = false

    @Flag(help: "Let the user's credentials travel over plain HTTP, where everybody on the way can read them.")
    var allowPlaintext = false

    func validate() throws {
        if identityPasswordFile != nil, identityPasswordEnv != nil {
            throw ValidationError("Give either --identity-password-file or --identity-password-env.")
        }
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
        let isAboutIdentity =
            identityPasswordFile != nil || identityPasswordEnv != nil || identityAnyway || identityLate
        if identity == nil, isAboutIdentity {
            throw ValidationError(
                "--identity-password-file, --identity-password-env, --identity-anyway and --identity-late are about an identity; give --identity."
            )
        }
        // The text behind the colon would be the password.
        if let user, user.utf8.contains(UInt8(ascii: ":")) {
            throw ValidationError(
                "--user: a user name has no colon (RFC 7617 §2). Give the password with --password-file or --password-env."
            )
        }
        if user == nil, passwordFile != nil || passwordEnv != nil || preemptive || allowPlaintext {
            throw ValidationError(
                "--password-file, --password-env, --preemptive and --allow-plaintext are about a user; give --user.")
        }
    }

    private var identityPassword: SecretSource {
        SecretSource(
            purpose: "the password of \(identity ?? "")",
            options: "--identity-password-file or --identity-password-env", file: identityPasswordFile,
            environmentVariable: identityPasswordEnv)
    }

    private var userPassword: SecretSource {
        SecretSource(
            purpose: "the password of the user \(user ?? "")", options: "--password-file or --password-env",
            file: passwordFile, environmentVariable: passwordEnv)
    }

    /// Reads the identity, asking for its password where it needs one.
    func loadIdentity() throws -> Identity? {
        guard let identity else { return nil }
        let (content, _) = try KeyFile.open(identity, password: identityPassword)
        let identities = try content.identities()
        guard let first = identities.first, identities.count == 1 else {
            throw CommandError(
                "“\(identity)” holds \(identities.count) identities. Take one out with signet identity convert --pick.")
        }
        return first
    }

    /// What may be wrong with the identity all the same.
    var toleratedIdentityProblems: Set<IdentityProblem.Code> {
        identityAnyway ? [.expired, .notYetValid, .wrongExtendedKeyUsage, .wrongKeyUsage] : []
    }

    /// Reads the user's password, asking for it where no option gives it.
    func loadAuthentication() throws -> AuthenticationPolicy {
        guard let user else { return AuthenticationPolicy() }
        return AuthenticationPolicy(
            credentials: .fixed(.account(user: user, password: try userPassword.read())),
            sendsWithoutChallenge: preemptive, allowsPlaintext: allowPlaintext)
    }
}
