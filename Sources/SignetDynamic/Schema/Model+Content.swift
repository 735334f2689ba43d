import SignetWSDL
import SignetXML

/// What content a model demands.
extension Model {
    /// The elements that are absent where these are present: of each list one must be there.
    func missing(among present: Set<QName>) -> [[QName]] {
        guard minimum > 0 || isBegun(present) else { return [] }
        switch term {
        case .element(let alternatives):
            let isThere = alternatives.contains { present.contains($0.name) }
            return isThere || minimum == 0 ? [] : [alternatives.map(\.name)]
        case .wildcard: return []
        case .group(.choice, let parts):
            // Alternatives may begin alike, or share what follows: the one counts that lacks least.
            let begun = parts.filter { $0.isBegun(present) }.map { $0.missing(among: present) }
            if let least = begun.min(by: { $0.count < $1.count }) { return least }
            // What stands for a wildcard has any name.
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

    /// The place of each element in the order that the model demands; nil where that depends on more than the name.
    var places: [QName: Int]? {
        var places: [QName: Int] = [:]
        var next = 0
        return number(&places, &next) ? places : nil
    }

    private func number(_ places: inout [QName: Int], _ next: inout Int) -> Bool {
        if case .group(.sequence, let parts) = term, maximum == 1 {
            return parts.allSatisfy { $0.number(&places, &next) }
        }
        // What stands here may stand in any order among itself.
        next += 1
        return all { places.updateValue(next, forKey: $0.name) == nil }
    }

    /// Whether all elements of the model are as they should be.
    private func all(_ body: (ElementDeclaration) -> Bool) -> Bool {
        switch term {
        case .element(let alternatives): alternatives.allSatisfy(body)
        case .wildcard: true
        case .group(_, let parts): parts.allSatisfy { $0.all(body) }
        }
    }
}

extension ComplexShape {
    /// Whether an element of the content might be absent.
    func isOptional(_ name: QName) -> Bool {
        guard case .elements(let model?) = content else { return true }
        return model.missing(among: Set(names.filter { $0 != name })).isEmpty
    }
}

extension SimpleShape {
    /// Whether a text is in the lexical space. Enumerations may have grown, and unions too.
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
