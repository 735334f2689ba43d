import SignetXML

extension Loading {
    /// Reads `xs:schema` (XML Schema Part 1 §3.15).
    ///
    /// - Parameter including: the namespace of the schema that includes this one.
    mutating func readSchema(_ root: XMLNode, including: String? = nil) throws(WSDLError) {
        let own = root.attribute("targetNamespace")
        let target = own ?? including ?? ""
        var imported = Set(root.children(Namespaces.schema, "import").map { $0.attribute("namespace") ?? "" })
        if hasUnqualified { imported.insert("") }
        let reader = SchemaReader(
            target: target, isChameleon: own == nil && !target.isEmpty, imported: imported,
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
        report(reader.taken)
    }

    /// Warns, once for a document, that names without a prefix are taken for names of its schema.
    mutating func report(_ taken: SchemaReader.Taken) {
        guard let first = taken.first else { return }
        taken.first = nil
        definitions.diagnostics.append(
            Diagnostic(
                .warning,
                "‘\(first.name.localName)’ has no prefix, and its namespace here is not imported; such names are taken for "
                    + "those of ‘\(first.name.namespace)’.", at: first.place))
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

/// The context that all components of one schema document share.
struct SchemaReader {
    let target: String
    /// Whether the schema has no namespace of its own and took over that of the including schema; its names are in that
    /// namespace.
    let isChameleon: Bool
    /// The namespaces whose components the schema may refer to, beside its own (XML Schema Part 1 §4.2.3); the empty
    /// string stands for no namespace.
    let imported: Set<String>
    let elementsAreQualified: Bool
    let attributesAreQualified: Bool
    /// Names without a prefix that were taken for names of this schema.
    let taken = Taken()

    /// The components of XML Schema beside the built-in types: .NET DataSets refer to its element `schema`.
    private static let otherNames = ["anyType", "anySimpleType", "schema"]

    final class Taken {
        var first: (name: QName, place: SourceLocation)?
    }

    /// The content of a named group (XML Schema Part 1 §3.7.2).
    func modelGroup(_ node: XMLNode) throws(WSDLError) -> Particle {
        if let model = try contentParticle(of: node) { return model }
        throw WSDLError(
            .invalid, "the group ‘\(node.attribute("name") ?? "")’ has no content.", at: node.location)
    }

    func reference(_ node: XMLNode, _ attribute: String) throws(WSDLError) -> QName? {
        guard let name = node.attribute(attribute) else { return nil }
        return try resolve(name, at: node)
    }

    func requiredReference(_ node: XMLNode, _ attribute: String) throws(WSDLError) -> QName {
        try resolve(try node.required(attribute), at: node)
    }

    /// The component that a qualified name refers to. A name without a prefix, in a namespace that is not imported, is
    /// taken for a name of this schema: authors of hand-written schemas forget that the default namespace is a
    /// different one, or absent.
    func resolve(_ text: String, at node: XMLNode) throws(WSDLError) -> QName {
        let name = try node.resolve(text)
        guard !target.isEmpty, name.namespace != target, text.qualifiedNameParts.prefix.isEmpty else { return name }
        let own = QName(target, name.localName)
        if isChameleon, name.namespace.isEmpty { return own }
        guard !imported.contains(name.namespace), isLost(name) else { return name }
        if taken.first == nil { taken.first = (own, node.location) }
        return own
    }

    /// Whether the name is in a default namespace that is not imported and has no such component. The components of
    /// SOAP's encoding are known without an import.
    private func isLost(_ name: QName) -> Bool {
        switch name.namespace {
        case "", Namespaces.wsdl: true
        case Namespaces.schema:
            XSDBuiltInType(rawValue: name.localName) == nil && !Self.otherNames.contains(name.localName)
        default: false
        }
    }

    func flag(_ node: XMLNode, _ attribute: String) -> Bool {
        let value = node.attribute(attribute)
        return value == "true" || value == "1"
    }

    func preset(_ node: XMLNode) -> Preset? {
        // White space at the ends belongs to the value.
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
        // The element may not occur, although the standard requires both to be zero.
        if maximum == 0 { return (0, 0) }
        guard maximum >= minimum else {
            throw WSDLError(.invalid, "minOccurs is greater than maxOccurs.", at: node.location)
        }
        return (minimum, maximum)
    }

    private func count(_ node: XMLNode, _ name: String) throws(WSDLError) -> Int? {
        guard let text = node.attribute(name) else { return nil }
        // With a sign, as any xs:nonNegativeInteger (XML Schema Part 2 §3.3.20).
        let digits = text.utf8.dropFirst(text.utf8.first == UInt8(ascii: "+") ? 1 : 0)
        let isNumber = !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber || Int(text) == 0 else {
            throw WSDLError(.invalid, "\(name) is ‘\(text)’, which is no number.", at: node.location)
        }
        // A count beyond the size of any message has the same effect as a very large one.
        return Int(text) ?? Int.max
    }
}
