import SignetHTTP
import SignetNIOTransport

extension NIOTransport {
    /// Makes one call over a transport of its own, which is shut down behind it.
    static func answer(
        to request: ClientRequest, _ connection: ConnectionConfiguration
    ) async throws -> ClientResponse {
        let transport = try NIOTransport(to: request.endpoint.origin, connection)
        let result: Result<ClientResponse, any Error>
        do { result = .success(try await transport.send(request)) } catch { result = .failure(error) }
        try await transport.shutdown()
        return try result.get()
    }
}
