public import SignetAuthentication
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

/// How calls go through proxies.
public struct ProxyConfiguration: Sendable {
    /// Which origins are reached through which proxy. With nil, the transport decides: `NIOTransport` connects to every
    /// origin directly, `URLSessionTransport` follows the system's settings.
    public var rules: ProxyRules?
    /// Which proxies are trusted that use TLS. It does not apply to services.
    public var trust: TrustPolicy = .system
    /// As ``ConnectionConfiguration/allowsInsecureCipherSuites``, for a proxy that uses TLS.
    public var allowsInsecureCipherSuites = false
    /// The identity that the client shows to a proxy that asks for one over TLS. No service ever gets it.
    public var identity: IdentitySource?
    /// The credentials for a challenge of a proxy (407). No service ever gets them. A password for a proxy without TLS
    /// is sent, in clear text or in an answer to Digest or NTLM, only with
    /// ``/SignetAuthentication/AuthenticationPolicy/allowsPlaintext`` of this policy. That setting does not apply to
    /// services, nor that of ``ConnectionConfiguration/authentication`` to proxies.
    public var authentication = AuthenticationPolicy()

    /// Proxies, without an identity and credentials for them.
    ///
    /// - Parameter rules: nil to let the transport decide.
    public init(_ rules: ProxyRules? = nil) { self.rules = rules }

    /// Reads the environment: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, with the logins in their
    /// addresses; see ``/SignetHTTP/ProxyRules/environment(_:)``.
    ///
    /// A password in the address of a proxy without TLS may be sent in plain HTTP, since the user has put it there:
    /// then, and only then, ``/SignetAuthentication/AuthenticationPolicy/allowsPlaintext`` is set. Each proxy gets the
    /// login of its own address only: scheme, host and port must be the same.
    ///
    /// - Parameter variables: `ProcessInfo.processInfo.environment`.
    /// - Throws: ``/SignetHTTP/EndpointError`` that names the wrong variable.
    public static func environment(_ variables: [String: String]) throws(EndpointError) -> ProxyConfiguration {
        let (rules, logins) = try ProxyRules.environment(variables)
        var configuration = ProxyConfiguration(rules)
        if !logins.isEmpty {
            configuration.authentication.allowsPlaintext = logins.contains { $0.proxy.origin.scheme == .http }
            configuration.authentication.credentials = .asking { question in
                logins.first {
                    let (origin, space) = ($0.proxy.origin, question.space)
                    return origin.scheme.rawValue == space.scheme && origin.host == space.host
                        && origin.port == space.port
                }.map { .account(user: $0.user, password: $0.password) }
            }
        }
        return configuration
    }
}
