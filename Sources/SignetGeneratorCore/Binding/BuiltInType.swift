/// A Swift type of the runtime: for the built-in simple types (XML Schema Part 2 §3), and for what has no fixed content.
package enum BuiltInType: String, Sendable, Hashable, CaseIterable {
    case string = "String"
    case bool = "Bool"
    case int8 = "Int8"
    case int16 = "Int16"
    case int32 = "Int32"
    case int64 = "Int64"
    case uint8 = "UInt8"
    case uint16 = "UInt16"
    case uint32 = "UInt32"
    case uint64 = "UInt64"
    case float = "Float"
    case double = "Double"
    case decimal = "XSDDecimal"
    case date = "XSDDate"
    case dateTime = "XSDDateTime"
    case time = "XSDTime"
    case duration = "XSDDuration"
    case year = "XSDYear"
    case yearMonth = "XSDYearMonth"
    case month = "XSDMonth"
    case monthDay = "XSDMonthDay"
    case day = "XSDDay"
    case base64 = "XSDBase64Binary"
    case hexadecimal = "XSDHexBinary"
    /// An element's attributes and content as they are written: `xs:anyType`, and what cannot be typed.
    case any = "XMLAny"
    /// A whole element, for `xs:any`.
    case fragment = "XMLFragment"
    case anyAttribute = "XMLAnyAttribute"

    /// The type for the built-in type with this local name; nil when there is no such type.
    init?(schemaName: String) {
        guard let type = Self.exact[schemaName] ?? (Self.loose.contains(schemaName) ? .string : nil) else { return nil }
        self = type
    }

    /// Whether the schema says more about the value than the Swift type does.
    static func isLoose(_ schemaName: String) -> Bool { loose.contains(schemaName) }

    private static let exact: [String: BuiltInType] = [
        "string": .string, "normalizedString": .string, "token": .string, "anyURI": .string, "language": .string,
        "Name": .string, "NCName": .string, "NMTOKEN": .string, "ID": .string, "IDREF": .string, "ENTITY": .string,
        "boolean": .bool, "byte": .int8, "short": .int16, "int": .int32, "long": .int64,
        "unsignedByte": .uint8, "unsignedShort": .uint16, "unsignedInt": .uint32, "unsignedLong": .uint64,
        "float": .float, "double": .double,
        "decimal": .decimal, "integer": .decimal, "positiveInteger": .decimal, "negativeInteger": .decimal,
        "nonNegativeInteger": .decimal, "nonPositiveInteger": .decimal,
        "date": .date, "dateTime": .dateTime, "time": .time, "duration": .duration, "gYear": .year,
        "gYearMonth": .yearMonth, "gMonth": .month, "gMonthDay": .monthDay, "gDay": .day,
        "base64Binary": .base64, "hexBinary": .hexadecimal, "anyType": .any,
    ]

    private static let loose: Set<String> = [
        "QName", "NOTATION", "NMTOKENS", "IDREFS", "ENTITIES", "anySimpleType",
    ]

    /// About how many machine words a value takes inside a structure.
    var words: Int {
        switch self {
        case .string, .date, .time: 2
        case .dateTime, .duration, .decimal, .any, .fragment: 4
        default: 1
        }
    }
}
