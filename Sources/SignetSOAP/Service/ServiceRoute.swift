/// One operation of a hosted service. Generated code makes these from its handlers.
public struct ServiceRoute: Sendable {
    /// A request that was read and waits to be run.
    struct Prepared: Sendable {
        let operation: String
        /// Whether the peer waits for what the handler gives.
        let isOneWay: Bool
        /// See ``ServiceContext/actions``.
        let actions: OperationActions
        /// Runs the handler and gives the answer; nil for a one-way operation.
        let run: @Sendable (ServiceContext) async throws -> OutgoingMessage?
    }

    let operation: OperationRequest
    let prepare: @Sendable (inout XMLReader) throws(XMLError) -> Prepared
}

/// An error that a handler threw, with the faults that its operation declares.
struct HandlerFailure: Error {
    let error: any Error
    let bindings: [FaultBinding]
}

extension ServiceOperation {
    /// Ties the operation to the function that performs it.
    public func route(_ handler: @escaping @Sendable (Input, ServiceContext) async throws -> Output) -> ServiceRoute {
        ServiceRoute(operation: request) { (reader) throws(XMLError) in
            let input = try reader.structure(Input.self)
            return ServiceRoute.Prepared(operation: name, isOneWay: false, actions: request.statedActions) { context in
                do {
                    let output = try await handler(input, context)
                    return try request.outgoing(
                        context.version, context.answerHeaderBlocks.all, self.output, output, context.mtomThreshold,
                        context.answerAttachments.all)
                } catch {
                    throw HandlerFailure(error: error, bindings: faults)
                }
            }
        }
    }
}

extension OneWayOperation {
    /// Ties the operation to the function that performs it. The peer is told that its message is accepted before the
    /// function runs; an error that it throws is for the log.
    public func route(_ handler: @escaping @Sendable (Input, ServiceContext) async throws -> Void) -> ServiceRoute {
        ServiceRoute(operation: request) { (reader) throws(XMLError) in
            let input = try reader.structure(Input.self)
            return ServiceRoute.Prepared(operation: name, isOneWay: true, actions: request.statedActions) { context in
                try await handler(input, context)
                return nil
            }
        }
    }
}
