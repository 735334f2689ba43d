/// What happened on the wire during one exchange, for operators and logs. It contains no secret.
public struct ExchangeReport: Sendable, Hashable, CustomStringConvertible {
    /// The connection that carried the exchange.
    public struct Connection: Sendable, Hashable {
        /// The number of the connection within its transport, from 1.
        public var number: Int = 0
        /// The address and port of the socket, for example `127.0.0.1:8443`.
        public var remoteAddress: String = ""
        /// `1.1` or `2`; nil if the transport does not report it.
        public var httpVersion: String?
        /// Whether an earlier exchange opened it. Over HTTP/2, another exchange may use it at the same time.
        public var reused: Bool = false
        /// How long opening took: name resolution, TCP, TLS. Zero when reused.
        public var establishment: Duration = .zero
        /// The part of ``establishment`` until the first address was known; zero when reused, or if the transport does not
        /// report it.
        public var nameResolution: Duration = .zero
        /// The part of ``establishment`` from the open TCP connection to the end of the TLS handshake; with a proxy that uses
        /// TLS, of both handshakes. Zero when reused, over plain HTTP, or if the transport does not report it.
        public var handshake: Duration = .zero
        /// Nil over plain HTTP.
        public var tls: TLS?
        /// The address of the proxy on the way; nil without one. ``remoteAddress`` is then the proxy's.
        public var proxy: String?
        /// The TLS parameters of that proxy; nil when it does not use TLS. ``tls`` is the origin's.
        public var proxyTLS: TLS?
        /// A connection about which nothing is known yet.
        public init() {}
    }

    /// The result of a TLS handshake.
    public struct TLS: Sendable, Hashable {
        /// `TLS 1.2` or `TLS 1.3`.
        public var version: String = ""
        /// The IANA name of the cipher suite, for example `TLS_AES_128_GCM_SHA256`.
        public var cipherSuite: String = ""
        /// The subjects of the trusted certification path, the server's own certificate first.
        public var certificationPath: [String] = []
        /// When the server's own certificate expires, in seconds since 1970; nil if the transport does not report it.
        public var notAfter: Int64?
        /// Why the server was trusted although the policy refuses its certificate, in the words of the person who
        /// decided; nil when the policy accepts it.
        public var exception: String?
        /// The messages of pins in report mode that did not match.
        public var pinMismatches: [String] = []
        /// What was found out about the revocation of the certificates of ``certificationPath``, a sentence for each;
        /// empty when nothing was looked up.
        public var revocation: [String] = []
        /// Whether the server asked for a client certificate during the handshake.
        public var clientCertificateRequested: Bool = false
        /// The subject of the client certificate that was sent; nil when the server asked for none, or the client had
        /// none.
        public var clientCertificate: String?
        /// When ``clientCertificate`` expires, in seconds since 1970; nil without one, or if the transport does not
        /// report it.
        public var clientCertificateNotAfter: Int64?
        /// The subject of a certificate that the server can ask for at any time. The transport does not learn whether
        /// the server has done so. Nil unless the configuration allows this.
        public var lateClientCertificate: String?
        /// A handshake about which nothing is known yet.
        public init() {}
    }

    /// One request and its answer. An exchange has several when authentication takes more than one.
    public struct Leg: Sendable, Hashable {
        /// The status of the answer.
        public var status: Int
        /// The name of the authentication scheme that was sent, without the credentials; nil when none was sent.
        public var authorization: String?
        /// The schemes that a 401 asks for (RFC 9110 §11.6.1), in their order; empty with any other status.
        public var challenges: [String]
        /// - Parameters:
        ///   - status: the status of the answer.
        ///   - authorization: the scheme alone, such as `Digest`; never the credentials.
        ///   - challenges: the schemes alone.
        public init(status: Int, authorization: String? = nil, challenges: [String] = []) {
            self.status = status
            self.authorization = authorization
            self.challenges = challenges
        }
    }

    /// A connection that several reports share. It is a reference, since every answer has a report, and most reports
    /// are never read.
    package struct SharedConnection: Sendable, Hashable {
        private final class Box: Sendable {
            let connection: Connection
            init(_ connection: Connection) { self.connection = connection }
        }

        private static let unknown = Box(Connection())
        private let box: Box

        package init() { box = Self.unknown }
        package init(_ connection: Connection) { box = Box(connection) }

        package var connection: Connection { box.connection }

        package static func == (left: Self, right: Self) -> Bool {
            left.box === right.box || left.connection == right.connection
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(connection) }
    }

    package var sharedConnection = SharedConnection()

    /// The connection of the last leg.
    public var connection: Connection {
        get { sharedConnection.connection }
        set { sharedConnection = SharedConnection(newValue) }
    }
    /// The requests and their answers in order; the last one is the result.
    public var legs: [Leg] = []
    /// From the start of the exchange to its end, including the wait for a connection and all legs.
    public var duration: Duration = .zero
    /// The part of ``duration`` from the begin of a request to the head of its answer, of all legs together; zero if the
    /// transport does not report it.
    public var wait: Duration = .zero
    /// The part of ``duration`` from the head of an answer to its end, of all legs together; zero if the transport does not
    /// report it.
    public var reception: Duration = .zero

    /// An empty report.
    public init() {}

    public var description: String {
        var parts: [String] = []
        if let tls = connection.tls {
            parts.append("\(tls.version) \(tls.cipherSuite)")
            parts.append("server: \(tls.certificationPath.joined(separator: " ← "))")
            if let reason = tls.exception { parts.append("trusted by exception (\(reason))") }
            if !tls.pinMismatches.isEmpty { parts.append("no pin matches (only reported)") }
            let nothing = tls.clientCertificateRequested ? "no certificate" : "not asked"
            let late = tls.lateClientCertificate.map { "\($0), if asked" }
            parts.append("client: \(tls.clientCertificate ?? late ?? nothing)")
        } else {
            parts.append("no TLS")
        }
        parts.append(
            "connection \(connection.number)\(connection.reused ? " (reused)" : "") to \(connection.remoteAddress)"
                + (connection.proxy.map { ", the proxy \($0)" } ?? ""))
        for leg in legs { parts.append("\(leg.status)\(leg.authorization.map { " after \($0)" } ?? "")") }
        parts.append("\(duration)")
        return parts.joined(separator: "; ")
    }
}
