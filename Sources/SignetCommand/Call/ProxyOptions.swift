#if CommandLine
import ArgumentParser
import Foundation
import Signet

/// The options for a proxy: `--proxy` and the credentials for it.
struct ProxyOptions: ParsableArguments {
    /// The value of `--proxy` that selects the environment's variables; without it the command does not read them.
    private static let environmentWord = "environment"

    @Option(
        help: ArgumentHelp(
            "The proxy on the way: http://host:port, or https://host:port for a proxy with TLS; ‘environment’ for the proxies in https_proxy, http_proxy, all_proxy and no_proxy.",
            valueName: "url|environment"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts that are reached without the proxy, separated by commas, in the form of no_proxy.",
            valueName: "hosts"))
    var noProxy: String?

    @Option(
        name: .customLong("proxy-ca"),
        help: ArgumentHelp(
            "An authority that the proxy's own certificate must come from; may be repeated. The system's unless given.",
            valueName: "file"), completion: .file())
    var authorities: [String] = []

    @Flag(help: "Offer such a proxy cipher suites as --insecure-ciphers does the service.")
    var proxyInsecureCiphers = false

    @Option(help: ArgumentHelp("The user name for the proxy.", valueName: "name"))
    var proxyUser: String?

    @Option(
        help: ArgumentHelp("A file that holds the password for the proxy alone.", valueName: "file"),
        completion: .file())
    var proxyPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the password for the proxy.", valueName: "name"))
    var proxyPasswordEnv: String?

    @Flag(help: "Use the Kerberos ticket that kinit has got, for the proxy.")
    var proxyTicket = false

    @Option(
        help: ArgumentHelp(
            "The schemes that may be used with the proxy, as in --auth.", valueName: "schemes"))
    var proxyAuth: String?

    @Flag(
        help:
            "Let that password travel over plain HTTP to the proxy, where an attacker on the network can read it, or guess it from an answer to Digest or NTLM."
    )
    var proxyAllowPlaintext = false

    @Flag(help: "Answer the proxy's Digest challenges without qop, as --allow-digest-without-qop does the service's.")
    var proxyAllowDigestWithoutQop = false

    func validate() throws {
        if proxyPasswordFile != nil, proxyPasswordEnv != nil {
            throw ValidationError("Give either --proxy-password-file or --proxy-password-env.")
        }
        let isAboutProxy =
            noProxy != nil || !authorities.isEmpty || proxyInsecureCiphers || proxyUser != nil || proxyTicket
        if proxy == nil, isAboutProxy {
            throw ValidationError(
                "--no-proxy, --proxy-ca, --proxy-insecure-ciphers, --proxy-user and --proxy-ticket are about a proxy; give --proxy."
            )
        }
        let isAboutUser = proxyPasswordFile != nil || proxyPasswordEnv != nil || proxyAllowPlaintext
        if proxyUser == nil, isAboutUser || (proxyAllowDigestWithoutQop && proxy != Self.environmentWord) {
            throw ValidationError(
                "--proxy-password-file, --proxy-password-env, --proxy-allow-plaintext and --proxy-allow-digest-without-qop are about a user; give --proxy-user."
            )
        }
        if proxyUser != nil, proxyTicket { throw ValidationError("Give either --proxy-user or --proxy-ticket.") }
        if proxyUser == nil, !proxyTicket, proxyAuth != nil {
            throw ValidationError("--proxy-auth is about credentials; give --proxy-user or --proxy-ticket.")
        }
        let named = try CredentialOptions.schemes(named: proxyAuth, option: "--proxy-auth")
        if proxyAllowDigestWithoutQop, named?.contains(.digest) == false {
            throw ValidationError("--proxy-allow-digest-without-qop is about Digest, which --proxy-auth does not name.")
        }
        if let proxyUser, proxyUser.utf8.contains(UInt8(ascii: ":")) {
            throw ValidationError(
                "--proxy-user: a user name has no colon (RFC 7617 §2). Give the password with --proxy-password-file or --proxy-password-env."
            )
        }
        guard let proxy, proxy != Self.environmentWord else { return }
        let isSecure: Bool
        do { isSecure = try Proxy(proxy).origin.scheme == .https } catch { throw ValidationError("--proxy: \(error)") }
        if !isSecure, !authorities.isEmpty {
            throw ValidationError("--proxy-ca needs a proxy with TLS; give --proxy https://….")
        }
        if !isSecure, proxyInsecureCiphers {
            throw ValidationError("--proxy-insecure-ciphers needs a proxy with TLS; give --proxy https://….")
        }
        if isSecure, proxyAllowPlaintext {
            throw ValidationError("--proxy-allow-plaintext has no effect for a proxy with TLS; leave it out.")
        }
    }

    /// - Throws: ``CommandError`` for a file or a variable.
    func load(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> ProxyConfiguration {
        guard let proxy else { return ProxyConfiguration() }
        var configuration: ProxyConfiguration
        if proxy == Self.environmentWord {
            do { configuration = try .environment(environment) } catch { throw CommandError("\(error)") }
        } else {
            configuration = ProxyConfiguration(ProxyRules(try Proxy(proxy)))
        }
        configuration.allowsInsecureCipherSuites = proxyInsecureCiphers
        if let noProxy { configuration.rules?.exceptions = ProxyExceptions(noProxy) }
        configuration.trust = try TrustPolicy(anchors: authorities)
        if let proxyUser {
            let password = SecretSource(
                purpose: "the password of \(proxyUser) for the proxy",
                options: "--proxy-password-file or --proxy-password-env", file: proxyPasswordFile,
                environmentVariable: proxyPasswordEnv)
            configuration.authentication = AuthenticationPolicy(
                credentials: .fixed(.account(user: proxyUser, password: try password.read(environment: environment))),
                allowsPlaintext: proxyAllowPlaintext)
        } else if proxyTicket {
            configuration.authentication.credentials = .fixed(.ticket)
            configuration.authentication.schemes = [.negotiate]
        }
        configuration.authentication.allowsDigestWithoutQop = proxyAllowDigestWithoutQop
        if let schemes = try CredentialOptions.schemes(named: proxyAuth, option: "--proxy-auth") {
            configuration.authentication.schemes = schemes
        }
        if proxy != Self.environmentWord {
            configuration.authentication.enableConnectionSchemes(at: try Proxy(proxy).origin.host)
        } else if proxyTicket {
            configuration.authentication.kerberos = Kerberos()
        }
        return configuration
    }
}
#endif
