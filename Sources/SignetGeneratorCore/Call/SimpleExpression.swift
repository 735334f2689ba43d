import SignetWSDL
@_spi(Generated) import SignetXML

/// Swift for the values of simple types.
struct SimpleExpression {
    private let schema: BoundSchema
    private let types: [TypeKey: TypePlan]

    init(_ schema: BoundSchema, _ types: [TypeKey: TypePlan]) { (self.schema, self.types) = (schema, types) }

    func value(_ reference: BoundReference, _ text: ScopedText) -> SwiftExpression {
        known(reference, text) ?? .placeholder("“\(text.text)” is no value of its type")
    }

    /// Nil for a text that is not in the lexical space, or that no case of an enumeration has.
    private func known(_ reference: BoundReference, _ text: ScopedText, asMember: Bool = false) -> SwiftExpression? {
        switch reference {
        case .builtIn(let type): return type.expression(text)
        // Only the program knows the type.
        case .external: return .read(text.text)
        case .list(let item):
            let items = text.words.map { known(item, $0, asMember: asMember) }
            return items.contains { $0 == nil } ? nil : .list(items.compactMap { $0 })
        case .declared(let key):
            switch (types[key]?.content, schema.types[key]?.content) {
            case (.enumeration(let cases)?, _):
                let raw = cases.allSatisfy { $0.value.isCollapsed } ? text.text.collapsedXMLSpace : text.text
                if let found = cases.first(where: { $0.value.utf8.elementsEqual(raw.utf8) }) {
                    return .term(".\(found.name.filter { $0 != "`" })")
                }
                return asMember ? nil : .unrecognized(raw)
            case (.union(let members)?, .union(let references)?):
                for (member, reference) in zip(members, references) {
                    if let value = known(reference, text, asMember: true) {
                        return .call(".\(member.name.filter { $0 != "`" })", value)
                    }
                }
                return .unrecognized(text.text)
            default: return nil
            }
        }
    }
}

extension BuiltInType {
    /// The Swift for a value; nil when the text is not in the lexical space.
    fileprivate func expression(_ text: ScopedText) -> SwiftExpression? {
        switch self {
        case .string: return .literal(text.text.swiftLiteral)
        case .normalized: return .literal(XSDWhiteSpace.replace.applied(to: text.text).swiftLiteral)
        case .token: return .literal(text.text.collapsedXMLSpace.swiftLiteral)
        case .qualifiedName: return text.names.first.flatMap { $0.map(SwiftExpression.name) }
        default:
            let type = XSDBuiltInType.allCases.first { BuiltInType(schemaName: $0.rawValue) == self }
            return type?.value(of: text.text).map(SwiftExpression.init)
        }
    }
}

extension SwiftExpression {
    /// A value of any type but strings and names.
    fileprivate init(_ value: any XSDValue) {
        let text = value.lexicalForm
        switch value {
        case is any XSDTemporal: self = .literal(text.swiftLiteral)
        case let value as any BinaryFloatingPoint where value.isNaN: self = .term(".nan")
        case let value as any BinaryFloatingPoint where value.isInfinite:
            self = .term(value.sign == .minus ? "-\(type(of: value)).infinity" : ".infinity")
        case is any BinaryFloatingPoint: self = .literal("\(value)")
        case let value as XSDBase64Binary: self = .bytes(value.bytes, text)
        case let value as XSDHexBinary: self = .bytes(value.bytes, text)
        case is XSDDecimal where Int(text) == nil: self = .literal(text.swiftLiteral)
        case is any FixedWidthInteger, is Bool: self = .literal(text)
        // A literal for an integer of any size, or a whole decimal, is an `Int`.
        default: self = Int(text) == nil ? .term(".init(parsing: \(text.swiftLiteral))") : .literal(text)
        }
    }

    private static func bytes(_ bytes: [UInt8], _ text: String) -> Self {
        // A longer list takes the compiler long.
        bytes.count > 32 ? .read(text) : .term(".init([\(bytes.map(String.init).joined(separator: ", "))])")
    }

    fileprivate static func name(_ name: XSDQName) -> Self {
        .unwrapped(
            .call(
                "XSDQName",
                [
                    Argument("namespaceURI", .literal(name.namespaceURI.swiftLiteral)),
                    Argument("localName", .literal(name.localName.swiftLiteral)),
                ]))
    }

    /// A value that is read when the program runs, as its type demands.
    fileprivate static func read(_ text: String) -> Self { .term("XMLAny(text: \(text.swiftLiteral)).value()") }

    fileprivate static func unrecognized(_ text: String) -> Self {
        .call(".unrecognized", .literal(text.swiftLiteral))
    }
}

/// The text of an element or attribute, and the qualified names that its words are there.
struct ScopedText: XMLValue {
    var text: String
    /// For each word; nil for one that is no name, or has a prefix that is not declared.
    var names: [XSDQName?]

    init(lexical bytes: Span<UInt8>) { self.init(text: XMLUnionMember.text(bytes), names: []) }

    init(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
        self.init(lexical: bytes)
        for word in text.collapsedXMLSpace.split(separator: " ") {
            let bytes = Array(word.utf8)
            names.append(XSDQName(lexical: bytes.span, in: scope))
        }
    }

    private init(text: String, names: [XSDQName?]) { (self.text, self.names) = (text, names) }

    /// The items of a list.
    var words: [ScopedText] {
        zip(text.collapsedXMLSpace.split(separator: " "), names).map { ScopedText(text: String($0), names: [$1]) }
    }

    /// The extents in an attribute of an array of SOAP's encoding: `2,3` of `xs:int[2,3]`, or `2 3`.
    var dimensions: [SwiftExpression] {
        let extents = text.split(separator: "[").last?.prefix { $0 != "]" } ?? ""
        let words = extents.split { $0 == "," || $0.isWhitespace }
        return words.contains { Int($0) == nil } ? [] : words.map { .literal(String($0)) }
    }

    func writeLexical(to writer: inout XMLWriter) { writer.text(text) }
    static var whiteSpace: XSDWhiteSpace { .preserve }
    static var typeName: String { "a simple type" }
    static var _placeholder: Self { Self(text: "", names: []) }
}
