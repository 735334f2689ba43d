import SignetSOAP
import SignetWSDL

/// A built-in type of XML Schema (Part 2 §3): its kind in JSON, its lexical space, and an example.
struct BuiltIn: Sendable {
    enum Kind: Sendable { case string, number, boolean, qualifiedName }

    var name: String
    var kind = Kind.string
    var example: String
    /// Whether white space at both ends and in runs has no meaning.
    var collapses = true
    var isValid: @Sendable (String) -> Bool

    static func named(_ name: QName) -> BuiltIn? {
        name.namespace == Namespaces.schema ? table[name.localName] : nil
    }

    /// The item type of `NMTOKENS` and similar types, which are lists of another built-in type.
    static func listItem(_ name: QName) -> BuiltIn? {
        guard name.namespace == Namespaces.schema, let item = lists[name.localName] else { return nil }
        return table[item]
    }

    static let string = BuiltIn(name: "string", example: "string", collapses: false) { _ in true }

    private static let lists = ["NMTOKENS": "NMTOKEN", "IDREFS": "IDREF", "ENTITIES": "ENTITY"]

    private static let table: [String: BuiltIn] = {
        var table: [String: BuiltIn] = [:]
        func add(
            _ names: String, kind: Kind = .string, _ example: String, _ isValid: @escaping @Sendable (String) -> Bool
        ) {
            for name in names.split(separator: " ").map(String.init) {
                table[name] = BuiltIn(name: name, kind: kind, example: example, isValid: isValid)
            }
        }
        func number(_ name: String, _ example: String, _ isValid: @escaping @Sendable (String) -> Bool) {
            add(name, kind: .number, example, isValid)
        }
        for name in ["string", "anySimpleType", "normalizedString"] {
            table[name] = BuiltIn(name: name, example: "string", collapses: false) { _ in true }
        }
        add("token", "string") { _ in true }
        add("anyURI", "urn:example") { _ in true }
        add("language", "en", reads(XSDLanguage.self))
        add("Name", "name", reads(XSDName.self))
        add("NMTOKEN", "name", reads(XSDNMTOKEN.self))
        add("NCName ID IDREF ENTITY", "name", XMLName.isNCName)
        add("QName NOTATION", kind: .qualifiedName, "name") { XMLName.isNCName(ElementKey.name($0)?.localName ?? $0) }
        add("boolean", kind: .boolean, "true", reads(Bool.self))
        number("decimal", "1.5", reads(XSDDecimal.self))
        number("double", "1.5", reads(Double.self))
        number("float", "1.5", reads(Float.self))
        number("integer", "1", reads(XSDInteger.self))
        number("positiveInteger", "1", reads(XSDPositiveInteger.self))
        number("nonNegativeInteger", "1", reads(XSDNonNegativeInteger.self))
        number("nonPositiveInteger", "0", reads(XSDNonPositiveInteger.self))
        number("negativeInteger", "-1", reads(XSDNegativeInteger.self))
        number("long", "1", reads(Int64.self))
        number("int", "1", reads(Int32.self))
        number("short", "1", reads(Int16.self))
        number("byte", "1", reads(Int8.self))
        number("unsignedLong", "1", reads(UInt64.self))
        number("unsignedInt", "1", reads(UInt32.self))
        number("unsignedShort", "1", reads(UInt16.self))
        number("unsignedByte", "1", reads(UInt8.self))
        add("dateTime", "2025-01-31T12:00:00Z", reads(XSDDateTime.self))
        add("date", "2025-01-31", reads(XSDDate.self))
        add("time", "12:00:00", reads(XSDTime.self))
        add("gYear", "2025", reads(XSDYear.self))
        add("gYearMonth", "2025-01", reads(XSDYearMonth.self))
        add("gMonthDay", "--01-31", reads(XSDMonthDay.self))
        add("gMonth", "--01", reads(XSDMonth.self))
        add("gDay", "---31", reads(XSDDay.self))
        add("duration", "PT1H", reads(XSDDuration.self))
        add("base64Binary", "U2lnbmV0", reads(XSDBase64Binary.self))
        add("hexBinary", "5369", reads(XSDHexBinary.self))
        return table
    }()

    private static func reads<T: XMLValue>(_ type: T.Type) -> @Sendable (String) -> Bool { { read(type, $0) } }

    private static func read<T: XMLValue>(_ type: T.Type, _ text: String) -> Bool {
        T(lexical: Array(text.utf8).span) != nil
    }
}
