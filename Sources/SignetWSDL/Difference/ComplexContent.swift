/// What an element or complex type may hold, including its whole derivation and all groups.
struct ComplexContent {
    struct Attribute {
        var type: TypeReference
        var isRequired: Bool
        var fixed: String?
    }

    private(set) var elements = ContentElements()
    private(set) var attributes: [QName: Attribute] = [:]
    /// The wildcards for attributes, as text.
    private var attributeWildcards: Set<String> = []
    private(set) var isMixed = false
    private(set) var isAbstract = false
    /// Whether it has simple content.
    private(set) var isText = false

    var children: [QName: ContentElements.Child] { elements.children }
    /// The names of the children in the order of their first occurrence.
    var order: [QName] { elements.order }
    /// The wildcards, as text.
    var wildcards: Set<String> { elements.wildcards.union(attributeWildcards) }

    init(_ type: ComplexType, _ groups: inout GroupContents) {
        isAbstract = type.isAbstract
        let schema = groups.schema
        // From the type up to the root of its derivation; a faulty schema may derive a type from itself.
        var chain = [type]
        var passed: Set<QName> = []
        while let name = chain.last?.baseName, case .complex(let base) = schema.types[name],
            passed.insert(name).inserted, groups.step()
        {
            chain.append(base)
        }
        if case .simple = type.content { isText = true }
        // A restriction repeats the whole content, so the base adds nothing.
        let start = chain.firstIndex { $0.isRestriction } ?? chain.count - 1
        var met: Set<QName> = []
        for (index, type) in chain.enumerated().reversed() {
            if index <= start {
                isMixed = isMixed || type.isMixed
                switch type.content {
                case .particle(let particle), .derived(_, _, let particle?): groups.add(particle, to: &elements)
                case .empty, .simple, .derived: break
                }
            }
            add(type.attributes, &groups, &met)
        }
    }

    /// - Parameter met: the groups already added; each is added once, because attributes have no count.
    private mutating func add(_ attributes: AttributeGroup, _ groups: inout GroupContents, _ met: inout Set<QName>) {
        var open = [attributes]
        while let group = open.popLast() {
            for use in group.uses where groups.step() { add(use, groups.schema) }
            if let wildcard = group.anyAttribute { attributeWildcards.insert("attributes of \(wildcard.shown)") }
            for use in group.groups.reversed() where groups.step() && met.insert(use.name).inserted {
                if let inner = groups.schema.attributeGroups[use.name] { open.append(inner) }
            }
        }
    }

    private mutating func add(_ use: AttributeUse, _ schema: SchemaSet) {
        let (name, declared): (QName, AttributeDeclaration?)
        switch use.kind {
        case .declared(let attribute): (name, declared) = (attribute.name, attribute)
        case .reference(let reference): (name, declared) = (reference, schema.attribute(reference))
        }
        if use.isProhibited {
            attributes[name] = nil
        } else {
            var fixed: String?
            if case .fixed(let value) = use.preset ?? declared?.preset { fixed = value }
            attributes[name] = Attribute(type: declared?.type ?? .unspecified, isRequired: use.isRequired, fixed: fixed)
        }
    }
}

extension ComplexType {
    fileprivate var baseName: QName? {
        switch content {
        case .derived(let base, _, _), .simple(.named(let base), _): base
        default: nil
        }
    }

    fileprivate var isRestriction: Bool {
        switch content {
        case .derived(_, .restriction, _), .simple(_, .restriction): true
        default: false
        }
    }
}

extension Wildcard {
    var shown: String {
        switch namespaces {
        case .any: "any namespace"
        case .other(let excluded): "other namespaces than ‘\(excluded)’"
        case .these(let list): "the namespaces \(list.quotedList(limit: 20))"
        }
    }
}
