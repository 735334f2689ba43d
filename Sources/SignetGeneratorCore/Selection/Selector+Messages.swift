import SignetWSDL

extension Selector {
    /// Checks that an operation can be made, and finds the elements of its messages.
    mutating func select(_ bound: BindingOperation, _ abstract: Operation, _ binding: Binding) -> SelectedOperation? {
        let what = "the operation ‘\(bound.name)’"
        if (bound.style ?? binding.style) == .rpc {
            return refuse("\(what) has the style ‘rpc’, which is not supported yet", at: bound.location)
        }
        if let needed = bound.requiredExtensions.first {
            return refuse("\(what) demands the extension \(needed.name), which is not known", at: needed.location)
        }
        guard let input = abstract.input else {
            return refuse("\(what) is a notification, which begins at the service", at: abstract.location)
        }
        if abstract.outputIsFirst {
            return refuse("\(what) begins at the service (solicit-response)", at: abstract.location)
        }
        guard let inputElement = element(of: input, bound.input, "\(what): its input") else { return nil }
        var outputElement: QName?
        if let output = abstract.output {
            outputElement = element(of: output, bound.output, "\(what): its output")
            if outputElement == nil { return nil }
        }
        return SelectedOperation(
            name: bound.name, soapAction: bound.soapAction ?? "", input: inputElement, output: outputElement,
            // Nobody would hear a fault of a one-way operation.
            faults: outputElement == nil ? [] : faultElements(of: abstract, bound),
            inputHeaders: headerElements(of: bound.input, what),
            outputHeaders: outputElement == nil ? [] : headerElements(of: bound.output, what),
            documentation: abstract.documentation, location: abstract.location)
    }

    private mutating func refuse(_ message: String, at location: SourceLocation) -> SelectedOperation? {
        diagnostics.error(message + Self.advice, at: location)
        return nil
    }

    /// The one element that the body holds (WS-I Basic Profile 1.1, R2201, R2204).
    private mutating func element(of use: MessageUse, _ bound: BindingMessage?, _ what: String) -> QName? {
        let place = bound?.location ?? use.location
        if bound?.use == .encoded {
            _ = refuse("\(what) is encoded (use=\"encoded\"), which is not supported yet", at: place)
            return nil
        }
        if let multipart = bound?.multipart {
            _ = refuse("\(what) has attachments (multipartRelated), which are not supported yet", at: multipart)
            return nil
        }
        guard let message = definitions.messages[use.message] else {
            _ = refuse("\(what) names the message \(use.message), which is not there", at: use.location)
            return nil
        }
        // A part that is a header block is none of the body's (WSDL 1.1 §3.7).
        let inHeader = Set(bound?.headers.filter { $0.message == use.message }.map(\.part) ?? [])
        let parts =
            bound?.parts.map { names in message.parts.filter { names.contains($0.name) } }
            ?? message.parts.filter { !inHeader.contains($0.name) }
        guard parts.count == 1, let part = parts.first else {
            let count = parts.isEmpty ? "no part" : "\(parts.count) parts"
            _ = refuse("\(what) has \(count) in its body; only one is supported yet", at: message.location)
            return nil
        }
        guard let element = part.element else {
            _ = refuse(
                "\(what) has the part ‘\(part.name)’ with a type instead of an element, which is not supported in document "
                    + "style", at: part.location)
            return nil
        }
        return element
    }

    /// A header block that cannot be typed still arrives, and can still be sent by name.
    private mutating func headerElements(of bound: BindingMessage?, _ what: String) -> [QName] {
        var elements: [QName] = []
        for header in bound?.headers ?? [] {
            let part = definitions.messages[header.message]?.parts.first { $0.name == header.part }
            let defect: String
            if header.use == .encoded {
                defect = "is encoded"
            } else if part == nil {
                defect = "names a part of \(header.message) that is not there"
            } else if let element = part?.element {
                if definitions.schema.elements[element]?.isAbstract == false {
                    if !elements.contains(element) { elements.append(element) }
                    continue
                }
                defect = "has the element \(element), which is not there or abstract"
            } else {
                defect = "has a type instead of an element"
            }
            diagnostics.warning(
                "\(what): its header block ‘\(header.part)’ \(defect); it is left out.", at: header.location)
        }
        return elements
    }

    /// A fault that cannot be typed still arrives, as a `SOAPFault`.
    private mutating func faultElements(of abstract: Operation, _ bound: BindingOperation) -> [QName] {
        var elements: [QName] = []
        for fault in abstract.faults {
            let message = definitions.messages[fault.message]
            let binding = bound.faults.first { $0.name == fault.name }
            guard let part = message?.parts.first, message?.parts.count == 1, let element = part.element,
                definitions.schema.elements[element]?.isAbstract == false, binding?.use != .encoded
            else {
                diagnostics.warning(
                    "the fault ‘\(fault.name ?? fault.message.localName)’ of the operation ‘\(abstract.name)’ has no single "
                        + "literal element; it arrives as an undeclared fault.", at: fault.location)
                continue
            }
            if !elements.contains(element) { elements.append(element) }
        }
        return elements
    }
}
