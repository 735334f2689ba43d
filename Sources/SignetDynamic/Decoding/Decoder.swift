import SignetSOAP
import SignetWSDL

/// Turns elements into values, typed by a schema as far as it goes.
///
/// A service may have grown since its WSDL was read: what the schema does not know is kept, and what does not fit its
/// type is kept as text.
struct Decoder {
    var types: TypeTable

    init(_ schema: SchemaSet) { types = TypeTable(schema) }

    mutating func value(_ tree: XMLTree, _ declaration: ElementDeclaration) throws(DynamicError) -> DynamicValue {
        try value(tree, declaration, depth: 0)
    }

    private mutating func value(
        _ tree: XMLTree, _ declaration: ElementDeclaration, depth: Int
    ) throws(DynamicError) -> DynamicValue {
        guard depth < Encoder.depth else {
            throw DynamicError(.limitExceeded, "the elements of the message are nested deeper than \(Encoder.depth).")
        }
        if tree.isNil { return .null }
        let declared = try types.shape(of: declaration.type)
        guard let name = tree.attribute(XMLTree.typeName).flatMap(tree.resolve) else {
            return try value(tree, as: declared, type: nil, depth: depth)
        }
        var isDeclared = false
        if case .named(name) = declaration.type { isDeclared = true }
        // A type that no schema has is no type: the rest is kept as it is.
        let shape = (try? types.shape(of: .named(name))) ?? .any
        let typeKey: String = if case .complex(let complex) = declared { complex.typeKey } else { "@type" }
        let type = isDeclared ? nil : DynamicValue.Member(typeKey, .string(types.text(of: name)))
        return try value(tree, as: shape, type: type, depth: depth)
    }

    private mutating func value(
        _ tree: XMLTree, as shape: Shape, type: DynamicValue.Member?, depth: Int
    ) throws(DynamicError) -> DynamicValue {
        switch shape {
        case .any: return try untyped(tree, type: type, depth: depth)
        case .simple(let simple):
            guard tree.elements.isEmpty else { return try untyped(tree, type: type, depth: depth) }
            let value = self.value(of: tree.text, simple, tree)
            return type.map { .object([$0, .init("#text", value)]) } ?? value
        case .complex(let complex):
            var members = type.map { [$0] } ?? []
            members += attributes(tree, complex)
            switch complex.content {
            case .simple(let simple):
                guard tree.elements.isEmpty else { return try untyped(tree, type: type, depth: depth) }
                members.append(.init("#text", value(of: tree.text, simple, tree)))
            case .elements:
                if complex.isMixed, tree.hasText, !tree.elements.isEmpty {
                    members.append(.init("#xml", .string(tree.markup)))
                } else {
                    if tree.hasText { members.append(.init("#text", .string(tree.text))) }
                    members += try children(tree, complex, depth: depth)
                }
            }
            return .object(members)
        }
    }

    // MARK: Attributes

    private mutating func attributes(_ tree: XMLTree, _ shape: ComplexShape) -> [DynamicValue.Member] {
        var members: [DynamicValue.Member] = []
        for attribute in tree.attributes where attribute.name.namespace != XMLTree.schemaInstance {
            let text = tree.attribute(attribute.name) ?? ""
            let declared = shape.attributes.first { $0.name == attribute.name }
            let type = declared?.type ?? types.schema.attribute(attribute.name)?.type
            let simple = type.flatMap { try? types.simple($0) }
            let key =
                if declared == nil { Self.key(attribute.name, in: "") } else {
                    Key.text(attribute.name, among: shape.attributes.map(\.name))
                }
            members.append(.init("@\(key)", simple.map { value(of: text, $0, tree) } ?? .string(text)))
        }
        return members
    }

    /// A name where one without a namespace is taken to be in `namespace`.
    private static func key(_ name: QName, in namespace: String) -> String {
        name.namespace == namespace ? name.localName : Key.clark(name)
    }

    // MARK: Elements

    private mutating func children(
        _ tree: XMLTree, _ shape: ComplexShape, depth: Int
    ) throws(DynamicError) -> [DynamicValue.Member] {
        var members = MemberList()
        for child in tree.elements {
            if let use = shape.use(of: child.name) {
                let value = try value(child, use.element, depth: depth + 1)
                members.add(Key.text(child.name, among: shape.names), value, isRepeated: use.isRepeated)
            } else {
                let declaration = types.schema.elements[child.name] ?? .undeclared(child.name)
                let value = try value(child, declaration, depth: depth + 1)
                members.add(types.wildKey(child.name, shape), value, isRepeated: false)
            }
        }
        return members.members
    }

    private mutating func untyped(
        _ tree: XMLTree, type: DynamicValue.Member?, depth: Int
    ) throws(DynamicError) -> DynamicValue {
        var members = MemberList()
        if let type { members.add(type.name, type.value, isRepeated: false) }
        for attribute in tree.attributes where attribute.name.namespace != XMLTree.schemaInstance {
            let key = attribute.name == QName("", "type") ? "{}type" : Self.key(attribute.name, in: "")
            members.add("@\(key)", .string(tree.attribute(attribute.name) ?? ""), isRepeated: false)
        }
        let elements = tree.elements
        if members.isEmpty, elements.isEmpty { return .string(tree.text) }
        if tree.hasText, !elements.isEmpty {
            members.add("#xml", .string(tree.markup), isRepeated: false)
            return .object(members.members)
        }
        if elements.isEmpty, !tree.text.isEmpty { members.add("#text", .string(tree.text), isRepeated: false) }
        for child in elements {
            let value = try value(child, types.schema.elements[child.name] ?? .undeclared(child.name), depth: depth + 1)
            members.add(Self.key(child.name, in: tree.name.namespace), value, isRepeated: false)
        }
        return .object(members.members)
    }
}

/// Values by the order in which their names are first met.
private struct MemberList {
    private var names: [String] = []
    private var values: [[DynamicValue]] = []
    private var places: [String: Int] = [:]
    private var repeated: Set<String> = []

    var isEmpty: Bool { names.isEmpty }

    /// Adds a value; the second one of a name makes an array, as `isRepeated` does from the start.
    mutating func add(_ name: String, _ value: DynamicValue, isRepeated: Bool) {
        if isRepeated { repeated.insert(name) }
        if let place = places[name] {
            values[place].append(value)
        } else {
            places[name] = names.count
            names.append(name)
            values.append([value])
        }
    }

    var members: [DynamicValue.Member] {
        zip(names, values).map { name, values in
            let isArray = values.count > 1 || repeated.contains(name)
            return .init(name, isArray ? .array(values) : values.first ?? .null)
        }
    }
}
