import SignetWSDL
import SignetXML

/// The schema's rules for simple values beside their type (XML Schema Part 2 §4.3), in the form that the runtime reads.
extension TypeBinder {
    struct RuleKey: Hashable {
        /// The type's name. An anonymous type is identified by its place and its base, because a document may be
        /// included twice.
        var type: QName?
        var place: SourceLocation?
        var isMember: Bool
    }

    /// Identifies the most derived step of a type that has rules.
    struct RulePlace: Hashable {
        var step: Int
        var isMember: Bool
    }

    /// The rules for values of a type, each as `key=value`; empty for complex content and for rules that the Swift type
    /// already enforces.
    ///
    /// - Parameter isMember: whether the type is a member of a union, about which the Swift type says nothing: the
    ///   result then has all rules, or is empty for a type that allows every text.
    mutating func rules(of reference: TypeReference, isMember: Bool = false) -> [String] {
        let key: RuleKey
        switch reference {
        case .named(let name) where name.namespace != Namespaces.schema: key = RuleKey(type: name, isMember: isMember)
        case .anonymous(.simple(let type)):
            key = RuleKey(type: type.base?.name, place: type.location, isMember: isMember)
        case .named, .anonymous, .unspecified: return makeRules(of: reference, isMember)
        }
        if let known = knownRules[key] { return known }
        // The binding of such a type reports the error.
        guard openRules < Self.simpleDepth else { return [] }
        openRules += 1
        defer { openRules -= 1 }
        // Ends the recursion for a type that contains itself.
        knownRules[key] = []
        let rules = makeRules(of: reference, isMember)
        knownRules[key] = rules
        return rules
    }

    /// The rules of an element, an attribute or a text, which repeat those of its type. Their total size is bounded,
    /// because each derived type and each element repeats the rules of its type.
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

    /// The lexical form that the patterns of a type require for a number or a Boolean, computed once for each step with
    /// a pattern.
    private mutating func form(from outermost: Int, _ builtIn: String) -> String? {
        let places = patternSteps(from: outermost)
        // A type with this many steps does not prescribe the form of a number.
        guard let first = places.first, places.count <= Self.mostPatternSteps else { return nil }
        if let known = knownForms[first] { return known }
        let patterns = places.map { steps[$0].values(of: "pattern").map(\.value).joined(separator: "|") }
        let form = XMLForm.wanted(by: patterns, BuiltInType(schemaName: builtIn))?.text
        knownForms[first] = .some(form)
        return form
    }

    private static let mostPatternSteps = 32

    /// The maximum number of rules of a union; unions of unions multiply them.
    private static let mostRules = 1000

    /// The rules for the member types of a union, one of which a value must match; empty when the Swift types enforce
    /// all of them, or one member allows every text.
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

    /// Built-in types that are narrower than their Swift type.
    private static let narrow: Set<String> = [
        "language", "Name", "NCName", "NMTOKEN", "NMTOKENS", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES",
    ]

    /// The facets of a derivation, the most derived step first. For most facets the nearest one counts; a value must
    /// match a pattern of each step.
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
            // Within one step a value may match any pattern, but it must match one of each step.
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
    /// The base of a restriction; otherwise nil.
    fileprivate var base: TypeReference? {
        if case .restriction(let base, _) = variety { base } else { nil }
    }
}

extension XMLForm {
    /// The key of the form among the rules of a value.
    static let rule = "form="

    /// The maximum size of patterns that are examined. Larger patterns list values and do not prescribe a form of
    /// numbers, and the test matches hundreds of texts.
    private static let longestPatterns = 2000

    /// The lexical form of a built-in type that matches the patterns; nil for the default form.
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
    /// The text escaped for one line of a table's presets or rules.
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
