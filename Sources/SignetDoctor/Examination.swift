package import SignetConnection
package import SignetDiagnosis
package import SignetHTTP
import SignetNIOTLS
import SignetNIOTransport
package import SignetTLS

/// Examines the connection to a service: it makes connections that differ in one thing each, and notes what happens.
///
/// It sends no credentials of HTTP authentication to the service, and no content of the user. The identity is shown
/// only to a server that the policy trusts. Proxies get what their configuration has for them.
package struct Examination: Sendable {
    /// The service.
    package var endpoint: Endpoint
    /// How the client connects: identity, trust, proxies.
    package var connection: ConnectionConfiguration
    /// The client's identity, which ``connection`` has as well; nil without one.
    package var identity: Identity?
    /// Why the file of the identity cannot be used.
    package var identityFile: IdentityFileProblem?
    /// The ports of the WSDL; empty without one.
    package var ports: [PortFacts] = []
    /// The address of a document that programs load without the identity; nil to examine no document.
    package var document: Endpoint?
    /// The limit of each connection, from its opening to its answer.
    package var stepLimit = Duration.seconds(8)
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64
    /// A later time, in seconds since 1970, for which certificates are judged once the connections were made; nil to
    /// judge them for the present.
    package var judgedAt: Int64?
    /// Gets a line before each step.
    package var progress: @Sendable (String) -> Void = { _ in }

    package init(
        of endpoint: Endpoint, _ connection: ConnectionConfiguration, identity: Identity? = nil,
        now: @escaping @Sendable () -> Int64
    ) {
        self.endpoint = endpoint
        self.connection = connection
        self.identity = identity
        self.now = now
    }

    /// Gives the client an identity to show.
    ///
    /// - Parameter isShownLate: whether the client shows it also when the server asks after a request.
    package mutating func use(_ own: Identity, isShownLate: Bool = false) {
        identity = own
        connection.identity = .fixed(own)
        connection.allowsIdentityInRenegotiation = isShownLate
        // What is wrong with the identity is said by the server too, and by the report.
        connection.toleratedIdentityProblems = Self.problemsOfUseOrTime
    }

    /// The problems of an identity that a server may overlook.
    package static let problemsOfUseOrTime: Set<IdentityProblem.Code> = [
        .expired, .notYetValid, .wrongExtendedKeyUsage, .wrongKeyUsage,
    ]

    /// What was seen.
    package struct Result: Sendable {
        package var facts: DiagnosticFacts
        /// What the server presented last, its own certificate first; empty when it presented nothing.
        package var serverCertificates: [EncodedCertificate] = []
    }

    /// The time for which certificates are judged.
    var judgementTime: Int64 { judgedAt ?? now() }

    /// Makes all connections, one after the other.
    ///
    /// - Throws: `ConnectionConfigurationError`, or `CancellationError`. That a connection fails is no error but a fact.
    package func run() async throws -> Result {
        let origin = endpoint.origin
        var facts = DiagnosticFacts(
            now: judgementTime,
            target: .init(isSecure: origin.scheme == .https, host: origin.host, port: origin.port))
        facts.connectedAt = judgedAt == nil ? nil : now()
        facts.ports = ports
        facts.identityFile = identityFile
        facts.identity = identity.map {
            IdentityFacts(
                completed($0), at: judgementTime, isLater: judgedAt != nil,
                mayBeShownLate: connection.allowsIdentityInRenegotiation)
        }
        let proxy = connection.proxy.rules?.proxy(for: origin)
        progress("Looking up \(proxy?.origin.host ?? origin.host)")
        let reach = await Reachability.examine(proxy?.origin ?? origin, limit: stepLimit)
        (facts.resolution, facts.connections) = (reach.resolution, reach.attempts)
        guard facts.connections.contains(where: { $0.outcome == .connected }) else {
            if let proxy { facts.proxies = [ProxyHop("\(proxy.origin.authority)", .unreachable)] }
            return Result(facts: facts)
        }
        var course = ProbeCourse(self, facts, through: proxy)
        try await course.run()
        return Result(facts: course.facts, serverCertificates: course.presented)
    }

    /// An identity with its root, which is often among the trust anchors alone.
    private func completed(_ identity: Identity) -> PublicIdentity {
        var completed = PublicIdentity(identity)
        let root = completed.chain.last.flatMap { last in
            [connection.trust, .system].lazy.compactMap { $0.root(issuing: last) }.first
        }
        if let root, !completed.authorities.contains(root) { completed.authorities.append(root) }
        return completed
    }
}
