import SignetWSDL

/// The third stage: decides every Swift name and which values are kept on the heap.
struct Planner {
    let schema: BoundSchema
    let names: TypeNames
    let layout: Layout

    static func plan(
        _ selected: SelectedService, _ schema: BoundSchema, namespace: String?, _ diagnostics: inout Diagnostics
    ) -> ServicePlan? {
        let layout = Layout(schema)
        for key in layout.defects {
            guard let type = schema.types[key] else { continue }
            diagnostics.error(
                "the type ‘\(key.path.last ?? key.name.localName)’ must contain itself or is too large to be a value"
                    + Selector.advice, at: type.location)
        }
        if diagnostics.hasErrors { return nil }
        let planner = Planner(schema: schema, names: TypeNames(schema), layout: layout)
        let types = schema.types.map { planner.plan($0.value, $0.key) }.sorted { $0.name < $1.name }
        return ServicePlan(
            name: TypeNames.namespace(namespace ?? selected.service.name.localName),
            serviceName: selected.service.name.localName, portName: selected.port.name, address: selected.port.address,
            documentation: selected.documentation, operations: planner.plan(selected.operations), types: types)
    }

    // MARK: Operations

    private func plan(_ operations: [SelectedOperation]) -> [OperationPlan] {
        var table = NameTable(reserved: ["caller", "init", "with"])
        return operations.map { operation in
            OperationPlan(
                name: SwiftName.escaped(table.take(SwiftName.member(operation.name))), wsdlName: operation.name,
                soapAction: operation.soapAction, input: message(operation.input), output: message(operation.output),
                faults: operation.faults.map(message), namespaces: namespaces(of: operation),
                documentation: operation.documentation)
        }
    }

    private func message(_ element: QName) -> MessagePlan {
        let type = schema.messages[element].map(names.name(of:)) ?? ""
        return MessagePlan(namespace: element.namespace, localName: element.localName, type: type)
    }

    /// The namespaces of all that the operation's messages can hold, in order of appearance.
    private func namespaces(of operation: SelectedOperation) -> [String] {
        var found: [String] = []
        var reached: Set<TypeKey> = []
        func add(_ namespace: String) {
            if !namespace.isEmpty && namespace != Namespaces.xml && !found.contains(namespace) {
                found.append(namespace)
            }
        }
        for element in [operation.input, operation.output] + operation.faults {
            add(element.namespace)
            var open: ArraySlice<TypeKey> = schema.messages[element].map { [$0] } ?? []
            while let key = open.popFirst() {
                guard reached.insert(key).inserted else { continue }
                for field in schema.types[key]?.fields ?? [] {
                    add(field.name.namespace)
                    if case .declared(let inner) = field.type { open.append(inner) }
                }
            }
        }
        return found
    }

    // MARK: Types

    private func plan(_ type: BoundType, _ key: TypeKey) -> TypePlan {
        let content: TypePlan.Content
        switch type.content {
        case .structure(let fields): content = .structure(plan(fields, key))
        case .enumeration(let facets): content = .enumeration(plan(facets))
        }
        return TypePlan(name: names.name(of: key), content: content, documentation: type.documentation)
    }

    private func plan(_ fields: [BoundField], _ key: TypeKey) -> [FieldPlan] {
        // Names of the protocol's requirements, which take no backticks.
        var table = NameTable(reserved: [
            "decodeField", "encodeAttributes", "encodeContent", "hash", "hashValue", "xmlTable",
        ])
        return fields.enumerated().map { index, field in
            let plain = SwiftName.member(field.name.localName)
            let name = field.kind == .attribute ? table.take(plain, "\(plain)Attribute") : table.take(plain)
            var isStructure = false
            if case .declared(let inner) = field.type { isStructure = schema.types[inner]?.isEnumeration == false }
            return FieldPlan(
                name: SwiftName.escaped(name), xmlName: field.name.localName, namespace: field.name.namespace,
                kind: field.kind, type: names.name(of: field.type), isStructure: isStructure,
                occurrence: field.occurrence,
                isNillable: field.isNillable, isBoxed: layout.isBoxed(index, of: key),
                documentation: documentation(field))
        }
    }

    private func documentation(_ field: BoundField) -> String? {
        let preset: String? =
            switch field.preset {
            case .byDefault(let value): "Where it is absent, ‘\(value)’ is meant."
            case .fixed(let value): "The only value allowed is ‘\(value)’."
            case nil: nil
            }
        let parts = [field.documentation, preset].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }

    private func plan(_ facets: [Facet]) -> [CasePlan] {
        var table = NameTable(reserved: [
            "hash", "hashValue", "init", "rawValue", "typeName", "collapsesSpace", "unrecognized",
        ])
        var seen: Set<[UInt8]> = []
        return facets.compactMap { facet in
            // Compared as bytes: Swift holds differently composed letters to be equal, XML does not.
            guard seen.insert(Array(facet.value.utf8)).inserted else { return nil }
            let name = facet.value.isEmpty ? "empty" : SwiftName.member(facet.value)
            return CasePlan(
                name: SwiftName.escaped(table.take(name)), value: facet.value, documentation: facet.documentation)
        }
    }
}
