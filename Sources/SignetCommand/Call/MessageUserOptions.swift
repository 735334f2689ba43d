#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetWSSecurity

/// The user in the message: `--wss-user` and its password.
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
            "Let the password, or the token of --wss-token, travel over plain HTTP, where an attacker on the network can read it, or guess the password from its digest."
    )
    var wssAllowPlaintext = false

    func validate() throws {
        if wssUser?.isEmpty == true { throw ValidationError("--wss-user needs a name.") }
        if wssPasswordFile != nil, wssPasswordEnv != nil {
            throw ValidationError("Give either --wss-password-file or --wss-password-env.")
        }
        if wssUser == nil, wssPasswordFile != nil || wssPasswordEnv != nil || wssText {
            throw ValidationError(
                "--wss-password-file, --wss-password-env and --wss-text are about a user; give --wss-user.")
        }
    }

    /// Refuses `--wss-allow-plaintext` without a secret in the message.
    ///
    /// - Parameter hasToken: whether the message carries a token of `--wss-token`.
    func checkPlaintext(hasToken: Bool = false) throws {
        if wssAllowPlaintext, wssUser == nil, !hasToken {
            throw ValidationError("--wss-allow-plaintext is about a user or a token in the message; give --wss-user.")
        }
    }

    /// The header block for the user that the options name and for the demands of policies; nil when there are neither.
    /// It asks for a password that is needed and that no option gives.
    ///
    /// The policies of the port or of the operation decide the form of the password in a token that they demand, unless
    /// `--wss-text` does.
    func load(
        for port: ServicePort, _ requirements: [ServiceRequirement] = [], signing signature: MessageSignature = .init(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SecurityHeader? {
        let demands = port.requirements + requirements
        let demanded = demands.compactMap(\.usernameTokenForm).last
        let form = demanded ?? port.accepted.compactMap(\.usernameTokenForm).first
        guard let wssUser else {
            // Without the demanded user there is no header block to which the other demands could be added, and HTTP
            // without SOAP has no header blocks.
            let isWanted = demanded == nil && port.version != nil && demands.contains(.timestamp)
            let isGiven = (signature.identity != nil || signature.token != nil) && port.version != nil
            guard isWanted || isGiven else { return nil }
            var header = try signature.header(for: port, demands)
            header.allowsPlaintext = wssAllowPlaintext
            return header
        }
        if form == .noPassword, !wssText {
            guard !wssAllowPlaintext else {
                throw CommandError(
                    "--wss-allow-plaintext is about a password, and the WSDL wants a user without one; leave it out.")
            }
            return try signature.header(for: port, demands, user: wssUser)
        }
        let password = try SecretSource(
            purpose: "the password of the user \(wssUser) in the message",
            options: "--wss-password-file or --wss-password-env", file: wssPasswordFile,
            environmentVariable: wssPasswordEnv
        ).read(environment: environment)
        var header = try signature.header(for: port, demands, user: wssUser, password: password)
        if wssText || form == nil {
            let text: UsernameTokenForm = form == .textWithNonce ? .textWithNonce : .text
            header.usernameToken = UsernameToken(wssText ? text : .digest, user: wssUser, password: password)
        }
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
