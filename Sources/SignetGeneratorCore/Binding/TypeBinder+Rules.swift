import SignetWSDL

/// What a schema demands of simple values beside their type (XML Schema Part 2 §4.3), as the runtime reads it.
extension TypeBinder {
    /// The rules for values of a type, a `key=value` each; empty for complex content and for what the Swift type says already.
    mutating func rules(of reference: TypeReference) -> [String] {
        guard case .named(let name) = reference, name.namespace != Namespaces.schema else {
            return makeRules(of: reference)
        }
        if let known = knownRules[name] { return known }
        // Should the type be made of itself.
        knownRules[name] = []
        let rules = makeRules(of: reference)
        knownRules[name] = rules
        return rules
    }

    private mutating func makeRules(of reference: TypeReference) -> [String] {
        var rules: [String] = []
        var seen: Set<String> = []
        var builtIn: String?
        var hasValues = false
        for step in steps(from: reference) {
            switch step {
            case .builtIn(let name): builtIn = name
            case .restriction(let facets):
                hasValues = hasValues || facets.contains { $0.name == "enumeration" }
                rules += Self.lines(facets, &seen)
            case .list(let item):
                rules += self.rules(of: item).map { "item.\($0)" }
                if !rules.isEmpty { rules.insert("type=list", at: 0) }
            case .union: break
            }
        }
        // An enumeration of strings is an enum, which is open.
        if hasValues, let builtIn, BuiltInType(schemaName: builtIn)?.isString == true { return [] }
        // A prefix may stand for another namespace in a message than in the schema.
        if builtIn == "QName" || builtIn == "NOTATION" { rules.removeAll { $0.hasPrefix("enumeration=") } }
        if let builtIn, !rules.isEmpty || Self.narrow.contains(builtIn) { rules.insert("type=\(builtIn)", at: 0) }
        return rules
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
            lines.append("\(facet.name)=\(escaped(facet.value))")
        }
        if let space = facets.last(where: { $0.name == "whiteSpace" }), seen.insert(space.name).inserted {
            lines.append("whiteSpace=\(escaped(space.value))")
        }
        // Within one step a value may fit any pattern, but it must fit one of each step.
        let patterns = facets.filter { $0.name == "pattern" }.map(\.value)
        if !patterns.isEmpty { lines.append("pattern=\(escaped(patterns.joined(separator: "|")))") }
        let values = facets.filter { $0.name == "enumeration" }
        if !values.isEmpty, seen.insert("enumeration").inserted {
            lines += values.map { "enumeration=\(escaped($0.value))" }
        }
        return lines
    }

    /// A value on a line of its own.
    private static func escaped(_ value: String) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
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
