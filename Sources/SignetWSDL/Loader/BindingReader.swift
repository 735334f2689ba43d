import SignetXML

extension Loading {
    /// Reads `wsdl:binding` with the extension elements of SOAP, HTTP and MIME (WSDL 1.1 §2.5, §3 to §5).
    mutating func readBinding(_ node: XMLNode, _ target: String) throws(WSDLError) {
        let protocolElement = extensionElement(of: node, "binding")
        var binding = Binding(
            name: QName(target, try node.required("name", .path)),
            portType: try node.requiredQualifiedName("type", .path),
            format: format(protocolElement), style: .document, transport: protocolElement?.attribute("transport") ?? "",
            requiredExtensions: requiredExtensions(node), documentation: node.documentation,
            location: node.location, policies: policies(of: node))
        binding.addressing = node.usedAddressing
        if binding.format == .soap11 || binding.format == .soap12 { normaliseTransport(of: &binding) }
        if binding.format == .http { binding.verb = protocolElement?.attribute("verb") }
        do { binding.style = try style(protocolElement) ?? .document } catch {
            binding.defect = error
            definitions.diagnostics.append(
                error.remark("the binding ‘\(binding.name.localName)’ cannot be used", isOmission: false))
        }
        var operations: [BindingOperation] = []
        for child in node.children(Namespaces.wsdl, "operation") {
            if let name = operationName(child, in: binding.name) { operations.append(readOperation(child, name)) }
        }
        binding.bind(operations)
        enter(binding, ComponentName(.binding, binding.name), at: node.location, in: \.bindings)
    }

    /// Sets the transport to HTTP where it is absent, which WSDL 1.1's own schema allows, or written as a known variant
    /// of HTTP's URI.
    private mutating func normaliseTransport(of binding: inout Binding) {
        let text = binding.transport
        let other = text.isEmpty ? Namespaces.soapOverHTTP : Namespaces.httpTransportVariants[text]
        guard let other else { return }
        let written = text.isEmpty ? "names no transport" : "names the transport ‘\(text)’"
        definitions.diagnostics.append(
            Diagnostic(
                .warning, "the binding ‘\(binding.name.localName)’ \(written); HTTP is assumed.",
                at: binding.location))
        binding.transport = other
    }

    /// The extension element with this name; an element of a known protocol takes precedence over others.
    private func extensionElement(of node: XMLNode, _ name: String) -> XMLNode? {
        let all = node.children.filter { $0.name.localName == name && $0.name.namespace != Namespaces.wsdl }
        return all.first { Self.protocols.contains($0.name.namespace) } ?? (name == "binding" ? all.first : nil)
    }

    static var protocols: [String] { [Namespaces.soap11, Namespaces.soap12, Namespaces.http] }

    private func format(_ node: XMLNode?) -> Binding.Format {
        switch node?.name.namespace {
        case Namespaces.soap11: .soap11
        case Namespaces.soap12: .soap12
        case Namespaces.http: .http
        case let other: .other(other ?? "")
        }
    }

    private func style(_ node: XMLNode?) throws(WSDLError) -> Binding.Style? {
        guard let node, let value = node.attribute("style") else { return nil }
        guard let style = Binding.Style(rawValue: value) else {
            throw WSDLError(.invalid, "the style ‘\(value)’ is neither ‘document’ nor ‘rpc’.", at: node.location)
        }
        return style
    }

    /// The extension elements that must be understood and are not. Policies are evaluated later. For `UsingAddressing`
    /// there is only a warning, because a client can be configured to send the header blocks of WS-Addressing.
    mutating func requiredExtensions(_ node: XMLNode) -> [Binding.Extension] {
        let known = [Namespaces.wsdl, Namespaces.soap11, Namespaces.soap12, Namespaces.http, Namespaces.mime]
        var unknown: [Binding.Extension] = []
        for child in node.children where !known.contains(child.name.namespace) {
            let required = child.attribute(QName(Namespaces.wsdl, "required"))?.trimmedXMLSpace
            guard required == "true" || required == "1" else { continue }
            if child.name.localName == "UsingAddressing", Namespaces.addressingBindings.contains(child.name.namespace) {
                definitions.diagnostics.append(
                    Diagnostic(
                        .warning,
                        "WS-Addressing is demanded here (UsingAddressing): a client sends its header blocks when an AddressingHeader "
                            + "is among its headerProviders.", at: child.location))
            } else if Namespaces.policies.contains(child.name.namespace) {
                // Policies are evaluated when all documents are read.
                continue
            } else {
                unknown.append(Binding.Extension(name: child.name, location: child.location))
            }
        }
        return unknown
    }

    /// The name of an operation, which may contain slashes like the names of ports; nil, with a diagnostic, when the
    /// name is absent or invalid.
    mutating func operationName(_ node: XMLNode, in owner: QName) -> String? {
        do { return try node.required("name", .path) } catch {
            omit(error.remark("an operation of ‘\(owner.localName)’ is left out"))
            return nil
        }
    }

    private mutating func readOperation(_ node: XMLNode, _ name: String) -> BindingOperation {
        let how = extensionElement(of: node, "operation")
        let messages = ["input", "output", "fault"].flatMap { node.children(Namespaces.wsdl, $0) }
        var operation = BindingOperation(
            name: name, soapAction: how?.attribute("soapAction"), faults: [],
            requiredExtensions: ([node] + messages).flatMap { requiredExtensions($0) }, location: node.location,
            policies: policies(of: node),
            httpLocation: how?.name.namespace == Namespaces.http ? how?.attribute("location") : nil)
        do {
            operation.style = try style(how)
            operation.input = try readMessage(node.child(Namespaces.wsdl, "input"))
            operation.output = try readMessage(node.child(Namespaces.wsdl, "output"))
            for fault in node.children(Namespaces.wsdl, "fault") { operation.faults.append(try readMessage(fault)) }
        } catch {
            operation.defect = error
            definitions.diagnostics.append(error.remark("the operation ‘\(operation.name)’ cannot be used"))
        }
        return operation
    }

    private mutating func readMessage(_ node: XMLNode?) throws(WSDLError) -> BindingMessage? {
        if let node { try readMessage(node) } else { nil }
    }

    private mutating func readMessage(_ node: XMLNode) throws(WSDLError) -> BindingMessage {
        let multipart = node.child(Namespaces.mime, "multipartRelated")
        // With attachments, the first part of the multipart holds body and headers.
        let held = ([node] + (multipart?.children(Namespaces.mime, "part") ?? [])).flatMap(\.children)
        let all = held.filter { $0.name.namespace == Namespaces.soap11 || $0.name.namespace == Namespaces.soap12 }
        let body = all.first { $0.name.localName == "body" || $0.name.localName == "fault" }
        var headers: [BindingMessage.HeaderUse] = []
        for header in all where header.name.localName == "header" { headers.append(try headerUse(header)) }
        let how = node.children.first { $0.name.namespace == Namespaces.http }
        let contents = held.filter { $0.name.namespace == Namespaces.mime && $0.name.localName != "part" }
        return BindingMessage(
            name: node.attribute("name") ?? body?.attribute("name"), use: try use(body),
            parts: body?.attribute("parts")?.xmlWords,
            namespace: body?.attribute("namespace"), headers: headers, multipart: multipart?.location,
            location: body?.location ?? node.location, policies: policies(of: node),
            encodingStyle: body?.attribute("encodingStyle"),
            urlEncoding: how.flatMap { BindingMessage.URLEncoding(rawValue: $0.name.localName) },
            contents: contents.compactMap(content))
    }

    private func headerUse(_ node: XMLNode) throws(WSDLError) -> BindingMessage.HeaderUse {
        var header = BindingMessage.HeaderUse(
            message: try node.requiredQualifiedName("message"), part: try node.required("part"), use: try use(node),
            location: node.location, namespace: node.attribute("namespace"))
        for fault in node.children(node.name.namespace, "headerfault") { header.faults.append(try headerUse(fault)) }
        return header
    }

    private func content(_ node: XMLNode) -> BindingMessage.MIMEContent? {
        switch node.name.localName {
        case "content":
            BindingMessage.MIMEContent(
                part: node.attribute("part"), type: node.attribute("type"), location: node.location)
        case "mimeXml":
            BindingMessage.MIMEContent(part: node.attribute("part"), type: "text/xml", location: node.location)
        default: nil
        }
    }

    /// An absent `use` means literal (WS-I Basic Profile 1.1, R2707).
    private func use(_ node: XMLNode?) throws(WSDLError) -> BindingMessage.Use {
        guard let node, let value = node.attribute("use") else { return .literal }
        guard let use = BindingMessage.Use(rawValue: value) else {
            throw WSDLError(.invalid, "the use ‘\(value)’ is neither ‘literal’ nor ‘encoded’.", at: node.location)
        }
        return use
    }
}
