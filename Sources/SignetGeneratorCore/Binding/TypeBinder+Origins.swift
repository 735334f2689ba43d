import SignetWSDL

/// One step of the derivation of a simple type, with links to the steps that matter. The links find inherited facets
/// without a walk through all base types, of which there may be thousands.
struct SimpleStep {
    /// The end of a chain of restrictions.
    enum End {
        case builtIn(String)
        case list(item: TypeReference)
        case union(members: [TypeReference])
        /// A missing type, or a circular derivation.
        case nothing
    }

    let end: End
    /// The number of steps below this one.
    var depth = 0
    /// The facets of the step itself.
    var facets: [Facet] = []
    /// The nearest step with a facet, this step included, by the name of the facet.
    var nearest: [String: Int] = [:]
    /// The next step below this one that has a pattern.
    var patternBelow: Int?

    /// The facets that a step may have.
    static let facetNames = limits.union(["whiteSpace", "pattern", "enumeration"])

    /// Facets that limit a value; those of the most derived type take precedence over those of its bases.
    static let limits: Set<String> = [
        "length", "minLength", "maxLength", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive",
        "totalDigits", "fractionDigits",
    ]

    func values(of facet: String) -> [Facet] { facets.filter { $0.name == facet } }
}

extension TypeBinder {
    /// Whether a simple type is derived from `xs:string` or one of its derived built-in types.
    mutating func isString(_ type: SimpleType) -> Bool {
        let outermost = step(of: reference(to: type))
        guard case .builtIn(let name) = steps[outermost].end else { return false }
        return BuiltInType(schemaName: name)?.isString == true
    }

    /// The value of `xs:whiteSpace` (XML Schema Part 2 §4.3.6), of the type itself or its nearest base with this facet.
    mutating func whiteSpace(of type: SimpleType) -> String? {
        let outermost = step(of: reference(to: type))
        guard let nearest = steps[outermost].nearest["whiteSpace"] else { return nil }
        return steps[nearest].values(of: "whiteSpace").last?.value
    }

    /// A named type is examined once, so the reference uses the name.
    private func reference(to type: SimpleType) -> TypeReference {
        if let name = type.name, schema.types[name] != nil { return .named(name) }
        return .anonymous(.simple(type))
    }

    /// The most derived step of a type, as its index in ``steps``. Types that add nothing to their base share its step.
    mutating func step(of reference: TypeReference) -> Int {
        var passed: [(name: QName?, facets: [Facet])] = []
        var met: Set<QName> = []
        var next = reference
        var below: Int?
        while below == nil {
            let definition: TypeDefinition
            var name: QName?
            switch next {
            case .anonymous(let inner): definition = inner
            case .unspecified:
                below = add(SimpleStep(end: .nothing))
                continue
            case .named(let own):
                if let known = knownSteps[own] {
                    below = known
                    continue
                }
                if own.namespace == Namespaces.schema, BuiltInType.isKnown(own.localName) {
                    below = add(SimpleStep(end: .builtIn(own.localName)), own)
                    continue
                }
                guard met.insert(own).inserted, let inner = schema.types[own] else {
                    below = add(SimpleStep(end: .nothing))
                    continue
                }
                name = own
                definition = inner
            }
            switch definition {
            case .simple(let type):
                switch type.variety {
                case .list(let item): below = add(SimpleStep(end: .list(item: item)), name)
                case .union(let members): below = add(SimpleStep(end: .union(members: members)), name)
                case .restriction(let base, let facets):
                    passed.append((name, facets))
                    next = base
                }
            case .complex(let type):
                guard let text = type.textType else {
                    below = add(SimpleStep(end: .nothing), name)
                    continue
                }
                passed.append((name, type.simpleContentFacets))
                next = text
            }
        }
        var result = below ?? add(SimpleStep(end: .nothing))
        for (name, facets) in passed.reversed() {
            result = restrict(result, by: facets)
            if let name { knownSteps[name] = result }
        }
        return result
    }

    private mutating func add(_ step: SimpleStep, _ name: QName? = nil) -> Int {
        steps.append(step)
        if let name { knownSteps[name] = steps.count - 1 }
        return steps.count - 1
    }

    private mutating func restrict(_ below: Int, by facets: [Facet]) -> Int {
        let known = facets.filter { SimpleStep.facetNames.contains($0.name) }
        if known.isEmpty { return below }
        var step = steps[below]
        step.depth += 1
        step.facets = known
        // Many types may share one base, so its facets could be counted many times.
        mostRuleBytes += 32 * known.reduce(0) { $0 + $1.value.utf8.count }
        step.patternBelow = step.nearest["pattern"]
        for name in Set(known.map(\.name)) { step.nearest[name] = steps.count }
        return add(step)
    }

    /// The steps with a pattern, from `step` down.
    func patternSteps(from step: Int) -> [Int] {
        var result: [Int] = []
        var next = steps[step].nearest["pattern"]
        while let place = next {
            result.append(place)
            next = steps[place].patternBelow
        }
        return result
    }
}
