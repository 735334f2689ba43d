import SignetWSDL

/// Declarations without an element of their own: groups of elements, and substitution groups.
extension TypeBinder {
    /// Adds elements that are present or absent together: a field whose type is a structure.
    mutating func addGroup(
        _ particle: Particle, _ owner: TypeKey, _ occurrences: Occurrences, _ label: QName?, _ depth: Int,
        _ content: inout ComplexContent
    ) {
        let key = label.map { TypeKey(root: .group, name: $0) } ?? content.nextPlace("sequence")
        guard let field = groupField(particle, owner, key, depth, &content) else { return }
        var outer = field
        outer.occurrence = occurrences.bound
        if field.kind != .group {
            // The group consists of one element.
            let inner = Occurrences(
                minimum: field.occurrence == .required ? 1 : 0, maximum: field.occurrence == .repeated ? nil : 1)
            let both = occurrences.around(field.bounds ?? inner)
            outer.occurrence = both.bound
            outer.bounds = both.told
        } else {
            outer.name = QName("", label?.localName ?? key.shown.withoutMark)
            outer.bounds = occurrences.told
            outer.documentation = particle.documentation
        }
        content.fields.append(outer)
    }

    /// A field for one occurrence of a particle, whatever its bounds are: a structure, or the only element of the
    /// particle; nil when the particle is empty.
    mutating func groupField(
        _ particle: Particle, _ owner: TypeKey, _ key: TypeKey, _ depth: Int, _ content: inout ComplexContent
    ) -> BoundField? {
        var once = particle
        (once.minimum, once.maximum) = (1, 1)
        var inner = ComplexContent(what: content.what, place: key, steps: content.steps)
        flatten(once, owner, depth: depth + 1, &inner)
        content.steps = inner.steps
        guard let first = inner.fields.first else { return nil }
        if inner.fields.count == 1 { return first }
        joinWildcards(&inner)
        let type = enter(
            BoundType(
                content: .structure(inner.fields), isUnordered: inner.isUnordered,
                documentation: particle.documentation, location: particle.location), key)
        // An alternative has the name of its first element.
        return BoundField(
            name: QName("", first.name.localName), kind: .group, type: type, occurrence: .required,
            documentation: particle.documentation, location: particle.location)
    }

    /// The content of a named group; nil, with a diagnostic, when the group is missing or contains itself.
    mutating func openGroup(_ name: QName, at location: SourceLocation) -> Particle? {
        guard let group = schema.groups[name] else {
            fail("the group \(name) is not there\(hint(for: name.namespace))", at: location)
            return nil
        }
        guard !openGroups.contains(name) else {
            fail("the group ‘\(name.localName)’ holds itself", at: location)
            return nil
        }
        openGroups.append(name)
        return group
    }

    // MARK: Substitution

    /// The field for a reference to an element that others may replace (XML Schema Part 1 §3.3.6); the attribute
    /// `block` is ignored.
    mutating func substitutionField(
        _ head: ElementDeclaration, _ particle: Particle, _ occurrences: Occurrences
    ) -> BoundField? {
        var result = BoundField(
            name: head.name, kind: .choice, type: .builtIn(.fragment), occurrence: occurrences.bound,
            bounds: occurrences.told, documentation: particle.documentation ?? head.documentation,
            location: particle.location)
        let key = TypeKey(root: .substitution, name: head.name)
        if places.updateValue(head.location, forKey: key) != nil {
            result.type = enter(key)
            return result
        }
        let members = schema.substitutes(of: head)
        spend(members.count)
        guard !members.isEmpty else {
            remark(
                .warning,
                "the element ‘\(head.name.localName)’ is abstract, and no element may stand for it; whatever stands there is "
                    + "kept as it is written.", at: particle.location)
            places[key] = nil
            result.kind = .wildcard
            result.namespaces = .any
            return result
        }
        result.type = enter(key)
        let user = current
        current = key
        var branches: [BoundField] = []
        for member in members {
            if isExhausted { break }
            let anonymous = TypeKey(root: .element, name: member.name)
            guard let type = bind(member.type, anonymous: anonymous, at: member.location) else { continue }
            branches.append(
                BoundField(
                    name: member.name, kind: .element, type: type, occurrence: .required, isNillable: member.isNillable,
                    preset: member.preset, rules: fieldRules(of: member.type, at: member.location),
                    documentation: member.documentation, location: member.location))
        }
        current = user
        _ = enter(
            BoundType(
                content: .choice(branches),
                documentation: "An element that may stand where ‘\(head.name.localName)’ is named.",
                location: head.location), key)
        return result
    }
}

extension String {
    /// The name without the mark that distinguishes it from an element's name.
    var withoutMark: String { hasPrefix("#") ? String(dropFirst()) : self }
}
