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
            case "import":
                if let location = node.attribute("schemaLocation") {
                    try request(location, at: node, namespace: node.attribute("namespace") ?? "", isSchema: true)
                }
            case "include", "redefine":
                try request(
                    try node.required("schemaLocation"), at: node, namespace: target, isSchema: true, including: target)
                for change in node.children {
                    if let name = change.attribute("name") {
                        definitions.schema.redefined[QName(target, name)] = change.location
                    }
                }
            default: try readGlobal(node, reader)
            }
        }
    }

    private mutating func readGlobal(_ node: XMLNode, _ reader: SchemaReader) throws(WSDLError) {
        guard
            ["element", "complexType", "simpleType", "attribute", "group", "attributeGroup"].contains(
                node.name.localName)
        else { return }
        let name = QName(reader.target, try node.required("name"))
        let place = node.location
        switch node.name.localName {
        case "element":
            let element = try reader.element(node, name: name)
            if let head = element.substitutionGroup { definitions.schema.substitutions[head, default: []].append(name) }
            enter(element, name, "element", at: place, in: \.schema.elements)
        case "complexType":
            enter(.complex(try reader.complexType(node, name: name)), name, "type", at: place, in: \.schema.types)
        case "simpleType":
            enter(.simple(try reader.simpleType(node, name: name)), name, "type", at: place, in: \.schema.types)
        case "attribute":
            enter(try reader.attribute(node, name: name), name, "attribute", at: place, in: \.schema.attributes)
        case "group":
            guard let model = try reader.contentParticle(of: node) else {
                throw WSDLError(.invalid, "the group ‘\(name.localName)’ has no content.", at: place)
            }
            enter(model, name, "group", at: place, in: \.schema.groups)
        default:
            enter(try reader.attributes(of: node), name, "attributeGroup", at: place, in: \.schema.attributeGroups)
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
