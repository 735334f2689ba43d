import SignetXML

/// A slow second opinion on what is in a type's lexical space: the standard's grammars as patterns.
enum Grammar {
    /// Nil where the standard leaves the decision to the implementation, or where this grammar cannot decide.
    static func decides(_ type: XSDBuiltInType, _ text: String) -> Bool? {
        guard isText(text) else { return nil }
        if type == .string { return true }
        var text = text.unicodeScalars.reduce(into: "") {
            $0.unicodeScalars.append("\t\n\r".unicodeScalars.contains($1) ? " " : $1)
        }
        if type == .normalizedString { return true }
        let parts = text.unicodeScalars.split(separator: " ").map { String($0) }
        text = parts.joined(separator: " ")
        if type == .token { return true }
        if let item = type.item { return !parts.isEmpty && parts.allSatisfy { decides(item, $0) == true } }
        switch type {
        case .anyURI: return nil
        case .base64Binary: text = parts.joined()
        case .QName, .NOTATION:
            // A name may begin with an accent, which is one character with the colon before it.
            let halves = text.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
            // Swift's strings can be equal where XML's are not.
            let isBound =
                halves[0] == "xml" || XSDBuiltInType.scope.keys.contains { $0.utf8.elementsEqual(halves[0].utf8) }
            if halves.count == 2, !isBound { return false }
            return halves.count <= 2 && halves.allSatisfy(XMLName.isNCName)
        case .Name, .NMTOKEN:
            // Any name character may begin a token, and a colon is allowed where a letter is.
            let letters = text.unicodeScalars.map { $0 == ":" ? "a" : String($0) }.joined()
            return XMLName.isNCName(type == .Name ? letters : "a" + letters) && !text.isEmpty
        case .NCName, .ID, .IDREF, .ENTITY: return XMLName.isNCName(text)
        default: break
        }
        // The standard leaves the largest years and durations to the implementation.
        let isTemporal = temporal.contains(type)
        let numbers = text.prefix { $0 != "." }.split { !("0"..."9").contains($0) }
        if isTemporal, numbers.contains(where: { $0.utf8.count > 8 }) { return nil }
        guard let pattern = patterns[type] ?? (type.isInteger ? integer : nil) else { return nil }
        guard pattern.matches(text) else { return false }
        if let range = bounds[type] { return isBetween(range, text) }
        return !isTemporal || isOnCalendar(type, text)
    }

    private static let temporal: Set<XSDBuiltInType> = [
        .duration, .dateTime, .time, .date, .gYearMonth, .gYear, .gMonthDay, .gDay, .gMonth,
    ]

    /// Whether the year is not zero and the month has the day. The text matches the pattern.
    private static func isOnCalendar(_ type: XSDBuiltInType, _ text: String) -> Bool {
        let isNegative = text.hasPrefix("-")
        let numbers = text.split { !("0"..."9").contains($0) }.compactMap { Int($0) }
        switch type {
        case .gMonthDay: return numbers[1] <= length(numbers[0], isLeap: true)
        case .gYear, .gYearMonth: return numbers[0] != 0
        case .date, .dateTime:
            // The year before 1 is -1, so that the leap years before it are -1, -5, …
            let year = isNegative ? numbers[0] - 1 : numbers[0]
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            return numbers[0] != 0 && numbers[2] <= length(numbers[1], isLeap: isLeap)
        default: return true
        }
    }

    private static func length(_ month: Int, isLeap: Bool) -> Int {
        [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func isBetween(_ range: (low: String?, high: String?), _ text: String) -> Bool {
        (range.low.map { !isLess(text, $0) } ?? true) && (range.high.map { !isLess($0, text) } ?? true)
    }

    private static func isLess(_ left: String, _ right: String) -> Bool {
        func parts(_ text: String) -> (isNegative: Bool, digits: [UInt8]) {
            let digits = Array(text.utf8.drop { $0 == 0x2B || $0 == 0x2D || $0 == 0x30 })
            return (text.hasPrefix("-") && !digits.isEmpty, digits)
        }
        func isSmaller(_ a: [UInt8], _ b: [UInt8]) -> Bool {
            a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
        }
        let (a, b) = (parts(left), parts(right))
        if a.isNegative != b.isNegative { return a.isNegative }
        return a.isNegative ? isSmaller(b.digits, a.digits) : isSmaller(a.digits, b.digits)
    }

    private static let bounds: [XSDBuiltInType: (low: String?, high: String?)] = [
        .nonPositiveInteger: (nil, "0"), .negativeInteger: (nil, "-1"), .nonNegativeInteger: ("0", nil),
        .positiveInteger: ("1", nil), .long: ("-9223372036854775808", "9223372036854775807"),
        .int: ("-2147483648", "2147483647"), .short: ("-32768", "32767"), .byte: ("-128", "127"),
        .unsignedLong: ("0", "18446744073709551615"), .unsignedInt: ("0", "4294967295"), .unsignedShort: ("0", "65535"),
        .unsignedByte: ("0", "255"),
    ]

    private static let integer = Pattern("[+-]?[0-9]+")
    private static let patterns: [XSDBuiltInType: Pattern] = {
        let number = "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)"
        let year = "-?([1-9][0-9]{3,}|0[0-9]{3})"
        let month = "(0[1-9]|1[0-2])"
        let day = "(0[1-9]|[12][0-9]|3[01])"
        let time = "(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?|24:00:00(\\.0+)?)"
        let zone = "(Z|[+-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
        let days = "([0-9]+Y([0-9]+M)?([0-9]+D)?|[0-9]+M([0-9]+D)?|[0-9]+D)"
        let seconds = "[0-9]+(\\.[0-9]+)?S"
        let hours = "T([0-9]+H([0-9]+M)?(\(seconds))?|[0-9]+M(\(seconds))?|\(seconds))"
        return [
            .boolean: "true|false|1|0",
            .decimal: number,
            .float: "\(number)([eE][+-]?[0-9]+)?|-?INF|NaN",
            .double: "\(number)([eE][+-]?[0-9]+)?|-?INF|NaN",
            .duration: "-?P(\(days)(\(hours))?|\(hours))",
            .dateTime: "\(year)-\(month)-\(day)T\(time)\(zone)",
            .time: "\(time)\(zone)",
            .date: "\(year)-\(month)-\(day)\(zone)",
            .gYearMonth: "\(year)-\(month)\(zone)",
            .gYear: "\(year)\(zone)",
            .gMonthDay: "--\(month)-\(day)\(zone)",
            .gDay: "---\(day)\(zone)",
            .gMonth: "--\(month)\(zone)",
            .hexBinary: "([0-9a-fA-F]{2})*",
            .base64Binary:
                "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?",
            .language: "[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
        ].mapValues(Pattern.init)
    }()
}

extension XSDBuiltInType {
    fileprivate var isInteger: Bool { self == .integer || base?.isInteger == true }
}
