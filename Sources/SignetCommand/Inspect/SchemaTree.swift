#if CommandLine
import SignetWSDL

/// Shows declarations as trees: it follows references, includes inherited content, and cuts recursion.
struct SchemaTree {
    /// The maximum number of nodes of all trees together: small types that contain each other multiply.
    static let maximumNodes = 20_000
    /// The maximum number of particles, groups, attributes and bases visited for all trees: components without nodes of
    /// their own multiply as well.
    static let maximumSteps = 400_000
    /// The maximum size of the text of all nodes, in bytes: each node may repeat an enumeration or a long list of
    /// derived types.
    private let maximumText: Int
    /// The maximum number of nested global components, including derivation and groups; no readable type has that many.
    static let maximumOpen = 96

    private let schema: SchemaSet
    /// How deep nested elements are shown; zero shows only the outermost ones.
    private let depth: Int
    private var nodes = 0
    private(set) var steps = 0
    private var text = 0
    /// The types derived from each type.
    private let derived: [QName: NameList]
    /// The elements that may replace each element.
    private var substitutes: [QName: NameList] = [:]
    private var simple: [SimpleKey: SimpleText] = [:]

    /// A list of names for a node.
    private struct NameList {
        let names: [String]
        let bytes: Int

        init(_ names: [QName]) {
            self.names = names.sorted().map(\.localName)
            bytes = self.names.reduce(0) { $0 + $1.utf8.count }
        }
    }

    init(_ schema: SchemaSet, depth: Int) {
        self.schema = schema
        self.depth = depth
        maximumText = 8 * schema.workLimit
        var derived: [QName: [QName]] = [:]
        for (name, type) in schema.types {
            if let base = type.base { derived[base, default: []].append(name) }
        }
        self.derived = derived.mapValues(NameList.init)
    }

    /// A place in a tree.
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
        document(&node, declaration.documentation)
        if isGlobal { node.substitutes = say(substitutes(of: declaration), &node) }
        node.apply(declaration.preset)
        // An element may contain itself although its type is anonymous.
        let key = isGlobal ? QName("element " + declaration.name.namespace, declaration.name.localName) : nil
        if let key, place.open.contains(key) {
            node.cut = .recursion
            return node
        }
        fill(&node, declaration.type, at: place.inside(key))
        return node
    }

    /// Writes the content of a type into a node.
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
            if !type.isSimple, let others = derived[name] { node.derivedTypes = say(others, &node) }
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
        case .simple(let type): fillText(&node, .anonymous(.simple(type)))
        case .complex(let type):
            if type.isAbstract { node.abstract = true }
            if type.isMixed { node.mixed = true }
            let inside = place.deeper
            guard inside.level <= depth, !isFull else {
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

    /// The nodes of a type's content, inherited ones first.
    private mutating func content(of type: ComplexType, _ node: inout SchemaNode, at place: Place) -> [SchemaNode] {
        switch type.content {
        case .empty: return []
        case .particle(let particle): return children(particle, at: place)
        case .simple(let base, _):
            fillText(&node, type.textType ?? base)
            return []
        case .derived(let base, let method, let particle):
            let own = particle.map { children($0, at: place) } ?? []
            guard method == .extension, case .complex(let inherited)? = schema.types[base],
                !place.open.contains(base)
            else { return own }
            steps += 1
            guard !place.isFull, !isFull else {
                node.cut = .size
                return own
            }
            return content(of: inherited, &node, at: place.inside(base)) + own
        }
    }

    /// The nodes of a choice's branch: elements that come together stay in one sequence.
    private mutating func branch(_ particle: Particle, at place: Place) -> [SchemaNode] {
        let inside = children(particle, at: place)
        return inside.count > 1 ? [SchemaNode(kind: .sequence, children: inside)] : inside
    }

    /// A particle's nodes: plain sequences add no node of their own.
    private mutating func children(_ particle: Particle, at place: Place) -> [SchemaNode] {
        var result: [SchemaNode]
        steps += 1
        switch particle.term {
        case .element(let declaration): result = [element(declaration, isGlobal: false, at: place)]
        case .reference(let name): result = [element(name, at: place)]
        case .wildcard: result = [SchemaNode(kind: .any, documentation: particle.documentation)]
        case .groupReference(let name):
            let key = QName("group " + name.namespace, name.localName)
            guard let group = schema.groups[name], !place.open.contains(key) else { return [] }
            guard !isFull, !place.isFull else { return [SchemaNode(kind: .sequence, cut: .size)] }
            let inside = children(group, at: place.inside(key))
            if particle.isPlain || inside.isEmpty { return inside }
            // A single node carries the occurrence of the whole particle.
            if let only = inside.first, inside.count == 1, only.isPlain {
                result = [only]
            } else {
                result = [SchemaNode(kind: .sequence, children: inside)]
            }
        case .group(let compositor, let particles):
            nodes += 1
            let inside = particles.flatMap { compositor == .choice ? branch($0, at: place) : children($0, at: place) }
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
        // From the type up to the root of its derivation.
        var line = [type]
        var passed = place.open
        while let base = line.last?.base, case .complex(let inherited)? = schema.types[base],
            passed.insert(base).inserted, passed.count <= Self.maximumOpen, !isFull
        {
            line.append(inherited)
            steps += 1
        }
        var all = AttributeNodes()
        for type in line.reversed() { collect(type.attributes, into: &all) }
        return all.nodes
    }

    /// Collects the attributes of a type and of its groups; each group is visited once, however often it is referenced.
    private mutating func collect(_ attributes: AttributeGroup, into result: inout AttributeNodes) {
        var passed: Set<QName> = []
        // Nested groups come after the group that refers to them, in document order.
        var open = [attributes]
        while let group = open.popLast(), !isFull {
            collect(group.uses, into: &result)
            if group.wildcard != nil { result.hasWildcard = true }
            for use in group.groups.reversed() {
                steps += 1
                if let inner = schema.attributeGroups[use.name], passed.insert(use.name).inserted { open.append(inner) }
            }
        }
    }

    private mutating func collect(_ uses: [AttributeUse], into result: inout AttributeNodes) {
        for use in uses where !isFull {
            let name: QName
            let declaration: AttributeDeclaration?
            switch use.kind {
            case .declared(let declared): (name, declaration) = (declared.name, declared)
            case .reference(let reference): (name, declaration) = (reference, schema.attribute(reference))
            }
            nodes += 1
            var node = SchemaNode(kind: .attribute, name: name.localName, namespace: name.namespace)
            node.minOccurs = use.isRequired ? 1 : 0
            document(&node, use.documentation ?? declaration?.documentation)
            node.apply(use.preset ?? declaration?.preset)
            fillText(&node, declaration?.type ?? .unspecified)
            result.add(use.isProhibited ? nil : node, name)
        }
    }

    // MARK: Limits

    private var isFull: Bool {
        nodes >= Self.maximumNodes || steps >= Self.maximumSteps || text >= maximumText
    }

    private mutating func substitutes(of declaration: ElementDeclaration) -> NameList {
        if let known = substitutes[declaration.name] { return known }
        if isFull { return NameList([]) }
        let names = schema.substitutes(of: declaration).map(\.name).filter { $0 != declaration.name }
        steps += names.count
        let list = NameList(names)
        substitutes[declaration.name] = list
        return list
    }

    /// The names, while the text limit allows them.
    private mutating func say(_ list: NameList, _ node: inout SchemaNode) -> [String]? {
        if list.names.isEmpty { return nil }
        guard makeRoom(list.bytes, &node) else { return nil }
        return list.names
    }

    private mutating func document(_ node: inout SchemaNode, _ text: String?) {
        if let text, makeRoom(text.utf8.count, &node) { node.documentation = text }
    }

    private mutating func makeRoom(_ bytes: Int, _ node: inout SchemaNode) -> Bool {
        if isFull || bytes > maximumText {
            node.cut = .size
            return false
        }
        text += bytes
        return true
    }

    // MARK: Simple types

    private enum SimpleKey: Hashable {
        case name(QName, hasType: Bool)
        case place(SourceLocation, hasType: Bool)
    }

    private struct SimpleText {
        var node: SchemaNode
        var bytes: Int
    }

    /// Writes the content of a simple type into a node. Each type is examined once: an enumeration may have thousands
    /// of values.
    private mutating func fillText(_ node: inout SchemaNode, _ reference: TypeReference) {
        let key: SimpleKey
        switch reference {
        case .unspecified: return SimpleContent(schema).fill(&node, reference)
        case .named(let name): key = .name(name, hasType: node.type != nil)
        case .anonymous(let type): key = .place(type.location, hasType: node.type != nil)
        }
        let known = simple[key] ?? text(of: reference, hasType: node.type != nil)
        simple[key] = known
        node.type = node.type ?? known.node.type
        node.base = known.node.base
        if node.documentation == nil { node.documentation = known.node.documentation }
        guard makeRoom(known.bytes, &node) else { return }
        node.values = known.node.values
        node.rules = known.node.rules
    }

    private mutating func text(of reference: TypeReference, hasType: Bool) -> SimpleText {
        // Many types may restrict one long enumeration without facets of their own.
        let own: QName? = if case .named(let name) = reference { name } else { nil }
        if own != nil || hasType, case .named(let end) = schema.skippingTrivialSteps(reference), end != own {
            let key = SimpleKey.name(end, hasType: true)
            // A type in a circular derivation is not followed again.
            var known = simple[key] ?? ownText(of: .named(end), hasType: true)
            simple[key] = known
            known.node.type = hasType ? "" : own?.localName
            return known
        }
        return ownText(of: reference, hasType: hasType)
    }

    private func ownText(of reference: TypeReference, hasType: Bool) -> SimpleText {
        var node = SchemaNode(kind: .element, type: hasType ? "" : nil)
        SimpleContent(schema).fill(&node, reference)
        return SimpleText(
            node: node, bytes: ((node.values ?? []) + (node.rules ?? [])).reduce(0) { $0 + $1.utf8.count })
    }
}

/// The attributes of a type, in the order of their last declarations.
private struct AttributeNodes {
    private var all: [SchemaNode?] = []
    private var places: [QName: Int] = [:]
    var hasWildcard = false

    /// A redeclared attribute replaces the inherited one; nil removes it.
    mutating func add(_ node: SchemaNode?, _ name: QName) {
        if let place = places[name] { all[place] = nil }
        places[name] = all.count
        all.append(node)
    }

    var nodes: [SchemaNode] { all.compactMap { $0 } + (hasWildcard ? [SchemaNode(kind: .anyAttribute)] : []) }
}

extension SchemaNode {
    /// Whether it occurs exactly once.
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
    /// The complex type from which it is derived.
    fileprivate var base: QName? {
        switch content {
        case .derived(let base, _, _): base
        case .simple(.named(let base), _): base
        case .empty, .particle, .simple: nil
        }
    }
}
#endif
