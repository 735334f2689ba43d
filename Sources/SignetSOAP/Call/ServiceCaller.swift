public import HTTPTypes
public import Logging
import Synchronization

/// What a generated client is made of: where the service is, and how calls travel.
///
/// Most users make a client from a `ServiceConfiguration`; this type is for those who bring a transport of their own.
public struct ServiceCaller: Sendable {
    public var endpoint: Endpoint
    public var transport: any ClientTransport {
        didSet { transportMeans = nil }
    }
    /// The version of SOAP to speak; nil for that of each operation.
    public var version: SOAPVersion?
    public var deadlines = Deadlines()
    /// The largest answer accepted, in bytes, apart from attachments, which ``AttachmentLimits`` bounds.
    public var maximumResponseBytes = 64 << 20
    /// Bounds on the XML of an answer.
    public var xmlLimits = XMLLimits()
    /// Which deviations of an answer from what the WSDL says are taken; ``ServiceAnswer/deviations`` lists them.
    public var tolerance = XMLTolerance.standard
    /// Whether a message is read also where the service labels it with a media type other than XML's, such as `text/html`.
    /// An answer without a message stays refused.
    public var readsMislabelledAnswers = false
    /// Whether an input is checked against all that its schema says before it is sent: lengths, patterns, bounds, enumerations, how
    /// often elements may stand. It takes some microseconds for each hundred bytes.
    public var checksInput = false
    /// Header blocks sent with every call.
    public var headerBlocks: [HeaderBlock] = []
    /// Make header blocks for each attempt of a call, such as those of WS-Security.
    public var headerProviders: [any HeaderBlockProvider] = []
    /// Header blocks in answers that the program deals with itself although they must be understood.
    public var understoodHeaderBlocks: Set<XMLName> = []
    /// How binary content travels.
    public var attachments = AttachmentSettings()
    /// What every call must have, as the policies of a WSDL say; one that has it not ends with ``ServiceError`` and
    /// `unmetRequirement` before anything is sent. What an operation asks for itself is added.
    public var requirements: [ServiceRequirement] = []
    /// Requirements, of the calls or of single operations, that are met where nobody sees it, or that the service does not insist on.
    public var metRequirements: Set<ServiceRequirement> = []
    /// What the transport can show; nil where nobody knows, because it was made elsewhere.
    package var transportMeans: TransportMeans?
    /// HTTP fields sent with every call.
    public var fields: HTTPFields = [:]
    /// Keeps the cookies that services set and gives them back; shared by all copies of this value. Nil to ignore them.
    public var cookies: CookieJar?
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
    /// - Parameters:
    ///   - headerBlocks: sent with this call, behind those of every call.
    ///   - attachments: sent beside the envelope (SOAP with Attachments), behind binary values of the input that travel so.
    /// - Throws: ``DeclaredFault`` or ``SOAPFault`` when the service answers with a fault, ``ServiceError`` when the answer
    ///   is something else, and what the transport throws.
    public func call<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [Attachment] = []
    ) async throws -> Output {
        try await answer(to: operation, input, headerBlocks: headerBlocks, attachments: attachments).output
    }

    /// Calls an operation and gives the header blocks and the attachments of the answer together with the output.
    ///
    /// - Throws: what ``call(_:_:headerBlocks:attachments:)`` throws.
    public func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [Attachment] = []
    ) async throws -> ServiceAnswer<Output> {
        try await perform(operation.request, input, headerBlocks, attachments) { try $0.answer(to: operation, $1) }
    }

    /// Sends the message of an operation that has no answer. It returns when the service has accepted the message, which
    /// does not mean that it has acted on it.
    ///
    /// - Throws: what ``call(_:_:headerBlocks:attachments:)`` throws; a fault when the service answers with one nevertheless.
    public func send<Input>(
        _ operation: OneWayOperation<Input>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [Attachment] = []
    ) async throws {
        _ = try await perform(operation.request, input, headerBlocks, attachments) { reader, response in
            try reader.acceptance(response)
            return ServiceAnswer(())
        }
    }

    /// Calls an operation that is bound to HTTP without SOAP (WSDL 1.1 §4). Header blocks cannot go with it, so that
    /// ``headerProviders`` must be empty too, and ``version`` says nothing about it; all else is as for other calls.
    ///
    /// - Throws: ``ServiceError`` when the input does not fit into a request, or when the answer is not the element that the WSDL
    ///   promises; what the transport throws.
    public func call<Input, Output>(_ operation: HTTPOperation<Input, Output>, _ input: Input) async throws -> Output {
        try await answer(to: operation, input).output
    }

    /// Calls an operation that is bound to HTTP without SOAP, and gives the deviations of the answer together with the output.
    ///
    /// - Throws: what ``call(_:_:)`` throws.
    public func answer<Input, Output>(
        to operation: HTTPOperation<Input, Output>, _ input: Input
    ) async throws -> ServiceAnswer<Output> {
        try await perform(operation.request, input, [], []) { try $0.answer(to: operation, $1) }
    }

    private func perform<Input: XMLStructure, Output: Sendable>(
        _ operation: some RequestForm, _ input: Input, _ headerBlocks: [HeaderBlock], _ attachments: [Attachment],
        reading: @escaping @Sendable (AnswerReader, ClientResponse) throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let call = ServiceCall(
            operation: operation.name, endpoint: endpoint, version: operation.version(wanted: version), input: input,
            headerBlocks: self.headerBlocks + headerBlocks, attachments: attachments)
        return try await pass(call, through: middlewares[...]) { call in
            let requirements = self.requirements + operation.requirements
            try checkWay(to: call.endpoint, for: call.operation, requirements)
            let attempt = attempt(call, operation, requirements)
            let whole = try await provided(call, attempt)
            try checkMessage(of: whole, requirements)
            let (response, message) = try await exchange(whole, operation)
            let reader = AnswerReader(
                caller: self, operation: call.operation, version: call.version, message: message)
            var answer: ServiceAnswer<Output>
            do {
                answer = try reading(reader, response)
                answer.attachments = message?.attachments ?? []
            } catch {
                // What the answer itself says goes before what a provider thinks of it.
                let fault = (error as? any FaultAnswer)?.fault
                try? await announce(AnswerHead(response, attempt, fault?.headerBlocks ?? [], fault: fault))
                throw error
            }
            try await announce(AnswerHead(response, attempt, answer.headerBlocks))
            return answer
        }
    }

    private static let attempts = Atomic<UInt64>(0)

    /// What the providers are told of; nil when there are none, or there is no SOAP.
    private func attempt<Input>(
        _ call: ServiceCall<Input>, _ operation: some RequestForm, _ requirements: [ServiceRequirement]
    ) -> CallAttempt? {
        guard !headerProviders.isEmpty, let version = call.version else { return nil }
        var attempt = CallAttempt(
            operation: call.operation, endpoint: endpoint, version: version,
            number: Self.attempts.wrappingAdd(1, ordering: .relaxed).newValue)
        attempt.action = operation.statedActions.input
        attempt.answerAction = operation.statedActions.output
        attempt.isOneWay = operation.isOneWay
        attempt.requirements = requirements
        attempt.isLocal = transport.isLocal(endpoint.origin)
        return attempt
    }

    /// The call with the header blocks that are made for this attempt.
    private func provided<Input>(_ call: ServiceCall<Input>, _ attempt: CallAttempt?) async throws -> ServiceCall<Input>
    {
        guard !headerProviders.isEmpty else { return call }
        guard let attempt else { throw TransportError.noHeaderBlocks(call.operation) }
        var call = call
        for provider in headerProviders { call.headerBlocks += try await provider.headerBlocks(for: attempt) }
        return call
    }

    private func announce(_ head: AnswerHead) async throws {
        // All hear of it, whatever the first of them makes of it.
        var failure: (any Error)?
        for provider in headerProviders {
            do { try await provider.received(head) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func pass<Input, Output>(
        _ call: ServiceCall<Input>, through rest: ArraySlice<any CallMiddleware>,
        to last: @escaping @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        guard let middleware = rest.first else { return try await last(call) }
        return try await middleware.intercept(call) { try await pass($0, through: rest.dropFirst(), to: last) }
    }

    private func exchange<Input>(
        _ call: ServiceCall<Input>, _ operation: some RequestForm
    ) async throws -> (response: ClientResponse, message: ReceivedMessage?) {
        let request = try request(call, operation)
        logger.debug(
            "calling",
            metadata: [
                "operation": "\(call.operation)", "endpoint": "\(endpoint)",
                "version": "\(call.version?.description ?? "HTTP")",
            ])
        trace("request", request.body.bytes ?? [], request.fields[.contentType])
        let (response, message) = try await send(request, of: call.operation)
        cookies?.store(response.fields, from: request.target, now: .now)
        trace("answer", response.body, response.fields[.contentType])
        logger.debug(
            "answered",
            metadata: [
                "operation": "\(call.operation)", "status": "\(response.status.code)",
                "exchange": "\(response.report)",
            ])
        onExchange?(response.report)
        return (response, message)
    }

    private func trace(_ what: String, _ bytes: [UInt8], _ contentType: String?) {
        guard logger.logLevel <= .trace, !bytes.isEmpty else { return }
        // Of a message with attachments the envelope; what stands beside it is nobody's text.
        let parts = contentType.flatMap { try? ReceivedMessage(bytes, contentType: $0, limits: attachments.limits) }
        let charset = parts.map(\.charset) ?? contentType.flatMap { MediaType($0).charset }
        let message = MessageRedaction.redacted(parts?.root ?? bytes, charset: charset)
        logger.trace("\(what)", metadata: ["bytes": "\(bytes.count)", "message": "\(message)"])
    }
}

extension AnswerHead {
    fileprivate init(
        _ response: ClientResponse, _ attempt: CallAttempt?, _ headerBlocks: [ReceivedHeaderBlock] = [],
        fault: SOAPFault? = nil
    ) {
        self.init(
            status: response.status.code, fields: response.fields, headerBlocks: headerBlocks, attempt: attempt,
            fault: fault)
    }
}

extension ServiceCaller: CustomStringConvertible, CustomReflectable {
    public var description: String { "calls of \(endpoint)" }

    /// Fields and header blocks may be secret: their names are shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": endpoint, "transport": transport, "version": version as Any, "deadlines": deadlines,
                "fields": fields.names, "headerBlocks": headerBlocks.map(\.localName), "cookies": cookies as Any,
            ])
    }
}
