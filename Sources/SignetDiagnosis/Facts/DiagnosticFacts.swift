/// What is known about the connection to one service, as plain values without secrets: what a diagnosis is made from.
///
/// A prober fills all of it; an error fills the few facts that it knows. Nil and empty mean “not known”, never “good”.
/// The JSON form is that of `Codable`. It contains no password, no credentials, no cookie, and no content of messages.
package struct DiagnosticFacts: Sendable, Hashable, Codable {
    /// The address of the service.
    package struct Target: Sendable, Hashable, Codable {
        /// Whether the address begins with `https`.
        package var isSecure: Bool
        /// In lower case, an IPv6 address without brackets.
        package var host: String
        package var port: Int

        package init(isSecure: Bool = true, host: String, port: Int = 443) {
            self.isSecure = isSecure
            self.host = host
            self.port = port
        }
    }

    /// The time for which everything is judged, in seconds since 1970: that of the connections, by the local clock, or a
    /// later one.
    package var now: Int64
    /// When the connections were made, where ``now`` is a later time; nil where the two are the same.
    package var connectedAt: Int64?
    /// Nil when it is not known, as in an error that does not name it.
    package var target: Target?
    package var resolution: NameResolution?
    /// One attempt for each address of the host (of the first proxy, where there is one).
    package var connections: [ConnectionAttempt] = []
    /// The proxies on the way, the nearest first.
    package var proxies: [ProxyHop] = []
    /// What was tried, in order.
    package var probes: [Probe] = []
    /// The identity that the client has for this service; nil when it has none.
    package var identity: IdentityFacts?
    /// Why the file of the identity cannot be used; nil when it can, or when there is no file.
    package var identityFile: IdentityFileProblem?
    /// What trust policies say of the server's certificates, that of the client first.
    package var verdicts: [TrustVerdict] = []
    /// Where certificates were looked for that the server does not send.
    package var issuerLookups: [IssuerLookup] = []
    /// What was found out about the revocation of certificates.
    package var revocations: [RevocationFacts] = []
    /// The ports of the WSDL, the one in use too.
    package var ports: [PortFacts] = []
    /// Why HTTP authentication failed; nil when it did not.
    package var authentication: AuthenticationFailure?
    /// A client that connected to a server of ours; nil on the client's side.
    package var client: ClientConnectionFacts?

    /// - Parameter now: seconds since 1970 by the local clock.
    package init(now: Int64, target: Target? = nil) {
        self.now = now
        self.target = target
    }
}
