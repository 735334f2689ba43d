import ArgumentParser
import Foundation
import Signet
import SignetWSSecurity

/// Who we are in the message: `--wss-user` and its password.
struct MessageUserOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The user name for a UsernameToken, with a digest of the password.", valueName: "name"))
    var wssUser: String?

    @Option(
        help: ArgumentHelp("A file that holds that user's password alone.", valueName: "file"), completion: .file())
    var wssPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds that user's password.", valueName: "name"))
    var wssPasswordEnv: String?

    @Flag(help: "Send the password in text instead of a digest.")
    var wssText = false

    @Flag(help: "Let that text travel over plain HTTP, where everybody on the way can read it.")
    var wssAllowPlaintext = false

    func validate() throws {
        if wssPasswordFile != nil, wssPasswordEnv != nil {
            throw ValidationError("Give either --wss-password-file or --wss-password-env.")
        }
        if wssUser == nil, wssPasswordFile != nil || wssPasswordEnv != nil || wssText || wssAllowPlaintext {
            throw ValidationError(
                "--wss-password-file, --wss-password-env, --wss-text and --wss-allow-plaintext are about a user; give --wss-user."
            )
        }
        if wssAllowPlaintext, !wssText {
            throw ValidationError("--wss-allow-plaintext is about a password in text; give --wss-text.")
        }
    }

    /// Reads what the options name, asking for a password where none of them gives it.
    func load(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> SecurityHeader? {
        guard let wssUser else { return nil }
        let password = try SecretSource(
            purpose: "the password of the user \(wssUser) in the message",
            options: "--wss-password-file or --wss-password-env", file: wssPasswordFile,
            environmentVariable: wssPasswordEnv
        ).read(environment: environment)
        var header = SecurityHeader(.init(wssText ? .text : .digest, user: wssUser, password: password))
        header.allowsPlaintext = wssAllowPlaintext
        return header
    }
}
