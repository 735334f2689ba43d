import SignetSOAP
import SignetWSDL

/// Writes content that no schema describes: `xs:anyType`, and elements and attributes that wildcards allow.
extension Encoder {
    /// The name of an element that only a wildcard allows.
    mutating func wildElement(_ key: String, _ shape: ComplexShape) throws(DynamicError) -> QName {
        guard !shape.wildcards.isEmpty else { throw unknown(key, shape) }
        guard let name = ElementKey.name(key) ?? types.wildName(key, shape) else {
            throw error(
                .unknownName,
                "‘\(key)’ is no element that the schema names here; write the name of an element of your own as "
                    + "‘{namespace}name’.")
        }
        guard XMLName.isNCName(name.localName) else {
            throw error(.unknownName, "‘\(key)’ is no name of an element.")
        }
        guard shape.wildcards.contains(where: { types.schema.allows(name, $0) }) else { throw unknown(key, shape) }
        return name
    }

    func wild(_ name: QName, _ wildcard: Wildcard) -> ElementDeclaration {
        let declared = wildcard.processing == .skip ? nil : types.schema.elements[name]
        return declared ?? .undeclared(name)
    }

    func untypedText(_ value: DynamicValue) throws(DynamicError) -> [XMLTree.Text] {
        switch value {
        case .number(let digits): return [.plain(digits)]
        case .bool(let flag): return [.plain(flag ? "true" : "false")]
        case .string(let text):
            guard text.unicodeScalars.allSatisfy(\.isAllowedInXML) else {
                throw error(.invalidValue, "the text holds a character that cannot stand in XML.")
            }
            return [.plain(text)]
        case .null, .array, .object: throw error(.invalidValue, "a text is expected, not \(value.kind).")
        }
    }

    mutating func untyped(_ value: DynamicValue, into tree: inout XMLTree) throws(DynamicError) -> [Piece] {
        guard case .object(let members) = value else { return try untypedText(value).map(Piece.text) }
        var pieces: [Piece] = []
        for member in members {
            let content = try at(member.name) { (encoder) throws(DynamicError) in
                try encoder.untyped(member, in: tree.name.namespace)
            }
            tree.attributes += content.attributes
            pieces += content.pieces
        }
        return pieces
    }

    private mutating func untyped(
        _ member: DynamicValue.Member, in namespace: String
    ) throws(DynamicError) -> (attributes: [XMLTree.Attribute], pieces: [Piece]) {
        if member.name == "#text" { return ([], try untypedText(member.value).map(Piece.text)) }
        if member.name == "#xml" { return ([], [.item(.markup(try markup(member.value)))]) }
        if let key = member.name.attributeKey {
            let name = ElementKey.name(key) ?? QName("", key)
            guard XMLName.isNCName(name.localName) else {
                throw error(.unknownName, "this is no name of an attribute.")
            }
            return ([.init(name: name, value: try untypedText(member.value))], [])
        }
        let name = ElementKey.name(member.name) ?? QName(namespace, member.name)
        guard XMLName.isNCName(name.localName) else { throw error(.unknownName, "this is no name of an element.") }
        let values: [DynamicValue] = if case .array(let values) = member.value { values } else { [member.value] }
        return ([], values.map { .element(.undeclared(name), $0, step: member.name) })
    }

    /// Markup given as a string, which must be well-formed and declare the namespaces it uses.
    func markup(_ value: DynamicValue) throws(DynamicError) -> String {
        guard case .string(let text) = value else {
            throw error(.invalidValue, "‘#xml’ must be a string with markup, not \(value.kind).")
        }
        do { _ = try XMLFragment(parsing: "<xml>\(text)</xml>") } catch let defect {
            throw error(.invalidValue, "‘#xml’ is not well-formed: \(defect)")
        }
        return text
    }
}

extension SchemaSet {
    func allows(_ name: QName, _ wildcard: Wildcard) -> Bool {
        wildcard.allows(name.namespace) && (wildcard.processing != .strict || elements[name] != nil)
    }
}

extension TypeTable {
    /// The element that a key without a namespace means when only wildcards allow elements: one of the only namespace
    /// that they name, the only element of that name that the schema declares, or one in no namespace; nil when the key
    /// means no element.
    mutating func wildName(_ key: String, _ shape: ComplexShape) -> QName? {
        var lists: Set<String> = []
        for wildcard in shape.wildcards {
            if case .these(let list) = wildcard.namespaces { lists.formUnion(list) }
        }
        if lists.count == 1, let only = lists.first { return QName(only, key) }
        let declared = elementNames(key).filter { name in shape.wildcards.contains { schema.allows(name, $0) } }
        if declared.count == 1 { return declared.first }
        let bare = QName("", key)
        return declared.isEmpty && shape.wildcards.contains { schema.allows(bare, $0) } ? bare : nil
    }

    /// Whether a key may be that of an element that only wildcards allow.
    mutating func isWildKey(_ key: String, _ shape: ComplexShape) -> Bool {
        if shape.wildcards.isEmpty { return false }
        if ElementKey.name(key) != nil { return true }
        return !shape.hasElement(called: key) && wildName(key, shape) != nil
    }

    /// The shortest key that means this name when only wildcards allow the element.
    mutating func wildKey(_ name: QName, _ shape: ComplexShape) -> String {
        let isTaken = shape.hasElement(called: name.localName)
        return !isTaken && wildName(name.localName, shape) == name ? name.localName : ElementKey.expandedName(name)
    }
}
