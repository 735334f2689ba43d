/// The elements that a content model, or a part of one, allows.
struct ContentElements {
    /// An element that the content model allows.
    struct Child {
        var declaration: ElementDeclaration
        var minimum: Int
        /// Nil for any number.
        var maximum: Int?
        /// Whether another element may occur in its place.
        var isAlternative: Bool
        /// Whether it is a global element, which may hold itself.
        var isGlobal: Bool
    }

    /// How often a part of a content model may occur.
    struct Place {
        var minimum = 1
        var maximum: Int? = 1
        var isAlternative = false

        func around(_ particle: Particle) -> Place {
            Place(
                minimum: Self.product(minimum, particle.minimum) ?? .max,
                maximum: Self.product(maximum, particle.maximum), isAlternative: isAlternative)
        }

        /// The same place as one branch of a choice.
        var branch: Place { Place(minimum: 0, maximum: maximum, isAlternative: true) }

        /// Nil for any number.
        static func product(_ a: Int?, _ b: Int?) -> Int? {
            if a == 0 || b == 0 { return 0 }
            guard let a, let b else { return nil }
            let (value, overflow) = a.multipliedReportingOverflow(by: b)
            return overflow ? Int.max : value
        }
    }

    private(set) var children: [QName: Child] = [:]
    /// The names of the children in the order of their first occurrence.
    private(set) var order: [QName] = []
    /// The wildcards, as text.
    var wildcards: Set<String> = []

    mutating func add(_ declaration: ElementDeclaration, _ place: Place, isGlobal: Bool) {
        add(
            Child(
                declaration: declaration, minimum: place.minimum, maximum: place.maximum,
                isAlternative: place.isAlternative, isGlobal: isGlobal))
    }

    /// Adds the elements of a group that occurs as often as `place` says.
    mutating func add(_ other: ContentElements, _ place: Place) {
        for name in other.order {
            guard var child = other.children[name] else { continue }
            child.minimum = Place.product(place.minimum, child.minimum) ?? .max
            child.maximum = Place.product(place.maximum, child.maximum)
            child.isAlternative = child.isAlternative || place.isAlternative
            if child.maximum != 0 { add(child) }
        }
        wildcards.formUnion(other.wildcards)
    }

    private mutating func add(_ child: Child) {
        let name = child.declaration.name
        guard var present = children[name] else {
            order.append(name)
            children[name] = child
            return
        }
        // The same name at several places.
        present.minimum = Self.sum(present.minimum, child.minimum)
        present.maximum = present.maximum.flatMap { old in child.maximum.map { Self.sum(old, $0) } }
        if !child.isAlternative { present.isAlternative = false }
        children[name] = present
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (value, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : value
    }
}

/// The elements that the groups of a schema allow. Each group is computed once: groups that refer to other groups twice
/// would take exponential time.
struct GroupContents {
    let schema: SchemaSet
    private var known: [QName: ContentElements] = [:]
    /// Groups that are being computed: in a faulty schema a group may contain itself.
    private var open: Set<QName> = []
    /// How many particles, elements of groups, attributes and bases may still be visited, for all types together.
    private var stepsLeft: Int
    /// Whether the limit was reached before everything was visited.
    private(set) var isTruncated = false

    /// The maximum nesting of groups.
    private static let maximumDepth = 400

    init(_ schema: SchemaSet) {
        self.schema = schema
        stepsLeft = schema.workLimit
    }

    /// Counts visited components; false when the limit is exceeded.
    mutating func step(_ count: Int = 1) -> Bool {
        if count > stepsLeft { isTruncated = true } else { stepsLeft -= count }
        return !isTruncated
    }

    /// Adds the elements that a particle allows.
    mutating func add(_ particle: Particle, to result: inout ContentElements, _ outer: ContentElements.Place = .init())
    {
        let place = outer.around(particle)
        guard place.maximum != 0, step() else { return }
        switch particle.term {
        case .element(let declaration): result.add(declaration, place, isGlobal: false)
        case .reference(let name): add(schema.elements[name] ?? .undeclared(name), to: &result, place)
        case .group(let compositor, let parts):
            let inner = compositor == .choice && parts.count > 1 ? place.branch : place
            for part in parts { add(part, to: &result, inner) }
        case .groupReference(let name):
            let elements = contents(of: name)
            if step(elements.order.count) { result.add(elements, place) }
        case .wildcard(let wildcard): result.wildcards.insert("elements of \(wildcard.shown)")
        }
    }

    /// Adds a global element, or its substitutes.
    private mutating func add(
        _ head: ElementDeclaration, to result: inout ContentElements, _ place: ContentElements.Place
    ) {
        let all = schema.substitutes(of: head)
        guard step(all.count) else { return }
        if all.isEmpty || (all.count == 1 && all[0].name == head.name) {
            result.add(head, place, isGlobal: true)
        } else {
            for member in all { result.add(member, place.branch, isGlobal: true) }
        }
    }

    private mutating func contents(of group: QName) -> ContentElements {
        if let known = known[group] { return known }
        guard let model = schema.groups[group], open.insert(group).inserted else { return ContentElements() }
        defer { open.remove(group) }
        guard open.count <= Self.maximumDepth else {
            isTruncated = true
            return ContentElements()
        }
        var result = ContentElements()
        add(model, to: &result)
        known[group] = result
        return result
    }
}
