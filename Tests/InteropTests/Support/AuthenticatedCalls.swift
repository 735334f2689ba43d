import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetNIOTransport
import SignetTLS

/// Several calls over one transport, which is shut down behind them.
enum AuthenticatedCalls {
    static func get(
        _ url: String, times: Int = 1, _ policy: AuthenticationPolicy, trust: TrustPolicy = .system,
        _ change: (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) async throws -> [ClientResponse] {
        let endpoint = try Endpoint(url)
        var configuration = ConnectionConfiguration()
        configuration.authentication = policy
        configuration.trust = trust
        try change(&configuration)
        let transport = try NIOTransport(to: endpoint.origin, configuration)
        var answers: [ClientResponse] = []
        do {
            for _ in 0..<times { answers.append(try await transport.send(ClientRequest(endpoint, method: .get))) }
        } catch {
            try await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
        return answers
    }

    /// The error of calls that have to fail.
    static func error(
        _ url: String, _ policy: AuthenticationPolicy, trust: TrustPolicy = .system,
        _ change: (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) async throws -> AuthenticationError? {
        do {
            _ = try await get(url, policy, trust: trust, change)
            return nil
        } catch let error as AuthenticationError { return error }
    }
}

extension ClientResponse {
    var statuses: [Int] { report.legs.map(\.status) }
}
