import SignetWSDL
import SignetXML

extension DynamicService {
    /// What an operation takes, as a schema of its value in JSON (JSON Schema 2020-12).
    ///
    /// It says less than the schema of the WSDL where JSON Schema has no words for it: orders, choices and patterns. Documentation in it
    /// comes from outside.
    ///
    /// - Throws: ``DynamicError`` when there is no such operation, it cannot be called, or its schema is broken.
    package func inputSchema(of operation: String) throws(DynamicError) -> DynamicValue {
        let (plan, input) = try callable(operation)
        var writer = JSONSchemaWriter(schema, isEncoded: plan.isEncoded)
        return try writer.root(input)
    }

    /// The schemas of all messages of an operation, for forms: they say more than ``inputSchema(of:)`` in words of their own,
    /// `x-choices` and `x-types`.
    ///
    /// - Throws: ``DynamicError`` when there is no such operation, it cannot be called, or its schema is broken.
    package func formSchemas(of operation: String) throws(DynamicError) -> FormSchemas {
        let (plan, input) = try callable(operation)
        let schema = schema
        func root(_ declaration: ElementDeclaration, isEncoded: Bool) throws(DynamicError) -> DynamicValue {
            var writer = JSONSchemaWriter(schema, isEncoded: isEncoded)
            writer.isForForms = true
            return try writer.root(declaration)
        }
        var schemas = FormSchemas(input: try root(input, isEncoded: plan.isEncoded))
        if let output = plan.output { schemas.answer = try root(output, isEncoded: plan.isEncoded) }
        for block in plan.faults {
            schemas.faults.append(.init("\(block.name)", try root(block.element, isEncoded: block.isEncoded)))
        }
        for (block, key) in zip(plan.headers, ElementKey.texts(of: plan.headers.map(\.name))) {
            schemas.headers.append(.init(key, try root(block.element, isEncoded: block.isEncoded)))
        }
        return schemas
    }
}

/// The schemas of an operation's messages.
package struct FormSchemas: Sendable {
    package var input: DynamicValue
    /// Nil for an operation without an answer.
    package var answer: DynamicValue?
    /// By the elements of the faults' details.
    package var faults: [DynamicValue.Member] = []
    /// By the names of the header blocks.
    package var headers: [DynamicValue.Member] = []
}

/// Writes types of XML Schema as JSON Schema, as values of them are written in JSON.
struct JSONSchemaWriter {
    /// Beyond this number of types, their content is left open: a schema that fills the memory of its reader is of no use.
    private static let maximumTypes = 200
    private static let maximumDerived = 50
    /// How deep types without a name may be nested, and how many there may be: they can contain themselves.
    private static let maximumDepth = 16
    private static let maximumInlined = 1000
    /// Of an object with more members it is not said which exclude each other.
    private static let maximumMembers = 500
    private static let maximumDocumentation = 300

    private var types: TypeTable
    private let isEncoded: Bool
    /// Whether objects also say which of their members exclude each other, and which definition a derived type has.
    var isForForms = false
    /// The key of each named type among the definitions.
    private var keys: [QName: String] = [:]
    private var taken: Set<String> = []
    private var waiting: [QName] = []
    private var depth = 0
    private var inlined = 0

    init(_ schema: SchemaSet, isEncoded: Bool) {
        types = TypeTable(schema)
        self.isEncoded = isEncoded
    }

    mutating func root(_ declaration: ElementDeclaration) throws(DynamicError) -> DynamicValue {
        var members: [DynamicValue.Member]
        switch try types.shape(of: declaration.type) {
        case .any: members = []
        case .simple(let simple): members = self.simple(simple)
        case .complex(let complex): members = try object(complex)
        }
        describe(declaration.documentation, &members)
        var definitions: [DynamicValue.Member] = []
        while let name = waiting.popLast() {
            guard case .complex(let shape) = try types.shape(of: .named(name)), let key = keys[name] else { continue }
            definitions.append(.init(key, .object(try object(shape))))
        }
        if !definitions.isEmpty {
            members.append(.init("$defs", .object(definitions.sorted { $0.name < $1.name })))
        }
        return .object(members)
    }

    // MARK: Types

    private mutating func element(_ declaration: ElementDeclaration) throws(DynamicError) -> [DynamicValue.Member] {
        var members: [DynamicValue.Member]
        switch try types.shape(of: declaration.type) {
        case .any: members = []
        case .simple(let simple): members = self.simple(simple)
        case .complex(let complex):
            if let name = complex.name {
                members = [reference(to: name)]
            } else if depth < Self.maximumDepth, inlined < Self.maximumInlined {
                depth += 1
                inlined += 1
                defer { depth -= 1 }
                members = try object(complex)
            } else {
                members = [.init("type", "object")]
            }
        }
        // In SOAP's encoding, any structure may be nil (SOAP 1.1 §5.1).
        if declaration.isNillable || isEncoded {
            members = [.init("anyOf", .array([.object(members), .object([.init("type", "null")])]))]
        }
        describe(declaration.documentation, &members)
        return members
    }

    /// A reference to a named type, which is defined once.
    private mutating func reference(to name: QName) -> DynamicValue.Member {
        if let key = keys[name] { return .init("$ref", .string("#/$defs/\(key)")) }
        guard keys.count < Self.maximumTypes else { return .init("type", "object") }
        var key = name.localName
        var number = 2
        while !taken.insert(key).inserted {
            key = "\(name.localName)-\(number)"
            number += 1
        }
        keys[name] = key
        waiting.append(name)
        return .init("$ref", .string("#/$defs/\(key)"))
    }

    private mutating func object(_ shape: ComplexShape) throws(DynamicError) -> [DynamicValue.Member] {
        if isEncoded, let array = shape.array {
            let item: [DynamicValue.Member] = [
                .init("type", "array"), .init("items", .object(try element(array.item))),
            ]
            return (1..<max(1, min(array.dimensions, SOAPArray.maximumDimensions))).reduce(item) { row, _ in
                [.init("type", "array"), .init("items", .object(row))]
            }
        }
        var properties: [DynamicValue.Member] = []
        var required: [DynamicValue] = []
        var isOpen = !shape.wildcards.isEmpty || shape.anyAttribute != nil
        let derived =
            try shape.name.map { (name) throws(DynamicError) in try types.concreteTypes(derivedFrom: name) } ?? []
        if derived.contains(where: { $0 != shape.name }) {
            // Members of the derived types stand beside those of this one.
            isOpen = true
            let names = derived.prefix(Self.maximumDerived)
            let places = names.map { reference(to: $0).value.text ?? "" }
            let texts = names.map { types.text(of: $0) }
            var property: [DynamicValue.Member] = [
                .init("type", "string"), .init("enum", .array(texts.map { .string($0) })),
                .init(
                    "description",
                    .string("The type of the value, whose members then count: \(places.joined(separator: ", "))")),
            ]
            if isForForms {
                let places = zip(texts, places).map { DynamicValue.Member($0, .string($1)) }
                property.append(.init("x-types", .object(places)))
            }
            properties.append(.init(shape.typeKey, .object(property)))
            if shape.isAbstract { required.append(.string(shape.typeKey)) }
        }
        for (attribute, key) in zip(shape.attributes, ElementKey.texts(of: shape.attributes.map(\.name))) {
            if Namespaces.soapEncodings.contains(attribute.name.namespace) { continue }
            properties.append(.init("@\(key)", .object(simple(try types.simple(attribute.type)))))
            if attribute.isRequired { required.append(.string("@\(key)")) }
        }
        switch shape.content {
        case .simple(let simple):
            properties.append(.init("#text", .object(self.simple(simple))))
            required.append("#text")
        case .elements:
            let names = shape.requiredNames
            for use in shape.uses where use.maximum != 0 {
                let key = shape.key(of: use.element.name)
                let value = DynamicValue.object(try element(use.element))
                properties.append(
                    .init(key, use.isRepeated ? .object([.init("type", "array"), .init("items", value)]) : value))
                if names.contains(use.element.name) {
                    required.append(.string(key))
                }
            }
            if shape.isMixed { properties.append(.init("#text", .object([.init("type", "string")]))) }
        }
        var choices: [DynamicValue] = []
        if isForForms, shape.uses.count <= Self.maximumMembers, case .elements(let model?) = shape.content {
            model.addChoices(of: shape, to: &choices)
        }
        var members: [DynamicValue.Member] = [
            .init("type", "object"), .init("properties", .object(properties)),
            .init("additionalProperties", .bool(isOpen)),
        ]
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        if !choices.isEmpty { members.append(.init("x-choices", .array(choices))) }
        return members
    }

    private func simple(_ shape: SimpleShape) -> [DynamicValue.Member] {
        switch shape.variety {
        case .list(let item):
            var members: [DynamicValue.Member] = [.init("type", "array"), .init("items", .object(simple(item)))]
            add(shape.facets.minimumLength, as: "minItems", &members)
            add(shape.facets.maximumLength, as: "maxItems", &members)
            return members
        case .union(let items):
            // An element with such a value takes no array, unless it may occur several times.
            let single = items.filter { !$0.holdsLists }
            return single.isEmpty ? [] : [.init("anyOf", .array(single.map { .object(simple($0)) }))]
        case .atomic(let type): return atomic(type, shape.facets)
        }
    }

    private func atomic(_ type: BuiltIn, _ facets: Facets) -> [DynamicValue.Member] {
        let isInteger = !["decimal", "double", "float"].contains(type.name)
        let kind =
            switch type.kind {
            case .number: isInteger ? "integer" : "number"
            case .boolean: "boolean"
            case .string, .qualifiedName: "string"
            }
        var members: [DynamicValue.Member] = [.init("type", .string(kind))]
        if let values = facets.enumeration {
            let allowed = values.map { value($0, type) }
            // Not every way to write a number is one in JSON.
            guard type.kind != .number || allowed.allSatisfy(\.isNumber) else { return members }
            members.append(.init("enum", .array(allowed)))
            return members
        }
        let formats = ["dateTime": "date-time", "date": "date", "duration": "duration", "anyURI": "uri-reference"]
        if let format = formats[type.name] { members.append(.init("format", .string(format))) }
        if type.name == "base64Binary" { members.append(.init("contentEncoding", "base64")) }
        // The lengths of binary values count bytes.
        if type.kind == .string, type.name != "base64Binary", type.name != "hexBinary" {
            add(facets.minimumLength, as: "minLength", &members)
            add(facets.maximumLength, as: "maxLength", &members)
        }
        let bounds = [
            "minInclusive": "minimum", "minExclusive": "exclusiveMinimum", "maxInclusive": "maximum",
            "maxExclusive": "exclusiveMaximum",
        ]
        for bound in [facets.lowest, facets.highest].compactMap({ $0 }) {
            guard type.kind == .number, let name = bounds[bound.facet], value(bound.value, type).isNumber else {
                continue
            }
            members.append(.init(name, value(bound.value, type)))
        }
        if !facets.patterns.isEmpty {
            let patterns = facets.patterns.map { $0.joined(separator: " or ") }.joined(separator: ", and ")
            describe("A text like the pattern of XML Schema \(patterns)", &members)
        }
        return members
    }

    /// A value of a built-in type; a text where JSON has no number for it.
    private func value(_ text: String, _ type: BuiltIn) -> DynamicValue {
        switch type.kind {
        case .number:
            if let number = try? DynamicValue(json: text), case .number = number { return number }
            return .string(text)
        case .boolean: return .bool(text == "true" || text == "1")
        case .string, .qualifiedName: return .string(text)
        }
    }

    // MARK: Members

    private func add(_ number: Int?, as name: String, _ members: inout [DynamicValue.Member]) {
        if let number { members.append(.init(name, .number(String(number)))) }
    }

    /// Adds documentation in one line.
    private func describe(_ text: String?, _ members: inout [DynamicValue.Member]) {
        guard let line = text?.xmlWords.joined(separator: " "), !line.isEmpty else { return }
        members.append(
            .init(
                "description",
                .string(
                    line.count > Self.maximumDocumentation ? "\(line.prefix(Self.maximumDocumentation))…" : line)))
    }
}

extension Model {
    /// Adds the choices of one among several branches. Choices inside branches are left out.
    fileprivate func addChoices(of shape: ComplexShape, to choices: inout [DynamicValue]) {
        guard maximum == 1, case .group(let compositor, let parts) = term else { return }
        guard compositor == .choice else { return parts.forEach { $0.addChoices(of: shape, to: &choices) } }
        var wildcards = 0
        let branches = parts.map { $0.names(&wildcards) }
        guard wildcards == 0, branches.count > 1, branches.allSatisfy({ !$0.isEmpty }) else { return }
        choices.append([
            "branches": .array(branches.map { .array($0.map { .string(shape.key(of: $0)) }) }),
            "required": .bool(!isEmptiable),
        ])
    }

    /// The names of all elements, each once.
    private func names(_ wildcards: inout Int) -> [QName] {
        switch term {
        case .element(let alternatives): return alternatives.map(\.name)
        case .wildcard:
            wildcards += 1
            return []
        case .group(_, let parts):
            var names: [QName] = []
            for part in parts { for name in part.names(&wildcards) where !names.contains(name) { names.append(name) } }
            return names
        }
    }
}

extension DynamicValue {
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
}
