#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetWSDL
import SignetWSSecurity

/// `signet token`: asks a security token service for a token.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Get a token from a security token service (WS-Trust), and say what it states.",
        discussion: """
            The command proves to the token service who is calling, as `signet call` does to a service, asks for one token, and \
            prints what the token states. Nothing of that is verified: only the service for which the token is meant can do so.

            --output keeps the token in a file that other users cannot read; --wss-token of `signet call` sends it. A token for \
            any bearer is as secret as a password. With --holder-of-key, the token is bound to the key of --wss-identity, or else \
            to that of --identity, and is of no use without the key.

            Passwords come from files, the environment or the terminal, never from arguments. The status is 0 when a token was \
            issued, 1 when not, 2 for wrong usage.

            Examples:
              signet token https://sts.example/adfs/services/trust/13/usernamemixed --for urn:records \\
                --wss-user clerk --wss-text --output records.token
              signet token https://sts.example/issue --for https://records.example/documents --holder-of-key \\
                --wss-identity clerk.p12 --wss-identity-password-file clerk.password --output records.token
              signet token https://sts.example/adfs/services/trust/2005/windowstransport --ws-trust 2005 \\
                --for urn:records --type urn:oasis:names:tc:SAML:1.0:assertion --ticket --json
            """)

    /// The versions of WS-Trust by the names that the option has for them.
    enum Version: String, ExpressibleByArgument, CaseIterable {
        case v13 = "1.3"
        case v2005 = "2005"

        var version: WSTrustVersion { self == .v13 ? .v13 : .v2005 }
    }

    /// The kinds of tokens by their short names.
    private static let types: [(name: String, type: TokenType?)] = [
        ("saml2", .saml20), ("saml1", .saml11), ("jwt", .jwt), ("any", nil),
    ]

    @Argument(help: "The address of the token service.")
    var url: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "The service for which the token is wanted, as the token service knows it.", valueName: "uri"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "The kind of token: saml2, saml1, jwt, its URI, or any for what the token service issues by itself.",
            valueName: "kind"), completion: .list(types.map(\.name)))
    var type = "saml2"

    @Flag(help: "Ask for a token that is bound to the key of --wss-identity, or else of --identity.")
    var holderOfKey = false

    @Option(help: ArgumentHelp("A claim that the token is to state; may be repeated.", valueName: "uri"))
    var claim: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long the token is to be valid; the token service may decide otherwise.", valueName: "seconds"))
    var lifetime: Int?

    @Option(help: "The version of WS-Trust; 1.3 stands for 1.4 too, 2005 for February 2005.")
    var wsTrust = Version.v13

    @Option(help: ArgumentHelp("The version of SOAP.", valueName: "version"))
    var soap = SOAPVersionOption.version12

    @OptionGroup var time: TimeoutOptions

    @Option(help: ArgumentHelp("Keep the token in this file.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Flag(help: "Print what the token states as JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say on standard error what happened on the wire, and what caused an error.")
    var verbose = false

    @OptionGroup(title: "Who we are") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "The store, with --stored") var store: StoreOptions
    @OptionGroup(title: "In the message (WS-Security)") var messageUser: MessageUserOptions
    @OptionGroup(title: "Signed messages (WS-Security)") var messageSignature: MessageSignatureOptions
    @OptionGroup(title: "Trust in the token service") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions

    func validate() throws {
        _ = try Endpoint(argument: url, "The address of the token service")
        try credentials.check(store)
        try messageUser.checkPlaintext(hasToken: messageSignature.wssToken != nil)
        if holderOfKey, messageSignature.wssIdentity == nil, identity.identity == nil {
            throw ValidationError("--holder-of-key needs a key: give --wss-identity or --identity.")
        }
        if let lifetime, !(1...Self.longestLifetime).contains(lifetime) {
            throw ValidationError("--lifetime is from 1 to \(Self.longestLifetime) seconds.")
        }
        if force, output == nil { throw ValidationError("--force is about a file; give --output.") }
        if service?.isEmpty == true { throw ValidationError("--for needs the address or the name of a service.") }
        if claim.contains(where: \.isEmpty) { throw ValidationError("--claim needs the URI of a claim.") }
        if Self.types.allSatisfy({ $0.name != type }), !type.contains(":") {
            throw ValidationError(
                "--type: there is no “\(TerminalText.line(type))”. Name \(Self.types.map(\.name).joined(separator: ", ")), or a URI."
            )
        }
    }

    /// Ten years, in seconds.
    private static let longestLifetime = 315_576_000

    func run() async throws {
        do { try await get() } catch {
            FailureLines.print(error, isVerbose: verbose)
            throw ExitCode(1)
        }
    }

    private func get() async throws {
        if let output, !force, FileManager.default.fileExists(atPath: output) {
            // Before anything is sent: the token would be lost.
            throw CommandError("“\(output)” is there already. \(KeyOutput.usualAdvice)")
        }
        var configuration = try ServiceConfiguration(url)
        configuration.version = soap.version
        try trust.check(for: configuration.endpoint)
        try trust.apply(to: &configuration.connection)
        configuration.deadlines = time.deadlines
        let identity = try identity.loadIdentity()
        configuration.identity = identity.map { .fixed($0) }
        configuration.toleratedIdentityProblems = self.identity.toleratedIdentityProblems
        configuration.allowsIdentityInRenegotiation = self.identity.identityLate
        configuration.proxy = try proxy.load()
        let signature = try messageSignature.load()
        let port = ServicePort(name: "token service", address: url, version: soap.version, addressing: .v10)
        if var header = try messageUser.load(for: port, signing: signature) {
            header.lifetime = header.lifetime ?? .seconds(300)
            configuration.headerProviders = [AddressingHeader(), header]
        }
        let request = request(holder: holderOfKey ? signature.identity ?? identity : nil)
        if verbose {
            configuration.onExchange = { exchange in for line in exchange.lines { remark(line) } }
        }
        let token = try await credentials.withStore(store) { store in
            var configuration = configuration
            configuration.authentication = try credentials.load(for: configuration.endpoint, store)
            return try await obtain(request, configuration)
        }
        if let output { try KeyOutput.write(try token.exported(), to: output, replaces: force) }
        let report = TokenReport(token, asked: request, from: url, file: output)
        if json { try Output.report(report) } else { for line in report.lines { print(line) } }
    }

    private func request(holder: Identity?) -> TokenRequest {
        let short = Self.types.first { $0.name == type }
        var request = TokenRequest(
            for: service, type: short.map(\.type) ?? TokenType(rawValue: type),
            key: holder.map { .holder($0) } ?? .bearer)
        request.version = wsTrust.version
        request.claims = claim.map { .init($0) }
        request.lifetime = lifetime.map { .seconds($0) }
        return request
    }

    private func obtain(_ request: TokenRequest, _ configuration: ServiceConfiguration) async throws -> IssuedToken {
        let transport = try configuration.makeTransport()
        let tokens = IssuedTokens(
            from: configuration.caller(over: transport), request,
            allowsPlaintext: credentials.allowPlaintext || messageUser.wssAllowPlaintext)
        let result: Result<IssuedToken, any Error>
        do { result = .success(try await tokens.token()) } catch { result = .failure(error) }
        try await transport.shutdown()
        return try result.get()
    }
}
#endif
