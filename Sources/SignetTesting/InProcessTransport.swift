public import SignetHTTP
public import SignetSOAP

/// Carries calls straight to a service in the same process: no socket, no TLS, the same envelopes.
public struct InProcessTransport: ClientTransport {
    private let dispatcher: ServiceDispatcher
    private let peer: PeerDescription

    /// - Parameter peer: who the service is told is calling.
    public init(_ dispatcher: ServiceDispatcher, peer: PeerDescription = .init()) {
        self.dispatcher = dispatcher
        self.peer = peer
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let answer = await dispatcher.respond(to: request.body.bytes, from: peer)
        return ClientResponse(
            status: .init(code: answer.status), fields: [.contentType: answer.contentType], body: answer.body)
    }

    public func shutdown() async throws {}
}
