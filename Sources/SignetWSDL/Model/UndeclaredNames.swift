extension WSDLDefinitions {
    /// The namespaces of names to which messages and components refer although no component has them.
    package var undeclaredNamespaces: Set<String> {
        var search = UndeclaredNames(schema: schema)
        for message in messages.values {
            for part in message.parts {
                if let name = part.element { search.element(name) }
                if let name = part.type { search.type(name) }
            }
        }
        for type in schema.types.values { search.visit(type) }
        for element in schema.elements.values { search.visit(element) }
        for attribute in schema.attributes.values { search.visit(attribute.type) }
        for group in schema.groups.values { search.visit(group) }
        for group in schema.attributeGroups.values { search.visit(group) }
        return Set(search.names.map(\.namespace))
    }
}

/// Searches components for references to missing components. The depth of the documents bounds the nesting.
private struct UndeclaredNames {
    let schema: SchemaSet
    private(set) var names: Set<QName> = []

    init(schema: SchemaSet) { self.schema = schema }

    mutating func type(_ name: QName) {
        if schema.types[name] == nil, name.namespace != Namespaces.schema { names.insert(name) }
    }

    mutating func element(_ name: QName) {
        if schema.elements[name] == nil { names.insert(name) }
    }

    mutating func visit(_ reference: TypeReference) {
        switch reference {
        case .named(let name): type(name)
        case .anonymous(let definition): visit(definition)
        case .unspecified: break
        }
    }

    mutating func visit(_ type: TypeDefinition) {
        switch type {
        case .simple(let simple):
            switch simple.variety {
            case .restriction(let base, _): visit(base)
            case .list(let item): visit(item)
            case .union(let members): for member in members { visit(member) }
            }
        case .complex(let complex):
            switch complex.content {
            case .empty: break
            case .particle(let particle): visit(particle)
            case .simple(let base, _):
                visit(base)
                if let text = complex.simpleContentType { visit(.simple(text)) }
            case .derived(let base, _, let particle):
                self.type(base)
                if let particle { visit(particle) }
            }
            visit(complex.attributes)
        }
    }

    mutating func visit(_ declaration: ElementDeclaration) {
        visit(declaration.type)
        if let head = declaration.substitutionGroup { element(head) }
    }

    mutating func visit(_ particle: Particle) {
        switch particle.term {
        case .element(let declaration): visit(declaration)
        case .reference(let name): element(name)
        case .group(_, let parts): for part in parts { visit(part) }
        case .groupReference(let name): if schema.groups[name] == nil { names.insert(name) }
        case .wildcard: break
        }
    }

    mutating func visit(_ group: AttributeGroup) {
        for use in group.uses {
            switch use.kind {
            case .declared(let attribute): visit(attribute.type)
            case .reference(let name): if schema.attributes[name] == nil { names.insert(name) }
            }
            if let item = use.arrayType?.item { type(item) }
        }
        for use in group.groups where schema.attributeGroups[use.name] == nil { names.insert(use.name) }
    }
}
