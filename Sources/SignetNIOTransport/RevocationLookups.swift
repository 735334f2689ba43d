package import Logging
package import SignetConnection
import SignetHTTP
package import SignetNIOTLS
import SignetTLS

/// How a transport finds out whether its peers' certificates are revoked.
///
/// The answers are fetched over transports of their own: a connection that waits for an answer must not take the place
/// of the connection that fetches it. Those have no credentials for any origin. What the authorities of an origin say
/// is fetched through the proxies of the transport. What the authorities of a proxy say is fetched without a proxy,
/// since the client trusts no proxy before it knows the answer.
struct RevocationLookups: Sendable {
    /// Nil when the policy for origins looks nothing up.
    private let ofOrigins: RevocationSource?
    /// Nil when the policy for proxies looks nothing up.
    private let ofProxies: RevocationSource?

    static let none = RevocationLookups(ofOrigins: nil, ofProxies: nil)

    init(
        for configuration: ConnectionConfiguration, in surroundings: NIOTransport.Surroundings
    ) throws(ConnectionConfigurationError) {
        func source(through proxy: ProxyConfiguration) throws(ConnectionConfigurationError) -> RevocationSource {
            try RevocationSource(through: proxy, logger: configuration.logger, in: surroundings)
        }
        let (trust, proxy) = (configuration.trust, configuration.proxy)
        ofOrigins = trust.revocation.mode == .off ? nil : try source(through: proxy)
        ofProxies = proxy.trust.revocation.mode == .off ? nil : try source(through: ProxyConfiguration(.direct))
    }

    private init(ofOrigins: RevocationSource?, ofProxies: RevocationSource?) {
        (self.ofOrigins, self.ofProxies) = (ofOrigins, ofProxies)
    }

    func lookup(of peer: Peer) -> RevocationLookup? { (peer.isProxy ? ofProxies : ofOrigins)?.lookUp }

    func shutDown() async throws {
        try await ofOrigins?.shutDown()
        try await ofProxies?.shutDown()
    }
}

/// Finds out over a transport of its own whether certificates are revoked.
package struct RevocationSource: Sendable {
    private let transport: NIOTransport
    /// Looks up the certificates of a path. What was found out is remembered as long as this value lives.
    package let lookUp: RevocationLookup

    /// - Parameter proxy: the way to the servers of the authorities.
    package init(
        through proxy: ProxyConfiguration, logger: Logger
    ) throws(ConnectionConfigurationError) {
        try self.init(through: proxy, logger: logger, in: .init())
    }

    init(
        through proxy: ProxyConfiguration, logger: Logger, in surroundings: NIOTransport.Surroundings
    ) throws(ConnectionConfigurationError) {
        var configuration = ConnectionConfiguration()
        configuration.proxy = proxy
        configuration.acceptsCompression = false
        configuration.logger = logger
        // No origin gets an identity or credentials, since the configuration has none.
        let none = Origin(scheme: .http, host: "localhost", port: 80)
        transport = try NIOTransport(to: none, configuration, in: surroundings)
        let checker = RevocationChecker(over: transport, now: surroundings.now)
        lookUp = { await checker.report(of: $0, by: $1) }
    }

    package func shutDown() async throws { try await transport.shutdown() }
}
