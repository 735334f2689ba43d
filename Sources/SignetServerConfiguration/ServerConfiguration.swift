#if Server
public import Configuration
public import Logging
import Foundation
import SignetAuthentication
import SignetCredentials
import SignetHTTP
public import SignetServer
public import SignetTLS

/// The settings of a server from a file and the environment, by swift-configuration.
///
/// ```swift
/// let configuration = try await ServerConfiguration.read(file: "/etc/diary/server.yaml")
/// let server = try configuration.server([HostedService(Diary.dispatcher(Handlers()), path: "/soap")])
/// ```
///
/// ``keys`` has every key with its meaning. A value that cannot be read, or has no effect beside the others, is an error.
public struct ServerConfiguration: Sendable {
    /// Where the server listens, and its limits.
    public var settings: SOAPServer.Settings
    /// How the server proves its identity; nil for a server without TLS.
    public var tls: ServerTLSConfiguration?
    /// The WSDL that a service gives to its clients; nil when the configuration names none.
    public var wsdl: PublishedWSDL?
    /// The least level that is logged.
    public var logLevel: Logger.Level
    /// The identity that was read with the configuration; nil for a server without TLS.
    private var identity: Identity?

    /// Reads the values of all keys.
    ///
    /// - Parameter reader: gives the values by the names of ``keys``.
    /// - Throws: ``ServerConfigurationError``.
    public init(_ reader: ConfigReader) async throws { try await self.init(reader, ConfigurationOrigins()) }

    /// - Parameter origins: where the values come from, for errors.
    init(_ reader: ConfigReader, _ origins: ConfigurationOrigins) async throws {
        var values = ConfigurationValues(reader, origins)
        settings = SOAPServer.Settings()
        let levels: [Logger.Level] = [.debug, .info, .notice, .warning, .error]
        logLevel = try await values.choice(Self.logLevel, levels.map { ($0.rawValue, $0) }) ?? .info
        if let file = try await values.text(Self.wsdl) {
            _ = try origins.content(of: file, Self.wsdl, isSecret: false)
            let address = try await values.text(Self.publicAddress).map { text in
                do { return try Endpoint(text) } catch {
                    throw origins.error(Self.publicAddress, "cannot be used: \(error)")
                }
            }
            do { wsdl = try PublishedWSDL(file: file, address: address) } catch {
                throw origins.error(Self.wsdl, "cannot be used: \(error)")
            }
        }
        try await settings.take(from: &values)
        try await takeTLS(from: &values)
        try await values.requireAllUsed()
    }

    private mutating func takeTLS(from values: inout ConfigurationValues) async throws {
        let origins = values.origins
        let path = try await values.text(Self.identity)
        let field = try await values.text(Self.proxyField)
        // Without TLS and without a proxy that has it, no client can show a certificate.
        let clients =
            path == nil && field == nil ? nil : try await Self.clients(from: &values)
        var direct = clients
        if let field {
            guard let clients else {
                throw origins.error(
                    Self.certificates,
                    "must be allowed or required: proxy.field is there for the certificates of clients")
            }
            let recognition: TLSTerminatingProxy.Recognition
            if let digests = try await values.list(Self.proxyCertificates) {
                guard path != nil else {
                    throw origins.error(
                        Self.proxyCertificates,
                        "has no effect: the proxy shows its certificate to a server with tls.identity")
                }
                recognition = .certificates(sha256: try Set(digests.map { try Self.digest($0, origins) }))
                guard let authorities = try await values.bundle(Self.proxyAuthorities) else {
                    throw origins.error(
                        Self.proxyAuthorities, "is missing: proxy.certificates needs the authorities that issued them")
                }
                direct = .certificateRequired(.anchors(authorities))
            } else {
                guard settings.unixSocketPath != nil, path == nil else {
                    throw origins.error(
                        Self.proxyField,
                        path == nil
                            ? "needs server.socket, which the proxy on this machine opens; or, for a proxy on another machine, proxy.certificates and tls.identity"
                            : "needs proxy.certificates beside tls.identity, for a proxy on another machine; on this machine, leave tls.identity out and set server.socket"
                    )
                }
                recognition = .socket
            }
            settings.tlsProxy = TLSTerminatingProxy(
                recognition,
                certificateField: field.lowercased() == "client-cert" ? .clientCert : .escapedPEM(field),
                clients: clients,
                addressField: try await values.text(Self.proxyAddressField))
        }
        // At a socket it would have no effect.
        let isPlain = settings.unixSocketPath == nil ? try await values.flag(Self.plaintext) ?? false : false
        guard let path else {
            guard settings.unixSocketPath != nil || isPlain else {
                throw origins.error(
                    Self.identity,
                    "is missing: a server needs a certificate; without TLS it can listen at server.socket behind a proxy, or anywhere with server.plaintext"
                )
            }
            return
        }
        guard !isPlain else { throw origins.error(Self.plaintext, "has no effect: the server has TLS (tls.identity)") }
        let files = try IdentityFiles(
            identity: path, key: try await values.text(Self.key), password: try await values.text(Self.password),
            passwordFile: try await values.text(Self.passwordFile), origins)
        let identity = try files.read()
        self.identity = identity
        var tls = ServerTLSConfiguration(
            identity: IdentitySource(description: "the identity in \(path.printable)") { try files.read() },
            clients: direct ?? .noCertificateRequested)
        if let minimum = try await values.choice(
            Self.minimumVersion, [("1.2", TLSVersionRange.Version.tls12), ("1.3", .tls13)])
        {
            tls.versions.minimum = minimum
        }
        if let value = try await values.flag(Self.http2) { settings.allowsHTTP2 = value }
        if let interval = try await values.seconds(Self.checkInterval) { tls.identityCheckInterval = interval }
        self.tls = tls
    }

    /// Nil when clients show no certificates.
    private static func clients(from values: inout ConfigurationValues) async throws -> ClientAdmission? {
        let make = try await values.choice(
            certificates,
            [
                ("no", nil), ("allowed", { ClientAdmission.certificateOptional($0) }),
                ("required", { ClientAdmission.certificateRequired($0) }),
            ] as [(String, ((TrustPolicy) -> ClientAdmission)?)])
        guard let make = make ?? nil else { return nil }
        guard let bundle = try await values.bundle(authorities) else {
            throw values.origins.error(
                authorities, "is missing: clients.certificates needs the authorities whose clients are trusted")
        }
        var trust = TrustPolicy.anchors(bundle)
        if let mode = try await values.choice(
            revocation, [("no", RevocationPolicy.off), ("soft", .soft), ("hard", .hard)])
        {
            trust.revocation = mode
        }
        return make(trust)
    }

    /// SHA-256 in hexadecimal digits, also with colons between the bytes.
    private static func digest(_ text: String, _ origins: ConfigurationOrigins) throws -> [UInt8] {
        let characters = text.filter { $0 != ":" && $0 != " " }
        let digits = characters.compactMap(\.hexDigitValue)
        guard digits.count == 64, characters.count == 64 else {
            throw origins.error(
                proxyCertificates, "has “\(text.printable)”, which is no SHA-256 in 64 hexadecimal digits")
        }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    // MARK: Server

    /// Makes the server.
    ///
    /// - Parameter services: the services, each at a path of its own.
    /// - Throws: ``/SignetServer/SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public func server(_ services: [HostedService]) throws -> SOAPServer {
        try Self.inKeys {
            guard let tls else { return try SOAPServer.withoutTLS(services, settings: settings) }
            return try SOAPServer(services, tls: tls, settings: settings)
        }
    }

    /// The keys of settings, by the names that the server's errors have.
    private static let settingKeys: [(setting: String, key: ServerConfigurationKey)] = [
        ("maximumUnprovenConnectionsPerAddress", unprovenConnections), ("maximumConnections", connections),
        ("maximumCallsPerConnection", calls), ("maximumSpooledBytes", spooledBytes),
        ("maximumRequestBytes", requestBytes), ("firstHeadArrival", firstHead), ("the setting proxies", proxies),
        ("setting proxies", proxies), ("usesProxyProtocol", proxyProtocol), ("unixSocketPath", socket),
        ("addressField of tlsProxy", proxyAddressField), ("tlsProxy", proxyField), ("idle (", idle),
        ("RevocationPolicy.timeLimit", revocation),
    ]

    /// Lets errors of the server name the keys of the configuration.
    private static func inKeys<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch var error as SOAPServerError where error.code == .invalidConfiguration {
            for (setting, key) in settingKeys {
                error.message = error.message.replacing(setting, with: key.name + (setting.hasSuffix("(") ? " (" : ""))
            }
            throw error
        }
    }

    /// Checks what ``server(_:)`` and the start of the server check, without listening: not whether the port is free.
    ///
    /// - Returns: what an operator should know about the server's certificate, such as that it expires soon.
    /// - Throws: ``/SignetServer/SOAPServerError`` with `unusableIdentity`, `invalidConfiguration` or `cannotListen`.
    public func check(_ services: [HostedService]) async throws -> [IdentityProblem] {
        guard var tls, let identity else {
            try await server(services).checkPlace()
            return []
        }
        tls.identity = .fixed(identity)
        try await Self.inKeys { try SOAPServer(services, tls: tls, settings: settings) }.checkPlace()
        return identity.problems(at: Int64(Date().timeIntervalSince1970), for: .server)
    }
}

extension SOAPServer.Settings {
    fileprivate mutating func take(from values: inout ConfigurationValues) async throws {
        typealias Keys = ServerConfiguration
        if let path = try await values.text(Keys.socket) {
            unixSocketPath = path
        } else {
            if let value = try await values.text(Keys.host) { host = value }
            if let value = try await values.number(Keys.port) {
                guard (0...65535).contains(value) else {
                    throw values.origins.error(Keys.port, "is \(value); a port is 0 to 65535")
                }
                port = value
            }
        }
        if let value = try await values.list(Keys.proxies) { proxies = value }
        if let value = try await values.flag(Keys.proxyProtocol) {
            guard !value || !proxies.isEmpty || unixSocketPath != nil else {
                throw values.origins.error(
                    Keys.proxyProtocol, "needs server.proxies: the server accepts connections of these proxies only")
            }
            usesProxyProtocol = value
        }
        if let value = try await values.seconds(Keys.shutdownGrace) { shutdownGrace = value }
        let (live, ready) = (try await values.text(Keys.livePath), try await values.text(Keys.readyPath))
        if live != nil || ready != nil {
            var checks = HealthChecks()
            if let live { checks.livePath = live }
            if let ready { checks.readyPath = ready }
            health = checks
        }
        if let value = try await values.count(Keys.requestBytes) { maximumRequestBytes = value }
        if let value = try await values.count(Keys.spooledBytes) { maximumSpooledBytes = value }
        if let value = try await values.count(Keys.connections) { maximumConnections = value }
        if let value = try await values.count(Keys.unprovenConnections) {
            maximumUnprovenConnectionsPerAddress = value
        }
        if let value = try await values.count(Keys.calls) { maximumCallsPerConnection = value }
        if let value = try await values.count(Keys.backgroundCalls) { maximumBackgroundCalls = value }
        if let value = try await values.seconds(Keys.firstHead) { firstHeadArrival = value }
        if let value = try await values.seconds(Keys.idle) { idle = value }
        if let value = try await values.seconds(Keys.requestArrival) { requestArrival = value }
        if let value = try await values.count(Keys.arrivalRate) { minimumArrivalRate = value }
        if let value = try await values.seconds(Keys.answerDelivery) { answerDelivery = value }
    }
}
#endif
