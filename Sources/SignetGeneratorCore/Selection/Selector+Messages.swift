import SignetWSDL

extension Selector {
    /// Selects a resolved operation, and names the types of its messages.
    mutating func select(_ operation: ResolvedOperation, _ portType: QName) -> SelectedOperation? {
        for remark in operation.remarks { report(remark) }
        let exchange: ResolvedExchange
        switch operation.exchange {
        case .success(let resolved): exchange = resolved
        case .failure(let refusal):
            refusals.append(
                Diagnostic(.error, refusal.sentence(about: operation.name), at: refusal.location))
            return nil
        }
        guard let abstract = operation.abstract else { return nil }
        let isPlainHTTP = exchange.http != nil
        let soapAction = isPlainHTTP ? "" : operation.bound.soapAction ?? ""
        let input = select(exchange.input, operation.name)
        let output = exchange.output.map { select($0, "\(operation.name)Response") }
        return SelectedOperation(
            name: operation.name, distinctName: operation.distinctName, portTypeIndex: operation.portTypeIndex,
            soapAction: soapAction,
            actions: speaksOfAddressing && !isPlainHTTP ? abstract.actions(soapAction: soapAction, in: portType) : nil,
            style: exchange.style, http: exchange.http, input: input, output: output,
            faults: exchange.faults.map { fault in
                var detail = SelectedMessage(fault.block)
                if speaksOfAddressing { detail.action = fault.action }
                return detail
            },
            inputHeaders: exchange.inputHeaders.map(SelectedMessage.init),
            outputHeaders: exchange.outputHeaders.map(SelectedMessage.init),
            inputAttachments: exchange.inputAttachments, outputAttachments: exchange.outputAttachments,
            documentation: abstract.documentation, location: abstract.location)
    }

    /// Reports a diagnostic; with strict options an omission is an error.
    mutating func report(_ remark: Diagnostic) {
        if remark.isOmission {
            diagnostics.leftOut(remark.message, at: remark.location, isError: options.isStrict)
        } else {
            diagnostics.add(Diagnostic(remark.severity, remark.message, at: remark.location))
        }
    }

    // MARK: Messages

    /// A message with the key of its type.
    ///
    /// - Parameter wrapper: the name for the type of a message that travels without an element.
    private mutating func select(_ message: ResolvedMessage, _ wrapper: String) -> SelectedMessage {
        let key = TypeKey(root: .message, name: QName(message.message.namespace, wrapper))
        switch message.content {
        case .element(let name):
            return SelectedMessage(element: name, isEncoded: message.isEncoded, at: message.location)
        case .wrapper(let name, let parts):
            return take(
                SelectedMessage(
                    key: TypeKey(root: .message, name: name), element: name, content: .parts(parts),
                    isEncoded: message.isEncoded, at: message.location), message.message)
        case .type(let type):
            return take(
                SelectedMessage(
                    key: key, element: nil, content: .type(type), isEncoded: message.isEncoded, at: message.location),
                message.message)
        case .parts(let parts):
            return take(
                SelectedMessage(
                    key: key, element: nil, content: .parts(parts), isEncoded: message.isEncoded, at: message.location),
                message.message)
        }
    }

    /// Overloaded operations have messages with one name and different content: the type of a later one gets the name
    /// of its WSDL message.
    private mutating func take(_ selected: SelectedMessage, _ message: QName) -> SelectedMessage {
        var selected = selected
        var number = 1
        while let other = taken[selected.key], other != message {
            selected.key = TypeKey(
                root: .message,
                name: QName(message.namespace, message.localName + (number > 1 ? "\(number)" : "")))
            number += 1
        }
        taken[selected.key] = message
        return selected
    }
}

extension SelectedMessage {
    /// A header block, or the content of a fault's detail.
    fileprivate init(_ block: ResolvedBlock) {
        guard let type = block.type else {
            self.init(element: block.element, isEncoded: block.isEncoded, at: block.location)
            return
        }
        self.init(
            key: TypeKey(root: .message, name: block.element, path: ["block"]), element: block.element,
            content: .type(type), isEncoded: block.isEncoded, at: block.location)
    }
}
