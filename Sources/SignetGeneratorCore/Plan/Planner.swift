import SignetWSDL

/// The third stage: decides every Swift name and which values are kept on the heap.
struct Planner {
    let schema: BoundSchema
    var names: TypeNames
    let layout: Layout
    let placeholders: Placeholders

    static func plan(
        _ selected: SelectedService, _ schema: BoundSchema, _ options: GeneratorOptions,
        _ diagnostics: inout Diagnostics
    ) -> ServicePlan? {
        let layout = Layout(schema)
        let placeholders = Placeholders(schema)
        for key in Set(layout.defects + placeholders.defects).sorted() {
            guard let type = schema.types[key] else { continue }
            diagnostics.error(
                "the type ‘\(key.path.last ?? key.name.localName)’ must contain itself or is too large to be a value"
                    + Selector.advice, at: type.location)
        }
        let name = TypeNames.namespace(options.namespace ?? selected.service.name.localName)
        let namespaces = SwiftNamespaces(service: name, names: options.namespaces ?? [:], schema)
        if namespaces.names.contains(name) {
            diagnostics.error(
                "‘namespaces’ names ‘\(name)’, as the service is called already; choose another name.",
                at: selected.service.location)
        }
        if diagnostics.hasErrors { return nil }
        let planner = Planner(
            schema: schema, names: TypeNames(schema, in: namespaces), layout: layout, placeholders: placeholders)
        var plans: [TypeKey: TypePlan] = [:]
        for (key, type) in schema.types {
            var inner = planner
            inner.names = planner.names.inside(key)
            plans[key] = inner.plan(type, key, in: namespaces.container(of: key))
        }
        let headers = planner.headers(of: selected.operations)
        return ServicePlan(
            name: name, serviceName: selected.service.name.localName, documentation: selected.documentation,
            ports: planner.plan(selected.ports), headers: headers.map(\.plan),
            operations: planner.plan(selected.operations, headers: headers), types: planner.ordered(plans),
            namespaces: namespaces.plans)
    }

    // MARK: Types

    /// By container and name, but each choice behind the first structure that holds it.
    private func ordered(_ plans: [TypeKey: TypePlan]) -> [TypePlan] {
        var choices = plans.filter { schema.types[$0.key]?.isChoice == true }
        let others = plans.filter { choices[$0.key] == nil }
            .sorted { ($0.value.container ?? "", $0.value.name) < ($1.value.container ?? "", $1.value.name) }
        return others.flatMap { key, plan in
            let held = (schema.types[key]?.fields ?? []).filter { $0.kind == .choice }
            return [plan]
                + held.compactMap { field -> TypePlan? in
                    guard case .declared(let choice) = field.type else { return nil }
                    return choices.removeValue(forKey: choice)
                }
        }
    }

    private func plan(_ type: BoundType, _ key: TypeKey, in container: String?) -> TypePlan {
        let content: TypePlan.Content
        switch type.content {
        case .structure(let fields): content = .structure(properties(fields, key))
        case .choice(let fields): content = .choice(cases(fields), isIndirect: layout.isIndirect(key))
        case .enumeration(let facets): content = .enumeration(plan(facets))
        case .array(let array): content = .array(plan(array))
        }
        return TypePlan(
            name: names.ownName(of: key), container: container, content: content, documentation: type.documentation)
    }

    private func properties(_ fields: [BoundField], _ key: TypeKey) -> [FieldPlan] {
        // Names of the protocol's requirements, which take no backticks.
        var table = NameTable(reserved: [
            "decodeField", "encodeAttributes", "encodeContent", "hash", "hashValue", "xmlTable",
        ])
        return fields.enumerated().map { index, field in
            let plain = SwiftName.member(field.name.localName)
            let name = field.kind == .attribute ? table.take(plain, "\(plain)Attribute") : table.take(plain)
            return plan(field, name, isBoxed: layout.isBoxed(index, of: key))
        }
    }

    /// Names that no case may have; the first two belong to optionals.
    private static let reservedCases: Set<String> = ["none", "some", "hash", "hashValue", "init"]

    /// The cases of a choice.
    private func cases(_ fields: [BoundField]) -> [FieldPlan] {
        var table = NameTable(reserved: Self.reservedCases)
        return fields.map { plan($0, table.take(SwiftName.member($0.name.localName))) }
    }

    func plan(_ field: BoundField, _ name: String, isBoxed: Bool = false) -> FieldPlan {
        var branches: [FieldPlan] = []
        if field.kind == .choice, case .declared(let key) = field.type {
            branches = cases(schema.types[key]?.fields ?? [])
        }
        return FieldPlan(
            name: SwiftName.escaped(name), xmlName: field.name.localName, namespace: field.name.namespace,
            kind: field.kind, type: names.name(of: field.type), occurrence: field.occurrence,
            isNillable: field.isNillable, isBoxed: isBoxed, branches: branches,
            placeholder: placeholder(of: field.type), documentation: documentation(field))
    }

    private func placeholder(of reference: BoundReference) -> String {
        switch reference {
        case .builtIn(let type): return type == .any ? "\(type.rawValue)(_decoding: ())" : "._placeholder"
        case .declared(let key):
            switch schema.types[key]?.content {
            case .structure, .array: return "\(names.name(of: key))(_decoding: ())"
            case .choice(let fields):
                guard let index = placeholders.branches[key], fields.indices.contains(index) else { break }
                let value = fields[index].isNillable ? "nil" : placeholder(of: fields[index].type)
                return ".\(cases(fields)[index].name)(\(value))"
            default: break
            }
            return "._placeholder"
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
        var table = NameTable(
            reserved: Self.reservedCases.union(["rawValue", "typeName", "whiteSpace", "unrecognized"]))
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
