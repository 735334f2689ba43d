import HTTPTypes
import Logging
import Synchronization

/// Makes the calls of a generated client. It has the address of the service, the transport that carries calls there,
/// and the settings of calls.
///
/// Most users make a client from a `ServiceConfiguration`; use this type to supply a transport of your own. The
/// transport alone decides which credentials the client shows, and which servers it trusts.
@dynamicMemberLookup
public struct ServiceCaller: Sendable {
    /// The address that is called. A call without SOAP may append something to its path
    /// (``/SignetHTTP/ClientRequest/path``).
    public var endpoint: Endpoint
    /// The transport that carries the calls. Several callers may share it, and its connections with it.
    public var transport: any ClientTransport
    /// The settings of calls. Their properties can be used as if they were the caller's: `caller.deadlines.total =
    /// .seconds(5)`.
    public var settings: CallSettings {
        get { kept.settings }
        set { kept = KeptSettings(newValue) }
    }

    /// Keeps the settings in one object, because a caller is passed from step to step of a call, and copying its many
    /// settings would cost time.
    private final class KeptSettings: Sendable {
        let settings: CallSettings

        init(_ settings: CallSettings) {
            var settings = settings
            settings.cookies = settings.cookies.ofOneCaller
            self.settings = settings
        }
    }

    private var kept: KeptSettings

    /// Makes a caller over a transport of your own, which you also have to shut down.
    public init(endpoint: Endpoint, transport: any ClientTransport, settings: CallSettings = CallSettings()) {
        self.endpoint = endpoint
        self.transport = transport
        kept = KeptSettings(settings)
    }

    /// A property of ``settings``, as if it were the caller's.
    public subscript<Value>(dynamicMember path: WritableKeyPath<CallSettings, Value>) -> Value {
        get { settings[keyPath: path] }
        set { settings[keyPath: path] = newValue }
    }

    /// Calls an operation.
    ///
    /// - Parameters:
    ///   - operation: the operation; generated code lists the operations of a service.
    ///   - input: the input of the operation.
    ///   - headerBlocks: header blocks to send with this call, after those of every call.
    ///   - attachments: attachments to send beside the envelope (SOAP with Attachments), after binary values of the
    ///     input that are sent there.
    /// - Throws: ``DeclaredFault`` or ``SOAPFault`` when the service answers with a fault, ``ServiceError`` when the
    ///   answer is something else, and the errors of the transport.
    public func call<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = []
    ) async throws -> Output {
        try await answer(to: operation, input, headerBlocks: headerBlocks, attachments: attachments).output
    }

    /// Calls an operation and returns the header blocks and the attachments of the answer together with the output.
    ///
    /// - Throws: what ``call(_:_:headerBlocks:attachments:)`` throws.
    public func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = []
    ) async throws -> ServiceAnswer<Output> {
        try await perform(operation.request, input, headerBlocks, attachments) { try $0.answer(to: operation, $1) }
    }

    /// Sends the message of an operation that has no answer. It returns when the service has accepted the message; the
    /// service may not have acted on it yet.
    ///
    /// - Throws: what ``call(_:_:headerBlocks:attachments:)`` throws; a fault when the service answers with one
    ///   nevertheless.
    public func send<Input>(
        _ operation: OneWayOperation<Input>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = []
    ) async throws {
        _ = try await perform(operation.request, input, headerBlocks, attachments) { reader, response in
            try reader.acceptance(response)
            return ServiceAnswer(())
        }
    }

    /// Calls an operation that is bound to HTTP without SOAP (WSDL 1.1 §4). Such a call cannot carry header blocks, so
    /// ``CallSettings/headerProviders`` must be empty too, and ``CallSettings/version`` has no effect on it. Everything
    /// else works as for other calls.
    ///
    /// - Throws: ``ServiceError`` when the input does not fit into a request, or when the answer is not the element
    ///   that the WSDL declares; the errors of the transport.
    public func call<Input, Output>(_ operation: HTTPOperation<Input, Output>, _ input: Input) async throws -> Output {
        try await answer(to: operation, input).output
    }

    /// Calls an operation that is bound to HTTP without SOAP, and returns the deviations of the answer together with
    /// the output.
    ///
    /// - Throws: what ``call(_:_:)`` throws.
    public func answer<Input, Output>(
        to operation: HTTPOperation<Input, Output>, _ input: Input
    ) async throws -> ServiceAnswer<Output> {
        try await perform(operation.request, input, [], []) { try $0.answer(to: operation, $1) }
    }

    func perform<Input: XMLStructure, Output: Sendable>(
        _ operation: some RequestForm, _ input: Input, _ headerBlocks: [HeaderBlock],
        _ attachments: [MessageAttachment], _ elements: AnswerElements? = nil, stream: ServiceStream? = nil,
        reading: @Sendable (AnswerReader, ClientResponse) throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let call = ServiceCall(
            operation: operation.name, endpoint: endpoint, version: operation.version(wanted: settings.version),
            input: input,
            headerBlocks: settings.headerBlocks + headerBlocks, attachments: attachments,
            record: settings.middlewares.isEmpty ? nil : ExchangeRecord(), elements: elements, stream: stream)
        return try await pass(call, through: settings.middlewares[...]) { call in
            try await attempted(call, operation, mayRepeat: elements == nil && stream == nil, reading)
        }
    }

    /// Makes one attempt of a call, and another one when a provider can send something else in place of what the service has refused.
    private func attempted<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, _ operation: some RequestForm, mayRepeat: Bool,
        _ reading: @Sendable (AnswerReader, ClientResponse) throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        var requirements = allRequirements(of: operation.name, operation.requirements)
        if call.version == nil { requirements.removeAll(where: \.isAboutMessages) }
        try checkConnection(to: call.endpoint, for: call.operation, requirements)
        let attempt = attempt(call, operation, requirements)
        let whole = try await addingProvidedBlocks(call, attempt)
        try checkMessage(of: whole, requirements)
        let exchanged: ReceivedExchange
        do { exchanged = try await exchange(whole, operation, attempt) } catch let refusal as any AnsweredRefusal {
            guard let fields = refusal.answerFields else { throw refusal }
            let fault = (refusal.cause as? any FaultAnswer)?.fault
            let head = AnswerHead(
                status: 401, fields: fields, headerBlocks: fault?.headerBlocks ?? [], attempt: attempt, fault: fault)
            let mayRepeat = mayRepeat && call.canBeRepeated && fault != nil
            if await announceRefusal(head, mayRepeat: mayRepeat) {
                try Task.checkCancellation()
                return try await attempted(call, operation, mayRepeat: false, reading)
            }
            throw refusal
        }
        let received: ReceivedExchange
        do { received = try await verified(exchanged, attempt) } catch {
            await announce(error, exchanged.response, attempt)
            throw error
        }
        let reader = AnswerReader(
            caller: self, operation: call.operation, version: call.version, message: received.message,
            excerpt: received.elements?.remainder)
        let isAnnounced = received.elements?.isOpened == true
        var answer: ServiceAnswer<Output>
        do {
            answer = try reading(reader, received.response)
        } catch {
            let mayRepeat = mayRepeat && call.canBeRepeated && error is SOAPFault
            if !isAnnounced, await announce(error, received.response, attempt, mayRepeat: mayRepeat) {
                try Task.checkCancellation()
                return try await attempted(call, operation, mayRepeat: false, reading)
            }
            throw error
        }
        answer.attachments = received.message?.attachments ?? []
        if let found = received.elements?.deviations, !found.isEmpty {
            answer.deviations = Array((found + answer.deviations).prefix(1_000))
        }
        if !isAnnounced { try await announce(AnswerHead(received.response, attempt, answer.headerBlocks)) }
        return answer
    }

    /// How the exchanges of an attempt are made.
    private func plan<Input>(of call: ServiceCall<Input>, _ attempt: CallAttempt?) -> ExchangePlan {
        var plan = ExchangePlan(operation: call.operation, record: call.record)
        guard let elements = call.elements, let version = call.version else { return plan }
        let judge = StreamedAnswerChecker { excerpt, response in
            let reader = AnswerReader(
                caller: self, operation: call.operation, version: version, message: nil, excerpt: excerpt)
            let blocks: [ReceivedHeaderBlock]
            do { blocks = try elements.open(reader, response) } catch {
                await announce(error, response, attempt)
                throw error
            }
            try await announce(AnswerHead(response, attempt, blocks))
        } failure: { error, response, isOpened in
            let reader = AnswerReader(caller: self, operation: call.operation, version: version, message: nil)
            let failure = (error as? XMLError).map { elements.failure(reader, $0, response) } ?? error
            if !isOpened { await announce(failure, response, attempt) }
            return failure
        }
        plan.elements = { elements.receiver(version, judge) }
        plan.areElementsGiven = elements.areGiven
        return plan
    }

    private static let attempts = Atomic<UInt64>(0)

    /// The attempt that is passed to the providers; nil when there are no providers, or without SOAP.
    private func attempt<Input>(
        _ call: ServiceCall<Input>, _ operation: some RequestForm, _ requirements: [ServiceRequirement]
    ) -> CallAttempt? {
        guard !settings.headerProviders.isEmpty, let version = call.version else { return nil }
        var attempt = CallAttempt(
            operation: call.operation, endpoint: endpoint, version: version,
            number: Self.attempts.wrappingAdd(1, ordering: .relaxed).newValue)
        attempt.action = operation.statedActions.input
        attempt.answerAction = operation.statedActions.output
        attempt.isOneWay = operation.isOneWay
        attempt.requirements = requirements
        attempt.uncheckedRequirements = settings.uncheckedRequirements
        attempt.isLocal = transport.isLocal(endpoint.origin)
        return attempt
    }

    /// Returns the call with the header blocks that are made for this attempt.
    private func addingProvidedBlocks<Input>(_ call: ServiceCall<Input>, _ attempt: CallAttempt?) async throws
        -> ServiceCall<Input>
    {
        guard !settings.headerProviders.isEmpty else { return call }
        guard let attempt else { throw TransportError.noHeaderBlocks(call.operation) }
        var call = call
        for provider in settings.headerProviders { call.headerBlocks += try await provider.headerBlocks(for: attempt) }
        return call
    }

    /// Passes to the providers an answer with which the call fails. The error in the answer takes precedence over an
    /// error of a provider.
    ///
    /// - Returns: whether a provider wants another attempt.
    @discardableResult private func announce(
        _ error: any Error, _ response: ClientResponse, _ attempt: CallAttempt?, mayRepeat: Bool = false
    ) async -> Bool {
        let fault = (error as? any FaultAnswer)?.fault
        return await announceRefusal(
            AnswerHead(response, attempt, fault?.headerBlocks ?? [], fault: fault), mayRepeat: mayRepeat)
    }

    private func announceRefusal(_ head: AnswerHead, mayRepeat: Bool) async -> Bool {
        guard !settings.headerProviders.isEmpty else { return false }
        try? await announce(head)
        guard mayRepeat else { return false }
        for provider in settings.headerProviders where await provider.wantsAnotherAttempt(after: head) { return true }
        return false
    }

    private func announce(_ head: AnswerHead) async throws {
        // All providers get the answer, even if the first one throws.
        var failure: (any Error)?
        for provider in settings.headerProviders {
            do { try await provider.received(head) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func pass<Input, Output>(
        _ call: ServiceCall<Input>, through rest: ArraySlice<any CallMiddleware>,
        to last: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        guard let middleware = rest.first else { return try await last(call) }
        return try await middleware.intercept(call) { try await pass($0, through: rest.dropFirst(), to: last) }
    }

    private func exchange<Input>(
        _ call: ServiceCall<Input>, _ operation: some RequestForm, _ attempt: CallAttempt?
    ) async throws -> ReceivedExchange {
        let request = try request(try await protected(try message(call, operation), attempt))
        settings.logger.debug(
            "calling",
            metadata: [
                "operation": "\(call.operation)", "endpoint": "\(endpoint)",
                "version": "\(call.version?.description ?? "HTTP")",
            ])
        trace("request", request.body.bytes ?? [], request.fields)
        let received = try await send(request, by: plan(of: call, attempt))
        let response = received.response
        settings.cookies.jar?.store(response.fields, from: request.target, now: .now)
        trace("answer", response.body, response.fields)
        settings.logger.debug(
            "answered",
            metadata: [
                "operation": "\(call.operation)", "status": "\(response.status.code)",
                "exchange": "\(response.report)",
            ])
        return received
    }

    private func trace(_ what: String, _ bytes: [UInt8], _ fields: HTTPFields) {
        guard settings.logger.logLevel <= .trace, !bytes.isEmpty else { return }
        let contentType = fields[.contentType]
        // Only the envelope of a message with attachments is logged; the attachments may not be text.
        let parts = contentType.flatMap {
            try? ReceivedMessage(bytes, contentType: $0, limits: settings.attachments.limits)
        }
        let charset = parts.map(\.charset) ?? contentType.flatMap { MediaType($0).charset }
        let message = MessageRedaction.redacted(parts?.root ?? bytes, charset: charset)
        settings.logger.trace("\(what)", metadata: ["bytes": "\(bytes.count)", "message": "\(message)"])
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

    public var customMirror: Mirror {
        Mirror(self, children: ["endpoint": endpoint, "transport": transport, "settings": settings])
    }
}
