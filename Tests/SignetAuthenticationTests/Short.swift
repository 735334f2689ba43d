@testable import SignetAuthentication

extension Credentials.Account {
    static func account(user: String, password: String) -> Self { .init(user: user, password: password, domain: "") }
}

extension AuthenticationChannel {
    /// What schemes get that bind to no connection.
    static let any = AuthenticationChannel(number: 1)
}

extension AuthenticationSession {
    func begin(scheme: String, host: String, port: Int) throws -> AuthenticationExchange {
        try begin(scheme: scheme, host: host, port: port, path: "/")
    }

    func authorization(
        _ exchange: inout AuthenticationExchange, for request: AuthenticationRequest
    ) async throws -> String? {
        try await authorization(&exchange, for: request, over: .any)
    }
}
