import SignetSOAP
import SignetWSDL

/// One call, with its value already turned into a message.
struct DynamicCall {
    let plan: OperationPlan
    let schema: SchemaSet
    let input: XMLAny
    let headerBlocks: [HeaderBlock]
    private let inputName: QName
    private let version: SOAPVersion

    /// - Parameter spoken: the version of SOAP of the call; nil for that of the port.
    init(
        _ service: DynamicService, _ operation: String, _ value: DynamicValue, _ headers: DynamicValue,
        in spoken: SOAPVersion?
    ) throws(DynamicError) {
        let (plan, declaration) = try service.callable(operation)
        self.plan = plan
        schema = service.schema
        // Without SOAP the version is not used.
        version = service.version ?? .soap11
        if plan.http != nil, headers != .object([]) {
            throw DynamicError(
                .notSupported,
                "the operation ‘\(operation)’ is bound to HTTP without SOAP, so that header blocks cannot go with it.")
        }
        inputName = declaration.name
        var body = Encoder(service.schema, encoding: plan.isEncoded ? spoken ?? version : nil)
        input = XMLAny(try body.fragment(declaration, value))
        headerBlocks = try HeaderValues(schema: service.schema, operation: plan.name, declared: plan.headers).blocks(
            of: headers, in: spoken ?? version)
    }

    var operation: ServiceOperation<XMLAny, XMLAny> { plan.operation(version, input: inputName) }

    var oneWay: OneWayOperation<XMLAny> { plan.oneWay(version, input: inputName) }

    /// The same operation without SOAP.
    func operation(_ exchange: HTTPExchange) -> HTTPOperation<XMLAny, XMLAny> {
        let input: HTTPInput =
            switch exchange.encoding {
            case .query: .query
            case .path: .path
            case .form: .form
            case .document(let type): .document(XMLName(inputName), mediaType: type)
            }
        return HTTPOperation(
            name: plan.wsdlName, verb: exchange.verb == "GET" ? .get : .post, location: exchange.location, input: input,
            output: XMLName(exchange.output.name))
    }

    // MARK: Answers

    /// The value of the answer's element.
    ///
    /// - Parameter room: how many bytes of attachments may be inserted into it.
    /// - Returns: the value, and the deviations of the answer from the schema.
    /// - Throws: also `ServiceError` when the answer departs from the schema and no deviation is tolerated.
    func output(
        _ answer: ServiceAnswer<XMLAny>, _ declaration: ElementDeclaration, _ tolerance: XMLTolerance, room: Int
    ) throws -> (value: DynamicValue, deviations: [XMLDeviation]) {
        var decoder = Decoder(schema, isEncoded: plan.isEncoded)
        decoder.takesAnyNamespace = tolerance.contains(.namespace)
        var tree = try XMLTree(answer.output, name: declaration.name)
        var room = room
        tree = try tree.including(AttachmentIndex(answer.attachments), room: &room)
        if plan.isRPC || plan.isEncoded { try decoder.nameValues(in: &tree, declaration) }
        decoder.deviations = DeviationList(of: tree, at: answer.contentPlace)
        let value = try decoder.value(tree, declaration)
        let deviations = decoder.deviations(with: answer.deviations)
        if tolerance == .strict { try refuse(deviations) }
        return (value, deviations)
    }

    /// Refuses an answer that departs from its schema.
    private func refuse(_ deviations: [XMLDeviation]) throws(ServiceError) {
        guard let first = deviations.first else { return }
        var cause = XMLError(.unexpected, first.message, line: first.line, column: first.column, path: first.path)
        cause.deviations = deviations
        throw ServiceError(
            .malformedAnswer, "The answer to \(plan.name) departs from the schema: \(first.withoutOffset)",
            cause: cause)
    }

    private func decode(_ content: XMLAny, _ block: PlannedBlock) throws -> DynamicValue {
        var decoder = Decoder(schema, isEncoded: block.isEncoded)
        return try decoder.value(try XMLTree(content, name: block.name), block.element)
    }

    func decode(_ blocks: [ReceivedHeaderBlock]) throws -> DynamicValue {
        try HeaderValues(schema: schema, operation: plan.name, declared: plan.answerHeaders).value(of: blocks)
    }

    func typed(_ fault: DeclaredFault<XMLAny>) throws -> DynamicFault {
        let found = plan.faults.first { declaration in fault.element.map { $0 == XMLName(declaration.name) } ?? false }
        let block = found ?? PlannedBlock(element: .undeclared(QName("", "detail")), isEncoded: false)
        return DynamicFault(
            fault: fault.fault, element: ElementKey.expandedName(block.name), detail: try decode(fault.detail, block))
    }
}

extension Encoder {
    /// The element as it is put into a message.
    mutating func fragment(
        _ declaration: ElementDeclaration, _ value: DynamicValue
    ) throws(DynamicError) -> XMLFragment {
        path = [declaration.name.localName]
        let tree = try element(declaration, value)
        do { return try tree.fragment() } catch {
            throw DynamicError(.invalidValue, "the message cannot be written: \(error)", cause: error)
        }
    }
}

extension XMLName {
    init(_ name: QName) { self.init(name.namespace, name.localName) }
}
