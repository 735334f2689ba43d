#if Server
/// A key of a server's configuration.
public struct ServerConfigurationKey: Sendable, Hashable {
    /// How a value is written.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case text
        /// A file, or a socket in the file system.
        case path
        /// A whole number.
        case number
        /// A number of seconds, above zero, also with a fraction.
        case seconds
        /// `true` or `false`.
        case flag
        /// Texts; in an environment variable with commas between them.
        case list
    }

    /// Its name, with a dot between the section and the rest: `server.port`.
    public let name: String
    /// How its value is written.
    public let kind: Kind
    /// What it means.
    public let meaning: String
    /// What applies without it.
    public let usual: String
    /// Whether the value is secret, so that it cannot be in a file of the configuration.
    public let isSecret: Bool

    init(_ name: String, _ kind: Kind, _ meaning: String, usual: String, isSecret: Bool = false) {
        (self.name, self.kind, self.meaning, self.usual, self.isSecret) = (name, kind, meaning, usual, isSecret)
    }

    /// The environment variable that has the value: `SIGNET_SERVER_PORT`.
    public var variable: String {
        var result = "SIGNET_"
        var previous: Character = "_"
        for character in name {
            if previous.isLowercase, character.isUppercase { result += "_" }
            result += character.isLetter || character.isNumber ? character.uppercased() : "_"
            previous = character
        }
        return result
    }
}

extension ServerConfiguration {
    /// All keys, in the order of the documentation.
    public static let keys: [ServerConfigurationKey] = [
        host, port, socket, wsdl, publicAddress, plaintext, http2, proxies, proxyProtocol, shutdownGrace,
        identity, key, password, passwordFile, minimumVersion, checkInterval,
        certificates, authorities, revocation,
        proxyField, proxyCertificates, proxyAuthorities, proxyAddressField,
        livePath, readyPath,
        requestBytes, spooledBytes, connections, unprovenConnections, calls, backgroundCalls, firstHead, idle,
        requestArrival, arrivalRate, answerDelivery,
        logLevel,
    ]

    static let host = ServerConfigurationKey(
        "server.host", .text, "the address to listen at; `::` or `0.0.0.0` for every network", usual: "127.0.0.1")
    static let port = ServerConfigurationKey("server.port", .number, "the port; 0 for a free one", usual: "8443")
    static let socket = ServerConfigurationKey(
        "server.socket", .path, "a socket in the file system to listen at, instead of host and port", usual: "no socket"
    )
    static let wsdl = ServerConfigurationKey(
        "server.wsdl", .path, "the WSDL that clients get by GET with ?wsdl", usual: "none")
    static let publicAddress = ServerConfigurationKey(
        "server.publicAddress", .text, "the address by which clients reach the service, for its WSDL",
        usual: "the addresses that the WSDL states")
    static let plaintext = ServerConfigurationKey(
        "server.plaintext", .flag,
        "whether the server speaks HTTP without TLS: everybody on the network path can read and change it",
        usual: "false")
    static let http2 = ServerConfigurationKey("server.http2", .flag, "whether clients may use HTTP/2", usual: "true")
    static let proxies = ServerConfigurationKey(
        "server.proxies", .list, "addresses of proxies that open connections for many clients", usual: "none")
    static let proxyProtocol = ServerConfigurationKey(
        "server.proxyProtocol", .flag, "whether the proxies say who the client is with the PROXY protocol",
        usual: "false")
    static let shutdownGrace = ServerConfigurationKey(
        "server.shutdownGrace", .seconds, "how long the end of the server waits for requests in progress", usual: "10")

    static let identity = ServerConfigurationKey(
        "tls.identity", .path,
        "the certificate with its chain and its key: PKCS#12 or PEM; read again while the server runs",
        usual: "no TLS, which needs server.socket or server.plaintext")
    static let key = ServerConfigurationKey(
        "tls.key", .path, "the private key in PEM or DER, where tls.identity has certificates only",
        usual: "the key in tls.identity")
    static let password = ServerConfigurationKey(
        "tls.password", .text, "the password of the key, in the environment only", usual: "no password", isSecret: true)
    static let passwordFile = ServerConfigurationKey(
        "tls.passwordFile", .path, "a file with the password of the key alone", usual: "no password")
    static let minimumVersion = ServerConfigurationKey(
        "tls.minimumVersion", .text, "the oldest version of TLS: `1.2` or `1.3`", usual: "1.2")
    static let checkInterval = ServerConfigurationKey(
        "tls.checkInterval", .seconds, "how long until the files of the identity are read again", usual: "60")

    static let certificates = ServerConfigurationKey(
        "clients.certificates", .text, "whether clients show certificates: `no`, `allowed` or `required`", usual: "no")
    static let authorities = ServerConfigurationKey(
        "clients.authorities", .path, "the certificates in PEM of the authorities whose clients are trusted",
        usual: "none")
    static let revocation = ServerConfigurationKey(
        "clients.revocation", .text,
        "whether the revocation of clients' certificates is looked up: `no`, `soft` (an unknown status is accepted) or `hard`",
        usual: "no")

    static let proxyField = ServerConfigurationKey(
        "proxy.field", .text,
        "the field in which a proxy that ends TLS hands on certificates: `Client-Cert` as in RFC 9440, any other in PEM as nginx sends it",
        usual: "no such proxy")
    static let proxyCertificates = ServerConfigurationKey(
        "proxy.certificates", .list, "the SHA-256 of the proxy's own certificates, in hexadecimal digits",
        usual: "the proxy opens server.socket")
    static let proxyAuthorities = ServerConfigurationKey(
        "proxy.authorities", .path, "the certificates in PEM of the authorities of the proxy's own certificates",
        usual: "none")
    static let proxyAddressField = ServerConfigurationKey(
        "proxy.addressField", .text, "the field in which the proxy names the client's IP address", usual: "none")

    static let livePath = ServerConfigurationKey(
        "health.live", .text, "the path of the health check that says whether the server answers",
        usual: "no health checks")
    static let readyPath = ServerConfigurationKey(
        "health.ready", .text, "the path of the health check that says whether the server should be sent requests",
        usual: "no health checks")

    static let requestBytes = ServerConfigurationKey(
        "limits.requestBytes", .number, "the size of the largest request", usual: "16 MiB, with attachments 64 MiB")
    static let spooledBytes = ServerConfigurationKey(
        "limits.spooledBytes", .number, "how many bytes all attachments may take on the disk", usual: "1 GiB")
    static let connections = ServerConfigurationKey(
        "limits.connections", .number, "how many connections may be open", usual: "1024")
    static let unprovenConnections = ServerConfigurationKey(
        "limits.unprovenConnectionsPerAddress", .number,
        "how many connections of one address may be open whose clients have proved nothing",
        usual: "a quarter of limits.connections")
    static let calls = ServerConfigurationKey(
        "limits.callsPerConnection", .number,
        "how many requests a client may have in progress over one connection of HTTP/2",
        usual: "100")
    static let backgroundCalls = ServerConfigurationKey(
        "limits.backgroundCalls", .number, "how many handlers of one-way operations may run after the answer",
        usual: "256")
    static let firstHead = ServerConfigurationKey(
        "limits.firstHead", .seconds, "how long TLS and the head of the first request may take together", usual: "10")
    static let idle = ServerConfigurationKey(
        "limits.idle", .seconds, "how long a connection may be silent", usual: "60")
    static let requestArrival = ServerConfigurationKey(
        "limits.requestArrival", .seconds, "how long the content of a request may take to arrive", usual: "60")
    static let arrivalRate = ServerConfigurationKey(
        "limits.arrivalRate", .number, "for each this many bytes, a request may take one second longer", usual: "65536")
    static let answerDelivery = ServerConfigurationKey(
        "limits.answerDelivery", .seconds, "how long a client may take to receive an answer, or 64 KiB of it",
        usual: "60")

    static let logLevel = ServerConfigurationKey(
        "log.level", .text, "the least level that is logged: `debug`, `info`, `notice`, `warning` or `error`",
        usual: "info")
}
#endif
