/// What the values of a table's items must obey beyond their Swift types: `rules` of an ``XMLTable``, taken apart.
///
/// Each line is an item's number and a rule. `&#10;`, `&#13;` and `&amp;` stand for what would break the line.
///
/// | rule | meaning |
/// |---|---|
/// | `type=string` | the built-in type that the other rules count and compare by; `list` for a list |
/// | `length=2`, `minLength`, `maxLength`, `totalDigits`, `fractionDigits` | XML Schema Part 2 §4.3.1 to §4.3.3, §4.3.11, §4.3.12 |
/// | `minInclusive=1`, `maxInclusive`, `minExclusive`, `maxExclusive` | §4.3.7 to §4.3.10 |
/// | `pattern=[A-Z]+` | §4.3.4; of several lines each must match |
/// | `enumeration=a` | §4.3.5; of several lines one must be equal |
/// | `whiteSpace=collapse` | §4.3.6, applied before all others |
/// | `occurs=1..5`, `occurs=1..*` | how often the element stands (Part 1 §3.9.1) |
/// | `item.maxLength=3` | any of these, for each item of a list |
final class XMLRules: Sendable {
    let items: [Int: XMLItemRules]

    init(_ text: String) {
        var items: [Int: XMLItemRules] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let item = Int(parts[0]), let sign = parts[1].firstIndex(of: "=") else { continue }
            let key = parts[1][..<sign]
            let value = Self.plain(parts[1][parts[1].index(after: sign)...])
            items[item, default: XMLItemRules()].add(String(key), value)
        }
        self.items = items
    }

    private static func plain(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        return String(text).replacing("&#10;", with: "\n").replacing("&#13;", with: "\r").replacing("&amp;", with: "&")
    }
}

/// The rules for one item of a table.
struct XMLItemRules: Sendable {
    private(set) var value = XMLFacets()
    private(set) var listItem: XMLFacets?
    /// How often the element may stand.
    private(set) var occurs: (least: Int, most: Int?)?

    fileprivate mutating func add(_ key: String, _ text: String) {
        if key == "occurs" {
            let ends = text.split(separator: ".", omittingEmptySubsequences: true)
            occurs = (ends.first.flatMap { Int($0) } ?? 0, ends.count > 1 ? Int(ends[1]) : nil)
        } else if key.hasPrefix("item.") {
            var facets = listItem ?? XMLFacets()
            facets.add(String(key.dropFirst(5)), text)
            listItem = facets
        } else {
            value.add(key, text)
        }
    }

    /// What is wrong with a text, as facet and message.
    func defects(of text: String) -> [(facet: String, message: String)] {
        guard let listItem else { return value.defects(of: value.whiteSpace.applied(to: text)) }
        let text = XSDWhiteSpace.collapse.applied(to: text)
        let words = text.split(separator: " ").map(String.init)
        return value.defects(of: text, count: words.count) + words.flatMap { listItem.defects(of: $0) }
    }
}

/// The facets of a simple type (XML Schema Part 2 §4.3).
struct XMLFacets: Sendable {
    private var type: XSDBuiltInType?
    private var isList = false
    private var ownWhiteSpace: XSDWhiteSpace?
    private var lengths: [(facet: String, bound: Int)] = []
    private var digits: [(facet: String, bound: Int)] = []
    private var bounds: [(facet: String, bound: String)] = []
    private var patterns: [XSDPattern] = []
    private var values: [String] = []

    var whiteSpace: XSDWhiteSpace { ownWhiteSpace ?? (isList ? .collapse : type?.whiteSpace ?? .preserve) }

    fileprivate mutating func add(_ key: String, _ text: String) {
        switch key {
        case "type":
            type = XSDBuiltInType(rawValue: text)
            isList = text == "list" || type?.item != nil
        case "whiteSpace": ownWhiteSpace = XSDWhiteSpace(rawValue: text)
        case "length", "minLength", "maxLength": if let bound = Int(text) { lengths.append((key, bound)) }
        case "totalDigits", "fractionDigits": if let bound = Int(text) { digits.append((key, bound)) }
        case "minInclusive", "maxInclusive", "minExclusive", "maxExclusive": bounds.append((key, text))
        case "pattern": if let pattern = try? XSDPattern(text) { patterns.append(pattern) }
        case "enumeration": values.append(text)
        default: break
        }
    }

    /// - Parameter count: the number of items of a list.
    func defects(of text: String, count: Int? = nil) -> [(facet: String, message: String)] {
        var defects: [(facet: String, message: String)] = []
        if !lengths.isEmpty, let (length, unit) = length(of: text, count) {
            for (facet, bound) in lengths {
                if facet != "maxLength", length < bound {
                    defects.append((facet, "\(length) \(unit) are fewer than \(bound)."))
                } else if facet != "minLength", length > bound {
                    defects.append((facet, "\(length) \(unit) are more than \(bound)."))
                }
            }
        }
        if !digits.isEmpty {
            let (total, fraction) = Self.digits(of: text)
            for (facet, bound) in digits {
                let count = facet == "totalDigits" ? max(total, fraction) : fraction
                if count > bound { defects.append((facet, "\(count) digits are more than \(bound).")) }
            }
        }
        for (facet, bound) in bounds where !isInside(text, facet, bound) {
            defects.append((facet, "the value does not keep to the bound \(bound)."))
        }
        for pattern in patterns where !pattern.matches(text) {
            defects.append(("pattern", "the text does not match \(pattern)."))
        }
        if !values.isEmpty, !values.contains(where: { isEqual(text, $0) }) {
            defects.append(("enumeration", "the value is none of those that the schema names."))
        }
        return defects
    }

    private func isEqual(_ left: String, _ right: String) -> Bool {
        let isName = type == .QName || type == .NOTATION
        return left.isExactly(whiteSpace.applied(to: right)) || (!isName && type?.areEqual(left, right) == true)
    }

    /// The length that the facets count (§4.3.1); nil for what has none.
    private func length(of text: String, _ count: Int?) -> (Int, String)? {
        if let count { return (count, "items") }
        if isList { return (text.split(separator: " ").count, "items") }
        switch type {
        case .QName, .NOTATION: return nil
        case .hexBinary: return (text.utf8.count / 2, "bytes")
        case .base64Binary:
            let characters = text.utf8.count { !XMLCharacters.isSpace($0) && $0 != UInt8(ascii: "=") }
            return (characters * 3 / 4, "bytes")
        default: return (text.unicodeScalars.count, "characters")
        }
    }

    /// The digits of a decimal number, all and those behind the point, without zeros that mean nothing.
    private static func digits(of text: String) -> (total: Int, fraction: Int) {
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var fraction = parts.count > 1 ? parts[1] : "".utf8[...]
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let whole = (parts.first ?? fraction).drop { $0 == UInt8(ascii: "0") }
        let total = whole.isEmpty ? fraction.drop { $0 == UInt8(ascii: "0") }.count : whole.count + fraction.count
        return (max(total, 1), fraction.count)
    }

    private func isInside(_ text: String, _ facet: String, _ bound: String) -> Bool {
        // Values that are not comparable keep to no bound; of a type without order there is no telling.
        guard let type else { return true }
        guard let order = type.compare(text, bound) else { return type.value(of: bound) == nil }
        return switch facet {
        case "minInclusive": order != .less
        case "maxInclusive": order != .greater
        case "minExclusive": order == .greater
        default: order == .less
        }
    }
}
