/// The built-in types of XML Schema: 19 primitive and 25 derived (Part 2 §3.2, §3.3), each with its values.
///
/// Texts are given as they stand in a document: ``whiteSpace`` is applied first. Qualified names are resolved with `namespaces`,
/// namespace names by prefix; the empty prefix stands for the default namespace, and `xml` is always bound.
public enum XSDBuiltInType: String, CaseIterable, Sendable {
    case string, boolean, decimal, float, double, duration, dateTime, time, date, gYearMonth, gYear, gMonthDay, gDay,
        gMonth
    case hexBinary, base64Binary, anyURI, QName, NOTATION
    case normalizedString, token, language, NMTOKEN, NMTOKENS, Name, NCName, ID, IDREF, IDREFS, ENTITY, ENTITIES
    case integer, nonPositiveInteger, negativeInteger, long, int, short, byte
    case nonNegativeInteger, unsignedLong, unsignedInt, unsignedShort, unsignedByte, positiveInteger

    /// The Swift type of the values.
    public var valueType: any XSDValue.Type { row.type }

    /// The type that this one restricts; nil for primitive types and lists.
    public var base: XSDBuiltInType? { row.base }

    /// The type of a list's items; nil for a type that is no list.
    public var item: XSDBuiltInType? {
        switch self {
        case .NMTOKENS: .NMTOKEN
        case .IDREFS: .IDREF
        case .ENTITIES: .ENTITY
        default: nil
        }
    }

    public var whiteSpace: XSDWhiteSpace { valueType.whiteSpace }

    private var row: (type: any XSDValue.Type, base: XSDBuiltInType?) {
        switch self {
        case .string: (String.self, nil)
        case .boolean: (Bool.self, nil)
        case .decimal: (XSDDecimal.self, nil)
        case .float: (Float.self, nil)
        case .double: (Double.self, nil)
        case .duration: (XSDDuration.self, nil)
        case .dateTime: (XSDDateTime.self, nil)
        case .time: (XSDTime.self, nil)
        case .date: (XSDDate.self, nil)
        case .gYearMonth: (XSDYearMonth.self, nil)
        case .gYear: (XSDYear.self, nil)
        case .gMonthDay: (XSDMonthDay.self, nil)
        case .gDay: (XSDDay.self, nil)
        case .gMonth: (XSDMonth.self, nil)
        case .hexBinary: (XSDHexBinary.self, nil)
        case .base64Binary: (XSDBase64Binary.self, nil)
        case .anyURI: (XSDAnyURI.self, nil)
        case .QName: (XSDQName.self, nil)
        case .NOTATION: (XSDQName.self, nil)
        case .normalizedString: (XSDNormalizedString.self, .string)
        case .token: (XSDToken.self, .normalizedString)
        case .language: (XSDLanguage.self, .token)
        case .NMTOKEN: (XSDNMTOKEN.self, .token)
        case .NMTOKENS: (XSDNMTOKENS.self, nil)
        case .Name: (XSDName.self, .token)
        case .NCName: (XSDNCName.self, .Name)
        case .ID: (XSDID.self, .NCName)
        case .IDREF: (XSDIDREF.self, .NCName)
        case .IDREFS: (XSDIDREFS.self, nil)
        case .ENTITY: (XSDENTITY.self, .NCName)
        case .ENTITIES: (XSDENTITIES.self, nil)
        case .integer: (XSDInteger.self, .decimal)
        case .nonPositiveInteger: (XSDNonPositiveInteger.self, .integer)
        case .negativeInteger: (XSDNegativeInteger.self, .nonPositiveInteger)
        case .long: (Int64.self, .integer)
        case .int: (Int32.self, .long)
        case .short: (Int16.self, .int)
        case .byte: (Int8.self, .short)
        case .nonNegativeInteger: (XSDNonNegativeInteger.self, .integer)
        case .unsignedLong: (UInt64.self, .nonNegativeInteger)
        case .unsignedInt: (UInt32.self, .unsignedLong)
        case .unsignedShort: (UInt16.self, .unsignedInt)
        case .unsignedByte: (UInt8.self, .unsignedShort)
        case .positiveInteger: (XSDPositiveInteger.self, .nonNegativeInteger)
        }
    }

    // MARK: Values

    /// The value that a text stands for; nil when the text is not in the lexical space.
    public func value(of text: String, namespaces: [String: String] = [:]) -> (any XSDValue)? {
        if self == .QName || self == .NOTATION {
            var text = whiteSpace.applied(to: text)
            return text.withUTF8 { bytes in
                XSDQName(lexical: bytes.span) { prefix in
                    if prefix == "xml" { return XMLNamespace.xml.uri }
                    // Swift finds a prefix also where an accent is written in another way.
                    if let index = namespaces.index(forKey: prefix), namespaces[index].key.isExactly(prefix) {
                        return namespaces[index].value
                    }
                    return prefix.isEmpty ? "" : nil
                }
            }
        }
        return valueType.read(text: text)
    }

    /// The canonical form of the value that a text stands for; nil when the text is not in the lexical space.
    public func canonical(_ text: String, namespaces: [String: String] = [:]) -> String? {
        value(of: text, namespaces: namespaces)?.canonicalForm
    }

    /// Whether two texts stand for the same value; false when one is not in the lexical space.
    public func areEqual(_ left: String, _ right: String, namespaces: [String: String] = [:]) -> Bool {
        compare(left, right, namespaces: namespaces) == .equal
    }

    /// How the values of two texts stand to each other; nil when they are not comparable, or one is not in the lexical space.
    public func compare(_ left: String, _ right: String, namespaces: [String: String] = [:]) -> XSDOrder? {
        func order<T: XSDValue>(_ left: T, _ right: any XSDValue) -> XSDOrder? {
            (right as? T).flatMap { left.compare(to: $0) }
        }
        guard let left = value(of: left, namespaces: namespaces), let right = value(of: right, namespaces: namespaces)
        else { return nil }
        return order(left, right)
    }

    /// Whether the value of a text keeps to a bound: `minInclusive` and its like (§4.3.7 to §4.3.10).
    ///
    /// What is not comparable to the bound does not. There is no telling, and the answer is true, where the type has no order, and
    /// where the bound is no value of it; such schemas are wrong.
    package func keeps(_ text: String, to facet: String, _ bound: String) -> Bool {
        // The bound of an integer may be written as a decimal.
        if let base { return base.keeps(text, to: facet, bound) }
        let hasNoOrder: Set<Self> = [
            .string, .boolean, .hexBinary, .base64Binary, .anyURI, .QName, .NOTATION, .NMTOKENS, .IDREFS, .ENTITIES,
        ]
        guard !hasNoOrder.contains(self), value(of: bound) != nil else { return true }
        let order = compare(text, bound)
        return switch facet {
        case "minInclusive": order == .greater || order == .equal
        case "maxInclusive": order == .less || order == .equal
        case "minExclusive": order == .greater
        default: order == .less
        }
    }
}
