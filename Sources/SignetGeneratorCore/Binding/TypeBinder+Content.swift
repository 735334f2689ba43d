import SignetWSDL

extension TypeBinder {
    /// Turns a content model into fields, in order; sequences that occur once are flattened.
    ///
    /// - Parameters:
    ///   - owner: the declaration to which nested anonymous types belong.
    ///   - label: the named group whose content the particle is.
    mutating func flatten(
        _ particle: Particle, _ owner: TypeKey, in outer: Occurrences = .init(), label: QName? = nil, depth: Int = 0,
        _ content: inout ComplexContent
    ) {
        guard step(&content, depth, at: particle.location), particle.maximum != 0 else { return }
        let occurrences = outer.around(particle)
        switch particle.term {
        case .element, .reference:
            if let field = elementField(particle, owner, occurrences) { content.fields.append(field) }
        case .wildcard(let wildcard):
            content.fields.append(wildcardField(wildcard, particle, occurrences))
        case .group(let compositor, let all):
            let parts = all.filter { $0.maximum != 0 }
            if parts.count == 1 {
                return flatten(parts[0], owner, in: occurrences, label: label, depth: depth + 1, &content)
            }
            if compositor == .choice {
                return addChoice(parts, particle, owner, occurrences, label, depth, &content)
            }
            let mustStayTogether =
                occurrences.isRepeated || occurrences.isOptional && needs(parts, depth: depth + 1) > 1
            if mustStayTogether { return addGroup(particle, owner, occurrences, label, depth, &content) }
            if compositor == .all { content.isUnordered = true }
            for part in parts { flatten(part, owner, in: occurrences, depth: depth + 1, &content) }
        case .groupReference(let name):
            guard let group = openGroup(name, at: particle.location) else { return }
            flatten(
                group, TypeKey(root: .group, name: name), in: occurrences, label: name, depth: depth + 1, &content)
            openGroups.removeLast()
        }
    }

    /// How many elements are required; the count stops at two.
    mutating func needs(_ parts: [Particle], depth: Int) -> Int {
        var count = 0
        for part in parts {
            count += needs(part, depth: depth)
            if count > 1 { break }
        }
        return count
    }

    mutating func needs(_ particle: Particle, depth: Int) -> Int {
        guard particle.minimum > 0, particle.maximum != 0 else { return 0 }
        // The count is unknown here; another check reports that the nesting is too deep.
        guard depth < 64 else { return 1 }
        switch particle.term {
        case .element, .reference, .wildcard: return 1
        case .group(.choice, let parts):
            for part in parts where part.maximum != 0 {
                if needs(part, depth: depth + 1) == 0 { return 0 }
            }
            return parts.isEmpty ? 0 : 1
        case .group(_, let parts): return needs(parts, depth: depth + 1)
        case .groupReference(let name):
            // Each group is counted once, because nested groups multiply the work.
            if let known = groupNeeds[name] { return known }
            guard let group = schema.groups[name] else { return 0 }
            groupNeeds[name] = 1
            let found = needs(group, depth: depth + 1)
            groupNeeds[name] = found
            return found
        }
    }

    /// Counts a step; returns false, with a diagnostic, when there are too many.
    mutating func step(_ content: inout ComplexContent, _ depth: Int, at location: SourceLocation) -> Bool {
        content.steps += 1
        spend()
        if isExhausted { return false }
        if content.steps <= Self.stepLimit && depth <= 64 { return true }
        // This is reported once: the number of steps stays above the limit.
        if content.steps <= Self.stepLimit + 1 {
            fail("\(content.what) is too large or its groups are nested too deeply", at: location)
            content.steps = Self.stepLimit + 1
        }
        return false
    }

    // MARK: Elements

    func wildcardField(_ wildcard: Wildcard, _ particle: Particle, _ occurrences: Occurrences) -> BoundField {
        BoundField(
            name: QName("", "any"), kind: .wildcard, type: .builtIn(.fragment), occurrence: occurrences.bound,
            bounds: occurrences.told, namespaces: wildcard.namespaces,
            documentation: particle.documentation ?? "What the schema does not name.", location: particle.location)
    }

    /// The field for a particle that is an element or refers to one.
    mutating func elementField(_ particle: Particle, _ owner: TypeKey, _ occurrences: Occurrences) -> BoundField? {
        let element: ElementDeclaration
        let anonymous: TypeKey
        switch particle.term {
        case .element(let own):
            element = own
            anonymous = owner.nested(own.name.localName)
        case .reference(let name):
            guard let global = schema.elements[name] else {
                fail("the element \(name) is not there\(hint(missingElement: name))", at: particle.location)
                return nil
            }
            if schema.isReplaceable(name) {
                return substitutionField(global, particle, occurrences)
            }
            element = global
            anonymous = TypeKey(root: .element, name: name)
        default: return nil
        }
        guard let type = bind(element.type, anonymous: anonymous, at: element.location) else { return nil }
        return BoundField(
            name: element.name, kind: .element, type: type, occurrence: occurrences.bound, bounds: occurrences.told,
            isNillable: element.isNillable, preset: element.preset, schemaType: element.type.name,
            rules: fieldRules(of: element.type, at: particle.location),
            documentation: particle.documentation ?? element.documentation, location: particle.location)
    }
}

extension Occurrences {
    /// These bounds, when they say more than ``bound``; otherwise nil.
    var told: Occurrences? {
        switch bound {
        case .required, .optional: nil
        case .repeated: minimum == 0 && maximum == nil ? nil : self
        }
    }
}

extension TypeReference {
    var name: QName? {
        if case .named(let name) = self { return name }
        return nil
    }
}
