import SignetWSDL

/// Makes example values that fit a schema.
struct Sampler {
    /// Beyond this depth, or this number of elements, optional content is omitted.
    private static let optionalDepth = 8
    private static let optionalElements = 2000

    /// How deep elements and groups may be nested: each needs a few calls on the stack.
    private static let depth = 48
    /// How many elements and groups may be tried, including those that are discarded.
    private static let steps = 50_000

    private var types: TypeTable
    /// The types that enclose the place being filled.
    private var open: [QName] = []
    private var elements = 0
    private var steps = 0
    /// The number of elements and groups that enclose the place being filled.
    private var nesting = 0
    private var identifiers = 0

    /// Whether values are written by the rules of SOAP's encoding, which has arrays.
    private let isEncoded: Bool

    init(_ schema: SchemaSet, isEncoded: Bool = false) {
        types = TypeTable(schema)
        self.isEncoded = isEncoded
    }

    mutating func root(_ declaration: ElementDeclaration) throws(DynamicError) -> DynamicValue {
        guard let value = try value(declaration, depth: 0) else {
            throw DynamicError(
                .brokenSchema,
                "no value can be made for ‘\(declaration.name.localName)’: what it requires contains itself, or is nested "
                    + "too deep.")
        }
        return value
    }

    private mutating func step() throws(DynamicError) {
        steps += 1
        nesting += 1
        guard steps <= Self.steps else {
            throw DynamicError(
                .limitExceeded, "an example would need more than \(Self.steps) elements and groups of the schema.")
        }
    }

    /// Returns nil when the required content of the element contains itself without end.
    private mutating func value(_ declaration: ElementDeclaration, depth: Int) throws(DynamicError) -> DynamicValue? {
        guard nesting < Self.depth, !declaration.isAbstract else { return nil }
        try step()
        defer { nesting -= 1 }
        elements += 1
        var type: DynamicValue.Member?
        var reference = declaration.type
        if case .named(let name) = reference, case .complex(let complex) = try types.shape(of: reference) {
            // A type nested in itself a second time would nest without end.
            guard open.count(where: { $0 == name }) < 2 else { return try null(declaration, depth) }
            if complex.isAbstract {
                let concrete = try types.concreteTypes(derivedFrom: name).filter { !open.contains($0) }
                guard let first = concrete.first else { return nil }
                type = .init(complex.typeKey, .string(types.text(of: first)))
                reference = .named(first)
            }
        }
        var opened = 0
        for case .named(let name) in [declaration.type, reference] {
            open.append(name)
            opened += 1
        }
        defer { open.removeLast(opened) }
        switch try types.shape(of: reference) {
        case .any: return "text"
        case .simple(let simple): return value(simple, declaration.preset)
        case .complex(let complex):
            if let value = try value(complex, type, declaration.preset, depth: depth) { return value }
            return try null(declaration, depth)
        }
    }

    /// Returns null, when an element may be nil inside a message and then needs no attributes.
    private mutating func null(_ declaration: ElementDeclaration, _ depth: Int) throws(DynamicError) -> DynamicValue? {
        // In SOAP's encoding, any structure may be nil (SOAP 1.1 §5.1).
        if isEncoded, depth > 0 { return .null }
        guard declaration.isNillable, depth > 0, declaration.preset == nil else { return nil }
        guard case .complex(let complex) = try types.shape(of: declaration.type) else { return .null }
        return complex.attributes.contains(where: \.isRequired) ? nil : .null
    }

    private mutating func value(
        _ shape: ComplexShape, _ type: DynamicValue.Member?, _ preset: Preset?, depth: Int
    ) throws(DynamicError) -> DynamicValue? {
        if isEncoded, let array = shape.array {
            let item = try value(array.item, depth: depth + 1).map { [$0] } ?? []
            return (1..<max(1, min(array.dimensions, SOAPArray.maximumDimensions))).reduce(.array(item)) { row, _ in
                .array([row])
            }
        }
        var members = type.map { [$0] } ?? []
        for (attribute, key) in zip(shape.attributes, ElementKey.texts(of: shape.attributes.map(\.name))) {
            // What describes an array in SOAP's encoding is no example.
            let isEncoding = Namespaces.soapEncodings.contains(attribute.name.namespace)
            let simple = try types.simple(attribute.type)
            if simple.refersToAnIdentifier || isEncoding, !attribute.isRequired { continue }
            members.append(.init("@\(key)", value(simple, attribute.preset)))
        }
        switch shape.content {
        case .simple(let simple): members.append(.init("#text", value(simple, preset)))
        case .elements(let model):
            guard
                let content = try model.map({ (model) throws(DynamicError) in try fill(model, shape, depth: depth) })
                    ?? []
            else {
                return nil
            }
            if shape.isMixed, content.isEmpty { members.append(.init("#text", "text")) }
            members += group(content, shape)
        }
        return .object(members)
    }

    private mutating func group(
        _ content: [(name: QName, value: DynamicValue)], _ shape: ComplexShape
    ) -> [DynamicValue.Member] {
        var members: [DynamicValue.Member] = []
        var places: [String: Int] = [:]
        for (name, value) in content {
            let use = shape.use(of: name)
            let key = use == nil ? types.wildKey(name, shape) : shape.key(of: name)
            if let place = places[key] {
                if case .array(let items) = members[place].value {
                    members[place].value = .array(items + [value])
                } else if use == nil {
                    members[place].value = .array([members[place].value, value])
                }
            } else {
                places[key] = members.count
                members.append(.init(key, use?.isRepeated == true ? .array([value]) : value))
            }
        }
        return members
    }

    // MARK: Content models

    private typealias Content = [(name: QName, value: DynamicValue)]

    /// Returns nil when required content cannot be made.
    private mutating func fill(_ model: Model, _ shape: ComplexShape, depth: Int) throws(DynamicError) -> Content? {
        guard nesting < Self.depth else { return nil }
        if model.maximum == 0 { return [] }
        try step()
        defer { nesting -= 1 }
        let mayBeLeftOut = model.minimum == 0
        if mayBeLeftOut, depth > Self.optionalDepth || elements > Self.optionalElements { return [] }
        var content: Content = []
        // A schema that requires thousands of elements gets a hundred in the example; the service reports the rest.
        for _ in 0..<min(max(1, model.minimum), 100) {
            let mark = elements
            guard let once = try fillOnce(model, shape, depth: depth, mayBeLeftOut: mayBeLeftOut) else {
                elements = mark
                return mayBeLeftOut ? [] : nil
            }
            content += once
        }
        return content
    }

    private mutating func fillOnce(
        _ model: Model, _ shape: ComplexShape, depth: Int, mayBeLeftOut: Bool
    ) throws(DynamicError) -> Content? {
        switch model.term {
        case .element(let alternatives):
            for declaration in alternatives {
                if mayBeLeftOut, case .named(let name) = declaration.type, open.contains(name),
                    name.namespace != Namespaces.schema
                {
                    continue
                }
                if let value = try value(declaration, depth: depth + 1) { return [(declaration.name, value)] }
            }
            return nil
        case .wildcard(let wildcard): return mayBeLeftOut ? [] : try wild(wildcard, depth: depth)
        case .group(.choice, let branches):
            for branch in branches {
                if let content = try fill(branch, shape, depth: depth), !content.isEmpty { return content }
            }
            return branches.isEmpty || branches.contains(where: \.isEmptiable) ? [] : nil
        case .group(_, let parts):
            var content: Content = []
            for part in parts {
                guard let more = try fill(part, shape, depth: depth) else { return nil }
                content += more
            }
            return content
        }
    }

    private mutating func wild(_ wildcard: Wildcard, depth: Int) throws(DynamicError) -> Content? {
        if wildcard.processing == .strict {
            let candidates = types.schema.elements.values.filter {
                wildcard.allows($0.name.namespace) && !$0.isAbstract
            }
            for declaration in candidates.sorted(by: { $0.name < $1.name }).prefix(20) {
                if let value = try value(declaration, depth: depth + 1) { return [(declaration.name, value)] }
            }
            return nil
        }
        let namespace =
            switch wildcard.namespaces {
            case .these(let list): list.first ?? ""
            case .any, .other: "urn:example"
            }
        return [(QName(namespace, "any"), "text")]
    }

    // MARK: Simple values

    private mutating func value(_ shape: SimpleShape, _ preset: Preset?) -> DynamicValue {
        let text: String
        // The prefixes of the schema have no meaning in a value.
        switch shape.isQualifiedName ? nil : preset {
        case .fixed(let value), .byDefault(let value): text = value
        case nil:
            if case .atomic(let type) = shape.variety, type.name == "ID" {
                identifiers += 1
                text = "id\(identifiers)"
            } else {
                text = SampleText.text(for: shape)
            }
        }
        let tree = XMLTree(name: QName("", ""))
        return Decoder(types.schema).value(of: text, shape, tree)
    }
}

extension SimpleShape {
    fileprivate var refersToAnIdentifier: Bool {
        switch variety {
        case .atomic(let type): type.name == "IDREF"
        case .list(let item): item.refersToAnIdentifier
        case .union: false
        }
    }
}
