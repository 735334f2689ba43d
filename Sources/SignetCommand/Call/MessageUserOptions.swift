#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetWSSecurity

/// Who we are in the message: `--wss-user` and its password.
struct MessageUserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The user name for a UsernameToken, with a digest of the password unless the WSDL demands it otherwise.",
            valueName: "name"))
    var wssUser: String?

    @Option(
        help: ArgumentHelp("A file that holds that user's password alone.", valueName: "file"), completion: .file())
    var wssPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds that user's password.", valueName: "name"))
    var wssPasswordEnv: String?

    @Flag(help: "Send the password in text instead of a digest, whatever the WSDL demands.")
    var wssText = false

    @Flag(
        help:
            "Let the password travel over plain HTTP, where everybody on the way can read it, or guess it from its digest."
    )
    var wssAllowPlaintext = false

    func validate() throws {
        if wssUser?.isEmpty == true { throw ValidationError("--wss-user needs a name.") }
        if wssPasswordFile != nil, wssPasswordEnv != nil {
            throw ValidationError("Give either --wss-password-file or --wss-password-env.")
        }
        if wssUser == nil, wssPasswordFile != nil || wssPasswordEnv != nil || wssText || wssAllowPlaintext {
            throw ValidationError(
                "--wss-password-file, --wss-password-env, --wss-text and --wss-allow-plaintext are about a user; give --wss-user."
            )
        }
    }

    /// The header block with what the options name and what policies demand, nil where there is neither; it asks for a password where one
    /// is needed and no option gives it.
    ///
    /// The policies of the port, or those of the operation beyond it, say how the password stands in a token that they demand, unless
    /// `--wss-text` does.
    func load(
        for port: ServicePort, _ requirements: [ServiceRequirement] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SecurityHeader? {
        let demands = port.requirements + requirements
        let demanded = demands.compactMap(\.usernameTokenForm).last
        let form = demanded ?? port.accepted.compactMap(\.usernameTokenForm).first
        guard let wssUser else {
            // Who calls without the user that is demanded cannot be given the rest either, and without SOAP there is no place for it.
            let isWanted = demanded == nil && port.version != nil && demands.contains(.timestamp)
            return isWanted ? SecurityHeader(for: port) : nil
        }
        if form == .noPassword, !wssText {
            guard !wssAllowPlaintext else {
                throw CommandError(
                    "--wss-allow-plaintext is about a password, and the WSDL wants a user without one; leave it out.")
            }
            return SecurityHeader(for: port, user: wssUser)
        }
        let password = try SecretSource(
            purpose: "the password of the user \(wssUser) in the message",
            options: "--wss-password-file or --wss-password-env", file: wssPasswordFile,
            environmentVariable: wssPasswordEnv
        ).read(environment: environment)
        var header = SecurityHeader(for: port, user: wssUser, password: password)
        if wssText || form == nil {
            header.usernameToken = UsernameToken(wssText ? .text : .digest, user: wssUser, password: password)
        }
        if form == .timedText { header.usernameToken?.hasNonce = true }
        header.allowsPlaintext = wssAllowPlaintext
        return header
    }
}

extension ServiceRequirement {
    fileprivate var usernameTokenForm: UsernameTokenForm? {
        if case .usernameToken(let form) = self { form } else { nil }
    }
}
#endif
