/// A Swift type of the runtime: for the built-in simple types (XML Schema Part 2 §3), and for content that has no fixed
/// type.
package enum BuiltInType: Sendable, Hashable, CaseIterable {
    case string
    /// A string whose tabs and line ends are read as spaces (XML Schema Part 2 §4.3.6, `replace`).
    case normalized
    /// A string whose spaces are joined as well (`collapse`).
    case token
    case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, decimal
    case integer, positiveInteger, negativeInteger, nonNegativeInteger, nonPositiveInteger
    case date, dateTime, time, duration, year, yearMonth, month, monthDay, day
    case base64, hexadecimal, qualifiedName
    /// An element's attributes and content as written: `xs:anyType`, and content that cannot be typed.
    case any
    /// A whole element, for `xs:any`.
    case fragment
    case anyAttribute

    var swiftName: String {
        switch self {
        case .string, .normalized, .token: "String"
        case .bool: "Bool"
        case .int8: "Int8"
        case .int16: "Int16"
        case .int32: "Int32"
        case .int64: "Int64"
        case .uint8: "UInt8"
        case .uint16: "UInt16"
        case .uint32: "UInt32"
        case .uint64: "UInt64"
        case .float: "Float"
        case .double: "Double"
        case .decimal: "XSDDecimal"
        case .integer: "XSDInteger"
        case .positiveInteger: "XSDPositiveInteger"
        case .negativeInteger: "XSDNegativeInteger"
        case .nonNegativeInteger: "XSDNonNegativeInteger"
        case .nonPositiveInteger: "XSDNonPositiveInteger"
        case .date: "XSDDate"
        case .dateTime: "XSDDateTime"
        case .time: "XSDTime"
        case .duration: "XSDDuration"
        case .year: "XSDYear"
        case .yearMonth: "XSDYearMonth"
        case .month: "XSDMonth"
        case .monthDay: "XSDMonthDay"
        case .day: "XSDDay"
        case .base64: "XSDBase64Binary"
        case .hexadecimal: "XSDHexBinary"
        case .qualifiedName: "XSDQName"
        case .any: "XMLAny"
        case .fragment: "XMLFragment"
        case .anyAttribute: "XMLAnyAttribute"
        }
    }

    /// The methods of the runtime's `XMLFields` for properties of this type; nil when only the generic methods apply.
    var fieldMethods: FieldMethods? {
        switch self {
        case .string: .string
        case .bool: .bool
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .decimal: .decimal
        case .integer: .integer
        case .date: .date
        case .dateTime: .dateTime
        case .base64: .base64Binary
        default: nil
        }
    }

    /// The Swift type for the built-in type with this local name; nil for a list type or an unknown name.
    init?(schemaName: String) {
        guard let type = Self.names[schemaName] else { return nil }
        self = type
    }

    /// The item of a built-in list type.
    static func listItem(_ schemaName: String) -> BuiltInType? {
        ["NMTOKENS", "IDREFS", "ENTITIES"].contains(schemaName) ? .string : nil
    }

    static func isKnown(_ schemaName: String) -> Bool { names[schemaName] != nil || listItem(schemaName) != nil }

    private static let names: [String: BuiltInType] = [
        "string": .string, "anySimpleType": .string, "normalizedString": .normalized,
        "token": .token, "anyURI": .token, "language": .token, "Name": .token, "NCName": .token, "NMTOKEN": .token,
        "ID": .token, "IDREF": .token, "ENTITY": .token,
        "boolean": .bool, "byte": .int8, "short": .int16, "int": .int32, "long": .int64,
        "unsignedByte": .uint8, "unsignedShort": .uint16, "unsignedInt": .uint32, "unsignedLong": .uint64,
        "float": .float, "double": .double, "decimal": .decimal, "integer": .integer,
        "positiveInteger": .positiveInteger, "negativeInteger": .negativeInteger,
        "nonNegativeInteger": .nonNegativeInteger, "nonPositiveInteger": .nonPositiveInteger,
        "date": .date, "dateTime": .dateTime, "time": .time, "duration": .duration, "gYear": .year,
        "gYearMonth": .yearMonth, "gMonth": .month, "gMonthDay": .monthDay, "gDay": .day,
        "base64Binary": .base64, "hexBinary": .hexadecimal, "QName": .qualifiedName, "NOTATION": .qualifiedName,
        "anyType": .any,
    ]

    /// Whether it is a string, with any handling of white space.
    var isString: Bool { self == .string || self == .normalized || self == .token }

    /// About how many machine words a value takes inside a structure.
    var words: Int {
        switch self {
        case .string, .normalized, .token, .date, .time: 2
        case .dateTime, .duration, .decimal, .integer, .positiveInteger, .negativeInteger, .nonNegativeInteger,
            .nonPositiveInteger, .qualifiedName, .any, .fragment:
            4
        default: 1
        }
    }
}
