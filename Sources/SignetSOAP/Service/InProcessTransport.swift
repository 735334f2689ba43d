import HTTPTypes

/// Carries calls directly to a service in the same process: no socket, no TLS, but the same envelopes and fields.
/// ``ServiceClient/init(inProcess:peer:)-(ServiceDispatcher,_)`` makes a client on it in one step.
///
/// Of the call's deadlines, only ``/SignetHTTP/Deadlines/total`` applies, and only when it is shorter than the usual
/// minute. A handler that still runs when it has passed, or when the call was cancelled, is cancelled, and the call
/// does not wait for it. Any other call waits for its handler, which is cancelled with the call. A request of more than
/// 64 MiB is answered with 413.
///
/// The handler of a one-way operation has run when ``send(_:)`` returns, so that a test can look at what it did.
public struct InProcessTransport: ClientTransport {
    private static let maximumRequestBytes = 64 << 20

    private let dispatcher: ServiceDispatcher
    private let peer: PeerDescription

    /// - Parameters:
    ///   - dispatcher: the service.
    ///   - peer: the caller that the service sees.
    public init(_ dispatcher: ServiceDispatcher, peer: PeerDescription = .init()) {
        self.dispatcher = dispatcher
        self.peer = peer
    }

    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        guard !Task.isCancelled else { throw TransportError.cancelled() }
        let allowed = request.deadlines.total
        guard allowed < Deadlines().total else {
            // A timeout task beside this one would have to wait for its turn behind all the tests that run at the same
            // time, and that waiting would count.
            let response = try await exchange(request)
            guard !Task.isCancelled else { throw TransportError.cancelled(mayHaveBeenProcessed: true) }
            return response
        }
        do {
            return try await race(
                until: .now + allowed,
                exceeded: TransportError(
                    .deadlineExceeded, "The call took longer than the \(allowed) it may.", mayHaveBeenProcessed: true)
            ) { try await exchange(request) }
        } catch let error as TransportError where error.code == .cancelled {
            throw TransportError.cancelled(mayHaveBeenProcessed: true)
        }
    }

    /// Passes the request to the service and returns its answer, however long that takes.
    private func exchange(_ request: ClientRequest) async throws -> ClientResponse {
        let received = ServerRequest(
            method: request.method, path: request.path, authority: request.endpoint.origin.authority,
            fields: request.fields, remoteAddress: peer.remoteAddress)
        let bounds = RequestBounds(bytes: Self.maximumRequestBytes, takesAttachments: dispatcher.takesAttachments)
        guard let intake = dispatcher.intake(for: request.fields, bounds, in: received) else {
            return ClientResponse(status: .unsupportedMediaType)
        }
        do {
            switch request.body.content {
            case .bytes(let bytes): try await intake.receive(bytes)
            case .stream(let stream): try await stream.run { try await intake.receive($0) }
            }
        } catch let refusal as MessageRefusal {
            return ClientResponse(status: .init(code: refusal.status))
        }
        let answer = await intake.respond(from: peer)
        await answer.work?()
        var response = ClientResponse(status: .init(code: answer.status))
        response.fields[.contentType] = answer.contentType
        if let receiver = request.contentReceiver, receiver.takes(response.status, response.fields) {
            switch answer.body.content {
            case .bytes(let bytes): try await receiver.take(all: bytes)
            case .stream(let stream): try await stream.run { try await receiver.take($0) }
            }
        } else {
            response.body = try await answer.body.collected(limit: request.maximumResponseBytes)
        }
        return response
    }

    public func shutdown() async throws {}

    public func isLocal(_ origin: Origin) -> Bool { true }
}
