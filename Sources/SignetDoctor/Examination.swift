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
    /// The limit of each connection, from its opening to its answer.
    package var stepLimit = Duration.seconds(8)
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64
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

    /// Makes all connections, one after the other.
    ///
    /// - Throws: `ConnectionConfigurationError`, or `CancellationError`. That a connection fails is no error but a fact.
    package func run() async throws -> DiagnosticFacts {
        let origin = endpoint.origin
        var facts = DiagnosticFacts(
            now: now(),
            target: .init(isSecure: origin.scheme == .https, host: origin.host, port: origin.port))
        facts.ports = ports
        facts.identityFile = identityFile
        facts.identity = identity.map {
            IdentityFacts(PublicIdentity($0), at: now(), mayBeShownLate: connection.allowsIdentityInRenegotiation)
        }
        let proxy = connection.proxy.rules?.proxy(for: origin)
        progress("Looking up \(proxy?.origin.host ?? origin.host)")
        let reach = await Reachability.examine(proxy?.origin ?? origin, limit: stepLimit)
        (facts.resolution, facts.connections) = (reach.resolution, reach.attempts)
        guard facts.connections.contains(where: { $0.outcome == .connected }) else {
            if let proxy { facts.proxies = [ProxyHop("\(proxy.origin.authority)", .unreachable)] }
            return facts
        }
        var course = ProbeCourse(self, facts, through: proxy)
        try await course.run()
        return course.facts
    }
}
