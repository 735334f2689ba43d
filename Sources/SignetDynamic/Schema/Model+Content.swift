import SignetWSDL
import SignetXML

/// Checks content against a model.
extension Model {
    /// The elements that are absent when these are present: of each list, one must be present.
    func missing(among present: Set<QName>) -> [[QName]] {
        guard minimum > 0 || isBegun(present) else { return [] }
        switch term {
        case .element(let alternatives):
            let isThere = alternatives.contains { present.contains($0.name) }
            return isThere || minimum == 0 ? [] : [alternatives.map(\.name)]
        case .wildcard: return []
        case .group(.choice, let parts):
            // Alternatives may begin alike, or share what follows: the alternative with the fewest missing elements
            // counts.
            let begun = parts.filter { $0.isBegun(present) }.map { $0.missing(among: present) }
            if let least = begun.min(by: { $0.count < $1.count }) { return least }
            // An element that matches a wildcard has any name.
            if parts.contains(where: \.holdsWildcard) { return [] }
            return parts.isEmpty || parts.contains(where: \.isEmptiable) ? [] : [parts.flatMap(\.firstNames)]
        case .group(_, let parts): return parts.flatMap { $0.missing(among: present) }
        }
    }

    private var holdsWildcard: Bool {
        switch term {
        case .wildcard: true
        case .element: false
        case .group(_, let parts): parts.contains(where: \.holdsWildcard)
        }
    }

    /// Whether one of its elements is present.
    private func isBegun(_ present: Set<QName>) -> Bool {
        switch term {
        case .element(let alternatives): alternatives.contains { present.contains($0.name) }
        case .wildcard: false
        case .group(_, let parts): parts.contains { $0.isBegun(present) }
        }
    }

    /// The position of each element in the order that the model requires; nil when the order depends on more than the
    /// names.
    var places: [QName: Int]? {
        var places: [QName: Int] = [:]
        var next = 0
        return number(&places, &next) ? places : nil
    }

    private func number(_ places: inout [QName: Int], _ next: inout Int) -> Bool {
        if case .group(.sequence, let parts) = term, maximum == 1 {
            return parts.allSatisfy { $0.number(&places, &next) }
        }
        // The elements of this part may be in any order among themselves.
        next += 1
        return all { places.updateValue(next, forKey: $0.name) == nil }
    }

    /// Whether `body` is true of all elements of the model.
    private func all(_ body: (ElementDeclaration) -> Bool) -> Bool {
        switch term {
        case .element(let alternatives): alternatives.allSatisfy(body)
        case .wildcard: true
        case .group(_, let parts): parts.allSatisfy { $0.all(body) }
        }
    }
}

extension Model {
    /// All names in it, and those without which something is missing when all others are there.
    fileprivate var names: (all: Set<QName>, required: Set<QName>) {
        switch term {
        case .wildcard: return ([], [])
        case .element(let alternatives):
            let all = Set(alternatives.map(\.name))
            return (all, minimum > 0 && all.count == 1 ? all : [])
        case .group(let compositor, let parts):
            let inside = parts.map(\.names)
            let all = inside.reduce(into: Set<QName>()) { $0.formUnion($1.all) }
            // A group that may be absent is, when its only name is.
            if minimum == 0, all.count == 1 { return (all, []) }
            guard compositor == .choice else {
                return (all, inside.reduce(into: []) { $0.formUnion($1.required) })
            }
            let mayBeEmpty = parts.contains(where: \.holdsWildcard) || parts.contains(where: \.isEmptiable)
            let required = all.filter { name in
                var isBegun = false
                for part in inside where !part.all.isSubset(of: [name]) {
                    guard part.required.contains(name) else { return false }
                    isBegun = true
                }
                return isBegun || !mayBeEmpty
            }
            return (all, required)
        }
    }
}

extension ComplexShape {
    /// The elements of which ``isOptional(_:)`` is false.
    var requiredNames: Set<QName> {
        guard case .elements(let model?) = content else { return [] }
        return model.names.required
    }

    /// Whether an element of the content might be absent.
    func isOptional(_ name: QName) -> Bool {
        guard case .elements(let model?) = content else { return true }
        return model.missing(among: Set(names.filter { $0 != name })).isEmpty
    }
}

extension SimpleShape {
    /// Whether a text is in the lexical space. Enumerations and unions are not checked, because the schema of a service
    /// may have grown.
    func reads(_ text: String, in tree: XMLTree) -> Bool {
        guard facets.enumeration == nil else { return true }
        switch variety {
        case .atomic(let type):
            let value = collapses ? text.collapsedXMLSpace : text
            return type.kind == .qualifiedName ? tree.resolve(value) != nil : type.isValid(value)
        case .list(let item): return text.xmlWords.allSatisfy { item.reads($0, in: tree) }
        case .union: return true
        }
    }
}
