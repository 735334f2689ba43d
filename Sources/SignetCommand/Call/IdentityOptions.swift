#if CommandLine
import ArgumentParser
import Signet
import SignetDoctor

/// The client's identity for TLS: `--identity` and its password.
struct IdentityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The client's key and certificate: PKCS#12, or PEM with both (see signet identity show). Sent to the service's own host only.",
            valueName: "file"),
        completion: .file())
    var identity: String?

    @OptionGroup var password: IdentityPasswordOptions

    @Flag(help: "Connect also with an identity that is expired, not yet valid, or not for clients.")
    var identityAnyway = false

    @Flag(
        help:
            "Let the service ask for the identity in a second handshake, as some do for some of their paths only (TLS 1.2, nothing newer is offered)."
    )
    var identityLate = false

    func validate() throws {
        let isAboutIdentity = password.isGiven || identityAnyway || identityLate
        if identity == nil, isAboutIdentity {
            throw ValidationError(
                "--identity-password-file, --identity-password-env, --identity-anyway and --identity-late are about an identity; give --identity."
            )
        }
    }

    /// Reads the identity; asks for its password when it needs one.
    func loadIdentity() throws -> Identity? {
        try identity.map { try Identity(file: $0, password: password.source(for: $0)) }
    }

    /// The problems of the identity that the user tolerates.
    var toleratedIdentityProblems: Set<IdentityProblem.Code> {
        identityAnyway ? Examination.problemsOfUseOrTime : []
    }
}

extension Identity {
    /// Reads the only identity of a file.
    ///
    /// - Throws: ``UnusableKeyFile``, `IdentityError`, or ``CommandError``.
    init(file: String, password: SecretSource) throws {
        let (content, _) = try KeyFile.open(file, password: password)
        let identities = try content.identities()
        guard let first = identities.first, identities.count == 1 else {
            throw CommandError(
                "“\(file)” holds \(identities.count) identities. Take one out with signet identity convert --pick.")
        }
        self = first
    }
}
#endif
