import SignetSOAP
import SignetWSDL

/// What travels when an operation is called.
struct OperationPlan: Sendable {
    var name: String
    var documentation: String?
    var soapAction = ""
    /// What WS-Addressing names the messages by.
    var actions: MessageActions?
    /// How it travels without SOAP; nil with SOAP.
    var http: HTTPExchange?
    /// The element of the request's body; in RPC style a wrapper made up for it.
    var input: ElementDeclaration?
    /// Nil when there is no answer.
    var output: ElementDeclaration?
    var headers: [PlannedBlock] = []
    var answerHeaders: [PlannedBlock] = []
    var faults: [PlannedBlock] = []
    /// Whether the input's element is made up and only what is in it travels, as the content of the body itself.
    var inputIsContent = false
    /// The same for the output.
    var outputIsContent = false
    /// Whether messages are written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    var isEncoded = false
    /// Whether it is a remote procedure (WSDL 1.1 §3.4).
    var isRPC = false
    /// What its policies ask for beyond those of the port.
    var requirements: [ServiceRequirement] = []
    /// What policies ask for and nobody does here.
    var unsupported: [String] = []
    /// Why it is not known what policies ask for.
    var unknown: [String] = []
    var reasonNotCallable: String?

    var description: DynamicOperation {
        DynamicOperation(
            name: name, documentation: documentation, soapAction: soapAction, input: input.map { "\($0.name)" },
            output: output.map { "\($0.name)" }, headers: Key.texts(of: headers.map(\.name)),
            faults: faults.map { "\($0.name)" }, requirements: requirements,
            unsupportedRequirements: unsupported, unknownRequirements: unknown, reasonNotCallable: reasonNotCallable)
    }
}

/// A header block, or what the detail of a fault holds.
struct PlannedBlock: Sendable {
    /// That of the schema; made up where the message's part has a type.
    var element: ElementDeclaration
    /// Whether it is written by the rules of SOAP's encoding.
    var isEncoded: Bool
    var name: QName { element.name }

    /// Nil where the type has none.
    var typeName: QName? { if case .named(let name) = element.type { name } else { nil } }
}

/// Makes the plans of a binding's operations.
struct OperationPlanner {
    let definitions: WSDLDefinitions
    let binding: Binding
    let port: Port
    /// What the policies of the port ask for.
    private let portRequirements: PolicyRequirements
    /// The operations of the portType by their names.
    private let abstracts: [String: [Operation]]

    init(definitions: WSDLDefinitions, binding: Binding, port: Port) {
        (self.definitions, self.binding, self.port) = (definitions, binding, port)
        portRequirements = definitions.requirements(of: port)
        abstracts = Dictionary(grouping: definitions.portTypes[binding.portType]?.operations ?? [], by: \.name)
    }

    /// Why an operation cannot be called.
    private struct NotCallable: Error {
        var reason: String
        init(_ reason: String) { self.reason = reason }
    }

    func plan(_ bound: BindingOperation) -> OperationPlan {
        var plan = OperationPlan(name: bound.name, soapAction: bound.soapAction ?? "")
        guard let abstract = abstract(bound) else {
            plan.reasonNotCallable = "the portType \(binding.portType) does not have it"
            return plan
        }
        plan.documentation = abstract.documentation
        plan.actions = abstract.actions(soapAction: plan.soapAction, in: binding.portType)
        plan.requirements = definitions.requirements(of: bound, beyond: port).map(ServiceRequirement.init)
        let requirements = definitions.requirements(of: bound, at: port) ?? portRequirements
        plan.unsupported = requirements.unsupportedTexts(areJudged: true)
        plan.unknown = requirements.unsupportedTexts(areJudged: false)
        plan.isEncoded = bound.input?.use == .encoded || bound.output?.use == .encoded
        do throws(NotCallable) {
            if let defect = abstract.defect ?? bound.defect { throw NotCallable(defect.reason) }
            if let reason = bound.requiredExtensions.reasonNotUsable { throw NotCallable(reason) }
            guard let input = abstract.input, !abstract.outputIsFirst else {
                throw NotCallable("it begins at the service (WSDL 1.1 §2.4)")
            }
            if binding.format == .http {
                try planHTTP(&plan, bound, abstract)
                return plan
            }
            let isRPC = (bound.style ?? binding.style) == .rpc
            plan.isRPC = isRPC
            let request = try body(input, bound.input, isRPC ? bound.name : nil)
            (plan.input, plan.inputIsContent) = (request.element, request.isContent)
            if let output = abstract.output {
                let answer = try body(output, bound.output, isRPC ? "\(bound.name)Response" : nil)
                (plan.output, plan.outputIsContent) = (answer.element, answer.isContent)
            }
            plan.headers = try headers(bound.input)
            // A header block of the answer that cannot be typed is no reason not to call.
            plan.answerHeaders = (try? headers(bound.output)) ?? []
        } catch {
            plan.reasonNotCallable = error.reason
            plan.input = nil
            plan.output = nil
        }
        let faults = abstract.faults.flatMap { fault -> [PlannedBlock] in
            guard let parts = definitions.messages[fault.message]?.parts, parts.count == 1, let part = parts.first
            else {
                return []
            }
            let binding = bound.faults.first { $0.name == fault.name }
            return (try? self.blocks(part, binding?.namespace, binding?.use ?? .literal)) ?? []
        }
        // Of two types under one name nobody knows which has come.
        let types = Dictionary(grouping: faults, by: \.name).mapValues { Set($0.map(\.typeName)).count }
        plan.faults = faults.filter { types[$0.name] == 1 }
        return plan
    }

    private func planHTTP(
        _ plan: inout OperationPlan, _ bound: BindingOperation, _ abstract: Operation
    ) throws(NotCallable) {
        let exchange: HTTPExchange
        do { exchange = try definitions.httpExchange(of: bound, abstract, in: binding) } catch {
            throw NotCallable(error.reason)
        }
        plan.output = try element(exchange.output.name)
        switch exchange.input {
        case .element(let name, _): plan.input = try element(name)
        case .parts(let accessors, let message):
            plan.input = .message(message.name, accessors, at: message.location)
            plan.inputIsContent = true
        }
        plan.http = exchange
    }

    /// An overloaded operation is told apart by the names of its messages (WSDL 1.1 §2.5).
    private func abstract(_ bound: BindingOperation) -> Operation? {
        let named = abstracts[bound.name] ?? []
        guard named.count > 1 else { return named.first }
        return named.first { $0.input?.name == bound.input?.name && $0.output?.name == bound.output?.name }
    }

    /// What the body of a message holds, as an element; in document style that may be made up for what it has inside (WSDL 1.1
    /// §3.5).
    private func body(
        _ use: MessageUse, _ bound: BindingMessage?, _ wrapper: String?
    ) throws(NotCallable) -> (element: ElementDeclaration, isContent: Bool) {
        let message = try message(use.message)
        // A part that is a header block is none of the body's, nor is one that travels beside the envelope.
        let elsewhere =
            (bound?.headers.filter { $0.message == use.message }.map(\.part) ?? []) + (bound?.attachments ?? [])
        let parts = message.parts.filter { part in
            bound?.parts?.contains(part.name) ?? !elsewhere.contains(part.name)
        }
        if let wrapper, !XMLName.isNCName(wrapper) {
            throw NotCallable("in RPC style it must be an element called ‘\(wrapper)’, which is no name of an element")
        }
        if let wrapper { return (try rpcWrapper(QName(bound?.namespace ?? "", wrapper), parts, use), false) }
        var accessors: [ElementDeclaration.Accessor] = []
        for part in parts {
            if let name = part.element {
                let element = try element(name)
                // What may stand for the element is told by its name.
                if parts.count == 1, !definitions.schema.isReplaceable(name) { return (element, false) }
                accessors.append(.init(name: part.name, content: .element(name), location: part.location))
            } else if let type = part.type {
                if parts.count == 1 { return (.message(message.name, type, at: part.location), true) }
                accessors.append(
                    .init(name: part.name, content: .type(type, isNillable: false), location: part.location))
            } else {
                throw NotCallable("the part ‘\(part.name)’ has neither element nor type")
            }
        }
        return (.message(message.name, accessors, at: message.location), true)
    }

    /// The element that stands for an operation or its answer in RPC style: a child for each part of the message (WSDL 1.1 §3.5; WS-I
    /// Basic Profile 1.1 §4.7).
    private func rpcWrapper(
        _ name: QName, _ parts: [Message.Part], _ use: MessageUse
    ) throws(NotCallable) -> ElementDeclaration {
        var accessors: [ElementDeclaration.Accessor] = []
        for part in parts {
            let content: ElementDeclaration.Accessor.Content
            if let name = part.element {
                content = .element(try element(name).name)
            } else if let type = part.type {
                content = .type(type, isNillable: false)
            } else {
                throw NotCallable("the part ‘\(part.name)’ has neither element nor type")
            }
            accessors.append(.init(name: part.name, content: content, location: part.location))
        }
        return .message(name, accessors, at: use.location)
    }

    private struct BlockKey: Hashable {
        var name: QName
        var isEncoded: Bool
    }

    private func headers(_ bound: BindingMessage?) throws(NotCallable) -> [PlannedBlock] {
        var blocks: [PlannedBlock] = []
        var known: Set<BlockKey> = []
        for header in bound?.headers ?? [] {
            let message = try message(header.message)
            guard let part = message.parts.first(where: { $0.name == header.part }) else {
                throw NotCallable("its header names the part ‘\(header.part)’, which is not there")
            }
            for block in try self.blocks(part, header.namespace, header.use)
            where known.insert(BlockKey(name: block.name, isEncoded: block.isEncoded)).inserted {
                blocks.append(block)
            }
        }
        return blocks
    }

    /// An element, each that may stand for it, or one called like the part, in the namespace that the binding gives (WSDL 1.1
    /// §3.6, §3.7).
    private func blocks(
        _ part: Message.Part, _ namespace: String?, _ use: BindingMessage.Use
    ) throws(NotCallable) -> [PlannedBlock] {
        if let name = part.element {
            return definitions.schema.substitutes(of: try element(name)).map {
                PlannedBlock(element: $0, isEncoded: use == .encoded)
            }
        }
        guard let type = part.type else { throw NotCallable("the part ‘\(part.name)’ has neither element nor type") }
        let made = ElementDeclaration.block(QName(namespace ?? "", part.name), type: type, at: part.location)
        return [PlannedBlock(element: made, isEncoded: use == .encoded)]
    }

    private func message(_ name: QName) throws(NotCallable) -> Message {
        guard let message = definitions.messages[name] else {
            throw NotCallable("the message \(name) is not there")
        }
        return message
    }

    private func element(_ name: QName) throws(NotCallable) -> ElementDeclaration {
        guard let element = definitions.schema.elements[name] else {
            throw NotCallable(
                "the element \(name) is not defined in any schema that was read\(definitions.schema.hint(missingElement: name))"
            )
        }
        return element
    }
}

extension ServiceRequirement {
    init(_ requirement: PolicyRequirement) {
        self =
            switch requirement {
            case .tls: .tls
            case .clientCertificate: .clientCertificate
            case .httpAuthentication(let scheme): .httpAuthentication(scheme)
            case .timestamp: .timestamp
            case .usernameToken(.noPassword): .usernameToken(.noPassword)
            case .usernameToken(.text): .usernameToken(.text)
            case .usernameToken(.timedText): .usernameToken(.timedText)
            case .usernameToken(.digest): .usernameToken(.digest)
            case .addressing: .addressing
            case .mtom: .mtom
            }
    }
}

extension PolicyRequirements {
    /// What is asked for and not done here, or what of it is not known, with its place.
    fileprivate func unsupportedTexts(areJudged: Bool) -> [String] {
        unsupported.filter { $0.isJudged == areJudged }.map { "\($0.text), at \($0.location)" }
    }
}
