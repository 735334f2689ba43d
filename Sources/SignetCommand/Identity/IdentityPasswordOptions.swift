#if CommandLine
import ArgumentParser

/// The password of `--identity`: from `--identity-password-file`, `--identity-password-env`, or else a question on the terminal.
struct IdentityPasswordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file that holds the identity's password alone.", valueName: "file"), completion: .file())
    var identityPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the identity's password.", valueName: "name"))
    var identityPasswordEnv: String?

    func validate() throws {
        if identityPasswordFile != nil, identityPasswordEnv != nil {
            throw ValidationError("Give either --identity-password-file or --identity-password-env.")
        }
    }

    var isGiven: Bool { identityPasswordFile != nil || identityPasswordEnv != nil }

    func source(for file: String) -> SecretSource {
        SecretSource(
            purpose: "the password of \(file)", options: "--identity-password-file or --identity-password-env",
            file: identityPasswordFile, environmentVariable: identityPasswordEnv)
    }
}
#endif
