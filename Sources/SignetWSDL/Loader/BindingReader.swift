extension Loading {
    /// Reads `wsdl:binding` with the extension elements of SOAP (WSDL 1.1 §2.5, §3).
    mutating func readBinding(_ node: XMLNode, _ target: String) throws(WSDLError) {
        let protocolElement = node.children.first {
            $0.name.localName == "binding" && $0.name.namespace != Namespaces.wsdl
        }
        var operations: [BindingOperation] = []
        for child in node.children(Namespaces.wsdl, "operation") { operations.append(try readOperation(child)) }
        let name = QName(target, try node.required("name"))
        let binding = Binding(
            name: name, portType: try node.requiredQualifiedName("type"), format: format(protocolElement),
            style: try style(protocolElement) ?? .document, transport: protocolElement?.attribute("transport") ?? "",
            operations: operations, requiredExtensions: requiredExtensions(node), documentation: node.documentation,
            location: node.location, policies: policies(of: node))
        enter(binding, name, "binding", at: node.location, in: \.bindings)
    }

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

    private func requiredExtensions(_ node: XMLNode) -> [Binding.Extension] {
        let known = [Namespaces.wsdl, Namespaces.soap11, Namespaces.soap12, Namespaces.http, Namespaces.mime]
        return node.children.filter { child in
            let required = child.attribute(QName(Namespaces.wsdl, "required"))
            return (required == "true" || required == "1") && !known.contains(child.name.namespace)
        }.map { Binding.Extension(name: $0.name, location: $0.location) }
    }

    private mutating func readOperation(_ node: XMLNode) throws(WSDLError) -> BindingOperation {
        let soap = node.children.first { $0.name.localName == "operation" && $0.name.namespace != Namespaces.wsdl }
        var faults: [BindingMessage] = []
        for fault in node.children(Namespaces.wsdl, "fault") { faults.append(try readMessage(fault)) }
        let input = node.child(Namespaces.wsdl, "input")
        let output = node.child(Namespaces.wsdl, "output")
        return BindingOperation(
            name: try node.required("name"), soapAction: soap?.attribute("soapAction"), style: try style(soap),
            input: try readMessage(input), output: try readMessage(output), faults: faults,
            requiredExtensions: requiredExtensions(node), location: node.location, policies: policies(of: node))
    }

    private mutating func readMessage(_ node: XMLNode?) throws(WSDLError) -> BindingMessage? {
        if let node { try readMessage(node) } else { nil }
    }

    private mutating func readMessage(_ node: XMLNode) throws(WSDLError) -> BindingMessage {
        let multipart = node.child(Namespaces.mime, "multipartRelated")
        // With attachments, body and headers stand in the first of the multipart's parts.
        let holders = [node] + (multipart?.children(Namespaces.mime, "part") ?? [])
        let all = holders.flatMap(\.children).filter {
            $0.name.namespace == Namespaces.soap11 || $0.name.namespace == Namespaces.soap12
        }
        let body = all.first { $0.name.localName == "body" || $0.name.localName == "fault" }
        var headers: [BindingMessage.HeaderUse] = []
        var headerFaults: [BindingMessage.HeaderUse] = []
        for header in all where header.name.localName == "header" {
            headers.append(try headerUse(header))
            for fault in header.children where fault.name == QName(header.name.namespace, "headerfault") {
                headerFaults.append(try headerUse(fault))
            }
        }
        return BindingMessage(
            name: node.attribute("name") ?? body?.attribute("name"), use: try use(body),
            parts: body?.attribute("parts").map { $0.split(whereSeparator: \.isXMLSpace).map(String.init) },
            namespace: body?.attribute("namespace"), headers: headers, headerFaults: headerFaults,
            multipart: multipart?.location,
            attachments: holders.dropFirst().flatMap { $0.children(Namespaces.mime, "content") }.compactMap {
                $0.attribute("part")
            },
            location: body?.location ?? node.location, policies: policies(of: node))
    }

    private func headerUse(_ node: XMLNode) throws(WSDLError) -> BindingMessage.HeaderUse {
        BindingMessage.HeaderUse(
            message: try node.requiredQualifiedName("message"), part: try node.required("part"), use: try use(node),
            namespace: node.attribute("namespace"), location: node.location)
    }

    /// Literal is meant where nothing is said (WS-I Basic Profile 1.1, R2707).
    private func use(_ node: XMLNode?) throws(WSDLError) -> BindingMessage.Use {
        guard let node, let value = node.attribute("use") else { return .literal }
        guard let use = BindingMessage.Use(rawValue: value) else {
            throw WSDLError(.invalid, "the use ‘\(value)’ is neither ‘literal’ nor ‘encoded’.", at: node.location)
        }
        return use
    }
}
