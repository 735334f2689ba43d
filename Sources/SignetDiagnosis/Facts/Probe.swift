package import SignetTLS

/// One connection to the host, made to learn something, and the answers that came over it.
package struct Probe: Sendable, Hashable, Codable {
    /// What the connection is for. It differs from ``usual`` in what its name says, and in nothing else.
    package enum Kind: String, Sendable, Hashable, Codable {
        /// What the library itself does: TLS 1.2 and 1.3, the name of the host, the identity.
        case usual
        /// At most TLS 1.2.
        case tls12
        /// At most TLS 1.2, and no identity: its handshake is in clear and puts nothing at risk.
        case tls12WithoutIdentity
        /// TLS 1.3 only.
        case tls13
        /// Without the name of the host (RFC 6066 §3).
        case withoutServerName
        /// With another name than the URL has, as ``Probe/serverName`` says.
        case withServerName
        /// TLS 1.2 with few suites and groups, so that the first message fits into one packet.
        case smallHello
        /// With cipher suites that are not secure, too.
        case insecureCipherSuites
        /// Past the proxies.
        case direct
        /// HTTP without TLS.
        case plain
        /// HTTP over TLS, where the URL begins with http.
        case secured
        /// For the WSDL.
        case document
    }

    /// How the connection ended.
    package enum End: String, Sendable, Hashable, Codable {
        /// In good order, after what it was for.
        case completed
        /// By the peer's alert.
        case alert
        /// The peer closed it, without an alert.
        case closed
        /// The peer reset it.
        case reset
        case timedOut
        /// The client's trust policy refused the server.
        case untrusted
        /// The client's TLS refused something else; ``HandshakeFacts/localReason`` names it.
        case local
        /// By another error; ``Probe/problem`` says which.
        case failed
    }

    package var kind: Kind
    /// When it began, in seconds since 1970; nil where it is not known.
    package var startedAt: Int64?
    /// How long it took, up to the answer or the failure; nil where it was not measured.
    package var milliseconds: Int?
    /// The name that the client sent; nil when it sent none.
    package var serverName: String?
    /// Whether the client had an identity to show.
    package var hasIdentity: Bool
    /// Nil without TLS.
    package var handshake: HandshakeFacts?
    /// In order.
    package var answers: [AnswerFacts]
    package var end: End
    /// The message of the error that ended it, where nothing else says more.
    package var problem: String?

    package init(
        _ kind: Kind = .usual, serverName: String? = nil, hasIdentity: Bool = false, handshake: HandshakeFacts? = nil,
        answers: [AnswerFacts] = [], end: End = .completed
    ) {
        self.kind = kind
        self.serverName = serverName
        self.hasIdentity = hasIdentity
        self.handshake = handshake
        self.answers = answers
        self.end = end
    }
}

extension Probe.End {
    /// How the connection ended, as the end of a sentence.
    package var text: String {
        switch self {
        case .completed: "completed"
        case .alert: "ended by an alert"
        case .closed: "closed by the server"
        case .reset: "reset by the server"
        case .timedOut: "silent"
        case .untrusted: "ended by the client, which does not trust the server"
        case .local: "ended by the client"
        case .failed: "ended by an error"
        }
    }
}

/// What passed in a TLS handshake.
package struct HandshakeFacts: Sendable, Hashable, Codable {
    /// How far it came, seen from the client.
    package enum Stage: Int, Sendable, Hashable, Codable, Comparable {
        /// No byte came from the server.
        case nothing
        /// The server answered, but with no ServerHello.
        case bytes
        /// The ServerHello came.
        case serverHello
        /// The client's part is done. In TLS 1.3 the server judges the client's certificate after that.
        case finished
        /// The server sent data, so that it accepted the client.
        case answered

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// An alert, and when it came.
    package struct Alert: Sendable, Hashable, Codable {
        package var code: Int
        /// `unknown_ca` and the like.
        package var name: String
        /// False for one that the client sent.
        package var isFromServer: Bool
        package var stage: Stage

        package init(_ alert: TLSAlert, isFromServer: Bool = true, at stage: Stage) {
            (code, name, self.isFromServer, self.stage) = (alert.code, alert.description, isFromServer, stage)
        }

        package var alert: TLSAlert { TLSAlert(code: code) }
    }

    /// The server's request for a client certificate.
    package struct Request: Sendable, Hashable, Codable {
        /// Whether the server asked on the open connection, after it had read a request.
        package var isLate: Bool
        /// Whether the rest is known. A second handshake encrypts it.
        package var isReadable: Bool
        /// `rsa_sign`, `ecdsa_sign` and the like.
        package var certificateTypes: [String] = []
        /// The IANA names.
        package var signatureSchemes: [String] = []
        /// The names of the authorities that the server takes; empty when it names none.
        package var authorities: [String] = []
        /// The length of the list of authorities, in bytes.
        package var authoritiesByteCount = 0

        package init(isLate: Bool = false, isReadable: Bool = false) {
            self.isLate = isLate
            self.isReadable = isReadable
        }

        package init(_ request: CertificateRequest) {
            self.init(isReadable: true)
            certificateTypes = request.certificateTypes.map(CertificateRequest.typeName)
            signatureSchemes = request.signatureSchemes.map(\.description)
            authorities = request.authorities
            authoritiesByteCount = request.authoritiesByteCount
        }

        /// Whether the server names an issuer of this identity; nil when it names none at all, or the names are not
        /// known. The case of letters does not count.
        package func accepts(_ identity: IdentityFacts) -> Bool? {
            guard isReadable, !authorities.isEmpty else { return nil }
            let known = Set(authorities.map { $0.lowercased() })
            return identity.chain.contains { known.contains($0.issuer.lowercased()) }
        }
    }

    package var stage = Stage.nothing
    /// `TLS 1.2` and the like; nil when it was not agreed on.
    package var version: String?
    package var cipherSuite: String?
    package var applicationProtocol: String?
    /// Whether the server asked for a second ClientHello.
    package var isRetried = false
    /// As the server sent them.
    package var certificates: [CertificateFacts] = []
    /// Nil when the server did not ask for a client certificate.
    package var request: Request?
    /// The subject of the certificate that the client sent; nil when it sent none.
    package var shownCertificate: String?
    package var alerts: [Alert] = []
    /// What came in place of TLS.
    package var foreign: Foreign?
    /// What the client's TLS did not accept, by the name that its library has for it.
    package var localReason: String?

    /// What came in place of TLS.
    package struct Foreign: Sendable, Hashable, Codable {
        package var kind: ForeignBytes.Kind
        package var text: String

        package init(_ kind: ForeignBytes.Kind, _ text: String = "") { (self.kind, self.text) = (kind, text) }
    }

    package init(stage: Stage = .nothing) { self.stage = stage }
}

extension HandshakeFacts {
    /// Adds what a reader has read of the bytes from the server.
    package mutating func add(_ server: TLSHandshakeReader) {
        if server.hasBytes { stage = max(stage, .bytes) }
        for item in server.items {
            switch item {
            case .serverHello(let hello):
                stage = max(stage, .serverHello)
                if hello.isRetryRequest { isRetried = true }
                version = hello.versionName
                cipherSuite = hello.cipherSuiteName
                applicationProtocol = hello.applicationProtocol ?? applicationProtocol
            case .encryptedExtensions(let chosen): applicationProtocol = chosen ?? applicationProtocol
            case .certificates(let chain): certificates = chain.map(CertificateFacts.init)
            case .certificateRequest(let found): request = Request(found)
            case .renegotiation where request == nil: request = Request(isLate: true)
            case .changeCipherSpec: stage = max(stage, .finished)
            case .alert(let alert) where alert.code != 0: alerts.append(Alert(alert, at: stage))
            case .foreign(let bytes): foreign = Foreign(bytes.kind, bytes.text)
            default: break
            }
        }
    }
}
