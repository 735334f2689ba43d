public import SignetSOAP
import SignetWSDL

/// Calls a service as its WSDL describes it, without generated code: by SOAP, or by plain HTTP when the WSDL binds its
/// port to that.
///
/// ```swift
/// let service = try DynamicService(contentsOfFile: "WebEase.wsdl")
/// let client = DynamicClient(service, caller)
/// let answer = try await client.call("LogEntryQuery", ["patientId": "4711"])
/// print(answer.json(pretty: true))
/// ```
///
/// The `ServiceCaller` sends the messages, so that authentication, middlewares, logs and faults are the same as with
/// generated code.
public struct DynamicClient: Sendable {
    /// The operations and types of one port of a WSDL, by which messages are written and read.
    public let service: DynamicService
    /// Makes the calls. The version of SOAP is that of the service's port unless the caller names one.
    public var caller: ServiceCaller

    /// - Parameters:
    ///   - service: the service, read from a WSDL.
    ///   - caller: makes the calls, to its own address. The address in the WSDL is ignored.
    public init(_ service: DynamicService, _ caller: ServiceCaller) {
        self.service = service
        self.caller = caller
    }

    /// Calls an operation.
    ///
    /// - Parameters:
    ///   - operation: the name of the operation in the WSDL.
    ///   - value: the content of the request's element.
    ///   - headers: an object with the header blocks to send, with the names of their elements as keys.
    ///   - attachments: attachments to send beside the envelope.
    /// - Returns: the content of the answer's element; null when the operation has no answer.
    /// - Throws: ``DynamicError`` before anything is sent when the value does not fit the schema; ``DynamicFault`` for
    ///   a fault that the WSDL declares; otherwise the errors of `ServiceCaller`.
    public func call(
        _ operation: String, _ value: DynamicValue = .object([]), headers: DynamicValue = .object([]),
        attachments: [MessageAttachment] = []
    ) async throws -> DynamicValue {
        try await answer(to: operation, value, headers: headers, attachments: attachments).output
    }

    /// Calls an operation and returns the header blocks and attachments of the answer together with its content. Binary
    /// values in the content are in base64, even if they came beside the envelope.
    ///
    /// - Throws: what ``call(_:_:headers:attachments:)`` throws.
    public func answer(
        to operation: String, _ value: DynamicValue = .object([]), headers: DynamicValue = .object([]),
        attachments: [MessageAttachment] = []
    ) async throws -> DynamicAnswer {
        let call = try DynamicCall(service, operation, value, headers, in: caller.version)
        guard let output = call.plan.output else {
            try await caller.send(call.oneWay, call.input, headerBlocks: call.headerBlocks, attachments: attachments)
            return DynamicAnswer(output: .null, headers: .object([]), attachments: [])
        }
        let answer: ServiceAnswer<XMLAny>
        do {
            answer =
                if let exchange = call.plan.http {
                    try await caller.answer(to: call.operation(exchange), call.input)
                } else {
                    try await caller.answer(
                        to: call.operation, call.input, headerBlocks: call.headerBlocks, attachments: attachments)
                }
        } catch let fault as DeclaredFault<XMLAny> {
            // A detail that cannot become a value must not hide the fault.
            guard let typed = try? call.typed(fault) else { throw fault.fault }
            throw typed
        }
        let (value, deviations) = try call.output(answer, output, caller.tolerance, room: caller.xmlLimits.textBytes)
        return DynamicAnswer(
            output: value, headers: try call.decode(answer.headerBlocks), attachments: answer.attachments,
            deviations: deviations)
    }

    /// Returns the envelope that a call would send, without sending it. Middlewares do not see it, and it lacks what is
    /// made for each attempt, such as the header block of WS-Security.
    ///
    /// - Throws: ``DynamicError`` when the value does not fit the schema, or the operation is bound to HTTP without
    ///   SOAP.
    public func envelope(
        of operation: String, _ value: DynamicValue = .object([]), headers: DynamicValue = .object([])
    ) throws -> [UInt8] {
        let call = try DynamicCall(service, operation, value, headers, in: caller.version)
        guard call.plan.http == nil else {
            throw DynamicError(
                .notSupported, "the operation ‘\(operation)’ is bound to HTTP without SOAP and has no envelope.")
        }
        return try caller.envelope(for: call.operation, call.input, headerBlocks: call.headerBlocks)
    }

    /// Returns the envelope that one attempt of a call would send, with the header blocks of the caller's
    /// `headerProviders`.
    ///
    /// - Throws: the errors of ``envelope(of:_:headers:)`` and of the providers.
    package func attemptedEnvelope(
        of operation: String, _ value: DynamicValue, headers: DynamicValue
    ) async throws -> [UInt8] {
        let plan = try service.callable(operation).plan
        var attempt = CallAttempt(
            operation: plan.wsdlName, endpoint: caller.endpoint, version: caller.version ?? service.version ?? .soap11)
        attempt.action = plan.actions?.input
        attempt.isOneWay = plan.output == nil
        attempt.requirements = caller.allRequirements(of: plan.wsdlName, plan.requirements)
        attempt.uncheckedRequirements = caller.uncheckedRequirements
        attempt.isLocal = caller.transport.isLocal(caller.endpoint.origin)
        var client = self
        for provider in caller.headerProviders {
            client.caller.headerBlocks += try await provider.headerBlocks(for: attempt)
        }
        let envelope = try client.envelope(of: operation, value, headers: headers)
        return try await caller.protected(SOAPMessage(envelope), for: attempt).envelope
    }

    /// Returns the request that a call without SOAP would send; nil for an operation with SOAP.
    ///
    /// - Throws: ``DynamicError`` when the value does not fit the schema, `ServiceError` when it does not fit into a
    ///   request.
    package func plainRequest(
        of operation: String, _ value: DynamicValue, headers: DynamicValue
    ) throws -> ClientRequest? {
        let call = try DynamicCall(service, operation, value, headers, in: caller.version)
        return try call.plan.http.map { try caller.request(for: call.operation($0), call.input) }
    }
}

/// The answer to a call.
public struct DynamicAnswer: Sendable, Hashable {
    /// The content of the answer's element; null when the operation has no answer.
    public var output: DynamicValue
    /// The header blocks of the answer, with the names of their elements as keys.
    public var headers: DynamicValue
    /// The attachments that came beside the envelope.
    public var attachments: [MessageAttachment]
    /// Where the output departs from the schema, in the order of the message; 1,000 at most. Little is lost: an element
    /// that no type declares is in the output, and a text that is not a value of its type is a string there. The output
    /// omits only the content of an element that is nil or refers to a value elsewhere, and elements after the answer;
    /// each omission is listed here.
    public var deviations: [XMLDeviation] = []
}
