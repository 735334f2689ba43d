public import SignetHTTP
public import SignetSOAP

/// Carries calls straight to a service in the same process: no socket, no TLS, the same envelopes.
///
/// The handler of a one-way operation has run when ``send(_:)`` returns, so that a test can look at what it did.
public struct InProcessTransport: ClientTransport {
    private let dispatcher: ServiceDispatcher
    private let peer: PeerDescription

    /// - Parameter peer: who the service is told is calling.
    public init(_ dispatcher: ServiceDispatcher, peer: PeerDescription = .init()) {
        self.dispatcher = dispatcher
        self.peer = peer
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let mediaType = MediaType(request.fields[.contentType] ?? "")
        let answer = await dispatcher.respond(
            to: try await request.body.collected(limit: 64 << 20),
            declared: SOAPVersion.named(byMediaType: mediaType.essence),
            charset: mediaType.charset, action: ServiceDispatcher.action(of: request.fields), from: peer)
        await answer.work?()
        var response = ClientResponse(status: .init(code: answer.status), body: answer.body)
        response.fields[.contentType] = answer.contentType
        return response
    }

    public func shutdown() async throws {}
}
