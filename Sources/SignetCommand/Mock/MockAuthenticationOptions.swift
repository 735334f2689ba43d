#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetAuthentication
import SignetMock
import SignetServer
import SignetWSSecurity

/// What a mock demands of its clients, beside a certificate.
struct MockAuthenticationOptions: ParsableArguments {
    /// The scheme for a user.
    enum Scheme: String, CaseIterable, ExpressibleByArgument {
        case basic, digest, ntlm
    }

    @Option(help: ArgumentHelp("Demand this user over HTTP.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("A file that holds the user's password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the user's password.", valueName: "name"))
    var passwordEnv: String?

    @Option(
        help: ArgumentHelp(
            "The scheme for the user: basic; digest, with SHA-256 and MD5; or ntlm, for a user in any domain, over HTTP/1.1. Basic unless given.",
            valueName: "scheme"))
    var auth: Scheme?

    @Option(
        help: ArgumentHelp("Demand the bearer token that this file holds alone.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds a bearer token to demand.", valueName: "name"))
    var tokenEnv: String?

    @Option(
        help: ArgumentHelp(
            "Demand a UsernameToken of this user, with a digest or with the password.", valueName: "name"))
    var wssUser: String?

    @Option(help: ArgumentHelp("A file that holds that user's password alone.", valueName: "file"), completion: .file())
    var wssPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds that user's password.", valueName: "name"))
    var wssPasswordEnv: String?

    @Option(
        help: ArgumentHelp(
            "Demand messages that are signed with a certificate of this authority, in PEM or DER; may be repeated. Body and Timestamp must be signed.",
            valueName: "file"), completion: .file())
    var signedBy: [String] = []

    func validate() throws {
        let pairs = [
            (passwordFile, passwordEnv, "--password"), (tokenFile, tokenEnv, "--token"),
            (wssPasswordFile, wssPasswordEnv, "--wss-password"),
        ]
        for (file, variable, name) in pairs where file != nil && variable != nil {
            throw ValidationError("Give either \(name)-file or \(name)-env.")
        }
        if user == nil, passwordFile != nil || passwordEnv != nil || auth != nil {
            throw ValidationError("--password-file, --password-env and --auth are about a user; give --user.")
        }
        if let user, user.isEmpty || user.utf8.contains(UInt8(ascii: ":")) {
            throw ValidationError("--user: a user name is not empty and has no colon (RFC 7617 §2).")
        }
        if user != nil, tokenFile != nil || tokenEnv != nil { throw ValidationError("Give either --user or a token.") }
        if wssUser?.isEmpty == true { throw ValidationError("--wss-user needs a name.") }
        if wssUser == nil, wssPasswordFile != nil || wssPasswordEnv != nil {
            throw ValidationError("--wss-password-file and --wss-password-env are about a user; give --wss-user.")
        }
        if wssUser != nil, !signedBy.isEmpty { throw ValidationError("Give either --wss-user or --signed-by.") }
    }

    /// Makes the services demand it; asks for passwords that no option gives.
    func apply(to services: inout [HostedService], _ settings: inout SOAPServer.Settings) async throws {
        let authentication = try await authentication(&settings)
        let verifier = try verifier()
        for index in services.indices {
            services[index].authentication = authentication
            if let verifier { services[index].dispatcher.verifiers.append(verifier) }
        }
    }

    private static let realm = "signet mock"

    private func authentication(_ settings: inout SOAPServer.Settings) async throws -> ServerAuthentication {
        if tokenFile != nil || tokenEnv != nil {
            let wanted = Array(
                try SecretSource(
                    purpose: "the token", options: "--token-file or --token-env", file: tokenFile,
                    environmentVariable: tokenEnv
                ).read().utf8)
            guard !wanted.isEmpty, wanted.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CommandError(
                    "No client can send the token: it is empty, or has a space or a character outside of ASCII (RFC 6750 §2.1)."
                )
            }
            return .bearer(realm: Self.realm) { question in
                ConstantTime.equal(Array(question.token.utf8), wanted) ? "bearer of the token" : nil
            }
        }
        guard let user else { return .none }
        let password = try SecretSource(
            purpose: "the password of the user \(user)", options: "--password-file or --password-env",
            file: passwordFile,
            environmentVariable: passwordEnv
        ).read()
        try Self.check(password, of: user)
        switch auth ?? .basic {
        case .basic:
            let expected = (Array(user.utf8), Array(password.utf8))
            return .basic(realm: Self.realm) { question in
                let isUser = ConstantTime.equal(Array(question.user.utf8), expected.0)
                return ConstantTime.equal(Array(question.password.utf8), expected.1) && isUser
            }
        case .ntlm:
            // NTLM proves the client of one connection (MS-NTHT), and clients do not use it over HTTP/2.
            settings.allowsHTTP2 = false
            settings.httpMiddlewares.append(MockNTLM(.init(user: user, domain: "", password: password)))
            return .none
        case .digest:
            // Many clients know MD5 only.
            let algorithms: [DigestAlgorithm] = [.sha256, .md5]
            let accounts = Accounts(
                MemoryServerState(), verifiers: Set(algorithms.map { .digest(realm: Self.realm, $0) }),
                failureLimit: nil)
            try await accounts.add(user, password: SecretBytes(password))
            return .digest(realm: Self.realm, algorithms: Set(algorithms), accounts: accounts)
        }
    }

    /// Refuses an empty password, with which a client would prove nothing.
    private static func check(_ password: String, of user: String) throws(CommandError) {
        guard password.isEmpty else { return }
        throw CommandError("The password of the user \(user) is empty. Give one that clients must know.")
    }

    private func verifier() throws -> (any RequestVerifier)? {
        if !signedBy.isEmpty {
            return SignedMessageVerifier(SignaturePolicy(trusting: try TrustPolicy(anchors: signedBy)) { _ in true })
        }
        guard let wssUser else { return nil }
        let password = try SecretSource(
            purpose: "the password of the user \(wssUser) in the message",
            options: "--wss-password-file or --wss-password-env", file: wssPasswordFile,
            environmentVariable: wssPasswordEnv
        ).read()
        try Self.check(password, of: wssUser)
        return UsernameTokenVerifier { $0 == wssUser ? password : nil }
    }
}
#endif
