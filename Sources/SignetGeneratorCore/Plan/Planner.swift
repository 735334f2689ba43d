import SignetWSDL

/// The third stage: decides every Swift name and which values are kept on the heap.
struct Planner {
    let schema: BoundSchema
    let options: GeneratorOptions
    /// Whether the messages state the types of their elements (`xsi:type`).
    let writesTypes: Bool
    var names: TypeNames
    let layout: Layout
    let placeholders: Placeholders

    static func plan(
        _ selected: SelectedService, _ schema: BoundSchema, _ options: GeneratorOptions,
        _ diagnostics: inout Diagnostics
    ) -> ServicePlan? {
        var schema = schema
        var placeholders = Placeholders(schema)
        if !placeholders.defects.isEmpty {
            makeFinite(placeholders.defects, &schema, &diagnostics)
            placeholders = Placeholders(schema)
        }
        let layout = Layout(schema)
        for key in Set(layout.defects + placeholders.defects).sorted() {
            guard let type = schema.types[key] else { continue }
            diagnostics.error(
                "the type ‘\(key.shown)’ must contain itself or is too large to be a value" + Selector.advice,
                at: type.location)
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
            schema: schema, options: options, writesTypes: selected.isEncoded,
            names: TypeNames(schema, in: namespaces, options: options),
            layout: layout, placeholders: placeholders)
        let headers = planner.headers(of: selected.operations)
        let types = planner.types(in: namespaces)
        let operations = planner.plan(selected.operations, headers: headers)
        planner.reportTakenNames(types, operations, selected, &diagnostics)
        if diagnostics.hasErrors { return nil }
        return ServicePlan(
            name: name, serviceName: selected.service.name.localName, documentation: selected.documentation,
            ports: planner.plan(selected.ports), headers: headers.map(\.plan),
            operations: operations,
            types: sorted(types),
            derivedTypes: planner.derivedTypes, keepingProtocols: planner.keepingProtocols,
            namespaces: namespaces.plans,
            messageTypes: schema.messages.mapValues(planner.outsideName), schema: schema,
            tables: types.compactMapValues(\.table))
    }

    /// By container and name.
    private static func sorted(_ types: [TypeKey: TypePlan]) -> [TypePlan] {
        // Plans are large, so only the sort keys are moved.
        types.map { (container: $0.value.container ?? "", name: $0.value.name, key: $0.key) }
            .sorted { ($0.container, $0.name) < ($1.container, $1.name) }.compactMap { types[$0.key] }
    }

    /// Gives types without a finite value one: a required field of the type itself becomes optional.
    private static func makeFinite(_ defects: [TypeKey], _ schema: inout BoundSchema, _ diagnostics: inout Diagnostics)
    {
        let endless = Set(defects)
        for key in defects {
            guard let type = schema.types[key] else { continue }
            for (index, field) in type.fields.enumerated() where field.kind == .element {
                guard let inner = field.type.declaration, endless.contains(inner) else { continue }
                schema.types[key]?.fields[index].isNillable = true
                diagnostics.warning(
                    "the element ‘\(field.name.localName)’ holds itself without an end; it may be nil, although the schema does "
                        + "not say so.", at: field.location)
            }
        }
    }

    /// The derived types that values may have, with names for code outside all containers.
    private var derivedTypes: [String] {
        let variants = schema.types.values.filter(\.isBase).flatMap(\.variants)
        return Set(variants).map { names.name(of: $0) }.sorted()
    }

    /// The protocols to which `XMLAny` conforms, because it holds values that are kept as written.
    private var keepingProtocols: [String] {
        schema.types.filter(\.value.keepsUnknownVariants).keys.map(names.qualifiedProtocol).sorted()
    }

    /// The type of a message for code outside of the service's namespace.
    func outsideName(of reference: BoundReference) -> String {
        let name = names.name(of: reference)
        return reference.declaration == nil ? name : "\(names.service).\(name)"
    }

    // MARK: Types

    private func types(in namespaces: SwiftNamespaces) -> [TypeKey: TypePlan] {
        let fields = schema.types.reduce(into: [TypeKey: [FieldPlan]]()) { fields, item in
            fields[item.key] = inside(item.key).fields(of: item.value, item.key)
        }
        return schema.types.reduce(into: [:]) { plans, item in
            let (key, type) = item
            plans[key] = inside(key).plan(type, key, fields, in: namespaces.container(of: key))
        }
    }

    private func inside(_ key: TypeKey) -> Planner {
        var inner = self
        inner.names = names.inside(key)
        return inner
    }

    private func fields(of type: BoundType, _ key: TypeKey) -> [FieldPlan] {
        switch type.content {
        case .structure(let fields): properties(fields, key)
        case .choice(let fields): cases(fields, key)
        case .enumeration, .union, .array: []
        }
    }

    private func plan(
        _ type: BoundType, _ key: TypeKey, _ fields: [TypeKey: [FieldPlan]], in container: String?
    ) -> TypePlan {
        let own = fields[key] ?? []
        let content: TypePlan.Content =
            switch type.content {
            case .structure: type.isAbstract ? .none : .structure(own)
            case .choice: .choice(own, isIndirect: layout.isIndirect(key))
            case .enumeration(let facets): .enumeration(plan(facets, key))
            case .union(let members): .union(plan(members))
            case .array(let array): .array(plan(array))
            }
        var result = TypePlan(
            key: key, name: names.ownName(of: key), container: container, content: content,
            isUnordered: type.isUnordered, isMixed: type.isMixed, writesTypes: writesTypes,
            documentation: type.documentation)
        if type.isChoice { result.placeholder = placeholder(of: .declared(key), name: names.name) }
        if type.isBase || !type.bases.isEmpty {
            result.xmlName = key.name
            result.protocols = (type.isBase ? [key] : type.bases.prefix(1)).map(names.qualifiedProtocol)
        }
        if type.isBase { result.protocolPlan = protocolPlan(type, key, fields) }
        return result
    }

    /// The protocol of the types derived from a base: the properties that have the same meaning in all of them.
    private func protocolPlan(_ type: BoundType, _ key: TypeKey, _ fields: [TypeKey: [FieldPlan]]) -> ProtocolPlan {
        let inherited = Set(
            type.bases.prefix(1).flatMap { base in
                schema.types[base].map { shared($0, base, fields).map(\.name) } ?? []
            })
        let name = key.name.localName
        return ProtocolPlan(
            name: names.ownProtocol(of: key), inherited: type.bases.prefix(1).map(names.protocolName),
            requirements: shared(type, key, fields).filter { !inherited.contains($0.name) }
                .map { ($0.name, $0.propertyType) },
            documentation: type.keepsUnknownVariants
                ? "`\(names.ownName(of: key))` and the types derived from it; those that are not made are `XMLAny`, as they were written."
                : type.isAbstract
                    ? type.documentation ?? "The types derived from `\(name)`."
                    : "`\(names.ownName(of: key))` and the types derived from it.")
    }

    private func shared(_ type: BoundType, _ key: TypeKey, _ fields: [TypeKey: [FieldPlan]]) -> [FieldPlan] {
        // `XMLAny`, which keeps values as written, has no such properties.
        if type.keepsUnknownVariants { return [] }
        var left = Array(zip(type.fields, fields[key] ?? []))
        for variant in type.variants where variant != key && !left.isEmpty {
            let others = schema.types[variant]?.fields ?? []
            let plans = fields[variant] ?? []
            lazy var numbers = Dictionary(plans.enumerated().map { ($1.name, $0) }) { first, _ in first }
            func has(_ field: BoundField, _ plan: FieldPlan, at index: Int) -> Bool {
                let other = others[index]
                return plans[index].name == plan.name && other.name == field.name && other.kind == field.kind
                    && other.type == field.type && other.occurrence == field.occurrence
                    && other.isNillable == field.isNillable
            }
            let places = 0..<min(others.count, plans.count)
            // Inherited properties come first, and almost always at the same index as in the base.
            left = left.enumerated().filter { index, item in
                (places.contains(index) && has(item.0, item.1, at: index))
                    || numbers[item.1.name].map { places.contains($0) && has(item.0, item.1, at: $0) } == true
            }.map(\.element)
        }
        return left.map(\.1)
    }

    // MARK: Fields

    /// Names of the protocol's requirements, which take no backticks.
    private static let reservedProperties: Set<String> = [
        "hash", "hashValue", "violations", "xmlFields", "xmlTable", "xmlType",
    ]

    private func properties(_ fields: [BoundField], _ key: TypeKey) -> [FieldPlan] {
        var table = NameTable(reserved: Self.reservedProperties.union([names.service]))
        return fields.enumerated().map { index, field in
            let plain = chosen(field.name.localName, key) ?? SwiftName.member(field.name.localName)
            let name = field.kind == .attribute ? table.take(plain, "\(plain)Attribute") : table.take(plain)
            return plan(field, name, isBoxed: layout.isBoxed(index, of: key))
        }
    }

    /// The configured name for a property or case of a named type, by the name of its element or attribute, or by the
    /// value of the enumeration.
    func chosen(_ member: String, _ key: TypeKey) -> String? {
        guard key.path.isEmpty else { return nil }
        return options.override(of: key.name, member: member, in: options.names)
    }

    /// Names that no case may have; the first two belong to optionals.
    private static let reservedCases: Set<String> = [
        "none", "some", "hash", "hashValue", "init", "decode", "encode", "violations", "xmlTable", "xmlTypes",
        "_placeholder",
    ]

    /// The cases of a choice.
    private func cases(_ fields: [BoundField], _ key: TypeKey) -> [FieldPlan] {
        var table = NameTable(reserved: Self.reservedCases.union([names.service]))
        if schema.types[key]?.isMixed == true { _ = table.take("text") }
        return fields.map { field in
            plan(field, table.take(chosen(field.name.localName, key) ?? SwiftName.member(field.name.localName)))
        }
    }

    func plan(_ field: BoundField, _ name: String, isBoxed: Bool = false) -> FieldPlan {
        var result = FieldPlan(
            name: SwiftName.escaped(name), xmlName: field.name.localName, namespace: field.name.namespace,
            kind: field.kind, content: content(of: field), type: names.name(of: field.type),
            occurrence: field.occurrence, bounds: field.bounds,
            isNillable: field.isNillable, isBoxed: isBoxed, namespaces: field.namespaces, rules: field.rules,
            preset: presetText(field),
            // A value that can hold anything states its own type.
            schemaType: field.type == .builtIn(.any) ? nil : field.schemaType,
            placeholder: placeholder(of: field.type, name: names.qualifiedName),
            documentation: documentation(field))
        if schema.isPolymorphic(field.type), case .declared(let key) = field.type {
            result.isDerived = true
            result.type = "any \(names.protocolName(of: key))"
            result.isAbstract = schema.types[key]?.isAbstract == true
        }
        if case .declared(let key) = field.type {
            result.declared = TypeName(inside: names.name(of: key), outside: names.qualifiedName(of: key))
        }
        result.isExternal = field.type.isExternal
        if case .builtIn(let type) = field.type { result.builtIn = type }
        switch field.type {
        case .builtIn(.token): result.space = .collapsed
        case .builtIn(.normalized): result.space = .replaced
        default: break
        }
        return result
    }

    private func content(of field: BoundField) -> FieldPlan.Content {
        if field.kind == .wildcard { return .fragment }
        switch field.type {
        case .builtIn(.any), .external(_, isSimple: false): return .structure
        case .builtIn, .list, .external: return .value
        case .declared(let key):
            guard let type = schema.types[key] else { return .structure }
            return type.isSimple ? .value : type.isChoice ? .choice : .structure
        }
    }

    /// - Parameter name: the name of a type for the code around it.
    private func placeholder(of reference: BoundReference, name: (TypeKey) -> String) -> String {
        switch reference {
        case .builtIn(.any): return "XMLAny(_decoding: ())"
        case .builtIn, .list, .external(_, isSimple: true): return "._placeholder"
        case .external(let type, _): return "\(type)(_decoding: ())"
        case .declared(let key):
            if schema.isPolymorphic(reference) {
                return placeholders.variants[key].map { "\(name($0))(_decoding: ())" } ?? ""
            }
            switch schema.types[key]?.content {
            case .structure, .array: return ".init(_decoding: ())"
            case .choice(let fields):
                guard let index = placeholders.branches[key], fields.indices.contains(index) else { break }
                let field = fields[index]
                var value =
                    field.occurrence == .repeated
                    ? "[]" : field.isNillable ? "nil" : placeholder(of: field.type, name: name)
                if schema.isPolymorphic(field.type) { value = "XMLDerived(\(value))" }
                return ".\(cases(fields, key)[index].name)(\(value))"
            default: break
            }
            return "._placeholder"
        }
    }

    /// The value of an element without text, as written in tables; nil when the schema gives no value, or gives one
    /// with a prefix that only the schema declares.
    private func presetText(_ field: BoundField) -> String? {
        guard field.kind == .element, field.type != .builtIn(.any), field.type != .builtIn(.qualifiedName) else {
            return nil
        }
        switch field.preset {
        case .byDefault(let value), .fixed(let value): return value.isEmpty ? nil : value.inOneLine
        case nil: return nil
        }
    }

    private func documentation(_ field: BoundField) -> String? {
        let preset: String? =
            switch field.preset {
            case .byDefault(let value):
                "Where it is \(field.kind == .element ? "empty" : "absent"), ‘\(value)’ is meant."
            case .fixed(let value): "The only value allowed is ‘\(value)’."
            case nil: nil
            }
        let parts = [field.documentation, preset].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }

    // MARK: Simple types

    private func plan(_ facets: [Facet], _ key: TypeKey) -> [CasePlan] {
        var table = NameTable(
            reserved: Self.reservedCases.union(["rawValue", "typeName", "whiteSpace", "unrecognized"]))
        return facets.withDistinctValues.map { facet in
            let name = table.take(chosen(facet.value, key) ?? SwiftName.enumerationCase(facet.value))
            let value = SwiftName.tells(name, facet.value) ? nil : "The value is ‘\(facet.value.inOneLine)’."
            let parts = [facet.documentation, value].compactMap { $0 }
            return CasePlan(
                name: SwiftName.escaped(name), value: facet.value,
                documentation: parts.isEmpty ? nil : parts.joined(separator: "\n\n"))
        }
    }

    /// Plans the cases of a union, whose names derive from the types of its members.
    private func plan(_ members: [BoundReference]) -> [UnionMemberPlan] {
        var table = NameTable(reserved: Self.reservedCases.union(["typeName", "whiteSpace", "unrecognized"]))
        return members.map { member in
            let type = names.name(of: member)
            let name: String
            switch member {
            case .builtIn(let type): name = type.caseName
            case .declared(let key): name = SwiftName.member(names.ownName(of: key))
            case .list: name = "list"
            case .external(let type, _): name = SwiftName.member(String(type.split(separator: ".").last ?? "value"))
            }
            return UnionMemberPlan(name: SwiftName.escaped(table.take(name)), type: type, isExternal: member.isExternal)
        }
    }
}

extension [Facet] {
    /// The first facet of each value.
    var withDistinctValues: [Facet] {
        var seen: Set<[UInt8]> = []
        // Compared as bytes: Swift treats composed and decomposed characters as equal, XML does not.
        return filter { seen.insert([UInt8]($0.value.utf8)).inserted }
    }
}

extension BoundReference {
    /// Whether the type, or the item type of a list, comes from a module that the configuration names.
    var isExternal: Bool {
        switch self {
        case .external: true
        case .list(let item): item.isExternal
        case .builtIn, .declared: false
        }
    }
}

extension BuiltInType {
    /// `int32`, `date`, `decimal`: the case of a union.
    fileprivate var caseName: String {
        SwiftName.member(swiftName.hasPrefix("XSD") ? String(swiftName.dropFirst(3)) : swiftName)
    }
}
