import SignetWSDL
import SignetXML

extension Selector {
    /// Checks that an operation can be made, and finds what its messages hold.
    mutating func select(_ bound: BindingOperation, _ abstract: Operation, _ binding: Binding) -> SelectedOperation? {
        let what = "the operation ‘\(bound.name)’"
        let style = bound.style ?? binding.style
        if let defect = abstract.defect ?? bound.defect {
            return refuse("\(what) cannot be used: \(defect.reason)", at: defect.location)
        }
        if let reason = bound.requiredExtensions.reasonNotUsable, let needed = bound.requiredExtensions.first {
            return refuse("\(what): \(reason)", at: needed.location)
        }
        guard let input = abstract.input else {
            return refuse("\(what) is a notification, which begins at the service", at: abstract.location)
        }
        if abstract.outputIsFirst {
            return refuse("\(what) begins at the service (solicit-response)", at: abstract.location)
        }
        if binding.format == .http { return selectHTTP(bound, abstract, binding, what) }
        guard let request = message(of: input, bound.input, style, bound.name, "\(what): its input") else { return nil }
        var answer: SelectedMessage?
        if let output = abstract.output {
            answer = message(of: output, bound.output, style, "\(bound.name)Response", "\(what): its output")
            if answer == nil { return nil }
        }
        return SelectedOperation(
            name: bound.name, soapAction: bound.soapAction ?? "",
            actions: speaksOfAddressing
                ? abstract.actions(soapAction: bound.soapAction ?? "", in: binding.portType) : nil,
            style: style, input: request, output: answer,
            // Nobody would hear a fault of a one-way operation.
            faults: answer == nil ? [] : faults(of: abstract, bound, binding.portType),
            inputHeaders: headers(bound.input?.headers ?? [], what),
            outputHeaders: answer == nil
                ? [] : headers((bound.output?.headers ?? []) + (bound.input?.headerFaults ?? []), what),
            inputAttachments: bound.input.flatMap { $0.multipart == nil ? nil : $0.attachments },
            outputAttachments: bound.output.flatMap { $0.multipart == nil ? nil : $0.attachments },
            documentation: abstract.documentation, location: abstract.location)
    }

    /// An operation that is bound to HTTP without SOAP.
    private mutating func selectHTTP(
        _ bound: BindingOperation, _ abstract: Operation, _ binding: Binding, _ what: String
    ) -> SelectedOperation? {
        let exchange: HTTPExchange
        do { exchange = try definitions.httpExchange(of: bound, abstract, in: binding) } catch {
            return refuse("\(what) cannot be made without SOAP: \(error.reason)", at: error.location)
        }
        let input =
            switch exchange.input {
            case .element(let name, let place): SelectedMessage(element: name, at: place)
            case .parts(let accessors, let message):
                take(
                    SelectedMessage(
                        key: TypeKey(root: .message, name: QName(message.name.namespace, bound.name)), element: nil,
                        content: .parts(accessors.map(SelectedMessage.Part.init)), isEncoded: false,
                        at: message.location), message)
            }
        return SelectedOperation(
            name: bound.name, soapAction: "", style: .document, http: exchange, input: input,
            output: SelectedMessage(element: exchange.output.name, at: exchange.output.location), faults: [],
            inputHeaders: [], outputHeaders: [], documentation: abstract.documentation, location: abstract.location)
    }

    private mutating func refuse(_ message: String, at location: SourceLocation) -> SelectedOperation? {
        refusals.append(Diagnostic(.error, message, at: location))
        return nil
    }

    // MARK: Bodies

    /// What the body holds (WSDL 1.1 §3.5): in RPC style an element called like the operation, with a child for each part;
    /// in document style the element of the only part. More parts, none, or a part with a type make the content of the body
    /// itself, which WS-I forbids (Basic Profile 1.1, R2201, R2204).
    private mutating func message(
        of use: MessageUse, _ bound: BindingMessage?, _ style: Binding.Style, _ wrapper: String, _ what: String
    ) -> SelectedMessage? {
        guard let message = definitions.messages[use.message] else {
            _ = refuse("\(what) names the message \(use.message), which is not there", at: use.location)
            return nil
        }
        guard let parts = bodyParts(of: message, use, bound, what) else { return nil }
        let isEncoded = bound?.use == .encoded
        let place = message.location
        let content = SelectedMessage.Content.parts(parts)
        if style == .rpc {
            guard XMLName.isNCName(wrapper) else {
                _ = refuse(
                    "\(what) must be an element called ‘\(wrapper)’, because the style is RPC, and that is no name of an element",
                    at: use.location)
                return nil
            }
            let name = QName(bound?.namespace ?? "", wrapper)
            return take(
                SelectedMessage(
                    key: TypeKey(root: .message, name: name), element: name, content: content, isEncoded: isEncoded,
                    at: place), message)
        }
        let key = TypeKey(root: .message, name: QName(message.name.namespace, wrapper))
        guard parts.count == 1, let part = parts.first else {
            return take(
                SelectedMessage(key: key, element: nil, content: content, isEncoded: isEncoded, at: place), message)
        }
        switch part.content {
        case .element(let name):
            // What may stand for another element is told by its name (XML Schema Part 1 §3.3.6): a choice of elements.
            if definitions.schema.isReplaceable(name) {
                return take(
                    SelectedMessage(key: key, element: nil, content: content, isEncoded: isEncoded, at: place), message)
            }
            return SelectedMessage(element: name, isEncoded: isEncoded, at: part.location)
        case .type(let type), .items(let type):
            return take(
                SelectedMessage(
                    key: key, element: nil, content: .type(type), isEncoded: isEncoded, at: part.location), message)
        }
    }

    /// The parts that the body is made of.
    private mutating func bodyParts(
        of message: Message, _ use: MessageUse, _ bound: BindingMessage?, _ what: String
    ) -> [SelectedMessage.Part]? {
        // A part that is a header block is none of the body's (WSDL 1.1 §3.7), nor is one that travels beside the envelope.
        let elsewhere = Set(bound?.headers.filter { $0.message == use.message }.map(\.part) ?? [])
            .union(bound?.attachments ?? [])
        var parts = message.parts.filter { !elsewhere.contains($0.name) }
        if let names = bound?.parts {
            for name in names where !message.parts.contains(where: { $0.name == name }) {
                diagnostics.warning(
                    "\(what) names the part ‘\(name)’, which the message ‘\(message.name.localName)’ does not have.",
                    at: bound?.location ?? use.location)
            }
            parts = message.parts.filter { names.contains($0.name) }
        }
        return selectedParts(parts, what)
    }

    private mutating func selectedParts(_ parts: [Message.Part], _ what: String) -> [SelectedMessage.Part]? {
        var result: [SelectedMessage.Part] = []
        for part in parts {
            guard let content = part.selectedContent else {
                _ = refuse("\(what) has the part ‘\(part.name)’ with neither element nor type", at: part.location)
                return nil
            }
            result.append(SelectedMessage.Part(name: part.name, content: content, location: part.location))
        }
        return result
    }

    /// Overloaded operations have messages of one name and of different content: who comes later is called like its message.
    private mutating func take(_ selected: SelectedMessage, _ message: Message) -> SelectedMessage {
        var selected = selected
        var number = 1
        while let other = taken[selected.key], other != message.name {
            selected.key = TypeKey(
                root: .message,
                name: QName(message.name.namespace, message.name.localName + (number > 1 ? "\(number)" : "")))
            number += 1
        }
        taken[selected.key] = message.name
        return selected
    }

    // MARK: Header blocks and faults

    /// A header block that cannot be typed still arrives, and can still be sent by name.
    private mutating func headers(_ uses: [BindingMessage.HeaderUse], _ what: String) -> [SelectedMessage] {
        var blocks: [SelectedMessage] = []
        for header in uses {
            let part = definitions.messages[header.message]?.parts.first { $0.name == header.part }
            let found = part.map { self.blocks($0, header.namespace, header.use) } ?? []
            blocks += found.filter { !blocks.contains($0) }
            guard found.isEmpty else { continue }
            let defect =
                if part == nil {
                    "names a part of \(header.message) that is not there"
                } else if let element = part?.element {
                    definitions.schema.elements[element] == nil
                        ? "has the element \(element), which is not there\(definitions.schema.hint(missingElement: element))"
                        : "has the element \(element), which is abstract, and no other stands for it"
                } else {
                    "has neither element nor type"
                }
            diagnostics.leftOut(
                "\(what): its header block ‘\(header.part)’ \(defect); it is left out.", at: header.location,
                isError: options.isStrict)
        }
        return blocks
    }

    /// A fault that cannot be typed still arrives, as a `SOAPFault`.
    private mutating func faults(
        of abstract: Operation, _ bound: BindingOperation, _ portType: QName
    ) -> [SelectedMessage] {
        var faults: [SelectedMessage] = []
        // What a fault names itself goes before what may stand for another's element: it may have an action of its own.
        var substitutes: [SelectedMessage] = []
        for fault in abstract.faults {
            let message = definitions.messages[fault.message]
            let binding = bound.faults.first { $0.name == fault.name }
            let part = message?.parts.count == 1 ? message?.parts.first : nil
            let details = part.map { blocks($0, binding?.namespace, binding?.use ?? .literal) } ?? []
            if details.isEmpty {
                diagnostics.warning(
                    "the fault ‘\(fault.name ?? fault.message.localName)’ of the operation ‘\(abstract.name)’ has no single "
                        + "element or type that is there; it arrives as an undeclared fault.", at: fault.location)
            }
            for var detail in details {
                if speaksOfAddressing { detail.action = abstract.action(of: fault, in: portType) }
                if let named = part?.element, detail.element != named {
                    substitutes.append(detail)
                } else if !faults.contains(detail) {
                    faults.append(detail)
                }
            }
        }
        for detail in substitutes where !faults.contains(detail) { faults.append(detail) }
        return faults
    }

    /// A header block or the content of a fault's detail: an element, each that may stand for it (XML Schema Part 1 §3.3.6), or one
    /// called like the part, in the namespace that the binding gives (WSDL 1.1 §3.6, §3.7).
    private func blocks(
        _ part: Message.Part, _ namespace: String?, _ use: BindingMessage.Use
    ) -> [SelectedMessage] {
        if let name = part.element {
            let elements = definitions.schema.elements[name].map(definitions.schema.substitutes) ?? []
            return elements.map {
                SelectedMessage(element: $0.name, isEncoded: use == .encoded, at: part.location)
            }
        }
        guard let type = part.type else { return [] }
        let element = QName(namespace ?? "", part.name)
        return [
            SelectedMessage(
                key: TypeKey(root: .message, name: element, path: ["block"]), element: element,
                content: .type(type), isEncoded: use == .encoded, at: part.location)
        ]
    }
}

extension SelectedMessage.Part {
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
    fileprivate var selectedContent: SelectedMessage.Part.Content? {
        element.map { .element($0) } ?? type.map { .type($0) }
    }
}
