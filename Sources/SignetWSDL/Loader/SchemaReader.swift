extension Loading {
    /// Reads `xs:schema` (XML Schema Part 1 §3.15).
    ///
    /// - Parameter including: the namespace of the schema that includes this one.
    mutating func readSchema(_ root: XMLNode, including: String? = nil) throws(WSDLError) {
        let own = root.attribute("targetNamespace")
        let target = own ?? including ?? ""
        let reader = SchemaReader(
            target: target, isChameleon: own == nil && !target.isEmpty,
            elementsAreQualified: root.attribute("elementFormDefault") == "qualified",
            attributesAreQualified: root.attribute("attributeFormDefault") == "qualified")
        for node in root.children where node.name.namespace == Namespaces.schema {
            switch node.name.localName {
            case "import": readImport(node)
            case "include", "redefine", "override":
                request(
                    try node.required("schemaLocation"), at: node, namespace: target, isSchema: true, including: target)
                redefinitions += node.children.compactMap { Redefinition($0, reader) }
            default: try readGlobal(node, reader)
            }
        }
    }

    mutating func readImport(_ node: XMLNode) {
        guard let location = node.attribute("schemaLocation") else { return }
        request(location, at: node, namespace: node.attribute("namespace") ?? "", isSchema: true)
    }

    private mutating func readGlobal(_ node: XMLNode, _ reader: SchemaReader) throws(WSDLError) {
        guard let kind = ComponentName.Kind(rawValue: node.name.localName) else { return }
        try guarded(kind, node, reader.target) { (me) throws(WSDLError) in try me.read(kind, node, reader) }
    }

    private mutating func read(_ kind: ComponentName.Kind, _ node: XMLNode, _ reader: SchemaReader) throws(WSDLError) {
        let name = QName(reader.target, try node.required("name"))
        let component = ComponentName(kind, name)
        let place = node.location
        switch kind {
        case .element:
            let element = try reader.element(node, name: name)
            if let head = element.substitutionGroup, definitions.schema.elements[name] == nil {
                definitions.schema.substitutions[head, default: []].append(name)
            }
            enter(element, component, at: place, in: \.schema.elements)
        case .complexType:
            enter(.complex(try reader.complexType(node, name: name)), component, at: place, in: \.schema.types)
        case .simpleType:
            enter(.simple(try reader.simpleType(node, name: name)), component, at: place, in: \.schema.types)
        case .attribute:
            enter(try reader.attribute(node, name: name), component, at: place, in: \.schema.attributes)
        case .group: enter(try reader.modelGroup(node), component, at: place, in: \.schema.groups)
        case .attributeGroup:
            enter(try reader.attributes(of: node), component, at: place, in: \.schema.attributeGroups)
        case .message, .portType, .binding, .service: break
        }
    }
}

/// What the components of one schema document share.
struct SchemaReader {
    let target: String
    /// Whether the schema has no namespace of its own and took over another one's; its names follow it there.
    let isChameleon: Bool
    let elementsAreQualified: Bool
    let attributesAreQualified: Bool

    /// The content of a named group (XML Schema Part 1 §3.7.2).
    func modelGroup(_ node: XMLNode) throws(WSDLError) -> Particle {
        if let model = try contentParticle(of: node) { return model }
        throw WSDLError(
            .invalid, "the group ‘\(node.attribute("name") ?? "")’ has no content.", at: node.location)
    }

    func reference(_ node: XMLNode, _ attribute: String) throws(WSDLError) -> QName? {
        guard let name = try node.qualifiedName(attribute) else { return nil }
        return adopted(name)
    }

    func adopted(_ name: QName) -> QName {
        isChameleon && name.namespace.isEmpty ? QName(target, name.localName) : name
    }

    func flag(_ node: XMLNode, _ attribute: String) -> Bool {
        let value = node.attribute(attribute)
        return value == "true" || value == "1"
    }

    func preset(_ node: XMLNode) -> Preset? {
        // The value itself may begin or end with space.
        if let value = node.attribute(QName("", "fixed")) { return .fixed(value) }
        return node.attribute(QName("", "default")).map(Preset.byDefault)
    }

    /// The name of a local declaration (XML Schema Part 1 §3.2.2, §3.3.2: `form`).
    func localName(_ node: XMLNode, qualifiedByDefault: Bool) throws(WSDLError) -> QName {
        let form = node.attribute("form")
        let isQualified = form.map { $0 == "qualified" } ?? qualifiedByDefault
        return QName(isQualified ? target : "", try node.required("name"))
    }

    /// `minOccurs` and `maxOccurs`.
    func occurrence(_ node: XMLNode) throws(WSDLError) -> (minimum: Int, maximum: Int?) {
        let minimum = try count(node, "minOccurs") ?? 1
        if node.attribute("maxOccurs") == "unbounded" { return (minimum, nil) }
        let maximum = try count(node, "maxOccurs") ?? 1
        // Nothing is meant, although the standard wants both to be zero.
        if maximum == 0 { return (0, 0) }
        guard maximum >= minimum else {
            throw WSDLError(.invalid, "minOccurs is greater than maxOccurs.", at: node.location)
        }
        return (minimum, maximum)
    }

    private func count(_ node: XMLNode, _ name: String) throws(WSDLError) -> Int? {
        guard let text = node.attribute(name) else { return nil }
        // A count beyond every message's size means the same as a very large one.
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber else {
            throw WSDLError(.invalid, "\(name) is ‘\(text)’, which is no number.", at: node.location)
        }
        return Int(text) ?? Int.max
    }
}
