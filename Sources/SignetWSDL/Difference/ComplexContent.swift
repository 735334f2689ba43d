/// What an element or complex type may hold, its whole derivation and all groups taken together.
struct ComplexContent {
    /// An element that may stand inside.
    struct Child {
        var declaration: ElementDeclaration
        var minimum: Int
        /// Nil for any number.
        var maximum: Int?
        /// Whether another element may stand in its place.
        var isAlternative: Bool
        /// Whether it is a global element, which may hold itself.
        var isGlobal: Bool
    }

    struct Attribute {
        var type: TypeReference
        var isRequired: Bool
        var fixed: String?
    }

    private(set) var children: [QName: Child] = [:]
    /// The names of the children in the order in which they are met first.
    private(set) var order: [QName] = []
    private(set) var attributes: [QName: Attribute] = [:]
    /// The wildcards, as text.
    private(set) var wildcards: Set<String> = []
    private(set) var isMixed = false
    private(set) var isAbstract = false
    /// Whether it has simple content.
    private(set) var isText = false
    private let schema: SchemaSet
    /// Types and groups that are being looked at: they may hold themselves by mistake.
    private var open: Set<QName> = []
    private var depth = 0
    /// Particles met so far: groups that hold others twice must not multiply.
    private var steps = 0

    private static let maximumSteps = 100_000
    private static let maximumDepth = 400

    init(_ type: ComplexType, _ schema: SchemaSet) {
        self.schema = schema
        isAbstract = type.isAbstract
        // From the type up to the one that is not derived.
        var chain = [type]
        while let name = chain.last?.baseName, case .complex(let base) = schema.types[name], open.insert(name).inserted
        {
            chain.append(base)
        }
        if case .simple = type.content { isText = true }
        // A restriction says the whole content again.
        let start = chain.firstIndex { $0.isRestriction } ?? chain.count - 1
        for (index, type) in chain.enumerated().reversed() {
            if index <= start {
                isMixed = isMixed || type.isMixed
                switch type.content {
                case .particle(let particle), .derived(_, _, let particle?): add(particle, 1, 1, false)
                case .empty, .simple, .derived: break
                }
            }
            add(type.attributes)
        }
    }

    private mutating func add(_ group: AttributeGroup) {
        for use in group.uses {
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
                attributes[name] = Attribute(
                    type: declared?.type ?? .unspecified, isRequired: use.isRequired, fixed: fixed)
            }
        }
        if let wildcard = group.anyAttribute { wildcards.insert("attributes of \(wildcard.shown)") }
        for use in group.groups {
            // The name cannot be that of a type: no type's name begins with a space.
            let mark = QName(use.name.namespace, " attributes \(use.name.localName)")
            if depth < Self.maximumDepth, let inner = schema.attributeGroups[use.name], open.insert(mark).inserted {
                // Once is enough: attributes have no number.
                depth += 1
                add(inner)
                depth -= 1
            }
        }
    }

    private mutating func add(_ particle: Particle, _ minimum: Int, _ maximum: Int?, _ isAlternative: Bool) {
        let least = Self.product(minimum, particle.minimum) ?? .max
        let most = Self.product(maximum, particle.maximum)
        steps += 1
        if most == 0 || steps > Self.maximumSteps { return }
        switch particle.term {
        case .element(let declaration): add(declaration, least, most, isAlternative, isGlobal: false)
        case .reference(let name):
            let head = schema.elements[name] ?? .undeclared(name)
            let all = schema.substitutes(of: head)
            if all.isEmpty || (all.count == 1 && all[0].name == name) {
                add(head, least, most, isAlternative, isGlobal: true)
            } else {
                for member in all { add(member, 0, most, true, isGlobal: true) }
            }
        case .group(let compositor, let parts):
            let isChoice = compositor == .choice && parts.count > 1
            for part in parts { add(part, isChoice ? 0 : least, most, isAlternative || isChoice) }
        case .groupReference(let name):
            let mark = QName(name.namespace, " group \(name.localName)")
            if depth < Self.maximumDepth, let model = schema.groups[name], open.insert(mark).inserted {
                depth += 1
                add(model, least, most, isAlternative)
                depth -= 1
                open.remove(mark)
            }
        case .wildcard(let wildcard): wildcards.insert("elements of \(wildcard.shown)")
        }
    }

    private mutating func add(
        _ declaration: ElementDeclaration, _ minimum: Int, _ maximum: Int?, _ isAlternative: Bool,
        isGlobal: Bool
    ) {
        guard let present = children[declaration.name] else {
            order.append(declaration.name)
            children[declaration.name] = Child(
                declaration: declaration, minimum: minimum, maximum: maximum, isAlternative: isAlternative,
                isGlobal: isGlobal)
            return
        }
        // The same name at several places.
        children[declaration.name]?.minimum = present.minimum.addingReportingOverflow(minimum).partialValue
        children[declaration.name]?.maximum = present.maximum.flatMap { old in
            maximum.map { old.addingReportingOverflow($0).overflow ? .max : old + $0 }
        }
        if !isAlternative { children[declaration.name]?.isAlternative = false }
    }

    /// Nil for any number.
    private static func product(_ a: Int?, _ b: Int?) -> Int? {
        if a == 0 || b == 0 { return 0 }
        guard let a, let b else { return nil }
        let (value, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? Int.max : value
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
    fileprivate var shown: String {
        switch namespaces {
        case .any: "any namespace"
        case .other(let excluded): "other namespaces than ‘\(excluded)’"
        case .these(let list): "the namespaces \(list.quotedList(limit: 20))"
        }
    }
}
