#if CommandLine
import HTTPTypes
import Signet
import Synchronization

/// Stores the envelope of the last answer as received.
final class RecordingTransport: ClientTransport {
    private let transport: any ClientTransport
    private let records: Bool
    private let last = Mutex<[UInt8]?>(nil)

    /// - Parameter records: whether to store the envelope; the transport then keeps the whole answer in memory instead
    ///   of in files.
    init(_ transport: any ClientTransport, records: Bool) {
        self.transport = transport
        self.records = records
    }

    /// The content of the last answer without attachments; nil before the first answer.
    var answer: [UInt8]? { last.withLock { $0 } }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        guard records else { return try await transport.send(request) }
        var request = request
        request.contentReceiver = nil
        let response = try await transport.send(request)
        let message = try? ReceivedMessage(response.body, contentType: response.fields[.contentType] ?? "")
        last.withLock { $0 = message?.root ?? response.body }
        return response
    }

    func shutdown() async throws { try await transport.shutdown() }

    func isLocal(_ origin: Origin) -> Bool { transport.isLocal(origin) }

    func proofs(at origin: Origin) -> ClientProofs? { transport.proofs(at: origin) }
}

/// A transport that sends nothing.
struct NoTransport: ClientTransport {
    func send(_ request: ClientRequest) async throws -> ClientResponse {
        throw TransportError(.shutDown, "Nothing is sent.")
    }

    func shutdown() async throws {}
}

extension ServiceConfiguration {
    /// A caller with this configuration over a transport.
    func caller(over transport: any ClientTransport) -> ServiceCaller {
        ServiceCaller(endpoint: endpoint, transport: transport, settings: calls)
    }
}
#endif
