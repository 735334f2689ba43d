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

    /// The outermost step of a type that gives rules.
    struct RulePlace: Hashable {
        var step: Int
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

    /// The rules of an element, an attribute or a text, which repeats those of its type. All of them together are bounded: what
    /// one type says may be repeated by each type derived from it, and by each element.
    mutating func fieldRules(of reference: TypeReference, at location: SourceLocation) -> [String] {
        let rules = rules(of: reference)
        ruleBytes += rules.reduce(0) { $0 + $1.utf8.count }
        guard ruleBytes > mostRuleBytes else { return rules }
        let name = reference.name.map { "the type ‘\($0.localName)’" } ?? "the type that stands here"
        if tooManyRules == nil {
            tooManyRules = Diagnostic(
                .error,
                "the values, patterns and limits of \(name), of those that it restricts, and of the other types of these "
                    + "operations are more than \(mostRuleBytes) bytes: each element and attribute repeats those of its type. "
                    + "Make fewer operations, with --operations.", at: location)
        }
        return []
    }

    private mutating func makeRules(of reference: TypeReference, _ isMember: Bool) -> [String] {
        let outermost = step(of: reference)
        let place = RulePlace(step: outermost, isMember: isMember)
        if let known = knownStepRules[place] { return known }
        let rules = makeRules(from: outermost, isMember)
        knownStepRules[place] = rules
        return rules
    }

    private mutating func makeRules(from outermost: Int, _ isMember: Bool) -> [String] {
        let end = steps[outermost].end
        var builtIn: String?
        if case .builtIn(let name) = end { builtIn = name }
        let values = steps[outermost].nearest["enumeration"].map { steps[$0].values(of: "enumeration") } ?? []
        let isString = builtIn.flatMap { BuiltInType(schemaName: $0)?.isString } == true
        // An enumeration of strings is an enum, which is open.
        if isString, !values.isEmpty, !isMember { return [] }
        // A prefix may stand for another namespace in a message than in the schema.
        let areNames = builtIn == "QName" || builtIn == "NOTATION"
        var rules = lines(from: outermost, withValues: !areNames)
        switch end {
        case .builtIn, .nothing: break
        case .list(let item):
            let inner = self.rules(of: item, isMember: isMember).filter { !$0.hasPrefix(XMLForm.rule) }
            rules += inner.map { "item.\($0)" }
            if isMember || !rules.isEmpty { rules.insert("type=list", at: 0) }
        case .union(let members):
            rules += self.rules(of: members, areMembers: isMember)
            if !rules.isEmpty { rules.insert("type=union", at: 0) }
        }
        guard let builtIn else { return rules }
        if !isMember, let form = form(from: outermost, builtIn) { rules.append(XMLForm.rule + form) }
        if isString, rules.isEmpty, !Self.narrow.contains(builtIn) { return [] }
        if areNames {
            let names = values.compactMap(\.nameValue)
            if names.count == values.count { rules += names.map { "enumeration=\($0)" } }
        }
        if isMember || !rules.isEmpty || Self.narrow.contains(builtIn) { rules.insert("type=\(builtIn)", at: 0) }
        return rules
    }

    /// How the patterns of a type want a number or a truth value written, found out once for each step that gives one.
    private mutating func form(from outermost: Int, _ builtIn: String) -> String? {
        let places = patternSteps(from: outermost)
        // So many steps do not tell how a number is written.
        guard let first = places.first, places.count <= Self.mostPatternSteps else { return nil }
        if let known = knownForms[first] { return known }
        let patterns = places.map { steps[$0].values(of: "pattern").map(\.value).joined(separator: "|") }
        let form = XMLForm.wanted(by: patterns, BuiltInType(schemaName: builtIn))?.text
        knownForms[first] = .some(form)
        return form
    }

    private static let mostPatternSteps = 32

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

    /// What the steps of a derivation say, the outermost first. Of most facets the nearest counts; of each step a pattern must fit.
    private func lines(from outermost: Int, withValues: Bool) -> [String] {
        let nearest = steps[outermost].nearest
        let places = Set(nearest.values).union(patternSteps(from: outermost))
        var lines: [String] = []
        for place in places.sorted(by: { steps[$0].depth > steps[$1].depth }) {
            let step = steps[place]
            var seen: Set<String> = []
            for facet in step.facets
            where SimpleStep.limits.contains(facet.name) && nearest[facet.name] == place
                && seen.insert(facet.name).inserted
            {
                lines.append("\(facet.name)=\(facet.value.inOneLine)")
            }
            if nearest["whiteSpace"] == place, let space = step.values(of: "whiteSpace").last {
                lines.append("whiteSpace=\(space.value.inOneLine)")
            }
            // Within one step a value may fit any pattern, but it must fit one of each step.
            let patterns = step.values(of: "pattern").map(\.value)
            if !patterns.isEmpty { lines.append("pattern=\(patterns.joined(separator: "|").inOneLine)") }
            if withValues, nearest["enumeration"] == place {
                lines += step.values(of: "enumeration").map { "enumeration=\($0.value.inOneLine)" }
            }
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
