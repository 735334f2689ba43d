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
    public init(_ reader: ConfigReader) async throws {
        var values = ConfigurationValues(reader)
        settings = SOAPServer.Settings()
        logLevel =
            try await values.choice(
                Self.logLevel, ["debug", "info", "notice", "warning", "error"].map { ($0, Logger.Level(rawValue: $0)) }
            )
            .flatMap { $0 } ?? .info
        if let file = try await values.text(Self.wsdl) {
            let address = try await values.text(Self.publicAddress).map { text in
                do { return try Endpoint(text) } catch {
                    throw ConfigurationValues.error(Self.publicAddress, "cannot be used: \(error)")
                }
            }
            do { wsdl = try PublishedWSDL(file: file, address: address) } catch {
                throw ConfigurationValues.error(Self.wsdl, "cannot be used: \(error)")
            }
        }
        try await settings.take(from: &values)
        try await takeTLS(from: &values)
        try await values.requireAllUsed()
    }

    private mutating func takeTLS(from values: inout ConfigurationValues) async throws {
        let path = try await values.text(Self.identity)
        let field = try await values.text(Self.proxyField)
        // Without TLS and without a proxy that has it, no client can show a certificate.
        let clients =
            path == nil && field == nil ? .noCertificateRequested : try await Self.clients(from: &values)
        var direct = clients
        if let field {
            let recognition: TLSTerminatingProxy.Recognition
            if let digests = try await values.list(Self.proxyCertificates) {
                recognition = .certificates(sha256: try Set(digests.map(Self.digest)))
                guard let authorities = try await values.bundle(Self.proxyAuthorities) else {
                    throw ConfigurationValues.error(
                        Self.proxyAuthorities, "is missing: proxy.certificates needs the authorities that issued them")
                }
                direct = .certificateRequired(.anchors(authorities))
            } else {
                recognition = .socket
            }
            settings.tlsProxy = TLSTerminatingProxy(
                recognition,
                certificateField: field.lowercased() == "client-cert" ? .clientCert : .escapedPEM(field),
                clients: clients,
                addressField: try await values.text(Self.proxyAddressField))
        }
        guard let path else {
            let isPlain = try await values.flag(Self.plaintext) ?? false
            guard settings.socketPath != nil || isPlain else {
                throw ConfigurationValues.error(
                    Self.identity,
                    "is missing: a server needs a certificate; without TLS it can listen at server.socket behind a proxy, or anywhere with server.plaintext"
                )
            }
            return
        }
        let files = try IdentityFiles(
            identity: path, key: try await values.text(Self.key), password: try await values.text(Self.password),
            passwordFile: try await values.text(Self.passwordFile))
        let identity = try files.read()
        self.identity = identity
        var tls = ServerTLSConfiguration(
            identity: IdentitySource(description: "the identity in \(path.printable)") { try files.read() },
            clients: direct)
        if let minimum = try await values.choice(
            Self.minimumVersion, [("1.2", TLSVersionRange.Version.tls12), ("1.3", .tls13)])
        {
            tls.versions.minimum = minimum
        }
        if let interval = try await values.seconds(Self.checkInterval) { tls.identityCheckInterval = interval }
        self.tls = tls
    }

    private static func clients(from values: inout ConfigurationValues) async throws -> ClientAdmission {
        let make = try await values.choice(
            certificates,
            [
                ("no", nil), ("allowed", { ClientAdmission.certificateRequested($0) }),
                ("required", { ClientAdmission.certificateRequired($0) }),
            ] as [(String, ((TrustPolicy) -> ClientAdmission)?)])
        guard let make = make ?? nil else { return .noCertificateRequested }
        guard let bundle = try await values.bundle(authorities) else {
            throw ConfigurationValues.error(
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
    private static func digest(_ text: String) throws -> [UInt8] {
        let digits = text.filter { $0 != ":" && $0 != " " }.compactMap(\.hexDigitValue)
        guard digits.count == 64 else {
            throw ConfigurationValues.error(
                proxyCertificates, "has “\(text.printable)”, which is no SHA-256 in 64 hexadecimal digits")
        }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    // MARK: Server

    /// Makes the server.
    ///
    /// - Parameter services: the services, each at a path of its own.
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public func server(_ services: [HostedService]) throws -> SOAPServer {
        guard let tls else { return try SOAPServer.withoutTLS(services, settings: settings) }
        return try SOAPServer(services, tls: tls, settings: settings)
    }

    /// Checks what ``server(_:)`` and the start of the server check, without listening.
    ///
    /// - Returns: what an operator should know about the server's certificate, such as that it expires soon.
    /// - Throws: ``SOAPServerError`` with `unusableIdentity` or `invalidConfiguration`.
    public func check(_ services: [HostedService]) throws -> [IdentityProblem] {
        guard var tls, let identity else {
            _ = try server(services)
            return []
        }
        tls.identity = .fixed(identity)
        _ = try SOAPServer(services, tls: tls, settings: settings)
        return identity.problems(at: Int64(Date().timeIntervalSince1970), for: .server)
    }
}

extension SOAPServer.Settings {
    fileprivate mutating func take(from values: inout ConfigurationValues) async throws {
        typealias Keys = ServerConfiguration
        if let path = try await values.text(Keys.socket) {
            socketPath = path
        } else {
            if let value = try await values.text(Keys.host) { host = value }
            if let value = try await values.number(Keys.port) { port = value }
        }
        if let value = try await values.flag(Keys.http2) { allowsHTTP2 = value }
        if let value = try await values.list(Keys.proxies) { proxies = value }
        if let value = try await values.flag(Keys.proxyProtocol) { usesProxyProtocol = value }
        if let value = try await values.seconds(Keys.shutdownGrace) { shutdownGrace = value }
        let (live, ready) = (try await values.text(Keys.livePath), try await values.text(Keys.readyPath))
        if live != nil || ready != nil {
            var checks = HealthChecks()
            if let live { checks.livePath = live }
            if let ready { checks.readyPath = ready }
            health = checks
        }
        if let value = try await values.number(Keys.requestBytes) { maximumRequestBytes = value }
        if let value = try await values.number(Keys.spooledBytes) { maximumSpooledBytes = value }
        if let value = try await values.number(Keys.connections) { maximumConnections = value }
        if let value = try await values.number(Keys.unprovenConnections) {
            maximumUnprovenConnectionsPerAddress = value
        }
        if let value = try await values.number(Keys.streams) { maximumStreamsPerConnection = value }
        if let value = try await values.number(Keys.backgroundCalls) { maximumBackgroundCalls = value }
        if let value = try await values.seconds(Keys.firstHead) { firstHeadArrival = value }
        if let value = try await values.seconds(Keys.idle) { idle = value }
        if let value = try await values.seconds(Keys.requestArrival) { requestArrival = value }
        if let value = try await values.number(Keys.arrivalRate) { minimumArrivalRate = value }
        if let value = try await values.seconds(Keys.answerDelivery) { answerDelivery = value }
    }
}
#endif
