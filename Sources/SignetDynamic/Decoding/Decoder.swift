import SignetSOAP
import SignetWSDL

/// Turns elements into values, typed by a schema as far as the schema goes.
///
/// The schema of a service may have grown since its WSDL was read: the decoder keeps what the schema does not know, and
/// keeps text that does not fit its type as text.
struct Decoder {
    var types: TypeTable
    /// Whether elements are written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    let isEncoded: Bool
    /// Whether elements are identified by their local names alone.
    var takesAnyNamespace = false
    /// Whether the deviations include values that facets exclude: lengths, ranges, patterns, enumerations.
    var checksFacets = false
    /// The deviations from the schema.
    var deviations: DeviationList?
    /// The patterns that were needed so far; nil for one that cannot be checked.
    var patterns: [String: XSDPattern?] = [:]

    init(_ schema: SchemaSet, isEncoded: Bool = false) {
        types = TypeTable(schema)
        self.isEncoded = isEncoded
    }

    /// The value of an element. The function keeps its own stack, so that a deep message needs no deep recursion.
    mutating func value(_ tree: XMLTree, _ declaration: ElementDeclaration) throws(DynamicError) -> DynamicValue {
        var current = try begin(tree, declaration)
        var around: [(value: OpenValue, child: Child)] = []
        while true {
            if let child = current.children.popFirst() {
                around.append((current, child))
                deviations?.path.append(child.tree.name.localName)
                current = try begin(child.tree, child.declaration, isOptional: child.isOptional)
            } else {
                guard var parent = around.popLast() else { return current.value }
                deviations?.path.removeLast()
                let child = parent.child
                parent.value.add(current.value, of: child)
                current = parent.value
            }
        }
    }

    private mutating func begin(
        _ tree: XMLTree, _ declaration: ElementDeclaration, isOptional: Bool = false
    ) throws(DynamicError) -> OpenValue {
        let declared = try types.shape(of: declaration.type)
        var open = OpenValue()
        var shape = declared
        if tree.isNil { noteNilContent(tree) }
        if isEncoded, let array = array(tree, declared) {
            open.begin(array, tree)
            return open
        }
        if let name = typeName(tree, declared) {
            // A type that no schema defines counts as no type: the rest is kept as it is.
            let named = try? types.shape(of: .named(name))
            if named == nil {
                note(.unknownType, tree, "the type “\(name)” of xsi:type is not known.")
            } else {
                noteType(tree, declaration)
            }
            shape = named ?? .any
            var isDeclared = false
            if case .named(name) = declaration.type { isDeclared = true }
            if !isDeclared, !tree.isNil {
                let isTaken = declared.hasTypeAttribute || shape.hasTypeAttribute
                open.add(isTaken ? "@xsi:type" : "@type", .string(types.text(of: name)))
            }
        } else {
            noteType(tree, declaration)
        }
        if tree.isNil {
            noteNil(tree, declaration, isOptional: isOptional)
            for member in attributes(tree, shape) { open.add(member.name, member.value) }
            open.replacement = open.members.isEmpty ? .null : nil
            if !open.members.isEmpty { open.add("@xsi:nil", true) }
        } else if tree.content.isEmpty, let preset = declaration.preset, shape.hasPlainText {
            // An empty element stands for the default or fixed value of the schema (XML Schema Structures §3.3.1). The
            // prefixes of the schema have no meaning in a message.
            var filled = tree
            filled.content = [.text(.plain(preset.text))]
            fill(&open, filled, shape)
        } else {
            fill(&open, tree, shape)
        }
        return open
    }

    /// The type that an element states for itself.
    private func typeName(_ tree: XMLTree, _ declared: Shape) -> QName? {
        guard let name = tree.attribute(XMLTree.typeName).flatMap(tree.resolve) else { return nil }
        guard isEncoded else { return name }
        // In SOAP's encoding every value states its type, possibly by another name for the same type.
        if case .simple = declared { return nil }
        guard Namespaces.soapEncodings.contains(name.namespace) else { return name }
        // The encoding's own types stand for those of XML Schema.
        guard case .any = declared, BuiltIn.named(QName(Namespaces.schema, name.localName)) != nil else { return nil }
        return QName(Namespaces.schema, name.localName)
    }

    private mutating func fill(_ open: inout OpenValue, _ tree: XMLTree, _ shape: Shape) {
        switch shape {
        case .simple(let simple) where tree.elements.isEmpty:
            note(tree.text, simple, tree)
            let value = value(of: tree.text, simple, tree)
            for member in attributes(tree, shape) { open.add(member.name, member.value) }
            if open.members.isEmpty { open.replacement = value } else { open.add("#text", value) }
        case .complex(let complex):
            switch complex.content {
            case .simple(let simple):
                guard tree.elements.isEmpty else {
                    noteElements(tree)
                    return fillUntyped(&open, tree)
                }
                note(tree.text, simple, tree)
                for member in attributes(tree, shape) { open.add(member.name, member.value) }
                open.add("#text", value(of: tree.text, simple, tree))
            case .elements:
                for member in attributes(tree, shape) { open.add(member.name, member.value) }
                let children = tree.elements.map { child($0, complex) }[...]
                if complex.isMixed, tree.hasText, !children.isEmpty {
                    open.add("#xml", .string(tree.markup))
                } else {
                    if tree.hasText { open.add("#text", .string(tree.text)) }
                    open.children = children
                }
                if !complex.isMixed, tree.hasText {
                    note(.unexpectedText, tree, "there is text where only elements are allowed.")
                }
                note(children, complex, tree)
            }
        case .simple:
            noteElements(tree)
            fillUntyped(&open, tree)
        case .any: fillUntyped(&open, tree)
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
        tree.attributes.filter { !isMarkup($0) }.map { attribute in
            let key = attribute.name == QName("", "type") ? "{}type" : Self.key(attribute.name, in: "")
            return .init("@\(key)", .string(tree.attribute(attribute.name) ?? ""))
        }
    }

    private mutating func attributes(_ tree: XMLTree, _ shape: ComplexShape) -> [DynamicValue.Member] {
        var members: [DynamicValue.Member] = []
        for attribute in tree.attributes where !isMarkup(attribute) {
            let text = tree.attribute(attribute.name) ?? ""
            let declared = shape.attributes.first { $0.name == attribute.name }
            let type = declared?.type ?? types.schema.attribute(attribute.name)?.type
            let simple = type.flatMap { try? types.simple($0) }
            note(attribute.name, text, declared == nil ? nil : simple, shape, tree)
            let key =
                if declared == nil { Self.key(attribute.name, in: "") } else {
                    ElementKey.text(attribute.name, among: shape.attributes.map(\.name))
                }
            members.append(.init("@\(key)", simple.map { value(of: text, $0, tree) } ?? .string(text)))
        }
        noteMissingAttributes(tree, shape)
        return members
    }

    /// Whether an attribute belongs to how a value is written, and not to the value.
    private func isMarkup(_ attribute: XMLTree.Attribute) -> Bool {
        let namespace = attribute.name.namespace
        if namespace == XMLTree.schemaInstance { return true }
        return isEncoded
            && ([Namespaces.envelope11, Namespaces.envelope12] + Namespaces.soapEncodings).contains(namespace)
    }

    /// The key of a name; a name without a namespace counts as one in `namespace`.
    private static func key(_ name: QName, in namespace: String) -> String {
        name.namespace == namespace ? name.localName : ElementKey.expandedName(name)
    }

    // MARK: Elements

    private mutating func child(_ tree: XMLTree, _ shape: ComplexShape) -> Child {
        // Accessors have no namespace, but some services give them one (SOAP 1.1 §5.1).
        let isLocal = isEncoded || takesAnyNamespace
        if let use = shape.use(of: tree.name) ?? (isLocal ? shape.use(key: tree.name.localName) : nil) {
            let key = shape.key(of: use.element.name)
            return Child(
                tree: tree, declaration: use.element, key: key, isRepeated: use.isRepeated, isDeclared: true,
                isOptional: tree.isNil && shape.isOptional(use.element.name))
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
