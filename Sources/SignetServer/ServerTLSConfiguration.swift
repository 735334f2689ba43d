#if Server
public import SignetConnection
public import SignetCredentials
public import SignetTLS

/// How a server proves its identity to its clients over TLS, and which clients it admits.
///
/// All of it can be replaced while the server runs: ``SOAPServer/replaceTLS(with:)``.
///
/// ```swift
/// var tls = ServerTLSConfiguration(
///     identity: .stored("server", in: identities), clients: .certificateRequired(.anchors(deviceAuthority)))
/// tls.versions.minimum = .tls13
/// ```
public struct ServerTLSConfiguration: Sendable {
    /// Where the server gets the identity that it shows to clients.
    ///
    /// The server asks the source when it begins to listen, then every ``identityCheckInterval``, and on
    /// ``SOAPServer/reloadIdentity()``. If the identity has another certificate or another chain, the server shows it
    /// on connections that it accepts from then on. A source from `IdentitySource.fixed(_:)` is not asked again.
    ///
    /// The server waits for an answer of the source without a limit. A source should end when its task is cancelled,
    /// because a server that shuts down waits for it.
    public var identity: IdentitySource
    /// Which clients the server admits by their certificate. A client is judged by the value that was in force when the
    /// server accepted its connection.
    public var clients: ClientAdmission
    /// The versions of TLS that the server speaks. A range with `minimum` above `maximum` is an error,
    /// ``SOAPServerError`` with `invalidConfiguration`.
    public var versions: TLSVersionRange
    /// Errors of the identity (``/SignetTLS/Identity/problems(at:for:)``) that the server tolerates. The server does
    /// not start with an identity that has any other error, nor does it switch to such an identity.
    public var toleratedIdentityProblems: Set<IdentityProblem.Code>
    /// How long a running server waits until it asks the source of its identity again. It must be above zero, otherwise
    /// it is an error, ``SOAPServerError`` with `invalidConfiguration`. It has no effect for
    /// `IdentitySource.fixed(_:)`.
    ///
    /// When the source throws, returns no identity, or returns an unusable one, the server keeps its identity. It logs
    /// the failure at error, and the same text only once until it takes another identity.
    public var identityCheckInterval: Duration
    /// The way to the servers of the authorities, when the policy of ``clients`` looks up revocation
    /// (`TrustPolicy.revocation`): directly unless it is set. A proxy that is never used is an error,
    /// ``SOAPServerError`` with `invalidConfiguration`.
    public var revocationProxy = ProxyConfiguration(.direct)

    /// - Parameters:
    ///   - identity: where the server gets its identity; `.fixed(_:)` for one that stays the same.
    ///   - clients: which clients the server admits by their certificate; unless given, it asks no client for a
    ///     certificate.
    ///   - versions: the versions of TLS that the server speaks; unless given, 1.2 and 1.3.
    ///   - toleratedIdentityProblems: errors of the identity that the server tolerates.
    ///   - identityCheckInterval: the time between two questions to the source of the identity; 60 seconds unless
    ///     given.
    public init(
        identity: IdentitySource, clients: ClientAdmission = .noCertificateRequested, versions: TLSVersionRange = .all,
        toleratedIdentityProblems: Set<IdentityProblem.Code> = [], identityCheckInterval: Duration = .seconds(60)
    ) {
        self.identity = identity
        self.clients = clients
        self.versions = versions
        self.toleratedIdentityProblems = toleratedIdentityProblems
        self.identityCheckInterval = identityCheckInterval
    }

    /// - Parameter firstHead: the limit of the handshake and the first head of a request together.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for settings that are invalid with every identity.
    func check(firstHead: Duration) throws(SOAPServerError) {
        let revocation = clients.revocation
        try clients.check(revocationProxy)
        if revocation.mode != .off, revocation.timeLimit >= firstHead {
            throw SOAPServerError(
                .invalidConfiguration,
                "Looking up the revocation of a client's certificate may take \(revocation.timeLimit) (RevocationPolicy.timeLimit), but the server closes a connection whose handshake and first head take \(firstHead) together (firstHeadArrival); lower the first or raise the second."
            )
        }
        guard !versions.isEmpty else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting versions has \(versions.minimum) as minimum and \(versions.maximum) as maximum, so that no version is left; exchange the two."
            )
        }
        guard identityCheckInterval > .zero else {
            throw SOAPServerError(
                .invalidConfiguration,
                "The setting identityCheckInterval (\(identityCheckInterval)) must be above zero; the usual value is 60 seconds."
            )
        }
    }
}
#endif
