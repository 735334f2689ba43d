public import HTTPTypes
public import Logging

/// What a generated client is made of: where the service is, and how calls travel.
///
/// Most users make a client from a `ServiceConfiguration`; this type is for those who bring a transport of their own.
public struct ServiceCaller: Sendable {
    public var endpoint: Endpoint
    public var transport: any ClientTransport
    public var deadlines = Deadlines()
    /// The largest answer accepted, in bytes.
    public var maximumResponseBytes = 64 << 20
    /// Bounds on the XML of an answer.
    public var xmlLimits = XMLLimits()
    /// Header blocks sent with every call.
    public var headerBlocks: [HeaderBlock] = []
    /// Header blocks in answers that the program deals with itself although they must be understood.
    public var understoodHeaderBlocks: Set<XMLName> = []
    /// HTTP fields sent with every call.
    public var fields: HTTPFields = [:]
    /// See every call, the first one outermost.
    public var middlewares: [any CallMiddleware] = []
    /// Calls at debug level, messages with their secrets replaced at trace level. Silent unless set.
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Told what happened on the wire after each exchange that brought an answer.
    public var onExchange: (@Sendable (ExchangeReport) -> Void)?

    public init(endpoint: Endpoint, transport: any ClientTransport) {
        self.endpoint = endpoint
        self.transport = transport
    }

    /// Calls an operation.
    ///
    /// - Throws: ``DeclaredFault`` or ``SOAPFault`` when the service answers with a fault, ``ServiceError`` when the answer
    ///   is something else, and what the transport throws.
    public func call<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input
    ) async throws -> Output {
        try await call(operation, input, through: middlewares[...])
    }

    private func call<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input, through rest: ArraySlice<any CallMiddleware>
    ) async throws -> Output {
        guard let middleware = rest.first else { return try await exchange(operation, input) }
        return try await middleware.intercept(input, operation: operation.name, endpoint: endpoint) { input in
            try await call(operation, input, through: rest.dropFirst())
        }
    }

    private func exchange<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input
    ) async throws -> Output {
        let request = try request(for: operation, input)
        logger.debug("calling", metadata: ["operation": "\(operation.name)", "endpoint": "\(endpoint)"])
        trace("request", request.body.bytes)
        let response = try await transport.send(request)
        trace("answer", response.body)
        logger.debug(
            "answered",
            metadata: [
                "operation": "\(operation.name)", "status": "\(response.status.code)", "exchange": "\(response.report)",
            ])
        onExchange?(response.report)
        return try answer(to: operation, response)
    }

    private func trace(_ what: String, _ bytes: [UInt8]) {
        guard logger.logLevel <= .trace else { return }
        logger.trace(
            "\(what)", metadata: ["bytes": "\(bytes.count)", "message": "\(MessageRedaction.redacted(bytes))"])
    }

    private func request<Input, Output>(
        for operation: ServiceOperation<Input, Output>, _ input: Input
    ) throws(ServiceError) -> ClientRequest {
        do {
            let envelope = try EnvelopeWriter.envelope(
                operation.version, headers: headerBlocks, namespaces: operation.namespaces
            ) { $0.element(operation.input, input) }
            var request = ClientRequest(
                endpoint, fields: fields, body: HTTPBody(envelope), deadlines: deadlines,
                maximumResponseBytes: maximumResponseBytes)
            request.fields[.contentType] = "\(operation.version.mediaType); charset=utf-8"
            request.fields[.accept] = operation.version.mediaType
            request.fields[.soapAction] = "\"\(operation.soapAction)\""
            return request
        } catch {
            throw ServiceError(
                .unwritableInput, "The input of \(operation.name) cannot be sent: \(error)", cause: error)
        }
    }
}

extension HTTPField.Name {
    /// SOAP 1.1 §6.1.1.
    static var soapAction: HTTPField.Name { HTTPField.Name("SOAPAction") ?? .expect }
    static var location: HTTPField.Name { HTTPField.Name("Location") ?? .expect }
}
