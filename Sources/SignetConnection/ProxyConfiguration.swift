public import SignetAuthentication
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

/// How calls get past proxies.
public struct ProxyConfiguration: Sendable {
    /// Which proxy leads where. Nil for what the transport does by itself: `NIOTransport` goes to every origin directly,
    /// `URLSessionTransport` goes as the system's settings say.
    public var rules: ProxyRules?
    /// Which proxies are trusted that are spoken to over TLS. It has no say about services.
    public var trust: TrustPolicy = .system
    /// As ``ConnectionConfiguration/allowsInsecureCipherSuites``, for such a proxy.
    public var allowsInsecureCipherSuites = false
    /// Shown to such a proxy when it asks. No service ever gets it.
    public var identity: IdentitySource?
    /// What to answer when a proxy asks for credentials (407). No service ever gets them. A password for a proxy that is spoken to
    /// in plain HTTP is sent, as it is or in an answer to Digest or NTLM, only with ``AuthenticationPolicy/allowsPlaintext``, which
    /// opens no service; that of ``ConnectionConfiguration/authentication`` opens no proxy.
    public var authentication = AuthenticationPolicy()

    /// Proxies without identity and credentials.
    ///
    /// - Parameter rules: nil for what the transport does by itself.
    public init(_ rules: ProxyRules? = nil) { self.rules = rules }

    /// What the environment says: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, with the logins that stand in the
    /// addresses; see ``ProxyRules/environment(_:)``.
    ///
    /// A password in the address of a proxy that is spoken to in plain HTTP may travel so: the user who put it there has said it.
    ///
    /// - Parameter variables: `ProcessInfo.processInfo.environment`.
    /// - Throws: ``EndpointError`` naming the variable that is wrong.
    public static func environment(_ variables: [String: String]) throws(EndpointError) -> ProxyConfiguration {
        let (rules, logins) = try ProxyRules.environment(variables)
        var configuration = ProxyConfiguration(rules)
        if !logins.isEmpty {
            configuration.authentication.allowsPlaintext = true
            configuration.authentication.credentials = .asking { question in
                logins.first {
                    $0.proxy.origin.host == question.space.host && $0.proxy.origin.port == question.space.port
                }.map { .account(user: $0.user, password: $0.password) }
            }
        }
        return configuration
    }
}
