import SignetSOAP
import SignetWSDL

/// Turns elements into values, typed by a schema as far as it goes.
///
/// A service may have grown since its WSDL was read: what the schema does not know is kept, and what does not fit its
/// type is kept as text.
struct Decoder {
    var types: TypeTable

    init(_ schema: SchemaSet) { types = TypeTable(schema) }

    /// The value of an element; it keeps its own stack, so that a deep message needs no deep recursion.
    mutating func value(_ tree: XMLTree, _ declaration: ElementDeclaration) throws(DynamicError) -> DynamicValue {
        var current = try begin(tree, declaration)
        var around: [(value: OpenValue, child: Child)] = []
        while true {
            if let child = current.children.popFirst() {
                around.append((current, child))
                current = try begin(child.tree, child.declaration)
            } else {
                guard var parent = around.popLast() else { return current.value }
                let child = parent.child
                parent.value.members.add(child.key, current.value, isRepeated: child.isRepeated)
                current = parent.value
            }
        }
    }

    private mutating func begin(_ tree: XMLTree, _ declaration: ElementDeclaration) throws(DynamicError) -> OpenValue {
        let declared = try types.shape(of: declaration.type)
        var open = OpenValue()
        var shape = declared
        if let name = tree.attribute(XMLTree.typeName).flatMap(tree.resolve) {
            // A type that no schema has is no type: the rest is kept as it is.
            shape = (try? types.shape(of: .named(name))) ?? .any
            var isDeclared = false
            if case .named(name) = declaration.type { isDeclared = true }
            if !isDeclared, !tree.isNil {
                let isTaken = declared.hasTypeAttribute || shape.hasTypeAttribute
                open.add(isTaken ? "@xsi:type" : "@type", .string(types.text(of: name)))
            }
        }
        if tree.isNil {
            for member in attributes(tree, shape) { open.add(member.name, member.value) }
            open.replacement = open.members.isEmpty ? .null : nil
            if !open.members.isEmpty { open.add("@xsi:nil", true) }
        } else {
            fill(&open, tree, shape)
        }
        return open
    }

    private mutating func fill(_ open: inout OpenValue, _ tree: XMLTree, _ shape: Shape) {
        switch shape {
        case .simple(let simple) where tree.elements.isEmpty:
            let value = value(of: tree.text, simple, tree)
            for member in attributes(tree, shape) { open.add(member.name, member.value) }
            if open.members.isEmpty { open.replacement = value } else { open.add("#text", value) }
        case .complex(let complex):
            switch complex.content {
            case .simple(let simple):
                guard tree.elements.isEmpty else { return fillUntyped(&open, tree) }
                for member in attributes(tree, shape) { open.add(member.name, member.value) }
                open.add("#text", value(of: tree.text, simple, tree))
            case .elements:
                for member in attributes(tree, shape) { open.add(member.name, member.value) }
                if complex.isMixed, tree.hasText, !tree.elements.isEmpty {
                    open.add("#xml", .string(tree.markup))
                } else {
                    if tree.hasText { open.add("#text", .string(tree.text)) }
                    open.children = tree.elements.map { child($0, complex) }[...]
                }
            }
        case .any, .simple: fillUntyped(&open, tree)
        }
    }

    // MARK: Attributes

    private mutating func attributes(_ tree: XMLTree, _ shape: Shape) -> [DynamicValue.Member] {
        switch shape {
        case .any: return untypedAttributes(tree)
        case .simple: return attributes(tree, ComplexShape())
        case .complex(let complex): return attributes(tree, complex)
        }
    }

    private func untypedAttributes(_ tree: XMLTree) -> [DynamicValue.Member] {
        tree.attributes.filter { $0.name.namespace != XMLTree.schemaInstance }.map { attribute in
            let key = attribute.name == QName("", "type") ? "{}type" : Self.key(attribute.name, in: "")
            return .init("@\(key)", .string(tree.attribute(attribute.name) ?? ""))
        }
    }

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

    private mutating func child(_ tree: XMLTree, _ shape: ComplexShape) -> Child {
        if let use = shape.use(of: tree.name) {
            let key = Key.text(tree.name, among: shape.names)
            return Child(tree: tree, declaration: use.element, key: key, isRepeated: use.isRepeated)
        }
        let declaration = types.schema.elements[tree.name] ?? .undeclared(tree.name)
        return Child(tree: tree, declaration: declaration, key: types.wildKey(tree.name, shape), isRepeated: false)
    }

    private func fillUntyped(_ open: inout OpenValue, _ tree: XMLTree) {
        for member in untypedAttributes(tree) { open.add(member.name, member.value) }
        let elements = tree.elements
        if open.members.isEmpty, elements.isEmpty {
            open.replacement = .string(tree.text)
        } else if tree.hasText, !elements.isEmpty {
            open.add("#xml", .string(tree.markup))
        } else if elements.isEmpty, !tree.text.isEmpty {
            open.add("#text", .string(tree.text))
        }
        guard !tree.hasText else { return }
        open.children =
            elements.map { child in
                let declaration = types.schema.elements[child.name] ?? .undeclared(child.name)
                let key = Self.key(child.name, in: tree.name.namespace)
                return Child(tree: child, declaration: declaration, key: key, isRepeated: false)
            }[...]
    }
}

/// An element whose value becomes a member.
private struct Child {
    var tree: XMLTree
    var declaration: ElementDeclaration
    var key: String
    var isRepeated: Bool
}

/// A value being made, and the elements that are still to become its members.
private struct OpenValue {
    var members = MemberList()
    /// The value when it is no object.
    var replacement: DynamicValue?
    var children: ArraySlice<Child> = []

    var value: DynamicValue { replacement ?? .object(members.members) }

    mutating func add(_ name: String, _ value: DynamicValue) { members.add(name, value, isRepeated: false) }
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
