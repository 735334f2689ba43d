/// What happened on the wire during one exchange, for operators and logs. It holds no secret.
public struct ExchangeReport: Sendable, Hashable, CustomStringConvertible {
    /// The connection that carried the exchange.
    public struct Connection: Sendable, Hashable {
        /// Counts connections within one transport, from 1.
        public var number: Int = 0
        /// Address and port actually reached, for example `127.0.0.1:8443`.
        public var remoteAddress: String = ""
        /// Whether an earlier exchange opened it.
        public var reused: Bool = false
        /// Time that opening took: name resolution, TCP, TLS. Zero when reused.
        public var establishment: Duration = .zero
        /// Nil over plain HTTP.
        public var tls: TLS?
        /// The address of the proxy in between; nil without one. ``remoteAddress`` is the proxy's then.
        public var proxy: String?
        /// What was agreed on with that proxy; nil when it is spoken to in plain HTTP. ``tls`` is the origin's.
        public var proxyTLS: TLS?
        /// A connection of which nothing is known yet.
        public init() {}
    }

    /// What TLS agreed on.
    public struct TLS: Sendable, Hashable {
        /// `TLS 1.2` or `TLS 1.3`.
        public var version: String = ""
        /// The IANA name of the cipher suite, for example `TLS_AES_128_GCM_SHA256`.
        public var cipherSuite: String = ""
        /// Subjects of the certification path that was believed, the server's own certificate first.
        public var certificationPath: [String] = []
        /// When the server's own certificate expires, in seconds since 1970; nil where the transport does not tell.
        public var notAfter: Int64?
        /// Why the server was believed although its certificate is not good, in the words of whoever decided; nil when it is good.
        public var exception: String?
        /// What pins that are only reported have to say.
        public var pinMismatches: [String] = []
        /// Whether the server asked for a client certificate during the handshake.
        public var clientCertificateRequested: Bool = false
        /// Subject of the certificate we answered with; nil when none was asked for, or none was ours to give.
        public var clientCertificate: String?
        /// When ``clientCertificate`` expires, in seconds since 1970; nil without one, and where the transport does not
        /// tell.
        public var clientCertificateNotAfter: Int64?
        /// Subject of a certificate that the server can ask for at any time, which is not told; nil unless that was allowed.
        public var lateClientCertificate: String?
        /// A handshake of which nothing is known yet.
        public init() {}
    }

    /// One request and its answer; an exchange has several when authentication takes more than one.
    public struct Leg: Sendable, Hashable {
        /// The status of the answer.
        public var status: Int
        /// The authentication scheme sent, without the credentials; nil when none was sent.
        public var authorization: String?
        /// - Parameter authorization: the scheme alone, such as `Digest`; never the credentials.
        public init(status: Int, authorization: String? = nil) {
            self.status = status
            self.authorization = authorization
        }
    }

    /// A connection that several reports tell of. Kept by reference: reports are handed on with every answer, and are mostly not looked at.
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
    /// The requests and their answers in their order; the last one has given the answer.
    public var legs: [Leg] = []
    /// From the start of the exchange to its end, with waiting for a connection and all legs.
    public var duration: Duration = .zero

    /// A report in which nothing is told.
    public init() {}

    public var description: String {
        var parts: [String] = []
        if let tls = connection.tls {
            parts.append("\(tls.version) \(tls.cipherSuite)")
            parts.append("server: \(tls.certificationPath.joined(separator: " ← "))")
            if let reason = tls.exception { parts.append("believed by exception (\(reason))") }
            if !tls.pinMismatches.isEmpty { parts.append("no pin holds (only reported)") }
            let nothing = tls.clientCertificateRequested ? "gave no certificate" : "were not asked"
            let late = tls.lateClientCertificate.map { "\($0), if asked" }
            parts.append("we: \(tls.clientCertificate ?? late ?? nothing)")
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
