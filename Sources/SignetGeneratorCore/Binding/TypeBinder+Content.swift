import SignetWSDL

extension TypeBinder {
    // MARK: Elements

    /// How often a particle may stand, those around it counted in.
    struct Occurrence {
        var isOptional = false
        var isRepeated = false

        func around(_ particle: Particle) -> Occurrence {
            Occurrence(
                isOptional: isOptional || particle.minimum == 0,
                isRepeated: isRepeated || particle.maximum.map { $0 > 1 } ?? true)
        }

        var bound: BoundField.Occurrence { isRepeated ? .repeated : isOptional ? .optional : .required }
    }

    /// Turns a content model into fields in its order; sequences inside sequences disappear.
    mutating func flatten(
        _ particle: Particle, _ key: TypeKey, in outer: Occurrence = .init(), depth: Int = 0,
        _ content: inout ComplexContent
    ) {
        guard step(&content, depth, at: particle.location), particle.maximum != 0 else { return }
        let occurrence = outer.around(particle)
        switch particle.term {
        case .element, .reference:
            if let field = elementField(particle, key, occurrence) { content.fields.append(field) }
        case .wildcard:
            content.fields.append(wildcardField(particle, occurrence))
        case .group(let compositor, let all):
            let parts = all.filter { $0.maximum != 0 }
            if compositor == .choice && parts.count > 1 {
                return addChoice(parts, particle, key, occurrence, depth, &content)
            }
            if occurrence.isRepeated && parts.count > 1 {
                return loosen(
                    "\(content.what) repeats a \(compositor.rawValue) of several elements", at: particle.location)
            }
            for part in parts { flatten(part, key, in: occurrence, depth: depth + 1, &content) }
        case .groupReference(let name):
            guard let group = group(name, content.what, at: particle.location) else { return }
            flatten(group, key, in: occurrence, depth: depth + 1, &content)
        }
    }

    /// Counts a step; false when there are too many.
    mutating func step(_ content: inout ComplexContent, _ depth: Int, at location: SourceLocation) -> Bool {
        content.steps += 1
        if content.steps <= Self.stepLimit && depth <= 64 { return true }
        // Said once: the steps stay above the limit.
        if content.steps <= Self.stepLimit + 1 {
            fail("\(content.what) is too large or its groups are nested too deeply", at: location)
            content.steps = Self.stepLimit + 1
        }
        return false
    }

    mutating func group(_ name: QName, _ what: String, at location: SourceLocation) -> Particle? {
        if let place = schema.redefined[name] {
            loosen("\(what) holds the group ‘\(name.localName)’, which is redefined", at: place)
            return nil
        }
        guard let group = schema.groups[name] else {
            fail("the group \(name) is not there\(hint(for: name.namespace))", at: location)
            return nil
        }
        return group
    }

    private mutating func referenced(_ name: QName, at location: SourceLocation) -> ElementDeclaration? {
        guard let element = schema.elements[name] else {
            fail("the element \(name) is not there\(hint(for: name.namespace))", at: location)
            return nil
        }
        if element.isAbstract || schema.substitutions[name] != nil {
            loosen("the element ‘\(name.localName)’ can be substituted by others", at: location)
            return nil
        }
        return element
    }

    func wildcardField(_ particle: Particle, _ occurrence: Occurrence) -> BoundField {
        BoundField(
            name: QName("", "any"), kind: .wildcard, type: .builtIn(.fragment), occurrence: occurrence.bound,
            documentation: particle.documentation ?? "What the schema does not name.", location: particle.location)
    }

    /// The field for a particle that is an element or refers to one.
    mutating func elementField(_ particle: Particle, _ key: TypeKey, _ occurrence: Occurrence) -> BoundField? {
        let element: ElementDeclaration
        let anonymous: TypeKey
        switch particle.term {
        case .element(let own):
            element = own
            anonymous = key.nested(own.name.localName)
        case .reference(let name):
            guard let global = referenced(name, at: particle.location) else { return nil }
            element = global
            anonymous = TypeKey(root: .element, name: name)
        default: return nil
        }
        guard let type = bind(element.type, anonymous: anonymous, at: element.location) else { return nil }
        if case .byDefault = element.preset {
            remark(
                .warning,
                "the default of the element ‘\(element.name.localName)’ is not applied when it arrives empty.",
                at: element.location)
        }
        return BoundField(
            name: element.name, kind: .element, type: type, occurrence: occurrence.bound,
            isNillable: element.isNillable, preset: element.preset,
            documentation: particle.documentation ?? element.documentation, location: particle.location)
    }
}
