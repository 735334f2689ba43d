import SignetHTTP
import SignetNIOTransport

extension NIOTransport {
    /// Makes one call over a transport of its own, which is shut down behind it.
    static func answer(to request: ClientRequest, _ configuration: Configuration) async throws -> ClientResponse {
        let transport = NIOTransport(configuration)
        let result: Result<ClientResponse, any Error>
        do { result = .success(try await transport.send(request)) } catch { result = .failure(error) }
        try await transport.shutdown()
        return try result.get()
    }
}
