package import SignetWSDL

/// Makes test documents that are valid by a schema.
///
/// Random instances cover choices, derived types, members of substitution groups, nil, and content that wildcards
/// allow. No type is nested in itself without end.
package struct InstanceMaker {
    /// Beyond this depth, or this number of elements, optional content is omitted.
    private static let optionalDepth = 6
    private static let optionalElements = 1500
    /// How deep elements and groups may be nested: each needs a few calls on the stack.
    private static let depth = 180
    /// How many elements and groups may be tried, including those that are discarded.
    private static let steps = 200_000

    private var types: TypeTable
    private let style: InstanceStyle
    /// Whether messages are written by the rules of SOAP's encoding, in which any structure may be nil (SOAP 1.1 §5.1).
    private let isEncoded: Bool
    /// Whether the outermost element may be nil if it is nillable.
    private let isMessageNillable: Bool
    var numbers: SeededNumbers
    /// The named types that enclose the place being filled.
    private var open: [QName] = []
    private var elements = 0
    private var steps = 0
    private var nesting = 0
    private var identifiers = 0

    package init(
        _ schema: SchemaSet, _ style: InstanceStyle, isEncoded: Bool = false, isMessageNillable: Bool = false
    ) {
        self.isEncoded = isEncoded
        self.isMessageNillable = isMessageNillable
        types = TypeTable(schema)
        self.style = style
        if case .random(let seed) = style {
            numbers = SeededNumbers(seed: seed)
        } else {
            numbers = SeededNumbers(seed: 1)
        }
    }

    /// Makes an element with its content, as UTF-8.
    ///
    /// - Throws: ``DynamicError`` when the schema is broken, or the required content of the element is endless.
    package mutating func instance(of declaration: ElementDeclaration) throws(DynamicError) -> [UInt8] {
        try tree(of: declaration).bytes
    }

    mutating func tree(of declaration: ElementDeclaration) throws(DynamicError) -> XMLTree {
        open = []
        elements = 0
        steps = 0
        nesting = 0
        identifiers = 0
        guard let tree = try element(declaration, depth: 0, isOptional: false) else {
            throw DynamicError(
                .brokenSchema,
                "no value can be made for ‘\(declaration.name.localName)’: what it requires contains itself, or is nested "
                    + "too deep.")
        }
        return tree
    }

    private var isRandom: Bool {
        if case .random = style { true } else { false }
    }

    /// True with a probability of one in `count`; always false for instances that are not random.
    mutating func chance(oneIn count: Int) -> Bool { isRandom && Int.random(in: 0..<count, using: &numbers) == 0 }

    private mutating func step() throws(DynamicError) {
        steps += 1
        guard steps <= Self.steps else {
            throw DynamicError(
                .limitExceeded, "an instance would need more than \(Self.steps) elements and groups of the schema.")
        }
    }

    // MARK: Elements

    private mutating func element(
        _ declaration: ElementDeclaration, depth: Int, isOptional: Bool
    ) throws(DynamicError) -> XMLTree? {
        guard nesting < Self.depth, !declaration.isAbstract else { return nil }
        try step()
        nesting += 1
        defer { nesting -= 1 }
        elements += 1
        var tree = XMLTree(name: declaration.name)
        var reference = declaration.type
        var opened = 0
        defer { open.removeLast(opened) }
        if case .named(let name) = reference {
            guard open.count(where: { $0 == name }) < (isOptional || isEncoded ? 1 : 2) else {
                return isOptional ? nil : try null(declaration, depth)
            }
            if types.schema.isUndescribed(name) {
                fillAny(&tree)
                return tree
            }
            open.append(name)
            opened += 1
            if let derived = try derivedType(of: name) {
                tree.attributes.append(.init(name: XMLTree.typeName, value: [.name(derived)]))
                reference = .named(derived)
                open.append(derived)
                opened += 1
            } else if case .complex(let complex) = try types.shape(of: reference), complex.isAbstract {
                return nil
            }
        }
        if let array = types.schema.encodedArray(reference) {
            try fill(&tree, array, depth: depth)
            return tree
        }
        let shape = try types.shape(of: reference)
        // A nil property cannot keep attributes.
        var hasRequiredAttributes = false
        if case .complex(let complex) = shape {
            hasRequiredAttributes = complex.attributes.contains(where: \.isRequired)
        }
        if mayBeNil(declaration, depth), !hasRequiredAttributes, chance(oneIn: 6) {
            tree.attributes.append(.init(name: XMLTree.nilName, value: [.plain("true")]))
            return tree
        }
        switch shape {
        case .any: fillAny(&tree)
        case .simple(let simple): tree.content = [.text(text(simple, declaration.preset))]
        case .complex(let complex):
            guard try fill(&tree, complex, declaration.preset, depth: depth) else {
                return isOptional ? nil : try null(declaration, depth)
            }
        }
        return tree
    }

    /// Whether the element may be nil. The outermost element may be nil only when generated code has a value for that.
    private func mayBeNil(_ declaration: ElementDeclaration, _ depth: Int) -> Bool {
        declaration.isNillable && declaration.preset == nil && (depth > 0 || isMessageNillable)
    }

    /// The element without a value; nil when it must have one.
    private mutating func null(_ declaration: ElementDeclaration, _ depth: Int) throws(DynamicError) -> XMLTree? {
        guard depth > 0 && isEncoded || mayBeNil(declaration, depth) else { return nil }
        if !isEncoded, case .complex(let complex) = try types.shape(of: declaration.type),
            complex.attributes.contains(where: \.isRequired)
        {
            return nil
        }
        var tree = XMLTree(name: declaration.name)
        tree.attributes = [.init(name: XMLTree.nilName, value: [.plain("true")])]
        return tree
    }

    /// Fills an array as far as its items can be made.
    private mutating func fill(
        _ tree: inout XMLTree, _ array: EncodedArray, depth: Int
    ) throws(DynamicError) {
        var length = 0
        if depth <= Self.optionalDepth, elements <= Self.optionalElements {
            switch style {
            case .minimal: break
            case .maximal: length = 2
            case .random: length = Int.random(in: 0...3, using: &numbers)
            }
        }
        var lengths = [Int](repeating: length > 0 ? 2 : 0, count: array.dimensions)
        lengths[0] = length
        var items: [XMLTree] = []
        for _ in 0..<lengths.reduce(1, *) {
            guard let item = try item(of: array, depth: depth) else { break }
            items.append(item)
        }
        if items.count < lengths.reduce(1, *) {
            lengths = [Int](repeating: 0, count: array.dimensions)
            items = []
        }
        let size = lengths.map(String.init).joined(separator: ",")
        tree.attributes.append(
            .init(
                name: EncodedArray.arrayType,
                value: [.name(array.itemName), .plain("\(array.ranks.dropLast().joined())[\(size)]")]))
        tree.content = items.map(XMLTree.Item.element)
    }

    private mutating func item(of array: EncodedArray, depth: Int) throws(DynamicError) -> XMLTree? {
        guard let inner = array.items else {
            return try element(array.declaration, depth: depth + 1, isOptional: true)
        }
        var tree = XMLTree(name: array.element)
        try fill(&tree, inner, depth: depth + 1)
        return tree
    }

    /// The type to name with `xsi:type`; nil for the declared one.
    private mutating func derivedType(of name: QName) throws(DynamicError) -> QName? {
        guard name.namespace != Namespaces.schema, case .complex(let complex) = try types.shape(of: .named(name)) else {
            return nil
        }
        guard complex.isAbstract || chance(oneIn: 2) else { return nil }
        let concrete = try types.concreteTypes(derivedFrom: name).filter { $0 != name && !open.contains($0) }
        return isRandom ? concrete.randomElement(using: &numbers) : complex.isAbstract ? concrete.first : nil
    }

    private mutating func fill(
        _ tree: inout XMLTree, _ shape: ComplexShape, _ preset: Preset?, depth: Int
    ) throws(DynamicError) -> Bool {
        try addAttributes(shape, to: &tree)
        switch shape.content {
        case .simple(let simple): tree.content = [.text(text(simple, preset))]
        case .elements(let model):
            if let model {
                guard let content = try fill(model, depth: depth) else { return false }
                tree.content = content
            }
            if shape.isMixed, style != .minimal { mix(&tree) }
        }
        return true
    }

    /// Inserts text between the elements.
    private mutating func mix(_ tree: inout XMLTree) {
        var content: [XMLTree.Item] = [.text(.plain("before "))]
        for item in tree.content { content += [item, .text(.plain(" & between "))] }
        tree.content = content
    }

    private mutating func addAttributes(_ shape: ComplexShape, to tree: inout XMLTree) throws(DynamicError) {
        // Values in SOAP's encoding have attributes that have no meaning after reading.
        if let name = shape.name, Namespaces.soapEncodings.contains(name.namespace) { return }
        for attribute in shape.attributes {
            let simple = try types.simple(attribute.type)
            if !attribute.isRequired {
                if style == .minimal || simple.needsDeclarations || chance(oneIn: 2) { continue }
            }
            tree.attributes.append(.init(name: attribute.name, value: [text(simple, attribute.preset)]))
        }
        guard let wildcard = shape.anyAttribute, wildcard.processing != .strict, style != .minimal, !chance(oneIn: 2),
            let namespace = wildcard.someNamespace(avoiding: types.schema)
        else { return }
        tree.attributes.append(.init(name: QName(namespace, "extra"), value: [.plain("more")]))
    }

    private mutating func fillAny(_ tree: inout XMLTree) {
        guard style != .minimal, !chance(oneIn: 2) else {
            if chance(oneIn: 2) {
                tree.attributes.append(
                    .init(name: XMLTree.typeName, value: [.name(QName(Namespaces.schema, "string"))]))
            }
            tree.content = [.text(.plain("text"))]
            return
        }
        var child = XMLTree(name: QName("urn:example:other", "free"))
        child.attributes = [.init(name: QName("", "key"), value: [.plain("a \"b\" <c>")])]
        child.content = [.text(.plain("any")), .element(XMLTree(name: QName("", "plain")))]
        tree.content = [.element(child)]
    }

    // MARK: Content models

    /// Returns nil when required content cannot be made.
    private mutating func fill(_ model: Model, depth: Int) throws(DynamicError) -> [XMLTree.Item]? {
        guard nesting < Self.depth else { return nil }
        if model.maximum == 0 { return [] }
        try step()
        nesting += 1
        defer { nesting -= 1 }
        let least = min(model.minimum, 100)
        var count = least
        let isDeep = depth > Self.optionalDepth || elements > Self.optionalElements
        if !isDeep {
            switch style {
            case .minimal: break
            case .maximal: count = max(least, min(model.maximum ?? 2, 2))
            case .random: count = Int.random(in: least...max(least, min(model.maximum ?? 3, 3)), using: &numbers)
            }
        }
        var content: [XMLTree.Item] = []
        for number in 0..<count {
            let mark = elements
            guard let once = try fillOnce(model, number, depth: depth, isOptional: number >= least) else {
                elements = mark
                return number >= least ? content : nil
            }
            content += once
        }
        return content
    }

    /// - Parameter number: how many times the model was filled before.
    private mutating func fillOnce(
        _ model: Model, _ number: Int, depth: Int, isOptional: Bool
    ) throws(DynamicError) -> [XMLTree.Item]? {
        switch model.term {
        case .element(let alternatives):
            for declaration in ordered(alternatives, number) {
                if let tree = try element(declaration, depth: depth + 1, isOptional: isOptional) {
                    return [.element(tree)]
                }
            }
            return nil
        case .wildcard(let wildcard): return try wild(wildcard, depth: depth)
        case .group(.choice, let branches):
            // A branch that may not occur is no alternative (XML Schema Part 1 §3.9.2).
            let possible = branches.filter { $0.maximum != 0 }
            for branch in ordered(possible, number) {
                if let content = try fill(branch, depth: depth) { return content }
            }
            return possible.isEmpty ? [] : nil
        case .group(_, let parts):
            var content: [XMLTree.Item] = []
            for part in parts {
                guard let more = try fill(part, depth: depth) else { return nil }
                content += more
            }
            return content
        }
    }

    /// The alternatives in the order in which they are tried; the order changes each time.
    private mutating func ordered<Item>(_ items: [Item], _ number: Int) -> [Item] {
        switch style {
        case .minimal: return items
        case .maximal:
            guard !items.isEmpty else { return items }
            let start = number % items.count
            return Array(items[start...] + items[..<start])
        case .random: return items.shuffled(using: &numbers)
        }
    }

    private mutating func wild(_ wildcard: Wildcard, depth: Int) throws(DynamicError) -> [XMLTree.Item]? {
        if wildcard.processing == .strict {
            let candidates = types.schema.elements.values.filter {
                wildcard.allows($0.name.namespace) && !$0.isAbstract
            }
            for declaration in candidates.sorted(by: { $0.name < $1.name }).prefix(20) {
                if let tree = try element(declaration, depth: depth + 1, isOptional: true) { return [.element(tree)] }
            }
        }
        guard let namespace = wildcard.someNamespace(avoiding: types.schema) else { return nil }
        var tree = XMLTree(name: QName(namespace, "anything"))
        // An element that states its type needs no declaration (XML Schema Part 1 §3.10.1).
        if wildcard.processing == .strict {
            tree.attributes = [.init(name: XMLTree.typeName, value: [.name(QName(Namespaces.schema, "string"))])]
        }
        tree.content = [.text(.plain("x"))]
        return [.element(tree)]
    }

    // MARK: Simple values

    private mutating func text(_ shape: SimpleShape, _ preset: Preset?) -> XMLTree.Text {
        if case .fixed(let value) = preset, !shape.isQualifiedName { return .plain(value) }
        if case .atomic(let type) = shape.variety, type.name == "ID" {
            identifiers += 1
            return .plain("id\(identifiers)")
        }
        if case .atomic(let type) = shape.variety, type.name == "IDREF" { return .plain("id\(max(1, identifiers))") }
        let text = InstanceText.text(for: shape, style, &numbers)
        if shape.isQualifiedName { return .name(ElementKey.name(text) ?? QName("", text)) }
        return .plain(text)
    }
}

extension SchemaSet {
    /// Whether no schema describes a type although messages may use it: Axis sends maps and vectors.
    fileprivate func isUndescribed(_ type: QName) -> Bool {
        type.namespace == Namespaces.apacheSOAP && types[type] == nil
    }
}

extension Wildcard {
    /// A namespace that the wildcard allows; if possible one that no schema describes.
    fileprivate func someNamespace(avoiding schema: SchemaSet) -> String? {
        switch namespaces {
        case .any, .other: return "urn:example:other"
        case .these(let list): return list.first
        }
    }
}

extension SimpleShape {
    /// Whether a value refers to a declaration elsewhere in the document.
    fileprivate var needsDeclarations: Bool {
        switch variety {
        case .atomic(let type): ["IDREF", "ENTITY", "NOTATION"].contains(type.name)
        case .list(let item): item.needsDeclarations
        case .union: false
        }
    }
}
