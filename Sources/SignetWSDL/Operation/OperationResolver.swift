import SignetXML

/// Determines how the messages of an operation travel.
struct OperationResolver {
    let definitions: WSDLDefinitions
    let binding: Binding

    typealias Resolved = (exchange: Result<ResolvedExchange, OperationRefusal>, remarks: [Diagnostic])

    func resolve(_ bound: BindingOperation, _ abstract: Result<Operation, OperationRefusal>) -> Resolved {
        var remarks: [Diagnostic] = []
        do throws(OperationRefusal) {
            return (.success(try exchange(bound, try abstract.get(), &remarks)), remarks)
        } catch {
            return (.failure(error), remarks)
        }
    }

    private func exchange(
        _ bound: BindingOperation, _ abstract: Operation, _ remarks: inout [Diagnostic]
    ) throws(OperationRefusal) -> ResolvedExchange {
        if let defect = abstract.defect ?? bound.defect {
            throw OperationRefusal(.defect, defect.reason, at: defect.location)
        }
        if let reason = bound.requiredExtensions.reasonNotUsable, let needed = bound.requiredExtensions.first {
            throw OperationRefusal(.clause, reason, at: needed.location)
        }
        guard let input = abstract.input else {
            throw OperationRefusal(
                .predicate, "is a notification, which begins at the service", at: abstract.location)
        }
        if abstract.outputIsFirst {
            throw OperationRefusal(.predicate, "begins at the service (solicit-response)", at: abstract.location)
        }
        if binding.format == .http { return try plainHTTP(bound, abstract) }
        let style = bound.style ?? binding.style
        var (request, told) = try message(input, bound.input, style, bound.name, bound.name, "its input")
        remarks += told
        var answer: ResolvedMessage?
        if let output = abstract.output {
            (answer, told) = try message(
                output, bound.output, style, "\(bound.name)Response", bound.name, "its output")
            remarks += told
        }
        var exchange = ResolvedExchange(
            style: style, input: request, output: answer,
            inputAttachments: bound.input.flatMap { $0.multipart == nil ? nil : $0.attachments },
            outputAttachments: bound.output.flatMap { $0.multipart == nil ? nil : $0.attachments })
        if answer != nil { exchange.faults = faults(of: abstract, bound, &remarks) }
        exchange.inputHeaders = headers(bound.input?.headers ?? [], bound.name, &remarks)
        if answer != nil {
            let uses = (bound.output?.headers ?? []) + (bound.input?.headerFaults ?? [])
            exchange.outputHeaders = headers(uses, bound.name, &remarks)
        }
        return exchange
    }

    private func plainHTTP(
        _ bound: BindingOperation, _ abstract: Operation
    ) throws(OperationRefusal) -> ResolvedExchange {
        let exchange: HTTPExchange
        do { exchange = try definitions.httpExchange(of: bound, abstract, in: binding) } catch {
            throw OperationRefusal(.plainHTTP, error.reason, at: error.location)
        }
        let name = abstract.input?.message ?? QName("", bound.name)
        let input =
            switch exchange.input {
            case .element(let element, let place):
                ResolvedMessage(message: name, content: .element(element), isEncoded: false, location: place)
            case .parts(let accessors, let message):
                ResolvedMessage(
                    message: message.name, content: .parts(accessors.map(ResolvedMessage.Part.init)), isEncoded: false,
                    location: message.location)
            }
        let output = ResolvedMessage(
            message: abstract.output?.message ?? name, content: .element(exchange.output.name), isEncoded: false,
            location: exchange.output.location)
        return ResolvedExchange(style: .document, http: exchange, input: input, output: output)
    }

    // MARK: Bodies

    /// The content of the body (WSDL 1.1 §3.5). RPC style: an element with the name of the operation and a child for
    /// each part. Document style: the element of the only part. With several parts, no parts, or a part with a type,
    /// the parts are the content of the body itself, which WS-I forbids (Basic Profile 1.1, R2201, R2204).
    private func message(
        _ use: MessageUse, _ bound: BindingMessage?, _ style: Binding.Style, _ wrapper: String, _ operation: String,
        _ what: String
    ) throws(OperationRefusal) -> (ResolvedMessage, remarks: [Diagnostic]) {
        guard let message = definitions.messages[use.message] else {
            throw OperationRefusal(
                .clause, "\(what) names the message \(use.message), which is not there", at: use.location)
        }
        let (parts, remarks) = try bodyParts(of: message, use, bound, operation, what)
        var result = ResolvedMessage(
            message: message.name, content: .parts(parts), isEncoded: bound?.use == .encoded,
            location: message.location)
        if style == .rpc {
            guard XMLName.isNCName(wrapper) else {
                throw OperationRefusal(
                    .clause,
                    "\(what) must be an element called ‘\(wrapper)’, because the style is RPC, and that is no "
                        + "name of an element",
                    at: use.location)
            }
            try refuseNamesakes(parts, what)
            result.content = .wrapper(QName(bound?.namespace ?? "", wrapper), parts)
        } else if let part = parts.first, parts.count == 1 {
            switch part.content {
            case .element(let name):
                // Substitutes for an element are recognised by their names (XML Schema Part 1 §3.3.6): a choice of
                // elements.
                if definitions.schema.isReplaceable(name) { break }
                result.content = .element(name)
                result.location = part.location
            case .type(let type), .items(let type):
                result.content = .type(type)
                result.location = part.location
            }
        }
        return (result, remarks)
    }

    /// A receiver tells the parts of an RPC message apart by the names of their elements, including parts that name a
    /// global element.
    private func refuseNamesakes(_ parts: [ResolvedMessage.Part], _ what: String) throws(OperationRefusal) {
        var passed: [QName: ResolvedMessage.Part] = [:]
        for part in parts {
            var name = QName("", part.name)
            var isElement = false
            if case .element(let element) = part.content { (name, isElement) = (element, true) }
            guard let other = passed.updateValue(part, forKey: name) else { continue }
            if case .element = other.content { isElement = true }
            guard isElement else { continue }
            throw OperationRefusal(
                .clause,
                "\(what) has the parts ‘\(other.name)’ and ‘\(part.name)’, which both travel as the element \(name) "
                    + "and cannot be told apart; give them types instead of elements (WS-I Basic Profile 1.1, R2203)",
                at: part.location)
        }
    }

    /// The parts that form the body.
    private func bodyParts(
        of message: Message, _ use: MessageUse, _ bound: BindingMessage?, _ operation: String, _ what: String
    ) throws(OperationRefusal) -> (parts: [ResolvedMessage.Part], remarks: [Diagnostic]) {
        // The body excludes parts that are header blocks (WSDL 1.1 §3.7) or travel beside the envelope.
        let elsewhere = Set(bound?.headers.filter { $0.message == use.message }.map(\.part) ?? [])
            .union(bound?.attachments ?? [])
        var parts = message.parts.filter { !elsewhere.contains($0.name) }
        var remarks: [Diagnostic] = []
        if let names = bound?.parts {
            for name in names where !message.parts.contains(where: { $0.name == name }) {
                remarks.append(
                    Diagnostic(
                        .warning,
                        "the operation ‘\(operation)’: \(what) names the part ‘\(name)’, which the message "
                            + "‘\(message.name.localName)’ does not have.", at: bound?.location ?? use.location,
                        operation: operation))
            }
            parts = message.parts.filter { names.contains($0.name) }
        }
        return (try resolved(parts, what), remarks)
    }

    private func resolved(
        _ parts: [Message.Part], _ what: String
    ) throws(OperationRefusal) -> [ResolvedMessage.Part] {
        var result: [ResolvedMessage.Part] = []
        for part in parts {
            guard let content = part.content else {
                throw OperationRefusal(
                    .clause, "\(what) has the part ‘\(part.name)’ with neither element nor type", at: part.location)
            }
            result.append(.init(name: part.name, content: content, location: part.location))
        }
        return result
    }
}

extension ResolvedMessage.Part {
    fileprivate init(_ accessor: ElementDeclaration.Accessor) {
        let content: Content =
            switch accessor.content {
            case .element(let name): .element(name)
            case .type(let type, _): .type(type)
            case .items(let type): .items(type)
            }
        self.init(name: accessor.name, content: content, location: accessor.location)
    }
}

extension Message.Part {
    fileprivate var content: ResolvedMessage.Part.Content? {
        element.map { .element($0) } ?? type.map { .type($0) }
    }
}
