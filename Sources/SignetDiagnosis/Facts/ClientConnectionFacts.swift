import SignetAuthentication
package import SignetTLS

/// What a client did that connected to a server of ours, seen from the server.
package struct ClientConnectionFacts: Sendable, Hashable, Codable {
    /// What the client offers in its ClientHello (RFC 8446 §4.1.2).
    package struct Offer: Sendable, Hashable, Codable {
        /// `TLS 1.3` and the like, the best first.
        package var versions: [String]
        /// The IANA names of the suites that Signet has, the numbers of others.
        package var cipherSuites: [String]
        /// The host that the client wants to reach (RFC 6066 §3); nil when it does not say.
        package var serverName: String?
        /// By ALPN (RFC 7301).
        package var applicationProtocols: [String]
        /// The IANA names.
        package var signatureSchemes: [String]

        package init(
            versions: [String], cipherSuites: [String] = [], serverName: String? = nil,
            applicationProtocols: [String] = [], signatureSchemes: [String] = []
        ) {
            self.versions = versions
            self.cipherSuites = cipherSuites
            self.serverName = serverName
            self.applicationProtocols = applicationProtocols
            self.signatureSchemes = signatureSchemes
        }

        package init(_ hello: ClientHello) {
            self.init(
                versions: hello.versions.filter(Self.isMeant).map(ServerHello.versionName),
                cipherSuites: hello.cipherSuites.filter(Self.isMeant).map(ServerHello.cipherSuiteName),
                serverName: hello.serverName,
                applicationProtocols: hello.applicationProtocols.map(\.printable),
                signatureSchemes: hello.signatureSchemes.filter { Self.isMeant($0.code) }.map(\.description))
        }

        /// Browsers add numbers without a meaning, so that servers learn to skip them (RFC 8701 §2).
        private static func isMeant(_ number: UInt16) -> Bool { number & 0x0F0F != 0x0A0A }
    }

    /// How the connection ended.
    package enum End: String, Sendable, Hashable, Codable {
        /// The client got an answer.
        case answered
        /// The server refused the client's certificate; ``verdict`` says why.
        case refused
        /// The server demands a certificate, and the client showed none.
        case withoutCertificate
        /// The two have no version, cipher suite, group or signature algorithm in common.
        case incompatible
        /// By the client's alert.
        case alert
        /// The client closed it during the handshake, without an alert.
        case closed
        /// The client closed it and had sent nothing: a program looked whether the port is open.
        case onlyOpened
        /// The client closed it after the handshake, and had sent no request.
        case closedWithoutRequest
        /// The client speaks no TLS.
        case notTLS
        /// The client was silent.
        case timedOut
        /// By something else; ``problem`` says what.
        case failed
    }

    /// The address of the client.
    package var peer: String
    /// Whether the server asks for a certificate.
    package var isAsked: Bool
    /// Nil when no ClientHello came.
    package var offer: Offer?
    /// What the server chose; nil before it did.
    package var version: String?
    package var cipherSuite: String?
    /// What the client showed, its own first.
    package var certificates: [CertificateFacts] = []
    /// What the server's policy says of them; nil when the client showed none.
    package var verdict: TrustVerdict?
    /// The client's alert.
    package var alert: HandshakeFacts.Alert?
    package var end: End
    /// What ended it, where nothing else says more.
    package var problem: String?

    package init(peer: String, isAsked: Bool, end: End = .closed) {
        self.peer = peer
        self.isAsked = isAsked
        self.end = end
    }
}
