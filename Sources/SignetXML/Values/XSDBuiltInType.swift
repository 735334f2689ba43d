/// The built-in types of XML Schema: 19 primitive and 25 derived (Part 2 §3.2, §3.3), each with its values.
///
/// Give texts as they are in a document: ``whiteSpace`` is applied first. Qualified names are resolved with
/// `namespaces`, which has namespace names by prefix; the empty prefix means the default namespace, and `xml` is always
/// bound.
public enum XSDBuiltInType: String, CaseIterable, Sendable {
    /// Any text of XML characters; white space is kept (§3.2.1).
    case string
    /// `true`, `false`, `1` or `0` (§3.2.2).
    case boolean
    /// `-12.50`: any number of digits, no exponent (§3.2.3).
    case decimal
    /// 32 bits of IEEE 754: `1.5E3`, `INF`, `-INF`, `NaN` (§3.2.4).
    case float
    /// 64 bits of IEEE 754: `1.5E3`, `INF`, `-INF`, `NaN` (§3.2.5).
    case double
    /// `P1Y2M3DT4H5M6.7S`: months and seconds, which are only partly ordered (§3.2.6).
    case duration
    /// `2026-11-21T12:00:00Z`; the time zone may be missing (§3.2.7).
    case dateTime
    /// `12:00:00Z`: a time of every day; the time zone may be missing (§3.2.8).
    case time
    /// `2026-11-21`, perhaps with a time zone (§3.2.9).
    case date
    /// `2026-11`, perhaps with a time zone (§3.2.10).
    case gYearMonth
    /// `2026`: four digits at least, and no year zero (§3.2.11).
    case gYear
    /// `--11-21`: a day of every year (§3.2.12).
    case gMonthDay
    /// `---21`: a day of every month (§3.2.13).
    case gDay
    /// `--11`: a month of every year (§3.2.14).
    case gMonth
    /// Two hexadecimal digits a byte, of either case (§3.2.15).
    case hexBinary
    /// Bytes in base 64, with padding; white space is allowed anywhere (§3.2.16).
    case base64Binary
    /// A reference to a resource, absolute or relative, perhaps with characters still to be escaped (§3.2.17).
    case anyURI
    /// `prefix:name`; the prefix must be declared at the place of the text (§3.2.18).
    case QName
    /// As `QName`: the name of a notation; it is not checked whether the schema declares one (§3.2.19).
    case NOTATION
    /// A text without tabs and line ends, which become spaces (§3.3.1).
    case normalizedString
    /// A text without spaces at its ends and without two in a row (§3.3.2).
    case token
    /// A language tag such as `en-GB`: parts of eight letters at most, after the first also digits (§3.3.3).
    case language
    /// Characters of names, also digits first: `2026-a` (§3.3.4).
    case NMTOKEN
    /// One or more of `NMTOKEN`, with white space between them (§3.3.5).
    case NMTOKENS
    /// A name of XML 1.0, colons allowed (§3.3.6).
    case Name
    /// A name without a colon (§3.3.7).
    case NCName
    /// A name without a colon; it is not checked that it is unique in a document (§3.3.8).
    case ID
    /// The `ID` of another element; it is not checked whether there is one (§3.3.9).
    case IDREF
    /// One or more of `IDREF`, with white space between them (§3.3.10).
    case IDREFS
    /// The name of an unparsed entity; it is not checked whether a document declares it (§3.3.11).
    case ENTITY
    /// One or more of `ENTITY`, with white space between them (§3.3.12).
    case ENTITIES
    /// A whole number of any size, without a point: `-12`, `+007` (§3.3.13).
    case integer
    /// An integer from 0 downwards (§3.3.14).
    case nonPositiveInteger
    /// An integer from -1 downwards (§3.3.15).
    case negativeInteger
    /// 64 bits: from -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807 (§3.3.16).
    case long
    /// 32 bits: from -2,147,483,648 to 2,147,483,647 (§3.3.17).
    case int
    /// 16 bits: from -32,768 to 32,767 (§3.3.18).
    case short
    /// 8 bits with a sign: from -128 to 127 (§3.3.19).
    case byte
    /// An integer from 0 upwards (§3.3.20).
    case nonNegativeInteger
    /// 64 bits: from 0 to 18,446,744,073,709,551,615 (§3.3.21).
    case unsignedLong
    /// 32 bits: from 0 to 4,294,967,295 (§3.3.22).
    case unsignedInt
    /// 16 bits: from 0 to 65,535 (§3.3.23).
    case unsignedShort
    /// 8 bits: from 0 to 255 (§3.3.24).
    case unsignedByte
    /// An integer from 1 upwards (§3.3.25).
    case positiveInteger

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

    /// The facet of the type (§4.3.6): `preserve` for `string`, `replace` for `normalizedString`, `collapse` for all
    /// others.
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

    /// The value of a text; nil when the text is not in the lexical space.
    public func value(of text: String, namespaces: [String: String] = [:]) -> (any XSDValue)? {
        if self == .QName || self == .NOTATION {
            var text = whiteSpace.applied(to: text)
            return text.withUTF8 { bytes in
                XSDQName(lexical: bytes.span) { prefix in
                    if prefix == "xml" { return XMLNamespace.xml.uri }
                    // Swift's dictionary also finds a prefix with another encoding of the same accent.
                    if let index = namespaces.index(forKey: prefix), namespaces[index].key.isExactly(prefix) {
                        return namespaces[index].value
                    }
                    return prefix.isEmpty ? "" : nil
                }
            }
        }
        return valueType.read(text: text)
    }

    /// The canonical form of the value of a text; nil when the text is not in the lexical space.
    public func canonical(_ text: String, namespaces: [String: String] = [:]) -> String? {
        value(of: text, namespaces: namespaces)?.canonicalForm
    }

    /// Whether two texts have the same value; false when one is not in the lexical space.
    public func areEqual(_ left: String, _ right: String, namespaces: [String: String] = [:]) -> Bool {
        compare(left, right, namespaces: namespaces) == .equal
    }

    /// How the values of two texts compare; nil when they are not comparable, or one is not in the lexical space.
    public func compare(_ left: String, _ right: String, namespaces: [String: String] = [:]) -> XSDOrder? {
        func order<T: XSDValue>(_ left: T, _ right: any XSDValue) -> XSDOrder? {
            (right as? T).flatMap { left.compare(to: $0) }
        }
        guard let left = value(of: left, namespaces: namespaces), let right = value(of: right, namespaces: namespaces)
        else { return nil }
        return order(left, right)
    }

    /// Whether the value of a text satisfies a bound: `minInclusive` and similar facets (§4.3.7 to §4.3.10).
    ///
    /// A value that is not comparable to the bound does not satisfy it. When the type has no order, or the bound is not
    /// a value of the type, the schema is wrong and the answer is true.
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
