import SignetWSDL

/// Combines types with everything that they refer to, and keeps the result, so that each type is combined once.
///
/// Schemas come from outside: references are followed to a limited depth, and a type may have a limited number of
/// parts.
struct TypeTable {
    static let depth = 64
    static let parts = 20_000
    /// The greatest number of parts that all types of one message may have together; groups and base types multiply
    /// them.
    static let allParts = 1_000_000
    /// How deep the groups of a content model may be nested: code that walks a model needs a few calls on the stack for
    /// each level.
    static let nestedGroups = 32
    static let nestedUnions = 8
    static let unionMembers = 1000

    let schema: SchemaSet
    private var partsLeft = Self.allParts
    private var kept: [QName: Shape] = [:]
    private var keptSimple: [QName: SimpleShape] = [:]
    /// The simple types that are being combined.
    private var open: Set<QName> = []
    /// The named types by the type that they are derived from.
    private var derived: [QName: [QName]]?
    /// The names of types and of elements by their local parts.
    private var typeNames: [String: [QName]]?
    private var elementNames: [String: [QName]]?

    init(_ schema: SchemaSet) { self.schema = schema }

    mutating func shape(of reference: TypeReference) throws(DynamicError) -> Shape {
        switch reference {
        case .unspecified: return .any
        case .anonymous(let definition): return try shape(of: definition)
        case .named(let name):
            if let shape = kept[name] { return shape }
            let shape: Shape
            if name == .anyType {
                shape = .any
            } else if let definition = schema.types[name] {
                shape = try self.shape(of: definition)
            } else {
                shape = .simple(try simple(reference))
            }
            kept[name] = shape
            return shape
        }
    }

    private mutating func shape(of definition: TypeDefinition) throws(DynamicError) -> Shape {
        switch definition {
        case .simple: return .simple(try simple(.anonymous(definition)))
        case .complex(let type):
            var shape = try complex(type, depth: 0)
            shape.array = SOAPArray(type)
            if case .elements(let model?) = shape.content { model.collect(into: &shape) }
            return .complex(shape)
        }
    }

    static let tooDeep = DynamicError(
        .brokenSchema, "the schema's types refer to each other in a circle, or deeper than \(depth) levels.")
    static let groupsTooDeep = DynamicError(
        .brokenSchema,
        "the groups of a content model contain each other, or are nested deeper than \(nestedGroups) levels.")
    static let tooLarge = DynamicError(
        .limitExceeded,
        "a type of the schema has more than \(parts) parts, or the types that are needed have more than \(allParts) together."
    )

    // MARK: Simple types

    /// The simple type that an attribute, a list or a restriction names.
    ///
    /// - Parameter depth: the number of unions and lists that enclose it.
    mutating func simple(_ reference: TypeReference, depth: Int = 0) throws(DynamicError) -> SimpleShape {
        // Restrictions are followed in a loop, because chains of them may be long.
        var restrictions: [(name: QName?, facets: [Facet])] = []
        var base = reference
        while let next = restriction(base) {
            guard restrictions.count < Self.depth else { throw Self.tooDeep }
            restrictions.append((next.name, next.facets))
            base = next.base
        }
        var shape = try unrestricted(base, depth: depth)
        for (name, facets) in restrictions.reversed() {
            shape.facets.restrict(facets, areNames: shape.isQualifiedName)
            if let name {
                shape.name = name.localName
                keptSimple[name] = shape
            }
        }
        return shape
    }

    /// The base of a restriction; nil when the type is no restriction, or has been combined already.
    private func restriction(_ reference: TypeReference) -> (name: QName?, base: TypeReference, facets: [Facet])? {
        var definition: TypeDefinition?
        switch reference {
        case .unspecified: break
        case .anonymous(let anonymous): definition = anonymous
        case .named(let name):
            if keptSimple[name] == nil, name.namespace != Namespaces.schema { definition = schema.types[name] }
        }
        guard case .simple(let type)? = definition, case .restriction(let base, let facets) = type.variety else {
            return nil
        }
        return (type.name, base, facets)
    }

    private mutating func unrestricted(_ reference: TypeReference, depth: Int) throws(DynamicError) -> SimpleShape {
        switch reference {
        case .unspecified: return SimpleShape(variety: .atomic(.string), name: "xs:anySimpleType")
        case .anonymous(let definition): return try constructed(definition, depth: depth)
        case .named(let name):
            if let shape = keptSimple[name] { return shape }
            if let type = BuiltIn.named(name) {
                return SimpleShape(variety: .atomic(type), name: "xs:\(name.localName)")
            }
            if let item = BuiltIn.listItem(name) {
                let itemShape = SimpleShape(variety: .atomic(item), name: "xs:\(item.name)")
                return SimpleShape(
                    variety: .list(itemShape), name: "xs:\(name.localName)", facets: Facets(minimumLength: 1))
            }
            guard let definition = schema.types[name] else {
                throw DynamicError(
                    .brokenSchema,
                    "the type \(name) is not defined in any schema that was read\(schema.hint(missingType: name)); an import may be absent."
                )
            }
            guard open.insert(name).inserted else { throw Self.tooDeep }
            defer { open.remove(name) }
            let shape = try constructed(definition, depth: depth)
            keptSimple[name] = shape
            return shape
        }
    }

    /// Makes a list, a union, or the simple content of a complex type.
    private mutating func constructed(_ definition: TypeDefinition, depth: Int) throws(DynamicError) -> SimpleShape {
        guard depth < Self.nestedUnions else {
            throw DynamicError(
                .limitExceeded, "unions in the schema are nested deeper than \(Self.nestedUnions) levels.")
        }
        switch definition {
        case .complex(let type): return try simple(of: type, depth: depth)
        case .simple(let type):
            switch type.variety {
            case .restriction(let base, _): return try simple(base, depth: depth + 1)
            case .list(let item): return try list(of: try simple(item, depth: depth + 1), type)
            case .union(let members):
                var shapes: [SimpleShape] = []
                for member in members { shapes.append(try simple(member, depth: depth + 1)) }
                return try union(of: shapes, type)
            }
        }
    }

    private func list(of item: SimpleShape, _ type: SimpleType) throws(DynamicError) -> SimpleShape {
        guard !item.holdsLists else {
            throw DynamicError(.brokenSchema, "the list at \(type.location) has items that are lists.")
        }
        return SimpleShape(variety: .list(item), name: type.name?.localName ?? "a list of \(item.name)")
    }

    private func union(of members: [SimpleShape], _ type: SimpleType) throws(DynamicError) -> SimpleShape {
        guard members.reduce(0, { $0 + $1.leaves }) <= Self.unionMembers else {
            throw DynamicError(
                .limitExceeded, "the union at \(type.location) has more than \(Self.unionMembers) member types.")
        }
        let name = type.name?.localName ?? members.map(\.name).joined(separator: " or ")
        return SimpleShape(variety: .union(members), name: name)
    }

    /// The simple type of a complex type with simple content.
    private mutating func simple(of type: ComplexType, depth: Int) throws(DynamicError) -> SimpleShape {
        if case .simple(let shape) = try complex(type, depth: depth + 1).content { return shape }
        throw Self.notSimple(type)
    }

    private static func notSimple(_ type: ComplexType) -> DynamicError {
        DynamicError(
            .brokenSchema,
            "the type ‘\(type.name?.localName ?? "(anonymous)")’ at \(type.location) must be simple, and is complex.")
    }

    // MARK: Complex types

    private mutating func complex(_ type: ComplexType, depth: Int) throws(DynamicError) -> ComplexShape {
        // Derivation is followed in a loop, because chains of it may be long.
        var chain = [type]
        while let base = try base(of: chain[chain.count - 1]) {
            guard chain.count < Self.depth else { throw Self.tooDeep }
            chain.append(base)
        }
        var inherited: ComplexShape?
        for step in chain.reversed() {
            var shape = ComplexShape(name: step.name, isAbstract: step.isAbstract, isMixed: step.isMixed)
            try addContent(step, inherited, to: &shape, depth: depth)
            try addAttributes(step.attributes, to: &shape)
            inherited = shape
        }
        return inherited ?? ComplexShape()
    }

    /// The complex type from which a type is derived.
    private func base(of type: ComplexType) throws(DynamicError) -> ComplexType? {
        switch type.content {
        case .empty, .particle: return nil
        case .simple(.named(let name), _):
            if case .complex(let base)? = schema.types[name] { return base }
            return nil
        case .simple(.anonymous(.complex(let base)), _): return base
        case .simple: return nil
        case .derived(let name, _, _):
            guard name != .anyType else { return nil }
            guard case .complex(let base)? = schema.types[name] else {
                throw DynamicError(
                    .brokenSchema,
                    "the type \(name) is not defined as a complex type in any schema that was read\(schema.hint(missingType: name))."
                )
            }
            return base
        }
    }

    private mutating func addContent(
        _ type: ComplexType, _ inherited: ComplexShape?, to shape: inout ComplexShape, depth: Int
    ) throws(DynamicError) {
        shape.attributes = inherited?.attributes ?? []
        switch type.content {
        case .empty: break
        case .particle(let particle): shape.content = .elements(try model(particle))
        case .simple(let base, let method):
            var simple: SimpleShape
            if let own = type.simpleContentType {
                simple = try self.simple(.anonymous(.simple(own)), depth: depth + 1)
            } else if let inherited {
                guard case .simple(let inner) = inherited.content else { throw Self.notSimple(type) }
                simple = inner
            } else {
                simple = try self.simple(base, depth: depth + 1)
            }
            if method == .extension {
                shape.anyAttribute = inherited?.anyAttribute
            } else {
                simple.facets.restrict(type.simpleContentFacets, areNames: simple.isQualifiedName)
            }
            shape.content = .simple(simple)
        case .derived(_, let method, let particle):
            let own = try particle.map { (particle) throws(DynamicError) in try model(particle) }
            shape.content = .elements(own)
            if method == .extension, let inherited {
                shape.isMixed = shape.isMixed || inherited.isMixed
                shape.anyAttribute = inherited.anyAttribute
                shape.content = Self.extend(inherited.content, by: own)
            }
        }
    }

    private static func extend(_ inherited: ComplexShape.Content, by own: Model?) -> ComplexShape.Content {
        guard case .elements(let base) = inherited else { return inherited }
        guard let base, let own else { return .elements(base ?? own) }
        var parts = [base]
        // Many steps of derivation must not make a model of many levels.
        if case .group(.sequence, let inherited) = base.term, base.minimum == 1, base.maximum == 1 { parts = inherited }
        return .elements(Model(term: .group(.sequence, parts + [own]), minimum: 1, maximum: 1))
    }

    private mutating func addAttributes(_ group: AttributeGroup, to shape: inout ComplexShape) throws(DynamicError) {
        var pending = [group]
        var met: Set<QName> = []
        var uses: [AttributeUse] = []
        // All wildcards of a type must allow an attribute, or the wildcard of the type that it extends must (XML Schema
        // Part 1 §3.4.2).
        var wildcard: Wildcard?
        while let next = pending.popLast() {
            if let own = next.anyAttribute { wildcard = wildcard?.intersected(with: own) ?? own }
            uses += next.uses
            partsLeft -= 1 + next.uses.count
            guard partsLeft > 0 else { throw Self.tooLarge }
            for use in next.groups where met.insert(use.name).inserted {
                guard let found = schema.attributeGroups[use.name] else {
                    throw DynamicError(
                        .brokenSchema, "the attribute group \(use.name) is not defined in any schema that was read.")
                }
                pending.append(found)
            }
        }
        try add(uses, to: &shape)
        if let wildcard { shape.anyAttribute = shape.anyAttribute.map(wildcard.united) ?? wildcard }
    }

    /// The last declaration of an attribute counts.
    private func add(_ uses: [AttributeUse], to shape: inout ComplexShape) throws(DynamicError) {
        var all: [ComplexShape.AttributeShape?] = shape.attributes
        var places = Dictionary(shape.attributes.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for use in uses {
            let declaration: AttributeDeclaration
            switch use.kind {
            case .declared(let own): declaration = own
            case .reference(let name):
                guard let global = schema.attribute(name) else {
                    throw DynamicError(
                        .brokenSchema, "the attribute \(name) is not defined in any schema that was read.")
                }
                declaration = global
            }
            if let place = places.removeValue(forKey: declaration.name) { all[place] = nil }
            guard !use.isProhibited else { continue }
            places[declaration.name] = all.count
            all.append(
                .init(
                    name: declaration.name, type: declaration.type, isRequired: use.isRequired,
                    preset: use.preset ?? declaration.preset))
        }
        shape.attributes = all.compactMap { $0 }
    }

    // MARK: Content models

    private mutating func model(_ particle: Particle) throws(DynamicError) -> Model {
        let start = min(Self.parts, partsLeft)
        var budget = start
        defer { partsLeft -= start - budget }
        return try model(particle, depth: 0, &budget)
    }

    private func model(_ particle: Particle, depth: Int, _ budget: inout Int) throws(DynamicError) -> Model {
        guard depth < Self.nestedGroups else { throw Self.groupsTooDeep }
        budget -= 1
        guard budget > 0 else { throw Self.tooLarge }
        var particle = particle
        if case .groupReference(let name) = particle.term {
            guard let group = schema.groups[name] else {
                throw DynamicError(.brokenSchema, "the group \(name) is not defined in any schema that was read.")
            }
            // The group itself occurs once (XML Schema Part 1 §3.7.2).
            particle.term = group.term
        }
        let term: Model.Term
        switch particle.term {
        case .element(let element): term = .element([element])
        case .wildcard(let wildcard): term = .wildcard(wildcard)
        case .reference(let name):
            guard let element = schema.elements[name] else {
                throw DynamicError(
                    .brokenSchema,
                    "the element \(name) is not defined in any schema that was read\(schema.hint(missingElement: name))."
                )
            }
            term = .element(substitutes(for: element, &budget))
        case .group(let compositor, let parts):
            var models: [Model] = []
            for part in parts { models.append(try model(part, depth: depth + 1, &budget)) }
            term = .group(compositor, models)
        case .groupReference(let name):
            throw DynamicError(.brokenSchema, "the group \(name) stands in a group without a compositor.")
        }
        return Model(term: term, minimum: particle.minimum, maximum: particle.maximum)
    }

    /// The elements that may replace an element; an abstract element without members is kept, so that its name appears
    /// in error messages.
    private func substitutes(for head: ElementDeclaration, _ budget: inout Int) -> [ElementDeclaration] {
        let all = schema.substitutes(of: head)
        budget -= all.count
        return all.isEmpty ? [head] : all
    }

    // MARK: Names

    /// The names of types with this local part.
    mutating func typeNames(_ localName: String) -> [QName] {
        if typeNames == nil { typeNames = Dictionary(grouping: schema.types.keys, by: \.localName) }
        return typeNames?[localName] ?? []
    }

    /// The names of global elements with this local part.
    mutating func elementNames(_ localName: String) -> [QName] {
        if elementNames == nil { elementNames = Dictionary(grouping: schema.elements.keys, by: \.localName) }
        return elementNames?[localName] ?? []
    }

    /// The name of a type in a value: `xs:int`, a local name, or `{namespace}name` when several types have that local
    /// name.
    mutating func text(of type: QName) -> String {
        if type.namespace == Namespaces.schema { return "xs:\(type.localName)" }
        return typeNames(type.localName) == [type] ? type.localName : ElementKey.expandedName(type)
    }

    // MARK: Derived types

    /// The concrete named types that are derived from a type, the type itself included, the nearest first.
    mutating func concreteTypes(derivedFrom name: QName) throws(DynamicError) -> [QName] {
        if derived == nil { derived = Self.derivations(in: schema) }
        var all: [QName] = []
        var pending = [name][...]
        var met: Set<QName> = []
        while let next = pending.popFirst() {
            guard met.insert(next).inserted else { continue }
            if case .complex(let type)? = schema.types[next], type.isAbstract {} else { all.append(next) }
            pending += (derived?[next] ?? []).sorted()
        }
        return all
    }

    private static func derivations(in schema: SchemaSet) -> [QName: [QName]] {
        var derived: [QName: [QName]] = [:]
        for (name, definition) in schema.types {
            switch definition {
            case .simple(let type):
                if case .restriction(.named(let base), _) = type.variety { derived[base, default: []].append(name) }
            case .complex(let type):
                switch type.content {
                case .derived(let base, _, _): derived[base, default: []].append(name)
                case .simple(.named(let base), _): derived[base, default: []].append(name)
                default: break
                }
            }
        }
        return derived
    }
}
