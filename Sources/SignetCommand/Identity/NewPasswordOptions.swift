#if CommandLine
import ArgumentParser

/// The password that protects a written file.
struct NewPasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that holds the new password alone.", valueName: "file"), completion: .file())
    var newPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the new password.", valueName: "name"))
    var newPasswordEnv: String?

    @Flag(help: "Keep the password of the file read.")
    var samePassword = false

    @Flag(help: "Write the key unencrypted, so that every reader of the file has it.")
    var unencrypted = false

    var isGiven: Bool { newPasswordFile != nil || newPasswordEnv != nil || samePassword || unencrypted }

    func validate() throws {
        let given = [newPasswordFile != nil, newPasswordEnv != nil, samePassword, unencrypted].count { $0 }
        guard given <= 1 else {
            throw ValidationError(
                "Give one of --new-password-file, --new-password-env, --same-password and --unencrypted.")
        }
    }

    /// The new password; nil for no password, which only `--unencrypted` gives.
    ///
    /// - Parameters:
    ///   - path: the file that is written.
    ///   - old: the password of the file read; nil when it has none.
    func read(for path: String, old: String?) throws(CommandError) -> String? {
        if unencrypted { return nil }
        let password: String
        if samePassword {
            guard let old else {
                throw CommandError("The file read has no password to keep. Leave --same-password out.")
            }
            password = old
        } else {
            let source = source("the new password of \(path)")
            password = try source.read()
            // After a typing error the user could not open the key.
            if !source.isGiven, try self.source("the new password of \(path) again").read() != password {
                throw CommandError("The two passwords typed are not the same. Nothing was written.")
            }
        }
        guard !password.isEmpty else {
            throw CommandError("An empty password protects nothing. Give another, or use --to pem --unencrypted.")
        }
        return password
    }

    private func source(_ purpose: String) -> SecretSource {
        SecretSource(
            purpose: purpose, options: "--new-password-file or --new-password-env", file: newPasswordFile,
            environmentVariable: newPasswordEnv)
    }
}
#endif
