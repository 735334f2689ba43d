public import SignetSOAP
import SignetWSDL
import Synchronization

/// A request to a service that is hosted as its WSDL describes it.
public struct DynamicRequest: Sendable, Hashable {
    /// The operation, by its name in ``DynamicService/operations``.
    public let operation: String
    /// The content of the request's element. Binary values are in base64, even if they came beside the envelope.
    public let input: DynamicValue
    /// The header blocks of the request, with the names of their elements as keys; of several with one name, the first. They are not
    /// checked against the schema.
    public let headers: DynamicValue
    /// Where the input departs from the schema, in the order of the message; 1,000 at most.
    public let deviations: [XMLDeviation]

    package init(operation: String, input: DynamicValue, headers: DynamicValue, deviations: [XMLDeviation]) {
        (self.operation, self.input, self.headers, self.deviations) = (operation, input, headers, deviations)
    }
}

/// The answer of a service that is hosted as its WSDL describes it.
public struct DynamicReply: Sendable, Hashable {
    /// The content of the answer's element; it has no meaning for a one-way operation.
    public var output: DynamicValue
    /// An object with the header blocks of the answer, with the names of their elements as keys.
    public var headers: DynamicValue

    /// - Parameters:
    ///   - output: the content of the answer's element.
    ///   - headers: an object with the header blocks of the answer.
    public init(_ output: DynamicValue, headers: DynamicValue = .object([])) {
        self.output = output
        self.headers = headers
    }
}

extension DynamicService {
    /// Makes a service that needs no generated code: one function answers all operations of the port.
    ///
    /// ```swift
    /// let service = try DynamicService(contentsOfFile: "WebEase.wsdl")
    /// let dispatcher = try service.dispatcher { request, context in
    ///     DynamicReply(try service.sampleAnswer(of: request.operation))
    /// }
    /// ```
    ///
    /// The service speaks the versions of SOAP of all ports with the same operations, and takes attachments. It understands the
    /// header blocks that the WSDL declares. Operations that cannot be called (``DynamicOperation/reasonNotCallable``) have no handler.
    ///
    /// As with generated code, the service accepts the message of a one-way operation before it reads the input; only the log says what
    /// is wrong with it.
    ///
    /// An input that departs from the schema gets to the handler, whatever the dispatcher's `tolerance` is. The handler finds the deviations in ``DynamicRequest/deviations``. With
    /// `checksInput` of the dispatcher, lengths, ranges, patterns and enumerations are checked too, and the client gets a fault that
    /// names the deviations with line and column.
    ///
    /// - Parameter handler: answers a request. It may throw a ``DynamicFault`` for a fault that the WSDL declares, and a `SOAPFault`.
    ///   After any other error, and after a reply that the schema does not allow, the client gets a fault that says only “Internal
    ///   error.”, and the dispatcher logs the error.
    /// - Throws: ``DynamicError`` with `notSupported` for a port without SOAP.
    public func dispatcher(
        _ handler: @escaping @Sendable (DynamicRequest, OperationContext) async throws -> DynamicReply
    ) throws(DynamicError) -> ServiceDispatcher {
        try dispatcher(acceptsLast: false, handler)
    }

    /// - Parameter acceptsLast: whether the service accepts a one-way message only when the handler has returned; the handler can
    ///   then refuse it.
    package func dispatcher(
        acceptsLast: Bool,
        _ handler: @escaping @Sendable (DynamicRequest, OperationContext) async throws -> DynamicReply
    ) throws(DynamicError) -> ServiceDispatcher {
        guard let version else {
            throw DynamicError(
                .notSupported,
                "the port ‘\(port.name)’ is bound to HTTP without SOAP: only ports with SOAP can be hosted.")
        }
        let routes = plans.compactMap { plan -> ServiceRoute? in
            guard let input = plan.input else { return nil }
            let exchange = DynamicExchange(plan: plan, schema: schema, input: input)
            guard let output = plan.output else {
                return plan.oneWay(version, input: input.name).route(acceptsLast: acceptsLast) { content, context in
                    _ = try await handler(try exchange.request(content, context), context)
                }
            }
            return plan.operation(version, input: input.name).route { content, context in
                let request = try exchange.request(content, context)
                do { return try exchange.answer(try await handler(request, context), output, context) } catch let fault
                    as DynamicFault
                {
                    throw try exchange.declared(fault)
                }
            }
        }
        let headers = plans.flatMap(\.headers).map { XMLName($0.name) }
        return ServiceDispatcher(
            name: name, versions: versions, understoodHeaderBlocks: Set(headers), takesAttachments: true, routes: routes
        )
    }
}

extension DynamicService {
    /// Reads a request that another program has written, without answering it.
    ///
    /// - Parameters:
    ///   - envelope: the whole message, in UTF-8 whatever its declaration says.
    ///   - action: chooses among operations that take the same element; nil when it is not known.
    /// - Throws: ``DynamicError`` with `invalidValue` when the message is none that the service takes, and with
    ///   `notSupported` for a port without SOAP.
    package func request(
        in envelope: [UInt8], action: String? = nil
    ) async throws(DynamicError) -> DynamicRequest {
        let found = Mutex<DynamicRequest?>(nil)
        let dispatcher = try dispatcher(acceptsLast: true) { request, _ in
            found.withLock { $0 = request }
            throw SOAPFault.server("The request has been read.")
        }
        // Only the message is read: what its header demands of a service is of no concern here.
        let message = String(decoding: envelope, as: UTF8.self)
            .replacing(#/(:mustUnderstand\s*=\s*["'])(?:1|true)(["'])/#) { "\($0.1)0\($0.2)" }
        let response = await dispatcher.respond(
            to: Array(message.utf8), charset: "utf-8", action: action, from: .init())
        if let request = found.withLock({ $0 }) { return request }
        throw DynamicError(
            .invalidValue,
            "the message cannot be read: \(response.faultReason ?? "it is no request of the service.")")
    }

    /// Checks that an operation can answer with this.
    ///
    /// - Throws: ``DynamicError`` when the schema does not allow it.
    package func check(_ reply: DynamicReply, of operation: String) throws(DynamicError) {
        let (plan, input) = try callable(operation)
        guard let output = plan.output else {
            guard reply.output == .null, reply.headers == .object([]) else {
                throw DynamicError(.invalidValue, "the operation ‘\(operation)’ has no answer.")
            }
            return
        }
        _ = try DynamicExchange(plan: plan, schema: schema, input: input).answer(
            reply, output, OperationContext(version: version ?? .soap11))
    }

    /// Checks that an operation declares this fault, and that its detail is valid.
    ///
    /// - Throws: ``DynamicError`` when the schema does not allow it.
    package func check(_ fault: DynamicFault, of operation: String) throws(DynamicError) {
        let (plan, input) = try callable(operation)
        _ = try DynamicExchange(plan: plan, schema: schema, input: input).declared(fault)
    }
}

/// The messages of one operation of a hosted service.
private struct DynamicExchange: Sendable {
    /// The greatest number of deviations that a fault names.
    private static let named = 5

    let plan: OperationPlan
    let schema: SchemaSet
    let input: ElementDeclaration

    func request(_ content: XMLAny, _ context: OperationContext) throws -> DynamicRequest {
        var decoder = Decoder(schema, isEncoded: plan.isEncoded)
        decoder.takesAnyNamespace = !context.checksInput
        decoder.checksFacets = context.checksInput
        let value: DynamicValue
        do {
            var tree = try XMLTree(content, name: input.name)
            var room = context.xmlLimits.textBytes
            tree = try tree.including(AttachmentIndex(context.attachments), room: &room)
            decoder.deviations = DeviationList(of: tree, at: context.contentPlace)
            value = try decoder.value(tree, input)
        } catch let error as DynamicError where error.code == .brokenSchema {
            throw SOAPFault.server("The input of \(plan.name) cannot be read: \(error)")
        } catch { throw SOAPFault.client("The input of \(plan.name) cannot be read: \(error)") }
        let deviations = decoder.deviations(with: context.deviations)
        if context.checksInput, let fault = objection(to: deviations) { throw fault }
        let headers: DynamicValue
        do {
            headers = try HeaderValues(schema: schema, operation: plan.name, declared: plan.headers).value(
                of: context.headerBlocks)
        } catch { throw SOAPFault.client("The header blocks of \(plan.name) cannot be read: \(error)") }
        return DynamicRequest(operation: plan.name, input: value, headers: headers, deviations: deviations)
    }

    private func objection(to deviations: [XMLDeviation]) -> SOAPFault? {
        guard !deviations.isEmpty else { return nil }
        let named = deviations.prefix(Self.named).map(\.withoutOffset)
        let more = deviations.count > Self.named ? " (and \(deviations.count - Self.named) more)" : ""
        return .client(
            "The input of \(plan.name) is not what its schema asks for: \(named.joined(separator: " "))\(more)")
    }

    func answer(
        _ reply: DynamicReply, _ output: ElementDeclaration, _ context: OperationContext
    ) throws(DynamicError) -> XMLAny {
        let headers = HeaderValues(schema: schema, operation: plan.name, declared: plan.answerHeaders)
        let blocks = try headers.blocks(of: reply.headers, in: context.version)
        var encoder = Encoder(schema, encoding: plan.isEncoded ? context.version : nil)
        let content = XMLAny(try encoder.fragment(output, reply.output))
        for block in blocks { context.answerHeaderBlocks.append(block) }
        return content
    }

    /// The fault with its detail as an element.
    func declared(_ fault: DynamicFault) throws(DynamicError) -> DeclaredFault<XMLAny> {
        let names = plan.faults.map(\.name)
        let wanted = ElementKey.name(fault.element)
        let found = plan.faults.filter { block in
            wanted.map { $0 == block.name } ?? (block.name.localName == fault.element)
        }
        guard found.count == 1, let block = found.first else {
            throw DynamicError(
                .unknownName,
                "the operation ‘\(plan.name)’ has \(found.isEmpty ? "no fault" : "several faults") ‘\(fault.element)’"
                    + "\(NearMatch.hint(fault.element, among: names.map(\.localName))) Its faults are "
                    + "\(names.isEmpty ? "not declared" : names.map(ElementKey.expandedName).quotedList()).")
        }
        // SOAP's encoding does not apply inside the detail, unless the WSDL says so (SOAP 1.1 §4.4).
        var encoder = Encoder(schema, encoding: block.isEncoded ? .soap11 : nil)
        var declared = DeclaredFault(
            XMLAny(try encoder.fragment(block.element, fault.detail)), reason: "", element: XMLName(block.name))
        declared.fault = fault.fault
        return declared
    }
}
