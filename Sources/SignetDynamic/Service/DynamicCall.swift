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
        headerBlocks = try Self.headerBlocks(headers, plan, service.schema, spoken ?? version)
    }

    private static func headerBlocks(
        _ value: DynamicValue, _ plan: OperationPlan, _ schema: SchemaSet, _ version: SOAPVersion
    ) throws(DynamicError) -> [HeaderBlock] {
        guard case .object(let members) = value else {
            throw DynamicError(.invalidValue, "the header blocks must be an object with their names as keys.")
        }
        var blocks: [HeaderBlock] = []
        for member in members {
            let block = try header(member.name, plan, schema)
            var encoder = Encoder(schema, encoding: block.isEncoded ? version : nil)
            // An array in SOAP's encoding is one block.
            let values: [DynamicValue] =
                if !block.isEncoded, case .array(let values) = member.value { values } else { [member.value] }
            for value in values { blocks.append(HeaderBlock(try encoder.fragment(block.element, value))) }
        }
        return blocks
    }

    /// The element of a header block: one that the operation declares, or any other of the schema.
    private static func header(
        _ key: String, _ plan: OperationPlan, _ schema: SchemaSet
    ) throws(DynamicError) -> PlannedBlock {
        let wanted = ElementKey.name(key)
        let declared = plan.headers.filter { block in wanted.map { $0 == block.name } ?? (block.name.localName == key) }
        if declared.count == 1, let only = declared.first { return only }
        let known = schema.elements.values.filter { wanted == $0.name || $0.name.localName == key }
        if known.count == 1, let only = known.first { return PlannedBlock(element: only, isEncoded: false) }
        if let wanted, XMLName.isNCName(wanted.localName), !wanted.namespace.isEmpty {
            return PlannedBlock(element: .undeclared(wanted), isEncoded: false)
        }
        let names = plan.headers.map { ElementKey.text($0.name, among: plan.headers.map(\.name)) }
        throw DynamicError(
            .unknownName,
            known.isEmpty
                ? "there is no header block ‘\(key)’\(NearMatch.hint(key, among: names)) The operation ‘\(plan.name)’ "
                    + (names.isEmpty ? "declares none" : "declares \(names.quotedList())")
                    + "; write the name of one that no schema has as ‘{namespace}name’."
                : "several elements are called ‘\(key)’: write one of \(known.map { ElementKey.expandedName($0.name) }.sorted().quotedList())."
        )
    }

    /// The element in the body of the request; nil when the input is the content of the body itself.
    private var bodyElement: XMLName? { plan.inputIsContent ? nil : XMLName(inputName) }

    var operation: ServiceOperation<XMLAny, XMLAny> {
        ServiceOperation(
            name: plan.wsdlName, soapAction: plan.soapAction, version: version, input: bodyElement,
            output: plan.outputIsContent ? nil : XMLName(plan.output?.name ?? inputName),
            faults: plan.faults.map { .declared(XMLName($0.name), XMLAny.self) }, isEncoded: plan.isEncoded,
            isRPC: plan.isRPC, requires: plan.requirements, actions: actions)
    }

    private var actions: OperationActions { OperationActions(input: plan.actions?.input, output: plan.actions?.output) }

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

    var oneWay: OneWayOperation<XMLAny> {
        OneWayOperation(
            name: plan.wsdlName, soapAction: plan.soapAction, version: version, input: bodyElement,
            isEncoded: plan.isEncoded, requires: plan.requirements, actions: actions)
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
        let deviations = (answer.deviations + (decoder.deviations?.all ?? [])).sorted {
            ($0.line, $0.column) < ($1.line, $1.column)
        }
        if tolerance == .strict { try refuse(deviations) }
        return (value, deviations)
    }

    /// Refuses an answer that departs from its schema.
    private func refuse(_ deviations: [XMLDeviation]) throws(ServiceError) {
        guard let first = deviations.first else { return }
        var cause = XMLError(.unexpected, first.message, line: first.line, column: first.column, path: first.path)
        cause.deviations = deviations
        let place = "line \(first.line), column \(first.column), in \(first.path)"
        throw ServiceError(
            .malformedAnswer, "The answer to \(plan.name) departs from the schema: \(place): \(first.message)",
            cause: cause)
    }

    private func decode(_ content: XMLAny, _ block: PlannedBlock) throws -> DynamicValue {
        var decoder = Decoder(schema, isEncoded: block.isEncoded)
        return try decoder.value(try XMLTree(content, name: block.name), block.element)
    }

    /// The block as the operation declares it, otherwise as the schema does.
    private func known(_ name: QName, _ blocks: [PlannedBlock]) -> PlannedBlock {
        blocks.first { $0.name == name }
            ?? PlannedBlock(element: schema.elements[name] ?? .undeclared(name), isEncoded: false)
    }

    func decode(_ blocks: [ReceivedHeaderBlock]) throws -> DynamicValue {
        let names = blocks.map { QName($0.namespaceURI, $0.localName) }
        var members: [DynamicValue.Member] = []
        for (block, name) in zip(blocks, names) {
            let known = known(name, plan.answerHeaders)
            var decoder = Decoder(schema, isEncoded: known.isEncoded)
            let value = try decoder.value(try XMLTree(block.fragment), known.element)
            let key = ElementKey.text(name, among: names)
            // A block that occurs twice is rare: the first one counts.
            if !members.contains(where: { $0.name == key }) { members.append(.init(key, value)) }
        }
        return .object(members)
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
