import SignetXML

extension SchemaReader {
    /// Reads an element declaration (XML Schema Part 1 §3.3.2).
    func element(_ node: XMLNode, name: QName) throws(WSDLError) -> ElementDeclaration {
        ElementDeclaration(
            name: name, type: try typeReference(node), isNillable: flag(node, "nillable"),
            isAbstract: flag(node, "abstract"), substitutionGroup: try reference(node, "substitutionGroup"),
            preset: preset(node), documentation: node.documentation, location: node.location)
    }

    func attribute(_ node: XMLNode, name: QName) throws(WSDLError) -> AttributeDeclaration {
        AttributeDeclaration(
            name: name, type: try typeReference(node), preset: preset(node), documentation: node.documentation,
            location: node.location)
    }

    /// The type that an element or attribute names or holds.
    private func typeReference(_ node: XMLNode) throws(WSDLError) -> TypeReference {
        if let name = try reference(node, "type") { return .named(name) }
        if let inner = node.child(Namespaces.schema, "complexType") {
            return .anonymous(.complex(try complexType(inner, name: nil)))
        }
        if let inner = node.child(Namespaces.schema, "simpleType") {
            return .anonymous(.simple(try simpleType(inner, name: nil)))
        }
        return .unspecified
    }

    /// Reads a complex type (XML Schema Part 1 §3.4.2).
    func complexType(_ node: XMLNode, name: QName?) throws(WSDLError) -> ComplexType {
        var content = ComplexType.Content.empty
        var attributeHolder = node
        var isMixed = flag(node, "mixed")
        var simpleContentFacets: [Facet] = []
        var simpleContentType: SimpleType?
        if let holder = node.child(Namespaces.schema, "simpleContent") {
            let (method, derivation) = try self.derivation(holder)
            attributeHolder = derivation
            let base: TypeReference = try reference(derivation, "base").map { .named($0) } ?? .unspecified
            content = .simple(base: base, method: method)
            if let inner = derivation.child(Namespaces.schema, "simpleType") {
                simpleContentType = try simpleType(inner, name: nil)
            }
            simpleContentFacets = facets(derivation)
        } else if let holder = node.child(Namespaces.schema, "complexContent") {
            let (method, derivation) = try self.derivation(holder)
            attributeHolder = derivation
            if holder.attribute("mixed") != nil { isMixed = flag(holder, "mixed") }
            let base = try requiredReference(derivation, "base")
            let particle = try contentParticle(of: derivation)
            if method == .restriction && base == .anyType {
                // The long form of a type without a base.
                content = particle.map { .particle($0) } ?? .empty
            } else {
                content = .derived(base: base, method: method, particle: particle)
            }
        } else if let particle = try contentParticle(of: node) {
            content = .particle(particle)
        }
        return ComplexType(
            name: name, isAbstract: flag(node, "abstract"), isMixed: isMixed, content: content,
            attributes: try attributes(of: attributeHolder), documentation: node.documentation, location: node.location,
            simpleContentFacets: simpleContentFacets, simpleContentType: simpleContentType)
    }

    private func derivation(_ holder: XMLNode) throws(WSDLError) -> (ComplexType.Derivation, XMLNode) {
        for child in holder.children where child.name.namespace == Namespaces.schema {
            if let method = ComplexType.Derivation(rawValue: child.name.localName) { return (method, child) }
        }
        throw WSDLError(
            .invalid, "‘\(holder.name.localName)’ holds neither an extension nor a restriction.", at: holder.location)
    }

    /// The content model directly below an element, if there is one.
    func contentParticle(of node: XMLNode) throws(WSDLError) -> Particle? {
        for child in node.children where ["sequence", "choice", "all", "group"].contains(child.name.localName) {
            if let particle = try particle(child) { return particle }
        }
        return nil
    }

    private func particle(_ node: XMLNode) throws(WSDLError) -> Particle? {
        guard node.name.namespace == Namespaces.schema else { return nil }
        let term: Particle.Term
        switch node.name.localName {
        case "element":
            if let name = try reference(node, "ref") {
                term = .reference(name)
            } else {
                let name = try localName(node, qualifiedByDefault: elementsAreQualified)
                term = .element(try element(node, name: name))
            }
        case "any": term = .wildcard(try wildcard(node))
        case "group": term = .groupReference(try requiredReference(node, "ref"))
        case let other:
            guard let compositor = Particle.Compositor(rawValue: other) else { return nil }
            var parts: [Particle] = []
            for child in node.children {
                if let part = try particle(child) { parts.append(part) }
            }
            term = .group(compositor, parts)
        }
        let (minimum, maximum) = try occurrence(node)
        return Particle(
            term: term, minimum: minimum, maximum: maximum, documentation: node.documentation, location: node.location)
    }

    /// The attributes directly below an element.
    func attributes(of node: XMLNode) throws(WSDLError) -> AttributeGroup {
        var group = AttributeGroup()
        for child in node.children where child.name.namespace == Namespaces.schema {
            switch child.name.localName {
            case "attribute": group.uses.append(try attributeUse(child))
            case "attributeGroup":
                let name = try requiredReference(child, "ref")
                group.groups.append(.init(name: name, location: child.location))
            case "anyAttribute": group.anyAttribute = try wildcard(child)
            default: break
            }
        }
        return group
    }

    private func wildcard(_ node: XMLNode) throws(WSDLError) -> Wildcard {
        let processing = node.attribute("processContents") ?? "strict"
        guard let processing = Wildcard.Processing(rawValue: processing) else {
            throw WSDLError(
                .invalid, "processContents is ‘\(processing)’, neither ‘strict’, ‘lax’ nor ‘skip’.", at: node.location)
        }
        let namespaces: Wildcard.Namespaces
        switch node.attribute("namespace") ?? "##any" {
        case "##any": namespaces = .any
        case "##other": namespaces = .other(than: target)
        case let list:
            namespaces = .these(
                list.xmlWords.map { item in
                    item == "##local" ? "" : item == "##targetNamespace" ? target : String(item)
                })
        }
        return Wildcard(namespaces: namespaces, processing: processing, location: node.location)
    }

    private func attributeUse(_ node: XMLNode) throws(WSDLError) -> AttributeUse {
        let kind: AttributeUse.Kind
        if let name = try reference(node, "ref") {
            kind = .reference(name)
        } else {
            let name = try localName(node, qualifiedByDefault: attributesAreQualified)
            kind = .declared(try attribute(node, name: name))
        }
        let use = node.attribute("use")
        return AttributeUse(
            kind: kind, isRequired: use == "required", isProhibited: use == "prohibited", preset: preset(node),
            documentation: node.documentation, location: node.location, arrayType: try arrayType(node))
    }

    /// `wsdl:arrayType`, or its equivalent in SOAP 1.2: `itemType` and `arraySize`.
    private func arrayType(_ node: XMLNode) throws(WSDLError) -> AttributeUse.ArrayType? {
        if let text = node.attribute(QName(Namespaces.wsdl, "arrayType"))?.trimmedXMLSpace {
            let item = text.prefix { $0 != "[" }
            let name = try resolve(String(item).trimmedXMLSpace, at: node)
            return AttributeUse.ArrayType(item: name, dimensions: String(text.dropFirst(item.count)))
        }
        guard let item = node.attribute(QName(Namespaces.wsdl, "itemType"))?.trimmedXMLSpace else { return nil }
        let size = node.attribute(QName(Namespaces.wsdl, "arraySize"))?.trimmedXMLSpace ?? "*"
        let sizes = size.xmlWords.map { $0 == "*" ? "" : $0 }
        return AttributeUse.ArrayType(
            item: try resolve(item, at: node), dimensions: "[\(sizes.joined(separator: ","))]")
    }

    /// Reads a simple type (XML Schema Part 2 §4.1.2).
    func simpleType(_ node: XMLNode, name: QName?) throws(WSDLError) -> SimpleType {
        SimpleType(name: name, variety: try variety(node), documentation: node.documentation, location: node.location)
    }

    private func variety(_ node: XMLNode) throws(WSDLError) -> SimpleType.Variety {
        for child in node.children where child.name.namespace == Namespaces.schema {
            var inner: [TypeReference] = []
            switch child.name.localName {
            case "restriction", "list", "union":
                for type in child.children(Namespaces.schema, "simpleType") {
                    inner.append(.anonymous(.simple(try simpleType(type, name: nil))))
                }
            default: continue
            }
            switch child.name.localName {
            case "restriction":
                let base = try reference(child, "base").map { TypeReference.named($0) } ?? inner.first ?? .unspecified
                return .restriction(base: base, facets: facets(child))
            case "list":
                return .list(item: try reference(child, "itemType").map { .named($0) } ?? inner.first ?? .unspecified)
            default:
                var named: [TypeReference] = []
                for name in (child.attribute("memberTypes") ?? "").xmlWords {
                    named.append(.named(try resolve(name, at: child)))
                }
                return .union(members: named + inner)
            }
        }
        throw WSDLError(.invalid, "a simple type needs a restriction, a list or a union.", at: node.location)
    }

    private func facets(_ node: XMLNode) -> [Facet] {
        node.children.compactMap { child in
            guard child.name.namespace == Namespaces.schema, let value = child.attribute(QName("", "value")) else {
                return nil
            }
            return Facet(
                name: child.name.localName, value: value, documentation: child.documentation, location: child.location,
                qualifiedName: value.utf8.contains(UInt8(ascii: ":")) ? try? child.resolve(value.trimmedXMLSpace) : nil,
                defaultNamespace: child.defaultNamespace)
        }
    }
}
