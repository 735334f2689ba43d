import Signet
import Synchronization

/// Keeps the last answer as it came.
final class RecordingTransport: ClientTransport {
    private let transport: any ClientTransport
    private let last = Mutex<[UInt8]?>(nil)

    init(_ transport: any ClientTransport) { self.transport = transport }

    /// The content of the last answer; nil before there was one.
    var answer: [UInt8]? { last.withLock { $0 } }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let response = try await transport.send(request)
        last.withLock { $0 = response.body }
        return response
    }

    func shutdown() async throws { try await transport.shutdown() }
}

/// Sends nothing.
struct NoTransport: ClientTransport {
    func send(_ request: ClientRequest) async throws -> ClientResponse {
        throw TransportError(.shutDown, "Nothing is sent.")
    }

    func shutdown() async throws {}
}
