/// The rules that the values of a table's items must obey beyond their Swift types: the parsed `rules` of an
/// ``XMLTable``.
///
/// Each line is an item's number and a rule; see ``XMLTableLines``.
///
/// | rule | meaning |
/// |---|---|
/// | `type=string` | the built-in type (§3), or `list`, or `union`; the other rules count and compare its values |
/// | `length=2`, `minLength`, `maxLength` | XML Schema Part 2 §4.3.1 to §4.3.3 |
/// | `totalDigits=5`, `fractionDigits` | §4.3.11, §4.3.12 |
/// | `minInclusive=1`, `maxInclusive`, `minExclusive`, `maxExclusive` | §4.3.7 to §4.3.10 |
/// | `pattern=[A-Z]+` | §4.3.4; of several lines each must match |
/// | `enumeration=a` | §4.3.5; of several lines one must be equal; qualified names are written `{namespace}name` |
/// | `whiteSpace=collapse` | §4.3.6, applied before all others |
/// | `occurs=1..5`, `occurs=1..*` | how often the element stands (Part 1 §3.9.1) |
/// | `item.maxLength=3` | any of these, for each item of a list |
/// | `member1.type=int` | any of these, for a member type of a union, of which one must allow a value (§2.5.1.3) |
final class XMLRules: Sendable {
    let items: [Int: XMLItemRules]

    init(_ text: String) {
        var items: [Int: XMLItemRules] = [:]
        for (item, rule) in XMLTableLines.read(text) {
            let parts = rule.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            items[item, default: XMLItemRules()].add(Substring(parts[0]), String(Substring(parts[1])))
        }
        self.items = items
    }
}

/// The namespace name that a prefix means where a text is written; nil when the prefix is not declared.
typealias XMLPrefixes = (String) -> String?

/// The rules for one item of a table, or for a part of its values.
struct XMLItemRules: Sendable {
    private var value = XMLFacets()
    /// The rules for the items of a list (`item`) and for the member types of a union.
    private var parts: [String: XMLItemRules] = [:]
    /// How often the element may occur.
    private(set) var occurs: (least: Int, most: Int?)?

    fileprivate mutating func add(_ key: Substring, _ text: String) {
        if key == "occurs" {
            let ends = text.split(separator: ".", omittingEmptySubsequences: true)
            occurs = (ends.first.flatMap { Int($0) } ?? 0, ends.count > 1 ? Int(ends[1]) : nil)
        } else if let dot = key.firstIndex(of: ".") {
            parts[String(key[..<dot]), default: XMLItemRules()].add(key[key.index(after: dot)...], text)
        } else {
            value.add(String(key), text)
        }
    }

    /// The defects of a text, as facet and message.
    func defects(of text: String, _ prefixes: XMLPrefixes) -> [(facet: String, message: String)] {
        let treated = value.whiteSpace.applied(to: text)
        var defects = value.defects(of: treated, prefixes)
        if let item = parts["item"] {
            defects += treated.xmlWords.flatMap { item.defects(of: $0, prefixes) }
        } else if !parts.isEmpty, !parts.values.contains(where: { $0.allow(text, prefixes) }) {
            defects.append(("union", "the text is a value of none of the types that the schema unites."))
        }
        return defects
    }

    /// Whether a text is a value of a member type.
    private func allow(_ text: String, _ prefixes: XMLPrefixes) -> Bool {
        let words = parts["item"].map { item in
            text.xmlWords.allSatisfy { item.value.allows($0, prefixes) }
        }
        return (words ?? value.allows(text, prefixes)) && defects(of: text, prefixes).isEmpty
    }
}

/// The facets of a simple type (XML Schema Part 2 §4.3).
struct XMLFacets: Sendable {
    private var type: XSDBuiltInType?
    private var isList = false
    private var isUnion = false
    private var ownWhiteSpace: XSDWhiteSpace?
    private var lengths: [(facet: String, bound: Int)] = []
    private var digits: [(facet: String, bound: Int)] = []
    private var bounds: [(facet: String, bound: String)] = []
    private var patterns: [XSDPattern] = []
    private var values: [String] = []

    var whiteSpace: XSDWhiteSpace { ownWhiteSpace ?? (isList || isUnion ? .collapse : type?.whiteSpace ?? .preserve) }

    fileprivate mutating func add(_ key: String, _ text: String) {
        switch key {
        case "type":
            type = XSDBuiltInType(rawValue: text)
            isList = text == "list" || type?.item != nil
            isUnion = text == "union"
        case "whiteSpace": ownWhiteSpace = XSDWhiteSpace(rawValue: text)
        case "length", "minLength", "maxLength": if let bound = Int(text) { lengths.append((key, bound)) }
        case "totalDigits", "fractionDigits": if let bound = Int(text) { digits.append((key, bound)) }
        case "minInclusive", "maxInclusive", "minExclusive", "maxExclusive": bounds.append((key, text))
        case "pattern": if let pattern = try? XSDPattern(text) { patterns.append(pattern) }
        case "enumeration": values.append(text)
        default: break
        }
    }

    private var isName: Bool { type == .QName || type == .NOTATION }

    /// Whether a text is in the lexical space of the built-in type.
    func allows(_ text: String, _ prefixes: XMLPrefixes) -> Bool {
        isName ? expanded(text, prefixes) != nil : type.map { $0.value(of: text) != nil } ?? true
    }

    func defects(of text: String, _ prefixes: XMLPrefixes) -> [(facet: String, message: String)] {
        var defects: [(facet: String, message: String)] = []
        if let type, !isName, type.value(of: text) == nil {
            defects.append(("type", "the text is not a value of xs:\(type.rawValue)."))
        }
        if !lengths.isEmpty, let (length, unit) = length(of: text) {
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
        for (facet, bound) in bounds where type?.keeps(text, to: facet, bound) == false {
            defects.append((facet, "the value does not keep to the bound \(bound)."))
        }
        for pattern in patterns where !pattern.matches(text) {
            defects.append(("pattern", "the text does not match \(pattern)."))
        }
        if !values.isEmpty, !values.contains(where: { isEqual(text, $0, prefixes) }) {
            defects.append(("enumeration", "the schema names other values."))
        }
        return defects
    }

    private func isEqual(_ left: String, _ right: String, _ prefixes: XMLPrefixes) -> Bool {
        // A prefix may mean another namespace in a message than in the schema.
        if isName { return expanded(left, prefixes)?.isExactly(right) == true }
        return left.isExactly(whiteSpace.applied(to: right)) || type?.areEqual(left, right) == true
    }

    /// A qualified name as `{namespace}name`; nil when the text is not one, or its prefix is not declared.
    private func expanded(_ text: String, _ prefixes: XMLPrefixes) -> String? {
        var text = text.collapsedXMLSpace
        return text.withUTF8 { XSDQName(lexical: $0.span, resolving: prefixes) }?.description
    }

    /// The length that the facets count (§4.3.1); nil for a type without one.
    private func length(of text: String) -> (Int, String)? {
        if isList { return (text.xmlWords.count, "items") }
        switch type {
        case .QName, .NOTATION: return nil
        case .hexBinary: return (text.utf8.count / 2, "bytes")
        case .base64Binary:
            let characters = text.utf8.count { !XMLCharacters.isSpace($0) && $0 != UInt8(ascii: "=") }
            return (characters * 3 / 4, "bytes")
        default: return (text.unicodeScalars.count, "characters")
        }
    }

    /// The numbers of digits of a decimal number, in total and after the point, without insignificant zeros.
    private static func digits(of text: String) -> (total: Int, fraction: Int) {
        let parts = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var fraction = parts.count > 1 ? parts[1] : "".utf8[...]
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let whole = (parts.first ?? fraction).drop { $0 == UInt8(ascii: "0") }
        let total = whole.isEmpty ? fraction.drop { $0 == UInt8(ascii: "0") }.count : whole.count + fraction.count
        return (max(total, 1), fraction.count)
    }
}
