import SignetAuthentication
import SignetCredentials
public import SignetHTTP
import SignetTLS

/// A feature that a ``ConnectionConfiguration`` may require and that not every transport supports.
public struct ConnectionFeature: Sendable, Hashable, CustomStringConvertible {
    /// TLS with the service, judged by ``ConnectionConfiguration/trust``.
    public static let tls = Self("tls", "cannot judge servers by a policy on this system; use NIOTransport.")
    /// An identity whose key only signs.
    public static let signingKeys = Self(
        "signingKeys",
        "cannot use a key that only signs; use NIOTransport, or on Apple's systems an identity made of a SecIdentity.")
    /// An identity made of a `SecIdentity` of Apple's systems, whose key only signs.
    public static let keychainIdentities = Self(
        "keychainIdentities", "cannot use an identity of the Keychain whose key only signs.")
    /// ``ConnectionConfiguration/allowsIdentityInRenegotiation``.
    public static let lateIdentity = Self("lateIdentity", "cannot show an identity late.")
    /// ``ConnectionConfiguration/allowsInsecureCipherSuites``, and that of the proxy.
    public static let insecureCipherSuites = Self(
        "insecureCipherSuites", "cannot offer cipher suites that are insecure.")
    /// ``/SignetTLS/TrustPolicy/revocation`` of a policy for the service or for proxies, other than `off`.
    public static let revocation = Self(
        "revocation", "cannot look up whether certificates are revoked; use NIOTransport.")
    /// ``ConnectionConfiguration/onTrustFailure`` other than `refuse`.
    public static let overruledTrustFailures = Self(
        "overruledTrustFailures", "cannot overrule a failure of trust while a connection is made.")
    /// ``ProxyConfiguration/rules`` that name a proxy.
    public static let namedProxies = Self(
        "namedProxies",
        "uses the proxies of the system's settings; set proxy.rules to nil for them, or to .direct for none.")
    /// ``ProxyConfiguration/identity``.
    public static let proxyIdentity = Self("proxyIdentity", "cannot show an identity to a proxy.")
    /// ``ConnectionConfiguration/unixSocketPath``.
    public static let unixSocket = Self("unixSocket", "cannot use a socket in the file system.")
    /// ``ConnectionConfiguration/allowsHTTP2`` set to false.
    public static let onlyHTTP1 = Self("onlyHTTP1", "chooses the version of HTTP itself.")
    /// ``ConnectionConfiguration/maximumCallsPerConnection`` other than the usual.
    public static let callsPerConnection = Self("callsPerConnection", "cannot limit how many calls share a connection.")
    /// ``ConnectionConfiguration/maximumConnectionsInTotal`` other than the usual.
    public static let connectionsInTotal = Self("connectionsInTotal", "cannot limit the connections to all origins.")
    /// ``ConnectionConfiguration/idleTimeout`` other than the usual.
    public static let idleTimeout = Self("idleTimeout", "decides itself how long it keeps an idle connection.")
    /// ``ConnectionConfiguration/warmConnections``.
    public static let warmConnections = Self("warmConnections", "cannot keep connections open in advance.")
    /// ``ConnectionConfiguration/acceptsCompression`` set to false.
    public static let uncompressedAnswers = Self("uncompressedAnswers", "always accepts compressed answers.")
    /// ``ConnectionConfiguration/maximumFieldBytes`` other than the usual.
    public static let fieldLimit = Self("fieldLimit", "cannot limit the head of an answer.")
    /// Credentials for proxies without ``ProxyConfiguration/rules``: those of the system's settings are used.
    public static let systemProxies = Self(
        "systemProxies", "goes to every origin directly unless proxy.rules name a proxy.")

    /// All features that Signet knows. It is not public: a transport that claimed all of them would claim those of a
    /// later version, too.
    package static let all: Set<Self> = [
        .tls, .signingKeys, .keychainIdentities, .lateIdentity, .insecureCipherSuites, .revocation,
        .overruledTrustFailures, .namedProxies, .proxyIdentity, .unixSocket, .onlyHTTP1, .callsPerConnection,
        .connectionsInTotal, .idleTimeout, .warmConnections, .uncompressedAnswers, .fieldLimit, .systemProxies,
    ]

    /// The name of the feature.
    public let description: String
    /// Completes a sentence that begins with the name of a transport without this feature.
    let refusal: String

    private init(_ description: String, _ refusal: String) {
        self.description = description
        self.refusal = refusal
    }
}

/// A ``ConnectionConfiguration`` with a setting that could not take effect.
public struct ConnectionConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The property that cannot take effect, such as `identity` or `proxy.identity`.
    public let setting: String
    /// What is wrong, and what to do about it.
    public let message: String

    /// An error of your own code, such as a transport or a test.
    ///
    /// - Parameters:
    ///   - setting: the property that cannot take effect, such as `identity` or `proxy.identity`.
    ///   - message: what is wrong, and what to do about it; it must not contain a secret.
    public init(setting: String, message: String) {
        self.setting = setting
        self.message = message
    }

    public var description: String { message }
}

extension ConnectionConfiguration {
    /// The features that a transport must support for this configuration and a service at `origin`, each with the
    /// setting that requires it.
    func demands(for origin: Origin) -> [(feature: ConnectionFeature, setting: String)] {
        var demands: [(ConnectionFeature, String)] = []
        func demand(_ feature: ConnectionFeature, _ setting: String, if isAsked: Bool) {
            if isAsked { demands.append((feature, setting)) }
        }
        demand(.tls, "trust", if: origin.scheme == .https)
        if let identity = identity?.constant, identity.signsOnly {
            demands.append((identity.isOfKeychain ? .keychainIdentities : .signingKeys, "identity"))
        }
        demand(.lateIdentity, "allowsIdentityInRenegotiation", if: allowsIdentityInRenegotiation)
        demand(.insecureCipherSuites, "allowsInsecureCipherSuites", if: allowsInsecureCipherSuites)
        demand(.insecureCipherSuites, "proxy.allowsInsecureCipherSuites", if: proxy.allowsInsecureCipherSuites)
        demand(.revocation, "trust.revocation", if: trust.revocation.mode != .off)
        demand(.revocation, "proxy.trust.revocation", if: proxy.trust.revocation.mode != .off)
        if case .refuse = onTrustFailure {} else { demands.append((.overruledTrustFailures, "onTrustFailure")) }
        demand(.namedProxies, "proxy.rules", if: proxy.rules?.http != nil || proxy.rules?.https != nil)
        demand(.proxyIdentity, "proxy.identity", if: proxy.identity != nil)
        demand(.unixSocket, "unixSocketPath", if: unixSocketPath != nil)
        demand(.onlyHTTP1, "allowsHTTP2", if: !allowsHTTP2)
        demand(
            .callsPerConnection, "maximumCallsPerConnection",
            if: maximumCallsPerConnection != Self.usualCallsPerConnection)
        demand(
            .connectionsInTotal, "maximumConnectionsInTotal",
            if: maximumConnectionsInTotal != Self.usualConnectionsInTotal)
        demand(.idleTimeout, "idleTimeout", if: idleTimeout != Self.usualIdleTimeout)
        demand(.warmConnections, "warmConnections", if: warmConnections != nil)
        demand(.uncompressedAnswers, "acceptsCompression", if: !acceptsCompression)
        demand(.fieldLimit, "maximumFieldBytes", if: maximumFieldBytes != Self.usualFieldBytes)
        demand(
            .systemProxies, "proxy.authentication",
            if: proxy.rules == nil && !proxy.authentication.credentials.isNone)
        return demands
    }

    /// Checks that each setting takes effect. A transport calls this when it is created.
    ///
    /// - Parameters:
    ///   - origin: of the service.
    ///   - capabilities: what the transport can do.
    ///   - transport: its name, for the error.
    /// - Throws: ``ConnectionConfigurationError`` naming the first setting that would have no effect.
    public func check(
        for origin: Origin, capabilities: Set<ConnectionFeature>, of transport: String
    ) throws(ConnectionConfigurationError) {
        for (feature, setting) in demands(for: origin) where !capabilities.contains(feature) {
            throw ConnectionConfigurationError(
                setting: setting, message: "\(transport) \(feature.refusal) The setting “\(setting)” asks for it.")
        }
        if let conflict = conflict(for: origin) {
            throw ConnectionConfigurationError(setting: conflict.setting, message: conflict.message)
        }
    }

    /// A setting that contradicts other settings, whatever the transport.
    private func conflict(for origin: Origin) -> (setting: String, message: String)? {
        for (setting, limit) in [
            ("maximumConnections", maximumConnections), ("maximumConnectionsInTotal", maximumConnectionsInTotal),
            ("maximumFieldBytes", maximumFieldBytes), ("maximumCallsPerConnection", maximumCallsPerConnection),
        ] where limit < 1 {
            return (setting, "The setting “\(setting)” is \(limit); it must be 1 or more.")
        }
        if maximumCallsPerConnection != Self.usualCallsPerConnection {
            let reason: String? =
                if !allowsHTTP2 {
                    "allowsHTTP2 is false"
                } else if allowsIdentityInRenegotiation {
                    "an identity that may be shown late needs HTTP/1.1"
                } else if origin.scheme == .http {
                    "\(origin) is reached without TLS"
                } else {
                    nil
                }
            if let reason {
                return (
                    "maximumCallsPerConnection",
                    "Calls share connections of HTTP/2 only, which the client does not use here: \(reason). Take maximumCallsPerConnection out."
                )
            }
        }
        if let conflict = warmConflict { return ("warmConnections", conflict) }
        if identity != nil, origin.scheme == .http {
            return (
                "identity",
                "The identity would never be shown: \(origin) is reached without TLS. Use https, or take the identity out."
            )
        }
        if trust.hasPins, origin.scheme == .http {
            return (
                "trust",
                "The pins would never be checked: \(origin) is reached without TLS. Use https, or take the pins out."
            )
        }
        if trust.revocation.mode != .off, origin.scheme == .http {
            return (
                "trust.revocation",
                "No certificate would ever be looked up: \(origin) is reached without TLS. Use https, or set trust.revocation to .off."
            )
        }
        let hasTLSProxy = [proxy.rules?.http, proxy.rules?.https].contains { $0?.origin.scheme == .https }
        if proxy.trust.revocation.mode != .off, !hasTLSProxy {
            return (
                "proxy.trust.revocation",
                "No certificate would ever be looked up: proxy.rules name no proxy that uses TLS (https://…). Name one, or set proxy.trust.revocation to .off."
            )
        }
        if proxy.identity != nil, !hasTLSProxy {
            return (
                "proxy.identity",
                "The identity would never be shown to a proxy: proxy.rules name no proxy that uses TLS (https://…). Name one, or take proxy.identity out."
            )
        }
        if allowsIdentityInRenegotiation, looksForIdentityOnDemand {
            return (
                "allowsIdentityInRenegotiation",
                "An identity that is looked for on demand cannot be shown late: set either allowsIdentityInRenegotiation or looksForIdentityOnDemand."
            )
        }
        let isIdentityBelow = identity == nil && proxy.identity == nil
        for (setting, isSet) in [
            ("allowsIdentityInRenegotiation", allowsIdentityInRenegotiation && identity == nil),
            ("looksForIdentityOnDemand", looksForIdentityOnDemand && identity == nil),
            ("toleratedIdentityProblems", !toleratedIdentityProblems.isEmpty && isIdentityBelow),
        ] where isSet {
            return (setting, "The setting “\(setting)” has no effect without an identity: give one, or take it out.")
        }
        if allowsIdentityInRenegotiation, identity?.constant?.signsOnly == true {
            return (
                "allowsIdentityInRenegotiation",
                "A key that only signs cannot be shown late. Use an identity whose key is in memory, or have the server ask in the first handshake."
            )
        }
        return nil
    }

    private var warmConflict: String? {
        guard let warmConnections else { return nil }
        let most = min(maximumConnections, maximumConnectionsInTotal)
        guard (1...most).contains(warmConnections.count) else {
            return
                "warmConnections asks for \(warmConnections.count) connections; give a number from 1 to \(most), the limit that the configuration sets."
        }
        guard warmConnections.duration > .zero else {
            return "warmConnections keeps connections for \(warmConnections.duration), which must be more than zero."
        }
        guard !looksForIdentityOnDemand else {
            return
                "A connection that is opened in advance cannot look for an identity on demand, which may ask a person: take out either warmConnections or looksForIdentityOnDemand."
        }
        return nil
    }
}

extension Identity {
    /// Whether its private key only signs.
    fileprivate var signsOnly: Bool { privateKey == nil }
}
