import SignetWSDL

/// Shows declarations as trees: references followed, derived types with what they inherit, recursion cut.
struct SchemaTree {
    /// Nodes of all trees together: small types that hold each other multiply.
    static let maximumNodes = 20_000
    /// Global components open around each other, derivation and groups counted: no type that a person reads has that many.
    static let maximumOpen = 96

    private let schema: SchemaSet
    /// How deep elements are shown inside each other; zero shows the outermost alone.
    private let depth: Int
    private var nodes = 0
    /// The types that a type is the base of.
    private let derived: [QName: [QName]]

    init(_ schema: SchemaSet, depth: Int) {
        self.schema = schema
        self.depth = depth
        var derived: [QName: [QName]] = [:]
        for (name, type) in schema.types {
            if let base = type.base { derived[base, default: []].append(name) }
        }
        self.derived = derived.mapValues { $0.sorted() }
    }

    /// Where in a tree something stands.
    struct Place {
        var level = 0
        /// The global components that are open around it.
        var open: Set<QName> = []

        func inside(_ name: QName?) -> Place {
            Place(level: level, open: name.map { open.union([$0]) } ?? open)
        }

        var deeper: Place { Place(level: level + 1, open: open) }

        var isFull: Bool { open.count >= SchemaTree.maximumOpen }
    }

    /// The global element with this name.
    mutating func element(_ name: QName, at place: Place = Place()) -> SchemaNode {
        guard let declaration = schema.elements[name] else {
            return SchemaNode(
                kind: .element, name: name.localName, namespace: name.namespace, documentation: "The schema lacks it.")
        }
        return element(declaration, isGlobal: true, at: place)
    }

    /// A part of an RPC message, or a wrapper around parts.
    mutating func part(_ name: String, type: QName, at place: Place) -> SchemaNode {
        nodes += 1
        var node = SchemaNode(kind: .element, name: name)
        fill(&node, .named(type), at: place)
        return node
    }

    mutating func element(_ declaration: ElementDeclaration, isGlobal: Bool, at place: Place) -> SchemaNode {
        nodes += 1
        var node = SchemaNode(
            kind: .element, name: declaration.name.localName, namespace: declaration.name.namespace)
        node.nillable = declaration.isNillable ? true : nil
        node.abstract = declaration.isAbstract ? true : nil
        node.documentation = declaration.documentation
        if isGlobal {
            let substitutes = schema.substitutes(of: declaration).map(\.name).filter { $0 != declaration.name }
            node.substitutes = substitutes.isEmpty ? nil : substitutes.sorted().map(\.localName)
        }
        node.apply(declaration.preset)
        // An element may hold itself although its type has no name.
        let key = isGlobal ? QName("element " + declaration.name.namespace, declaration.name.localName) : nil
        if let key, place.open.contains(key) {
            node.cut = .recursion
            return node
        }
        fill(&node, declaration.type, at: place.inside(key))
        return node
    }

    /// Writes what the type says into a node.
    private mutating func fill(_ node: inout SchemaNode, _ reference: TypeReference, at place: Place) {
        switch reference {
        case .unspecified:
            node.type = "xs:anyType"
        case .named(let name) where name.namespace == Namespaces.schema:
            node.type = "xs:\(name.localName)"
        case .named(let name):
            node.type = name.localName
            guard let type = schema.types[name] else {
                node.documentation = "The schema lacks its type."
                return
            }
            let others = derived[name] ?? []
            node.derivedTypes = others.isEmpty || type.isSimple ? nil : others.map(\.localName)
            if place.open.contains(name) {
                node.cut = .recursion
            } else {
                fill(&node, type, at: place.inside(name))
            }
        case .anonymous(let type):
            fill(&node, type, at: place)
        }
    }

    private mutating func fill(_ node: inout SchemaNode, _ type: TypeDefinition, at place: Place) {
        switch type {
        case .simple(let type): SimpleContent(schema).fill(&node, .anonymous(.simple(type)))
        case .complex(let type):
            if type.isAbstract { node.abstract = true }
            if type.isMixed { node.mixed = true }
            let inside = place.deeper
            guard inside.level <= depth, nodes < Self.maximumNodes else {
                node.cut = inside.level > depth ? .depth : .size
                return
            }
            if let array = SOAPArray(type) {
                var item = element(array.item, isGlobal: false, at: inside)
                (item.minOccurs, item.maxOccurs) = (0, .unbounded)
                node.children = [item]
                return
            }
            node.children = attributes(of: type, at: inside) + content(of: type, &node, at: inside)
        }
    }

    /// What stands in the content of a type, what it inherits first.
    private mutating func content(of type: ComplexType, _ node: inout SchemaNode, at place: Place) -> [SchemaNode] {
        switch type.content {
        case .empty: return []
        case .particle(let particle): return children(particle, at: place)
        case .simple(let base, _):
            SimpleContent(schema).fill(&node, type.textType ?? base)
            return []
        case .derived(let base, let method, let particle):
            let own = particle.map { children($0, at: place) } ?? []
            guard method == .extension, case .complex(let inherited)? = schema.types[base],
                !place.open.contains(base)
            else { return own }
            guard !place.isFull else {
                node.cut = .size
                return own
            }
            return content(of: inherited, &node, at: place.inside(base)) + own
        }
    }

    /// A particle's nodes: plain sequences add no node of their own.
    private mutating func children(_ particle: Particle, at place: Place) -> [SchemaNode] {
        var result: [SchemaNode]
        switch particle.term {
        case .element(let declaration): result = [element(declaration, isGlobal: false, at: place)]
        case .reference(let name): result = [element(name, at: place)]
        case .wildcard: result = [SchemaNode(kind: .any, documentation: particle.documentation)]
        case .groupReference(let name):
            let key = QName("group " + name.namespace, name.localName)
            guard let group = schema.groups[name], !place.open.contains(key) else { return [] }
            guard nodes < Self.maximumNodes, !place.isFull else { return [SchemaNode(kind: .sequence, cut: .size)] }
            let inside = children(group, at: place.inside(key))
            if particle.isPlain || inside.isEmpty { return inside }
            // A lone node says itself how often the whole stands.
            if let only = inside.first, inside.count == 1, only.isPlain {
                result = [only]
            } else {
                result = [SchemaNode(kind: .sequence, children: inside)]
            }
        case .group(let compositor, let particles):
            nodes += 1
            let inside = particles.flatMap { children($0, at: place) }
            if compositor != .choice, particle.isPlain || inside.isEmpty { return inside }
            let kind: SchemaNode.Kind =
                switch compositor {
                case .sequence: .sequence
                case .choice: .choice
                case .all: .all
                }
            result = [SchemaNode(kind: kind, children: inside)]
        }
        for index in result.indices {
            result[index].minOccurs = particle.minimum
            result[index].maxOccurs = particle.maximum.map { .number($0) } ?? .unbounded
        }
        return result
    }

    // MARK: Attributes

    private mutating func attributes(of type: ComplexType, at place: Place) -> [SchemaNode] {
        var result: [SchemaNode] = []
        if let base = type.base, case .complex(let inherited)? = schema.types[base], !place.open.contains(base),
            !place.isFull
        {
            result = attributes(of: inherited, at: place.inside(base))
        }
        collect(type.attributes, into: &result, open: [])
        return result
    }

    private mutating func collect(_ group: AttributeGroup, into result: inout [SchemaNode], open: Set<QName>) {
        for use in group.uses {
            let name: QName
            let declaration: AttributeDeclaration?
            switch use.kind {
            case .declared(let declared): (name, declaration) = (declared.name, declared)
            case .reference(let reference): (name, declaration) = (reference, schema.attribute(reference))
            }
            nodes += 1
            var node = SchemaNode(kind: .attribute, name: name.localName, namespace: name.namespace)
            node.minOccurs = use.isRequired ? 1 : 0
            node.documentation = use.documentation ?? declaration?.documentation
            node.apply(use.preset ?? declaration?.preset)
            SimpleContent(schema).fill(&node, declaration?.type ?? .unspecified)
            // What a restriction says again counts instead of what is inherited.
            result.removeAll { $0.name == node.name && $0.namespace == node.namespace }
            if !use.isProhibited { result.append(node) }
        }
        for use in group.groups where !open.contains(use.name) && open.count < Self.maximumOpen {
            if let group = schema.attributeGroups[use.name] {
                collect(group, into: &result, open: open.union([use.name]))
            }
        }
        if group.wildcard != nil, !result.contains(where: { $0.kind == .anyAttribute }) {
            result.append(SchemaNode(kind: .anyAttribute))
        }
    }
}

extension SchemaNode {
    /// Whether it stands exactly once.
    var isPlain: Bool { minOccurs == 1 && maxOccurs == .number(1) }

    fileprivate mutating func apply(_ preset: Preset?) {
        switch preset {
        case .byDefault(let value): self.default = value
        case .fixed(let value): fixed = value
        case nil: break
        }
    }
}

extension Particle {
    fileprivate var isPlain: Bool { minimum == 1 && maximum == 1 }
}

extension TypeDefinition {
    fileprivate var isSimple: Bool {
        if case .simple = self { true } else { false }
    }

    fileprivate var base: QName? {
        if case .complex(let type) = self { type.base } else { nil }
    }
}

extension ComplexType {
    /// The complex type that it is derived from.
    fileprivate var base: QName? {
        switch content {
        case .derived(let base, _, _): base
        case .simple(.named(let base), _): base
        case .empty, .particle, .simple: nil
        }
    }
}
