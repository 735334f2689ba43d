import SignetWSDL
import SignetXML

/// What a schema demands of simple values beside their type (XML Schema Part 2 §4.3), as the runtime reads it.
extension TypeBinder {
    struct RuleKey: Hashable {
        /// The type's name; of one without a name the place, and what it restricts: a document may be included twice.
        var type: QName?
        var place: SourceLocation?
        var isMember: Bool
    }

    /// The rules for values of a type, a `key=value` each; empty for complex content and for what the Swift type says already.
    ///
    /// - Parameter isMember: whether the type is one of a union's, of which the Swift type says nothing: then everything is
    ///   told, or nothing for a type that lets in all texts.
    mutating func rules(of reference: TypeReference, isMember: Bool = false) -> [String] {
        let key: RuleKey
        switch reference {
        case .named(let name) where name.namespace != Namespaces.schema: key = RuleKey(type: name, isMember: isMember)
        case .anonymous(.simple(let type)):
            key = RuleKey(type: type.base?.name, place: type.location, isMember: isMember)
        case .named, .anonymous, .unspecified: return makeRules(of: reference, isMember)
        }
        if let known = knownRules[key] { return known }
        // Such a type is refused where it is bound.
        guard openRules < Self.simpleDepth else { return [] }
        openRules += 1
        defer { openRules -= 1 }
        // Should the type be made of itself.
        knownRules[key] = []
        let rules = makeRules(of: reference, isMember)
        knownRules[key] = rules
        return rules
    }

    private mutating func makeRules(of reference: TypeReference, _ isMember: Bool) -> [String] {
        var rules: [String] = []
        var seen: Set<String> = []
        var builtIn: String?
        var values: [Facet] = []
        var patterns: [String] = []
        for step in steps(from: reference) {
            switch step {
            case .builtIn(let name): builtIn = name
            case .restriction(let facets):
                if values.isEmpty { values = facets.filter { $0.name == "enumeration" } }
                rules += Self.lines(facets, &seen)
                let own = facets.filter { $0.name == "pattern" }.map(\.value)
                if !own.isEmpty { patterns.append(own.joined(separator: "|")) }
            case .list(let item):
                rules += self.rules(of: item, isMember: isMember).filter { !$0.hasPrefix(XMLForm.rule) }.map {
                    "item.\($0)"
                }
                if isMember || !rules.isEmpty { rules.insert("type=list", at: 0) }
            case .union(let members):
                rules += self.rules(of: members, areMembers: isMember)
                if !rules.isEmpty { rules.insert("type=union", at: 0) }
            }
        }
        guard let builtIn else { return rules }
        if !isMember, let form = XMLForm.wanted(by: patterns, BuiltInType(schemaName: builtIn)) {
            rules.append(XMLForm.rule + form.text)
        }
        if BuiltInType(schemaName: builtIn)?.isString == true {
            // An enumeration of strings is an enum, which is open.
            if !values.isEmpty && !isMember { return [] }
            if rules.isEmpty && !Self.narrow.contains(builtIn) { return [] }
        }
        if builtIn == "QName" || builtIn == "NOTATION" {
            // A prefix may stand for another namespace in a message than in the schema.
            rules.removeAll { $0.hasPrefix("enumeration=") }
            let names = values.compactMap(\.nameValue)
            if names.count == values.count { rules += names.map { "enumeration=\($0)" } }
        }
        if isMember || !rules.isEmpty || Self.narrow.contains(builtIn) { rules.insert("type=\(builtIn)", at: 0) }
        return rules
    }

    /// So many rules a union may have; unions of unions multiply them.
    private static let mostRules = 1000

    /// The rules for the member types of a union, of which a value must be one; none where the Swift types say it all, or one
    /// of them lets in every text.
    private mutating func rules(of members: [TypeReference], areMembers: Bool) -> [String] {
        guard areMembers || members.contains(where: { !rules(of: $0).isEmpty }) else { return [] }
        var all: [[String]] = []
        var count = 0
        for member in members {
            let rules = rules(of: member, isMember: true)
            if all.contains(rules) { continue }
            all.append(rules)
            count += rules.count
            if rules.isEmpty || count > Self.mostRules { return [] }
        }
        return all.enumerated().flatMap { number, rules in rules.map { "member\(number + 1).\($0)" } }
    }

    /// Built-in types of which the Swift type says too little.
    private static let narrow: Set<String> = [
        "language", "Name", "NCName", "NMTOKEN", "NMTOKENS", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES",
    ]

    /// Facets that say how far a value may go; the outermost type's go before those of the types that it restricts.
    private static let limits: Set<String> = [
        "length", "minLength", "maxLength", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive",
        "totalDigits", "fractionDigits",
    ]

    private static func lines(_ facets: [Facet], _ seen: inout Set<String>) -> [String] {
        var lines: [String] = []
        for facet in facets where limits.contains(facet.name) && seen.insert(facet.name).inserted {
            lines.append("\(facet.name)=\(facet.value.inOneLine)")
        }
        if let space = facets.last(where: { $0.name == "whiteSpace" }), seen.insert(space.name).inserted {
            lines.append("whiteSpace=\(space.value.inOneLine)")
        }
        // Within one step a value may fit any pattern, but it must fit one of each step.
        let patterns = facets.filter { $0.name == "pattern" }.map(\.value)
        if !patterns.isEmpty { lines.append("pattern=\(patterns.joined(separator: "|").inOneLine)") }
        let values = facets.filter { $0.name == "enumeration" }
        if !values.isEmpty, seen.insert("enumeration").inserted {
            lines += values.map { "enumeration=\($0.value.inOneLine)" }
        }
        return lines
    }
}

extension SimpleType {
    /// What it restricts, if it does.
    fileprivate var base: TypeReference? {
        if case .restriction(let base, _) = variety { base } else { nil }
    }
}

extension XMLForm {
    /// What stands before the form among the rules of a value.
    static let rule = "form="

    /// Patterns beyond this size list values and do not say how numbers are written; it takes hundreds of texts to find out.
    private static let longestPatterns = 2000

    /// The form in which values of a built-in type fit the patterns; nil for the usual one.
    fileprivate static func wanted(by patterns: [String], _ type: BuiltInType?) -> XMLForm? {
        guard let type, patterns.reduce(0, { $0 + $1.utf8.count }) <= longestPatterns else { return nil }
        let read = patterns.compactMap { try? XSDPattern($0) }
        guard !read.isEmpty, read.count == patterns.count, read.allSatisfy({ $0.size <= longestPatterns }) else {
            return nil
        }
        switch type {
        case .bool: return boolean(read)
        case .float, .double, .decimal: return digits(read, hasFraction: true)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64,
            .integer, .positiveInteger, .negativeInteger, .nonNegativeInteger, .nonPositiveInteger:
            return digits(read, hasFraction: false)
        default: return nil
        }
    }
}

extension String {
    /// The text as it stands in a line of a table's presets or rules.
    var inOneLine: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
