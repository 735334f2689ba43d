import SignetSOAP
import SignetWSDL

/// Turns values into elements, as a schema demands.
struct Encoder {
    /// How deep elements may be nested: encoding needs a few calls on the stack for each.
    static let depth = 100

    var types: TypeTable
    /// The keys and places from the root to the value being encoded.
    var path: [String] = []

    init(_ schema: SchemaSet) { types = TypeTable(schema) }

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

    /// The element that a declaration describes, with this value.
    mutating func element(_ declaration: ElementDeclaration, _ value: DynamicValue) throws(DynamicError) -> XMLTree {
        guard path.count < Self.depth else {
            throw error(.limitExceeded, "values are nested deeper than \(Self.depth).")
        }
        if declaration.isAbstract {
            throw error(
                .invalidValue,
                "the element ‘\(declaration.name.localName)’ is abstract and no element that could stand for it is declared."
            )
        }
        var tree = XMLTree(name: declaration.name)
        if value == .null {
            guard declaration.isNillable else {
                throw error(
                    .invalidValue, "null is given, but the element is not nillable; leave the key out, or give a value."
                )
            }
            tree.attributes = [.init(name: XMLTree.nilName, value: [.plain("true")])]
            return tree
        }
        var shape = try located { (encoder) throws(DynamicError) in try encoder.types.shape(of: declaration.type) }
        var value = value
        if let derived = try takeType(&value, declaration.type, shape) {
            tree.attributes = [.init(name: XMLTree.typeName, value: [.name(derived.name)])]
            shape = derived.shape
        }
        try encode(value, as: shape, into: &tree)
        if case .fixed(let wanted)? = declaration.preset, tree.elements.isEmpty, tree.plainText != wanted {
            throw error(.invalidValue, "the value of this element is fixed: ‘\(wanted)’ is expected.")
        }
        return tree
    }

    /// Runs `body`; an error about the schema gets the place where it matters.
    mutating func located<Result>(
        _ body: (inout Encoder) throws(DynamicError) -> Result
    ) throws(DynamicError) -> Result {
        do { return try body(&self) } catch {
            var error = error
            if error.path.isEmpty { error.path = Self.text(of: path) }
            throw error
        }
    }

    private mutating func encode(_ value: DynamicValue, as shape: Shape, into tree: inout XMLTree) throws(DynamicError)
    {
        switch shape {
        case .any: try untyped(value, into: &tree)
        case .simple(let simple):
            var value = value
            if case .object(let members) = value, members.count == 1, members[0].name == "#text" {
                value = members[0].value
            }
            tree.content = try text(of: value, simple).map(XMLTree.Item.text)
        case .complex(let complex): try self.complex(value, complex, into: &tree)
        }
    }

    // MARK: Derived types

    /// Takes the name of a derived type out of an object, and finds the type.
    private mutating func takeType(
        _ value: inout DynamicValue, _ declared: TypeReference, _ shape: Shape
    ) throws(DynamicError) -> (name: QName, shape: Shape)? {
        let typeKey: String? = if case .complex(let complex) = shape { complex.typeKey } else { "@type" }
        guard case .object(var members) = value,
            let index = members.firstIndex(where: { $0.name == "@xsi:type" || $0.name == typeKey })
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
        if let name = Key.name(text) {
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
                    : "several types are called ‘\(text)’: write one of \(fitting.map(Key.clark).sorted().quotedList())."
            )
        }
        return name
    }
}

extension XMLTree {
    /// The text directly inside, qualified names by their local names.
    fileprivate var plainText: String {
        content.reduce(into: "") { text, item in
            switch item {
            case .text(.plain(let piece)): text += piece
            case .text(.name(let name)): text += name.localName
            case .element, .markup: break
            }
        }
    }
}
