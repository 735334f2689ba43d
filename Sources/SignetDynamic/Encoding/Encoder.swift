import SignetSOAP
import SignetWSDL

/// Turns values into elements as a schema requires.
struct Encoder {
    var types: TypeTable
    /// The keys and indices from the root to the value being encoded.
    var path: [String] = []

    /// The version of SOAP in whose encoding the message is written; nil for literal messages.
    let encoding: SOAPVersion?

    init(_ schema: SchemaSet, encoding: SOAPVersion? = nil) {
        types = TypeTable(schema)
        self.encoding = encoding
    }

    func error(_ code: DynamicError.Code, _ message: String) -> DynamicError {
        DynamicError(code, message, path: Self.text(of: path))
    }

    static func text(of path: [String]) -> String {
        path.reduce(into: "") { text, step in text += text.isEmpty || step.hasPrefix("[") ? step : ".\(step)" }
    }

    /// Runs `body` one step deeper in the value.
    mutating func at<Result>(
        _ step: String, _ body: (inout Encoder) throws(DynamicError) -> Result
    ) throws(DynamicError) -> Result {
        path.append(step)
        let result = try body(&self)
        path.removeLast()
        return result
    }

    /// Makes the element that a declaration describes, with this value. It keeps its own stack, so that a deep value
    /// needs no deep recursion.
    mutating func element(_ declaration: ElementDeclaration, _ value: DynamicValue) throws(DynamicError) -> XMLTree {
        var current = try begin(declaration, value)
        var around: [OpenElement] = []
        while true {
            switch current.rest.popFirst() {
            case .item(let item)?: current.tree.content.append(item)
            case .element(let declaration, let value, let step)?:
                path.append(step)
                around.append(current)
                guard around.count < XMLTree.depth else {
                    throw error(.limitExceeded, "values are nested deeper than \(XMLTree.depth).")
                }
                current = try begin(declaration, value)
            case nil:
                if case .fixed(let wanted)? = current.preset, current.tree.elements.isEmpty,
                    !current.isFixed(wanted)
                {
                    throw error(.invalidValue, "the value of this element is fixed: ‘\(wanted)’ is expected.")
                }
                guard var parent = around.popLast() else { return current.tree }
                path.removeLast()
                parent.tree.content.append(.element(current.tree))
                current = parent
            }
        }
    }

    /// Makes the element without its child elements, which are made later.
    private mutating func begin(
        _ declaration: ElementDeclaration, _ value: DynamicValue
    ) throws(DynamicError) -> OpenElement {
        if declaration.isAbstract {
            throw error(
                .invalidValue,
                "the element ‘\(declaration.name.localName)’ is abstract and no element that could stand for it is declared."
            )
        }
        var tree = XMLTree(name: declaration.name)
        var value = value
        let isNil = try takeNil(&value)
        if isNil {
            // Any value in SOAP's encoding may be nil (SOAP 1.1 §5.1.2).
            guard declaration.isNillable || encoding != nil else {
                throw error(
                    .invalidValue, "null is given, but the element is not nillable; leave the key out, or give a value."
                )
            }
            tree.attributes = [.init(name: XMLTree.nilName, value: [.plain("true")])]
            if value == .null { return OpenElement(tree: tree, rest: [], preset: nil, simple: nil) }
        }
        var shape = try located { (encoder) throws(DynamicError) in try encoder.types.shape(of: declaration.type) }
        if let derived = try takeType(&value, declaration.type, shape) {
            tree.attributes.append(.init(name: XMLTree.typeName, value: [.name(derived.name)]))
            shape = derived.shape
        } else if encoding != nil, let type = types.encodedType(declaration.type, shape, value) {
            tree.attributes.append(.init(name: XMLTree.typeName, value: [.name(type)]))
        }
        if isNil {
            try nilAttributes(value, shape, into: &tree)
            return OpenElement(tree: tree, rest: [], preset: nil, simple: nil)
        }
        let pieces = try encode(value, as: shape, into: &tree)
        let simple: SimpleShape? =
            switch shape {
            case .simple(let simple): simple
            case .complex(let complex): if case .simple(let simple) = complex.content { simple } else { nil }
            case .any: nil
            }
        return OpenElement(tree: tree, rest: pieces[...], preset: declaration.preset, simple: simple)
    }

    /// Removes `@xsi:nil` from an object, and returns its value.
    private func takeNil(_ value: inout DynamicValue) throws(DynamicError) -> Bool {
        guard case .object(var members) = value, let index = members.firstIndex(where: { $0.name == "@xsi:nil" })
        else { return value == .null }
        guard case .bool(let isNil) = members.remove(at: index).value else {
            throw error(.invalidValue, "‘@xsi:nil’ must be true or false.")
        }
        value = .object(members)
        return isNil
    }

    /// The attributes of an element that is nil, which has nothing else.
    private mutating func nilAttributes(
        _ value: DynamicValue, _ shape: Shape, into tree: inout XMLTree
    ) throws(DynamicError) {
        guard case .object(let members) = value, members.allSatisfy({ $0.name.attributeKey != nil }) else {
            throw error(.invalidValue, "beside ‘@xsi:nil’ only attributes may stand.")
        }
        switch shape {
        case .any: _ = try untyped(value, into: &tree)
        case .simple(let simple):
            if let member = members.first { throw unknown(member.name, ComplexShape(content: .simple(simple))) }
        case .complex(let complex): try attributes(members, complex, into: &tree)
        }
    }

    /// Runs `body`, and adds to an error about the schema the place in the value where it arose.
    mutating func located<Result>(
        _ body: (inout Encoder) throws(DynamicError) -> Result
    ) throws(DynamicError) -> Result {
        do { return try body(&self) } catch {
            var error = error
            if error.path.isEmpty { error.path = Self.text(of: path) }
            throw error
        }
    }

    private mutating func encode(
        _ value: DynamicValue, as shape: Shape, into tree: inout XMLTree
    ) throws(DynamicError) -> [Piece] {
        switch shape {
        case .any: return try untyped(value, into: &tree)
        case .simple(let simple):
            var value = value
            if case .object(let members) = value, members.count == 1, members[0].name == "#text" {
                value = members[0].value
            }
            return try text(of: value, simple).map(Piece.text)
        case .complex(let complex):
            if let array = complex.array, encoding != nil { return try items(value, array, into: &tree) }
            return try self.complex(value, complex, into: &tree)
        }
    }

    // MARK: Derived types

    /// Removes the name of a derived type from an object, and finds the type.
    private mutating func takeType(
        _ value: inout DynamicValue, _ declared: TypeReference, _ shape: Shape
    ) throws(DynamicError) -> (name: QName, shape: Shape)? {
        let typeKey = shape.hasTypeAttribute ? "@xsi:type" : "@type"
        guard case .object(var members) = value,
            let index = members.firstIndex(where: { $0.name == "@xsi:type" })
                ?? members.firstIndex(where: { $0.name == typeKey })
        else {
            if case .complex(let complex) = shape, complex.isAbstract, let name = complex.name {
                let names = try types.concreteTypes(derivedFrom: name)
                throw error(
                    .missing,
                    "the type ‘\(name.localName)’ is abstract: say with ‘\(complex.typeKey)’ which type is meant, one of "
                        + "\(texts(of: names).quotedList(limit: 30)).")
            }
            return nil
        }
        let member = members.remove(at: index)
        value = .object(members)
        guard case .string(let text) = member.value else {
            throw error(.invalidValue, "‘\(member.name)’ must be a string, the name of a type.")
        }
        let name = try typeName(text, declared, shape)
        let found = try located { (encoder) throws(DynamicError) in try encoder.types.shape(of: .named(name)) }
        if case .complex(let complex) = found, complex.isAbstract {
            throw error(.invalidValue, "the type ‘\(text)’ is abstract; name one that is derived from it.")
        }
        return (name, found)
    }

    private mutating func texts(of names: [QName]) -> [String] {
        var texts: [String] = []
        for name in names { texts.append(types.text(of: name)) }
        return texts
    }

    private mutating func typeName(
        _ text: String, _ declared: TypeReference, _ shape: Shape
    ) throws(DynamicError) -> QName {
        var allowed: [QName]?
        if case .named(let base) = declared, case .complex = shape {
            allowed = try types.concreteTypes(derivedFrom: base)
        }
        let candidates: [QName]
        if let name = ElementKey.name(text) {
            candidates = [name]
        } else if text.hasPrefix("xs:") {
            candidates = [QName(Namespaces.schema, String(text.dropFirst(3)))]
        } else {
            candidates = types.typeNames(text)
        }
        let fitting = candidates.filter { allowed?.contains($0) ?? true }
        guard let name = fitting.first, fitting.count == 1 else {
            let names = texts(of: allowed ?? [])
            let expected = names.isEmpty ? "" : " Expected is one of \(names.quotedList(limit: 30))."
            throw error(
                .unknownName,
                fitting.isEmpty
                    ? "there is no type ‘\(text)’ that may stand here\(NearMatch.hint(text, among: names))\(expected)"
                    : "several types are called ‘\(text)’: write one of \(fitting.map(ElementKey.expandedName).sorted().quotedList())."
            )
        }
        return name
    }
}

/// A part of an element's content.
enum Piece {
    case item(XMLTree.Item)
    /// An element to be made, and the step that leads to its value.
    case element(ElementDeclaration, DynamicValue, step: String)

    static func text(_ text: XMLTree.Text) -> Piece { .item(.text(text)) }
}

/// An element whose content is being made.
private struct OpenElement {
    var tree: XMLTree
    /// The pieces that are not yet part of the tree.
    var rest: ArraySlice<Piece>
    let preset: Preset?
    /// The type of simple content.
    let simple: SimpleShape?

    /// Whether the text is the fixed value of the schema (XML Schema Part 1 §3.3.4).
    func isFixed(_ wanted: String) -> Bool {
        guard let simple else { return tree.text == wanted }
        var pieces: [XMLTree.Text] = []
        for case .text(let piece) in tree.content { pieces.append(piece) }
        return Encoder.isFixed(pieces, wanted, simple)
    }
}
