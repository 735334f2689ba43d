import SignetSOAP
import SignetWSDL

/// A simple type, combined with everything that it is derived from.
struct SimpleShape: Sendable {
    indirect enum Variety: Sendable {
        case atomic(BuiltIn)
        case list(SimpleShape)
        case union([SimpleShape])
    }

    var variety: Variety
    /// The name for error messages: `xs:int`, or the name of the type.
    var name: String
    var facets = Facets()

    var isList: Bool {
        if case .list = variety { return true }
        return false
    }

    /// The number of types in it that are not unions.
    var leaves: Int {
        if case .union(let members) = variety { return members.reduce(0) { $0 + $1.leaves } }
        return 1
    }

    /// Whether the type is a list, or a union with a list among its members.
    var holdsLists: Bool {
        switch variety {
        case .atomic: false
        case .list: true
        case .union(let members): members.contains(where: \.holdsLists)
        }
    }

    var isQualifiedName: Bool {
        if case .atomic(let type) = variety { return type.kind == .qualifiedName }
        return false
    }

    /// Whether two texts are the same value (XML Schema Part 2 §2.2).
    ///
    /// - Parameter areNamed: whether two texts are the same qualified name.
    func areEqual(_ left: String, _ right: String, areNamed: (String, String) -> Bool) -> Bool {
        switch variety {
        case .atomic(let type):
            if isQualifiedName { return areNamed(left, right) }
            if collapses, left.collapsedXMLSpace == right.collapsedXMLSpace { return true }
            if left == right { return true }
            return XSDBuiltInType(rawValue: type.name)?.areEqual(left, right) ?? false
        case .list(let item):
            let (before, after) = (left.xmlWords, right.xmlWords)
            return before.count == after.count
                && zip(before, after).allSatisfy { item.areEqual($0, $1, areNamed: areNamed) }
        case .union(let members):
            if left.collapsedXMLSpace == right.collapsedXMLSpace { return true }
            guard let member = members.first(where: { $0.defect(of: left) == nil }) else { return left == right }
            return member.areEqual(left, right, areNamed: areNamed)
        }
    }

    /// Whether white space at both ends and in runs has no meaning.
    var collapses: Bool {
        guard facets.collapses == nil, case .atomic(let type) = variety else { return facets.collapses ?? true }
        return type.collapses
    }
}

/// The restrictions of a simple type (XML Schema Part 2 §4.3).
struct Facets: Sendable {
    var enumeration: [String]?
    var minimumLength: Int?
    var maximumLength: Int?
    var totalDigits: Int?
    var fractionDigits: Int?
    var lowest: Bound?
    var highest: Bound?
    /// Patterns by steps of derivation; a text must match one of each step. They are not checked, but examples try to
    /// match them.
    var patterns: [[String]] = []
    /// The facet `whiteSpace`, if it is given.
    var collapses: Bool?

    struct Bound: Sendable {
        var facet: String
        var value: String
    }

    /// Adds the facets of one more restriction.
    ///
    /// - Parameter areNames: whether the values are qualified names, which are kept as `{namespace}name`.
    mutating func restrict(_ facets: [Facet], areNames: Bool) {
        var values: [String] = []
        var alternatives: [String] = []
        for facet in facets {
            // A negative length does not exist; the schema is wrong then, and the facet is ignored.
            let number = Int(facet.value).flatMap { $0 < 0 ? nil : $0 }
            switch facet.name {
            case "enumeration":
                values.append(areNames ? facet.nameValue?.description ?? facet.value : facet.value)
            case "pattern": alternatives.append(facet.value)
            case "length":
                minimumLength = number
                maximumLength = number
            case "minLength": if let number { minimumLength = max(number, minimumLength ?? 0) }
            case "maxLength": maximumLength = number
            case "totalDigits": totalDigits = number
            case "fractionDigits": fractionDigits = number
            case "minInclusive", "minExclusive": lowest = Bound(facet: facet.name, value: facet.value)
            case "maxInclusive", "maxExclusive": highest = Bound(facet: facet.name, value: facet.value)
            case "whiteSpace": collapses = facet.value == "collapse"
            default: break
            }
        }
        if !values.isEmpty { enumeration = values }
        if !alternatives.isEmpty { patterns.append(alternatives) }
    }
}

extension SimpleShape {
    /// Why a text is not a value of the type, stated as what is expected instead; nil when it is one.
    ///
    /// It checks the lexical space, enumerations, lengths, digits and bounds, but no patterns.
    func defect(of text: String) -> String? {
        let value = collapses ? text.collapsedXMLSpace : text
        switch variety {
        case .atomic(let type):
            guard type.isValid(value) else { return "a value of \(name) is expected" }
            if let defect = enumerationDefect(value) ?? lengthDefect(value, type) { return defect }
            return boundsDefect(value, type) ?? (type.kind == .number ? digitsDefect(value) : nil)
        case .list(let item):
            let items = value.xmlWords
            for text in items {
                if let defect = item.defect(of: text) { return defect }
            }
            return enumerationDefect(value) ?? countDefect(items.count, "items")
        case .union(let members):
            if members.contains(where: { $0.defect(of: text) == nil }) { return enumerationDefect(value) }
            return "a value of \(members.map(\.name).joined(separator: " or ")) is expected"
        }
    }

    private func enumerationDefect(_ value: String) -> String? {
        guard let allowed = facets.enumeration else { return nil }
        let isAllowed = allowed.contains { text in
            let text = collapses ? text.collapsedXMLSpace : text
            if text == value { return true }
            // A number may be written in several ways, and JSON has one of them (XML Schema Part 2 §4.3.5).
            guard case .atomic(let type) = variety, type.kind == .number else { return false }
            return XSDBuiltInType(rawValue: type.name)?.areEqual(text, value) ?? false
        }
        return isAllowed ? nil : "one of \(allowed.quotedList(limit: 20)) is expected"
    }

    private func lengthDefect(_ value: String, _ type: BuiltIn) -> String? {
        switch type.name {
        case "base64Binary": countDefect(value.utf8.count { $0 != UInt8(ascii: "=") && $0 != 0x20 } * 3 / 4, "bytes")
        case "hexBinary": countDefect(value.utf8.count / 2, "bytes")
        default: type.kind == .string ? countDefect(value.unicodeScalars.count, "characters") : nil
        }
    }

    private func countDefect(_ count: Int, _ what: String) -> String? {
        if let least = facets.minimumLength, count < least { return "at least \(least) \(what) are expected" }
        if let most = facets.maximumLength, count > most { return "at most \(most) \(what) are expected" }
        return nil
    }

    private func boundsDefect(_ value: String, _ type: BuiltIn) -> String? {
        let words = [
            "minInclusive": "not less than", "minExclusive": "greater than", "maxInclusive": "not greater than",
            "maxExclusive": "less than",
        ]
        for bound in [facets.lowest, facets.highest].compactMap({ $0 }) {
            guard XSDBuiltInType(rawValue: type.name)?.keeps(value, to: bound.facet, bound.value) == false,
                let words = words[bound.facet]
            else { continue }
            return "a \(type.kind == .number ? "number" : "value") \(words) \(bound.value) is expected"
        }
        return nil
    }

    private func digitsDefect(_ value: String) -> String? {
        guard facets.totalDigits != nil || facets.fractionDigits != nil, let number = XSDDecimal(value) else {
            return nil
        }
        if let most = facets.fractionDigits, number.fractionDigits > most {
            return "at most \(most) digits behind the point are expected"
        }
        if let most = facets.totalDigits, number.totalDigits > most {
            return "at most \(most) digits are expected"
        }
        return nil
    }
}
