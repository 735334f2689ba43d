extension Loading {
    /// Completes the load: these steps need all documents.
    mutating func finish() throws(WSDLError) {
        for redefinition in redefinitions.reversed() {
            try apply(redefinition)
            report(redefinition.reader.taken)
        }
        let missing = try addStandardSchemas()
        // A copy may declare more than the built-in schema.
        for document in replaced where missing.contains(document.namespace) { leaveUnread(document) }
        definitions.schema.inheritTypes()
        for (document, error) in absent {
            if !document.isSchema || missing.contains(document.namespace) { throw error }
            definitions.diagnostics.append(error.remark("nothing needs it, but", isOmission: false))
        }
        try refuseOutside()
        resolveByLocalName()
        warnOfElementParts()
        evaluatePolicies()
    }

    /// Resolves a name whose namespace has no such component to the only component with the same local name: some WSDLs
    /// keep the namespace of an older version in their references.
    private mutating func resolveByLocalName() {
        let messages = OnlyNames(definitions.messages.keys)
        var resolved: [QName: SourceLocation] = [:]
        func resolve(_ name: inout QName, _ names: OnlyNames, _ place: SourceLocation) {
            guard let other = names.other(for: name) else { return }
            if resolved[name] == nil { resolved[name] = place }
            name = other
        }
        for key in definitions.portTypes.keys {
            guard var portType = definitions.portTypes[key] else { continue }
            for index in portType.operations.indices {
                let place = portType.operations[index].location
                if var use = portType.operations[index].input {
                    resolve(&use.message, messages, place)
                    portType.operations[index].input = use
                }
                if var use = portType.operations[index].output {
                    resolve(&use.message, messages, place)
                    portType.operations[index].output = use
                }
                for fault in portType.operations[index].faults.indices {
                    resolve(&portType.operations[index].faults[fault].message, messages, place)
                }
            }
            definitions.portTypes[key] = portType
        }
        // Names that travel in messages are replaced only where the namespace has no schema at all, read or not.
        let unread = Set(definitions.schema.unreadImports.map(\.namespace))
        func isLost(_ name: QName, _ kinds: ComponentName.Kind...) -> Bool {
            (name.namespace.isEmpty || name.namespace == Namespaces.wsdl) && !unread.contains(name.namespace)
                && kinds.allSatisfy { definitions.defects[ComponentName($0, name)] == nil }
        }
        // This costs time for thousands of names, and few WSDLs need it.
        lazy var elements = OnlyNames(definitions.schema.elements.keys.filter { !StandardSchemas.knows($0.namespace) })
        lazy var types = OnlyNames(definitions.schema.types.keys.filter { !StandardSchemas.knows($0.namespace) })
        for key in definitions.messages.keys {
            guard var message = definitions.messages[key] else { continue }
            for index in message.parts.indices {
                let place = message.parts[index].location
                if var name = message.parts[index].element, isLost(name, .element) {
                    resolve(&name, elements, place)
                    message.parts[index].element = name
                }
                if var name = message.parts[index].type, isLost(name, .complexType, .simpleType) {
                    resolve(&name, types, place)
                    message.parts[index].type = name
                }
            }
            definitions.messages[key] = message
        }
        let portTypes = OnlyNames(definitions.portTypes.keys)
        for key in definitions.bindings.keys {
            guard var binding = definitions.bindings[key] else { continue }
            resolve(&binding.portType, portTypes, binding.location)
            definitions.bindings[key] = binding
        }
        let bindings = OnlyNames(definitions.bindings.keys)
        for service in definitions.services.indices {
            for port in definitions.services[service].ports.indices {
                let place = definitions.services[service].ports[port].location
                resolve(&definitions.services[service].ports[port].binding, bindings, place)
            }
        }
        guard let (name, place) = resolved.min(by: { ($0.value.line, $0.key) < ($1.value.line, $1.key) }) else {
            return
        }
        let said = name.namespace.isEmpty ? "‘\(name.localName)’ in no namespace" : "\(name)"
        let others = resolved.count > 1 ? " (and \(resolved.count - 1) more)" : ""
        definitions.diagnostics.append(
            Diagnostic(
                .warning, "nothing is called \(said)\(others); the only ‘\(name.localName)’ is used instead.",
                at: place))
    }

    /// Adds the built-in standard schemas that these documents refer to without including them.
    ///
    /// - Returns: the namespaces of names that nothing declares.
    private mutating func addStandardSchemas() throws(WSDLError) -> Set<String> {
        isStandard = true
        defer { isStandard = false }
        var added: Set<String> = []
        while true {
            let missing = definitions.undeclaredNamespaces
            let next = missing.filter { StandardSchemas.knows($0) && !added.contains($0) }.sorted()
            if next.isEmpty { return missing }
            for namespace in next {
                added.insert(namespace)
                if let root = try StandardSchemas.schema(of: namespace) { try readSchema(root) }
            }
        }
    }

    /// Throws one error for all imports that leave the root folder; it names a root that holds all of them.
    private func refuseOutside() throws(WSDLError) {
        guard let (first, _) = outside.first else { return }
        // The folders all hold the present root, so that one holds the others.
        let roots = outside.compactMap(\.root)
        let highest = roots.count == outside.count ? roots.min { $0.utf8.count < $1.utf8.count } : nil
        let others = outside.count > 1 ? " (and \(outside.count - 1) more)" : ""
        let advice =
            highest.map { "allow the folder that holds both with --root \($0)" } ?? "allow a higher one with --root"
        throw WSDLError(
            .importRefused,
            "‘\(first.reference)’\(others) lies outside the folder that may be read; if you trust these documents, \(advice).",
            at: first.location)
    }
}

/// The components of one kind by their local names, where these are unique.
private struct OnlyNames {
    private let all: Set<QName>
    private var only: [String: QName?] = [:]

    init(_ names: some Sequence<QName>) {
        all = Set(names)
        for name in all { only[name.localName] = .some(only[name.localName] == nil ? name : nil) }
    }

    /// The only component with this local name, when no component has the full name.
    func other(for name: QName) -> QName? {
        if all.contains(name) { return nil }
        return only[name.localName] ?? nil
    }
}
