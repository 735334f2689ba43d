import SignetXML

/// The values that a simple type allows, including its whole derivation.
struct SimpleContent {
    /// The built-in type at its root; nil for a list, a union, or an undeclared type.
    var builtIn: String?
    /// The text form of a list or union, compared as text; empty for an atomic type.
    var variety = ""
    var enumeration: [String]?
    var patterns: [String] = []
    var bounds: [String: String] = [:]
    /// The types of a list's items or of a union's members.
    var parts: [TypeReference] = []

    /// Whether the derivation is circular or longer than what was examined.
    private(set) var isTruncated = false

    static let maximumSteps = 100

    /// - Parameter reference: the type. Derivation steps that change nothing may be left out; see
    ///   ``SchemaSet/skippingTrivialSteps(_:)``.
    init(_ reference: TypeReference, _ schema: SchemaSet) {
        var next = reference
        for _ in 0..<Self.maximumSteps {
            switch next {
            case .unspecified:
                builtIn = "anySimpleType"
                return
            case .named(let name):
                if name.namespace == Namespaces.schema {
                    builtIn = name.localName
                    return
                }
                switch schema.types[name] {
                case .simple(let type):
                    guard let base = take(type, schema) else { return }
                    next = base
                case .complex(let type):
                    guard let base = take(type) else { return }
                    next = base
                case nil:
                    variety = name.description
                    return
                }
            case .anonymous(.simple(let type)):
                guard let base = take(type, schema) else { return }
                next = base
            case .anonymous(.complex(let type)):
                guard let base = take(type) else { return }
                next = base
            }
        }
        isTruncated = true
    }

    /// Applies one step of the derivation and returns the next type; nil at the end.
    private mutating func take(_ type: SimpleType, _ schema: SchemaSet) -> TypeReference? {
        switch type.variety {
        case .restriction(let base, let facets):
            take(facets)
            return base
        case .list(let item):
            parts = [item]
            variety = "list of \(Self.name(item, schema))"
            return nil
        case .union(let members):
            parts = members
            variety = "union of \(members.map { Self.name($0, schema) }.joined(separator: ", "))"
            return nil
        }
    }

    /// Named parts are not expanded, so that unions of unions do not take exponential time.
    private static func name(_ part: TypeReference, _ schema: SchemaSet) -> String {
        if case .named(let name) = part { name.localName } else { SimpleContent(part, schema).shown }
    }

    private mutating func take(_ type: ComplexType) -> TypeReference? {
        guard let text = type.textType else {
            variety = "complex"
            return nil
        }
        take(type.simpleContentFacets)
        return text
    }

    private mutating func take(_ facets: [Facet]) {
        let values = facets.filter { $0.name == "enumeration" }.map { $0.qualifiedName?.description ?? $0.value }
        // The step nearest to the type is the most restrictive.
        if enumeration == nil, !values.isEmpty { enumeration = values }
        let own = facets.filter { $0.name == "pattern" }.map(\.value).sorted()
        if !own.isEmpty { patterns.append(own.joined(separator: " | ")) }
        for facet in facets where !["enumeration", "pattern"].contains(facet.name) && bounds[facet.name] == nil {
            bounds[facet.name] = facet.value
        }
    }

    /// The type as diagnostics show it.
    var shown: String { builtIn ?? variety }

    /// The differences from another version, each with its effect on the allowed values.
    func changes(to new: SimpleContent) -> [(text: String, change: ValueChange)] {
        var changes: [(String, ValueChange)] = []
        if shown != new.shown {
            changes.append(("its type was \(shown) and is \(new.shown)", Self.relation(builtIn, new.builtIn)))
        }
        switch (enumeration, new.enumeration) {
        case (let old?, let new?):
            let (before, after) = (Set(old), Set(new))
            let removed = old.filter { !after.contains($0) }
            let added = new.filter { !before.contains($0) }
            if !removed.isEmpty { changes.append(("without the value \(removed.quotedList())", .narrower)) }
            if !added.isEmpty { changes.append(("with the new value \(added.quotedList())", .wider)) }
        case (nil, let new?): changes.append(("only the values \(new.quotedList()) are left", .narrower))
        case (_?, nil): changes.append(("any value instead of an enumeration", .wider))
        case (nil, nil): break
        }
        let gone = patterns.filter { !new.patterns.contains($0) }
        let come = new.patterns.filter { !patterns.contains($0) }
        if !gone.isEmpty && !come.isEmpty {
            changes.append(("its pattern was ‘\(gone[0])’ and is ‘\(come[0])’", .other))
        } else if let pattern = gone.first {
            changes.append(("without the pattern ‘\(pattern)’", .wider))
        } else if let pattern = come.first {
            changes.append(("with the new pattern ‘\(pattern)’", .narrower))
        }
        for name in Set(bounds.keys).union(new.bounds.keys).sorted() where bounds[name] != new.bounds[name] {
            let (old, now) = (bounds[name], new.bounds[name])
            changes.append(
                ("\(name) was \(old ?? "not given") and is \(now ?? "not given")", Self.change(of: name, old, now)))
        }
        return changes
    }

    /// How a changed bound changes the allowed values.
    private static func change(of facet: String, _ old: String?, _ new: String?) -> ValueChange {
        guard facet != "whiteSpace" else { return .other }
        guard let old else { return .narrower }
        guard let new else { return .wider }
        guard facet != "length", let before = Double(old), let after = Double(new) else { return .other }
        if before == after { return .none }
        return (after > before) == facet.hasPrefix("min") ? .narrower : .wider
    }

    /// How built-in types relate (XML Schema Part 2 §3); every value can be written as a string.
    private static func relation(_ old: String?, _ new: String?) -> ValueChange {
        guard let old, let new else { return .other }
        if old == new { return .none }
        if isWithin(old, new) { return .wider }
        return isWithin(new, old) ? .narrower : .other
    }

    private static func isWithin(_ inner: String, _ outer: String) -> Bool {
        if ["string", "anySimpleType", "anyType"].contains(outer) { return true }
        var type = XSDBuiltInType(rawValue: inner)
        while let present = type {
            if present.rawValue == outer { return true }
            type = present.base
        }
        return false
    }
}
