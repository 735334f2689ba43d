import SignetXML

extension Loading {
    /// Reads `wsdl:definitions` (WSDL 1.1 §2.1).
    mutating func readDefinitions(_ root: XMLNode, isMain: Bool) throws(WSDLError) {
        let target = root.attribute("targetNamespace") ?? ""
        if isMain {
            definitions.name = root.attribute("name")
            definitions.documentation = root.documentation
        }
        for node in root.children where Namespaces.policies.contains(node.name.namespace) { policy(node) }
        for node in root.children where node.name.namespace == Namespaces.wsdl {
            switch node.name.localName {
            case "import":
                if let location = node.attribute("location") {
                    request(location, at: node, namespace: node.attribute("namespace") ?? "", isSchema: false)
                }
            case "types": try readTypes(node)
            case "message":
                try guarded(.message, node, target) { (me) throws(WSDLError) in try me.readMessage(node, target) }
            case "portType":
                try guarded(.portType, node, target) { (me) throws(WSDLError) in try me.readPortType(node, target) }
            case "binding":
                try guarded(.binding, node, target) { (me) throws(WSDLError) in try me.readBinding(node, target) }
            case "service":
                try guarded(.service, node, target) { (me) throws(WSDLError) in try me.readService(node, target) }
            default: break
            }
        }
    }

    /// Reads the schemas of `wsdl:types`, unless they were read before.
    mutating func readTypes(_ node: XMLNode) throws(WSDLError) {
        guard typesRead.insert(node.location).inserted else { return }
        hasUnqualified =
            hasUnqualified || node.children(Namespaces.schema, "schema").contains(where: \.bringsUnqualified)
        for child in node.children where child.name.namespace == Namespaces.schema {
            switch child.name.localName {
            case "schema": try readSchema(child)
            case "import": readImport(child)
            default: break
            }
        }
    }

    private mutating func readMessage(_ node: XMLNode, _ target: String) throws(WSDLError) {
        var parts: [Message.Part] = []
        for part in node.children(Namespaces.wsdl, "part") {
            parts.append(
                Message.Part(
                    name: try part.required("name"), element: try part.qualifiedName("element"),
                    type: try part.qualifiedName("type"), location: part.location))
        }
        let name = QName(target, try node.required("name"))
        let message = Message(name: name, parts: parts, location: node.location, policies: policies(of: node))
        enter(message, ComponentName(.message, name), at: node.location, in: \.messages)
    }

    private mutating func readPortType(_ node: XMLNode, _ target: String) throws(WSDLError) {
        let name = QName(target, try node.required("name", .path))
        var operations: [Operation] = []
        for child in node.children(Namespaces.wsdl, "operation") {
            if let name = operationName(child, in: name) { operations.append(readOperation(child, name)) }
        }
        enter(
            PortType(
                name: name, operations: operations, documentation: node.documentation, location: node.location,
                policies: policies(of: node)),
            ComponentName(.portType, name), at: node.location, in: \.portTypes)
    }

    /// An error in an operation is stored with it: the other operations of the port type can be used.
    private mutating func readOperation(_ node: XMLNode, _ name: String) -> Operation {
        var operation = Operation(
            name: name, documentation: node.documentation, location: node.location, policies: policies(of: node))
        let first = node.children.first {
            $0.isNamed(Namespaces.wsdl, "input") || $0.isNamed(Namespaces.wsdl, "output")
        }
        operation.outputIsFirst = first?.name.localName == "output"
        do {
            operation.input = try messageUse(node.child(Namespaces.wsdl, "input"))
            operation.output = try messageUse(node.child(Namespaces.wsdl, "output"))
            for fault in node.children(Namespaces.wsdl, "fault") { operation.faults.append(try messageUse(fault)) }
        } catch {
            operation.defect = error
            definitions.diagnostics.append(error.remark("the operation ‘\(name)’ cannot be used"))
        }
        return operation
    }

    private mutating func messageUse(_ node: XMLNode?) throws(WSDLError) -> MessageUse? {
        if let node { try messageUse(node) } else { nil }
    }

    private mutating func messageUse(_ node: XMLNode) throws(WSDLError) -> MessageUse {
        MessageUse(
            name: node.attribute("name"), message: try node.requiredQualifiedName("message"),
            action: node.addressingAction,
            documentation: node.documentation, location: node.location, policies: policies(of: node))
    }

    private mutating func readService(_ node: XMLNode, _ target: String) throws(WSDLError) {
        let name = QName(target, try node.required("name", .path))
        var ports: [Port] = []
        var names: Set<String> = []
        for child in node.children(Namespaces.wsdl, "port") {
            do {
                let port = try readPort(child)
                ports.append(port)
                guard !names.insert(port.name).inserted else { continue }
                definitions.diagnostics.append(
                    Diagnostic(
                        .warning,
                        "the service ‘\(name.localName)’ has another port ‘\(port.name)’ before this one; where the port is named, "
                            + "the first one counts.", at: port.location))
            } catch {
                omit(error.remark("a port of the service ‘\(name.localName)’ is left out"))
            }
        }
        guard !definitions.services.contains(where: { $0.name == name }) else { return }
        definitions.services.append(
            Service(
                name: name, ports: ports, documentation: node.documentation, location: node.location,
                policies: policies(of: node)))
    }

    private mutating func readPort(_ node: XMLNode) throws(WSDLError) -> Port {
        // Every kind of binding has an `address` of its own namespace.
        let addresses = node.children.filter { $0.name.localName == "address" }
        let address = addresses.first { Self.protocols.contains($0.name.namespace) } ?? addresses.first
        return Port(
            name: try node.required("name", .path), binding: try node.requiredQualifiedName("binding", .path),
            address: address?.attribute("location"), documentation: node.documentation,
            location: node.location, policies: policies(of: node),
            requiredExtensions: requiredExtensions(node), addressing: node.usedAddressing)
    }
}

extension XMLNode {
    /// The text of `documentation` below this element or below its `xs:annotation`; nil when there is none.
    var documentation: String? {
        let own = children.filter { $0.name.localName == "documentation" }
        let annotated = children(Namespaces.schema, "annotation").flatMap {
            $0.children(Namespaces.schema, "documentation")
        }
        let texts = (own + annotated).map(\.text.trimmedXMLSpace).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
    }
}

extension XMLNode {
    /// Whether a schema declares components without a namespace. A schema without a target namespace may hold only
    /// imports.
    fileprivate var bringsUnqualified: Bool {
        let isUnqualified = (attribute("targetNamespace") ?? "").isEmpty
        return children.contains { child in
            guard child.name.namespace == Namespaces.schema else { return false }
            return child.name.localName == "import"
                ? (child.attribute("namespace") ?? "").isEmpty : isUnqualified && child.name.localName != "annotation"
        }
    }
}
