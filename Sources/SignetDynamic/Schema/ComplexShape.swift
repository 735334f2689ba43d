import SignetWSDL

/// A type, combined with everything that it is derived from and refers to.
indirect enum Shape: Sendable {
    /// `xs:anyType`.
    case any
    case simple(SimpleShape)
    case complex(ComplexShape)

    /// Whether it has an attribute `type`, so that `@type` cannot be the name of a type.
    var hasTypeAttribute: Bool {
        if case .complex(let complex) = self { return complex.hasTypeAttribute }
        return false
    }

    /// Whether the content is a text whose meaning does not depend on its place.
    var hasPlainText: Bool {
        switch self {
        case .any: false
        case .simple(let simple): !simple.isQualifiedName
        case .complex(let complex):
            if case .simple(let simple) = complex.content { !simple.isQualifiedName } else { false }
        }
    }
}

/// A complex type.
struct ComplexShape: Sendable {
    enum Content: Sendable {
        case simple(SimpleShape)
        /// Elements; nil for none.
        case elements(Model?)
    }

    /// The name of the type; nil for an anonymous type.
    var name: QName?
    var isAbstract = false
    var isMixed = false
    var content = Content.elements(nil)
    var attributes: [AttributeShape] = []
    var anyAttribute: Wildcard?
    /// The elements that the content model names, in its order, each with the greatest number of its occurrences.
    var uses: [ElementUse] = [] { didSet { indexUses() } }
    /// Their indices by name and by local name: a type may have thousands of elements.
    private(set) var places: [QName: Int] = [:]
    private(set) var localPlaces: [String: [Int]] = [:]
    var wildcards: [Wildcard] = []
    /// The array, when the type is an array in SOAP's encoding.
    var array: SOAPArray?

    struct ElementUse: Sendable {
        var element: ElementDeclaration
        /// The greatest number of occurrences; nil for any number.
        var maximum: Int?

        var isRepeated: Bool { maximum.map { $0 > 1 } ?? true }
    }

    struct AttributeShape: Sendable {
        var name: QName
        var type: TypeReference
        var isRequired: Bool
        var preset: Preset?
    }

    var names: [QName] { uses.map(\.element.name) }

    /// The key of the derived type's name: `@type`, unless the type has an attribute of that name.
    var typeKey: String { hasTypeAttribute ? "@xsi:type" : "@type" }

    var hasTypeAttribute: Bool { attributes.contains { $0.name.localName == "type" } }

    private mutating func indexUses() {
        places = Dictionary(uses.enumerated().map { ($1.element.name, $0) }) { first, _ in first }
        localPlaces = Dictionary(grouping: uses.indices) { uses[$0].element.name.localName }
    }

    func use(of name: QName) -> ElementUse? { places[name].map { uses[$0] } }

    /// The use that a key of an object means; nil when there is none.
    func use(key: String) -> ElementUse? {
        if let name = ElementKey.name(key) { return use(of: name) }
        guard let found = localPlaces[key], found.count == 1 else { return nil }
        return uses[found[0]]
    }

    /// The key of an element that the content model names.
    func key(of name: QName) -> String {
        (localPlaces[name.localName]?.count ?? 0) > 1 ? ElementKey.expandedName(name) : name.localName
    }

    /// Whether the content model names an element with this local part.
    func hasElement(called localName: String) -> Bool { localPlaces[localName] != nil }

    func attribute(key: String) -> AttributeShape? {
        if let name = ElementKey.name(key) { return attributes.first { $0.name == name } }
        let found = attributes.filter { $0.name.localName == key }
        return found.count == 1 ? found.first : nil
    }
}

/// A content model without references.
struct Model: Sendable {
    indirect enum Term: Sendable {
        /// One of these: a declaration or a member of its substitution group.
        case element([ElementDeclaration])
        case group(Particle.Compositor, [Model])
        case wildcard(Wildcard)
    }

    var term: Term
    var minimum: Int
    var maximum: Int?

    /// Collects the named elements, each with the greatest number of its occurrences, and the wildcards.
    func collect(into shape: inout ComplexShape) {
        var order: [QName] = []
        var found: [QName: ComplexShape.ElementUse] = [:]
        for (element, maximum) in counted(&shape.wildcards) {
            if let earlier = found[element.name] {
                found[element.name]?.maximum = Self.sum(earlier.maximum, maximum)
            } else {
                order.append(element.name)
                found[element.name] = .init(element: element, maximum: maximum)
            }
        }
        shape.uses = order.compactMap { found[$0] }
    }

    private func counted(_ wildcards: inout [Wildcard]) -> [(element: ElementDeclaration, maximum: Int?)] {
        switch term {
        case .element(let alternatives): return alternatives.map { ($0, maximum) }
        case .wildcard(let wildcard):
            wildcards.append(wildcard)
            return []
        case .group(let compositor, let parts):
            var all: [(element: ElementDeclaration, maximum: Int?)] = []
            var places: [QName: Int] = [:]
            for part in parts {
                // In one branch an element may occur several times; of several branches only one is used.
                for (element, count) in part.counted(&wildcards) {
                    if let place = places[element.name] {
                        all[place].maximum =
                            compositor == .choice
                            ? Self.greater(all[place].maximum, count) : Self.sum(all[place].maximum, count)
                    } else {
                        places[element.name] = all.count
                        all.append((element, count))
                    }
                }
            }
            return all.map { ($0.element, Self.product($0.maximum, maximum)) }
        }
    }

    private static func sum(_ a: Int?, _ b: Int?) -> Int? {
        guard let a, let b else { return nil }
        return a.addingReportingOverflow(b).overflow ? nil : a + b
    }

    private static func greater(_ a: Int?, _ b: Int?) -> Int? {
        guard let a, let b else { return nil }
        return max(a, b)
    }

    private static func product(_ a: Int?, _ b: Int?) -> Int? {
        if a == 0 || b == 0 { return 0 }
        guard let a, let b else { return nil }
        return a.multipliedReportingOverflow(by: b).overflow ? nil : a * b
    }

    /// Whether empty content satisfies the model.
    var isEmptiable: Bool {
        guard minimum > 0 else { return true }
        switch term {
        case .element, .wildcard: return false
        case .group(.choice, let parts): return parts.isEmpty || parts.contains(where: \.isEmptiable)
        case .group(_, let parts): return parts.allSatisfy(\.isEmptiable)
        }
    }
}
