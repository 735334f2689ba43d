import SignetWSDL

extension TypeBinder {
    // MARK: Elements

    /// Turns a content model into fields in its order; sequences inside sequences disappear.
    mutating func flatten(
        _ particle: Particle, _ what: String, _ key: TypeKey, isOptional: Bool, isRepeated: Bool = false,
        depth: Int = 0, _ fields: inout [BoundField], _ steps: inout Int
    ) {
        steps += 1
        guard steps <= Self.stepLimit, depth <= 64 else {
            // Said once: the steps stay above the limit.
            if steps <= Self.stepLimit || steps == Self.stepLimit + 1 {
                fail("\(what) is too large or its groups are nested too deeply", at: particle.location)
                steps = Self.stepLimit + 1
            }
            return
        }
        if particle.maximum == 0 { return }
        let isOptional = isOptional || particle.minimum == 0
        let isRepeated = isRepeated || particle.maximum.map { $0 > 1 } ?? true
        switch particle.term {
        case .element(let element):
            addElement(element, particle, key, isOptional, isRepeated, &fields)
        case .reference(let name):
            guard let element = referenced(name, at: particle.location) else { return }
            addElement(element, particle, key, isOptional, isRepeated, &fields)
        case .wildcard:
            fail("\(what) allows any element (xs:any), which is not supported yet", at: particle.location)
        case .group(let compositor, let parts):
            if compositor == .choice && parts.count > 1 {
                return fail("\(what) has a choice, which is not supported yet", at: particle.location)
            }
            if isRepeated && parts.count > 1 {
                return fail(
                    "\(what) repeats a \(compositor.rawValue) of several elements, which is not supported yet",
                    at: particle.location)
            }
            for part in parts {
                flatten(
                    part, what, key, isOptional: isOptional, isRepeated: isRepeated, depth: depth + 1, &fields, &steps)
            }
        case .groupReference(let name):
            if let place = schema.redefined[name] {
                return fail("the group ‘\(name.localName)’ is redefined, which is not supported yet", at: place)
            }
            guard let group = schema.groups[name] else {
                return fail("the group \(name) is not there\(hint(for: name.namespace))", at: particle.location)
            }
            flatten(
                group, what, key, isOptional: isOptional, isRepeated: isRepeated, depth: depth + 1, &fields, &steps)
        }
    }

    private mutating func referenced(_ name: QName, at location: SourceLocation) -> ElementDeclaration? {
        guard let element = schema.elements[name] else {
            fail("the element \(name) is not there\(hint(for: name.namespace))", at: location)
            return nil
        }
        if element.isAbstract || schema.substitutions[name] != nil {
            fail(
                "the element ‘\(name.localName)’ can be substituted by others, which is not supported yet", at: location
            )
            return nil
        }
        return element
    }

    private mutating func addElement(
        _ element: ElementDeclaration, _ particle: Particle, _ key: TypeKey, _ isOptional: Bool, _ isRepeated: Bool,
        _ fields: inout [BoundField]
    ) {
        let isGlobal = if case .reference = particle.term { true } else { false }
        let anonymous = isGlobal ? TypeKey(root: .element, name: element.name) : key.nested(element.name.localName)
        guard let type = bind(element.type, anonymous: anonymous, at: element.location) else { return }
        if case .byDefault = element.preset {
            warnings.warning(
                "the default of the element ‘\(element.name.localName)’ is not applied when it arrives empty.",
                at: element.location)
        }
        fields.append(
            BoundField(
                name: element.name, kind: .element, type: type,
                occurrence: isRepeated ? .repeated : isOptional ? .optional : .required, isNillable: element.isNillable,
                preset: element.preset, documentation: particle.documentation ?? element.documentation,
                location: particle.location))
    }

    // MARK: Attributes

    /// Adds the attributes of a type; what is there already, from a type derived from this one, stays.
    mutating func addAttributes(
        _ group: AttributeGroup, _ what: String, _ key: TypeKey, _ fields: inout [BoundField], _ steps: inout Int
    ) {
        var open = [group]
        var passed: Set<QName> = []
        while let next = open.popLast() {
            if let wildcard = next.wildcard {
                fail("\(what) allows any attribute (xs:anyAttribute), which is not supported yet", at: wildcard)
            }
            for use in next.uses where !use.isProhibited {
                steps += 1
                if steps > Self.stepLimit { return fail("\(what) has too many attributes", at: use.location) }
                addAttribute(use, key, &fields)
            }
            for use in next.groups where passed.insert(use.name).inserted {
                if let place = schema.redefined[use.name] {
                    fail(
                        "the attributeGroup ‘\(use.name.localName)’ is redefined, which is not supported yet", at: place
                    )
                } else if let group = schema.attributeGroups[use.name] {
                    open.append(group)
                } else {
                    fail(
                        "the attributeGroup \(use.name) is not there\(hint(for: use.name.namespace))", at: use.location)
                }
            }
        }
    }

    private mutating func addAttribute(_ use: AttributeUse, _ key: TypeKey, _ fields: inout [BoundField]) {
        let declaration: AttributeDeclaration
        var owner = key
        switch use.kind {
        case .declared(let own):
            declaration = own
            owner = key.nested(own.name.localName)
        case .reference(let name):
            owner = TypeKey(root: .attribute, name: name)
            guard let found = schema.attribute(name) else {
                return fail("the attribute \(name) is not there\(hint(for: name.namespace))", at: use.location)
            }
            declaration = found
        }
        if fields.contains(where: { $0.kind == .attribute && $0.name == declaration.name }) { return }
        let reference: TypeReference =
            if case .unspecified = declaration.type {
                .named(QName(Namespaces.schema, "anySimpleType"))
            } else {
                declaration.type
            }
        guard let type = bind(reference, anonymous: owner, at: declaration.location) else { return }
        fields.append(
            BoundField(
                name: declaration.name, kind: .attribute, type: type,
                occurrence: use.isRequired ? .required : .optional,
                preset: use.preset ?? declaration.preset, documentation: use.documentation ?? declaration.documentation,
                location: use.location))
    }
}
