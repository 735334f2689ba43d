import SignetWSDL

extension TypeBinder {
    /// Adds the attributes of a type; attributes already added, by a type derived from this one, stay.
    mutating func addAttributes(
        _ group: AttributeGroup, _ key: TypeKey, _ content: inout ComplexContent
    ) {
        var open = [group]
        var passed: Set<QName> = []
        while let next = open.popLast() {
            if let wildcard = next.wildcard {
                addWildcard(at: wildcard, &content)
            }
            for use in next.uses {
                guard step(&content, 0, at: use.location) else { return }
                if use.isProhibited { content.prohibited.insert(use.name) } else { addAttribute(use, key, &content) }
            }
            for use in next.groups where passed.insert(use.name).inserted {
                if let group = schema.attributeGroups[use.name] {
                    open.append(group)
                } else {
                    fail(
                        "the attributeGroup \(use.name) is not there\(hint(for: use.name.namespace))", at: use.location)
                }
            }
        }
    }

    private mutating func addAttribute(_ use: AttributeUse, _ key: TypeKey, _ content: inout ComplexContent) {
        let name = use.name
        if content.prohibited.contains(name) || content.attributes.contains(name) { return }
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
        let reference: TypeReference =
            if case .unspecified = declaration.type {
                .named(QName(Namespaces.schema, "anySimpleType"))
            } else {
                declaration.type
            }
        guard let type = bind(reference, anonymous: owner, at: declaration.location) else { return }
        content.attributes.insert(name)
        content.fields.append(
            BoundField(
                name: name, kind: .attribute, type: type,
                occurrence: use.isRequired ? .required : .optional,
                preset: use.preset ?? declaration.preset, rules: fieldRules(of: reference, at: use.location),
                documentation: use.documentation ?? declaration.documentation,
                location: use.location))
    }

    func addWildcard(at location: SourceLocation, _ content: inout ComplexContent) {
        guard !content.hasWildcardOfAttributes else { return }
        content.hasWildcardOfAttributes = true
        content.fields.append(
            BoundField(
                name: QName("", "anyAttribute"), kind: .anyAttribute, type: .builtIn(.anyAttribute),
                occurrence: .repeated, documentation: "Attributes that the schema does not name.", location: location))
    }
}

extension AttributeUse {
    fileprivate var name: QName {
        switch kind {
        case .declared(let declaration): declaration.name
        case .reference(let name): name
        }
    }
}
