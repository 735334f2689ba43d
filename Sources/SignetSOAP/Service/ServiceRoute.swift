/// One operation of a hosted service. Generated code makes these from its handlers.
public struct ServiceRoute: Sendable {
    /// A request that was read and is ready to run.
    struct Prepared: Sendable {
        let operation: String
        /// Whether the operation is one-way, so that the client does not wait for the handler.
        let isOneWay: Bool
        /// Whether a one-way message is accepted only when its handler has returned.
        var isAcceptedLast = false
        /// See ``OperationContext/actions``.
        let actions: OperationActions
        /// The faults that the operation declares.
        var faults: [FaultBinding] = []
        /// Runs the handler and returns the answer; nil for a one-way operation.
        let run: @Sendable (OperationContext) async throws -> OutgoingMessage?
        /// The rules of its schema that the input breaks, if the input was checked.
        var violations: [XMLViolation] = []

        /// The fault for an input that breaks its schema; nil when the input is valid.
        var objection: SOAPFault? {
            guard let first = violations.first else { return nil }
            let more = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
            return .client("The input of \(operation) is not what its schema asks for: \(first)\(more)")
        }
    }

    let operation: OperationRequest
    /// Reads an input; `checksInput` is that of the dispatcher.
    let prepare: @Sendable (_ reader: inout XMLReader, _ checksInput: Bool) throws(XMLError) -> Prepared

    /// Reads an input that has everything that its schema requires, and lists the other rules of the schema that it
    /// breaks. An input that is kept as received comes with the place where it begins.
    static func read<Input: XMLStructure>(
        _ type: Input.Type, _ reader: inout XMLReader, checksInput: Bool
    ) throws(XMLError) -> (Input, [XMLViolation], ContentPlace?) {
        let place = type == XMLAny.self ? ContentPlace(&reader) : nil
        reader.demandsLists = true
        defer { reader.demandsLists = false }
        let input = try reader.structure(type)
        return (input, checksInput ? input.violations() : [], place)
    }
}

extension ServiceOperation {
    /// Connects the operation with the function that performs it.
    public func route(_ handler: @escaping @Sendable (Input, OperationContext) async throws -> Output) -> ServiceRoute {
        ServiceRoute(operation: request) { (reader, checksInput) throws(XMLError) in
            let (input, violations, place) = try ServiceRoute.read(Input.self, &reader, checksInput: checksInput)
            let run: @Sendable (OperationContext) async throws -> OutgoingMessage? = { context in
                let output = try await handler(input, context.reading(place, checksInput: checksInput))
                return try request.outgoing(
                    context.version, context.answerHeaderBlocks.all, self.output, output, context.mtomThreshold,
                    context.answerAttachments.all)
            }
            return ServiceRoute.Prepared(
                operation: name, isOneWay: false, actions: request.statedActions, faults: faults, run: run,
                violations: violations)
        }
    }
}

extension OneWayOperation {
    /// Connects the operation with the function that performs it. The service tells the client that the message is
    /// accepted before the function runs; an error of the function is only logged.
    public func route(_ handler: @escaping @Sendable (Input, OperationContext) async throws -> Void) -> ServiceRoute {
        route(acceptsLast: false, handler)
    }

    /// - Parameter acceptsLast: whether the service accepts the message only when the function has returned; the client gets
    ///   its fault.
    package func route(
        acceptsLast: Bool, _ handler: @escaping @Sendable (Input, OperationContext) async throws -> Void
    ) -> ServiceRoute {
        ServiceRoute(operation: request) { (reader, checksInput) throws(XMLError) in
            let (input, violations, place) = try ServiceRoute.read(Input.self, &reader, checksInput: checksInput)
            let run: @Sendable (OperationContext) async throws -> OutgoingMessage? = { context in
                try await handler(input, context.reading(place, checksInput: checksInput))
                return nil
            }
            return ServiceRoute.Prepared(
                operation: name, isOneWay: true, isAcceptedLast: acceptsLast, actions: request.statedActions, run: run,
                violations: violations)
        }
    }
}
