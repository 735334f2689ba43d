import SignetWSDL

/// Puts types together and keeps them, so that each is put together once.
///
/// Schemas come from anywhere: references are followed to a bounded depth, and a type may have a bounded number of parts.
struct TypeTable {
    static let depth = 64
    static let parts = 20_000

    let schema: SchemaSet
    private var kept: [QName: Shape] = [:]
    private var keptSimple: [QName: SimpleShape] = [:]
    /// The named types by the type that they are derived from.
    private var derived: [QName: [QName]]?
    /// The names of types and of elements by their local parts.
    private var typeNames: [String: [QName]]?
    private var elementNames: [String: [QName]]?

    init(_ schema: SchemaSet) { self.schema = schema }

    mutating func shape(of reference: TypeReference) throws(DynamicError) -> Shape {
        try shape(of: reference, depth: 0)
    }

    private mutating func shape(of reference: TypeReference, depth: Int) throws(DynamicError) -> Shape {
        guard depth < Self.depth else { throw Self.tooDeep }
        switch reference {
        case .unspecified: return .any
        case .anonymous(let definition): return try shape(of: definition, depth: depth)
        case .named(let name):
            if let shape = kept[name] { return shape }
            if let place = schema.redefined[name] {
                throw DynamicError(
                    .notSupported,
                    "the type \(name) is redefined (xs:redefine) at \(place), which is not supported yet.")
            }
            let shape: Shape
            if name == QName(Namespaces.schema, "anyType") {
                shape = .any
            } else if let definition = schema.types[name] {
                shape = try self.shape(of: definition, depth: depth)
            } else {
                shape = .simple(try simple(reference, depth: depth))
            }
            kept[name] = shape
            return shape
        }
    }

    private mutating func shape(of definition: TypeDefinition, depth: Int) throws(DynamicError) -> Shape {
        switch definition {
        case .simple(let type): return .simple(try simple(type, depth: depth))
        case .complex(let type):
            var shape = try complex(type, depth: depth)
            if case .elements(let model?) = shape.content { model.collect(into: &shape) }
            return .complex(shape)
        }
    }

    static let tooDeep = DynamicError(
        .brokenSchema, "the schema's types refer to each other in a circle, or deeper than \(depth) levels.")
    static let tooLarge = DynamicError(.limitExceeded, "a type of the schema has more than \(parts) parts.")

    // MARK: Simple types

    /// The simple type that an attribute, a list or a restriction names.
    mutating func simple(_ reference: TypeReference, depth: Int = 0) throws(DynamicError) -> SimpleShape {
        guard depth < Self.depth else { throw Self.tooDeep }
        switch reference {
        case .unspecified: return SimpleShape(variety: .atomic(.string), name: "xs:anySimpleType")
        case .anonymous(.simple(let type)): return try simple(type, depth: depth)
        case .anonymous(.complex(let type)): return try simple(of: type, depth: depth)
        case .named(let name):
            if let shape = keptSimple[name] { return shape }
            let shape: SimpleShape
            if let type = BuiltIn.named(name) {
                shape = SimpleShape(variety: .atomic(type), name: "xs:\(name.localName)")
            } else if let item = BuiltIn.listItem(name) {
                let itemShape = SimpleShape(variety: .atomic(item), name: "xs:\(item.name)")
                shape = SimpleShape(variety: .list(itemShape), name: "xs:\(name.localName)")
            } else if let definition = schema.types[name] {
                shape = try simple(.anonymous(definition), depth: depth + 1)
            } else {
                throw DynamicError(
                    .brokenSchema,
                    "the type \(name) is not defined in any schema that was read; an import may be absent.")
            }
            keptSimple[name] = shape
            return shape
        }
    }

    private mutating func simple(_ type: SimpleType, depth: Int) throws(DynamicError) -> SimpleShape {
        let name = type.name?.localName
        switch type.variety {
        case .restriction(let base, let facets):
            var shape = try simple(base, depth: depth + 1)
            shape.facets.restrict(facets, areNames: shape.isQualifiedName)
            if let name { shape.name = name }
            return shape
        case .list(let item):
            let item = try simple(item, depth: depth + 1)
            return SimpleShape(variety: .list(item), name: name ?? "a list of \(item.name)")
        case .union(let members):
            var shapes: [SimpleShape] = []
            for member in members { shapes.append(try simple(member, depth: depth + 1)) }
            return SimpleShape(variety: .union(shapes), name: name ?? shapes.map(\.name).joined(separator: " or "))
        }
    }

    /// The simple type that a complex type with simple content holds.
    private mutating func simple(of type: ComplexType, depth: Int) throws(DynamicError) -> SimpleShape {
        if case .simple(let shape) = try complex(type, depth: depth + 1).content { return shape }
        throw DynamicError(
            .brokenSchema,
            "the type ‘\(type.name?.localName ?? "(anonymous)")’ at \(type.location) stands where a simple type must.")
    }

    // MARK: Complex types

    private mutating func complex(_ type: ComplexType, depth: Int) throws(DynamicError) -> ComplexShape {
        guard depth < Self.depth else { throw Self.tooDeep }
        var shape = ComplexShape(name: type.name, isAbstract: type.isAbstract, isMixed: type.isMixed)
        switch type.content {
        case .empty: break
        case .particle(let particle): shape.content = .elements(try model(particle))
        case .simple(let base, let method):
            shape.content = .simple(try simple(base, depth: depth + 1))
            if case .named(let name) = base, case .complex(let inner)? = schema.types[name] {
                let inherited = try complex(inner, depth: depth + 1)
                shape.attributes = inherited.attributes
                shape.anyAttribute = method == .extension ? inherited.anyAttribute : nil
            }
            if method == .restriction, case .simple(var simple) = shape.content {
                simple.facets.restrict(type.simpleContentFacets, areNames: simple.isQualifiedName)
                shape.content = .simple(simple)
            }
        case .derived(let base, let method, let particle):
            let own = try particle.map { (particle) throws(DynamicError) in try model(particle) }
            guard base != QName(Namespaces.schema, "anyType") else {
                shape.content = .elements(own)
                break
            }
            guard case .complex(let definition)? = schema.types[base] else {
                throw DynamicError(
                    .brokenSchema, "the type \(base) is not defined as a complex type in any schema that was read.")
            }
            let inherited = try complex(definition, depth: depth + 1)
            shape.attributes = inherited.attributes
            if method == .extension {
                shape.isMixed = shape.isMixed || inherited.isMixed
                shape.anyAttribute = inherited.anyAttribute
                shape.content = Self.extend(inherited.content, by: own)
            } else {
                shape.content = .elements(own)
            }
        }
        try addAttributes(type.attributes, to: &shape)
        return shape
    }

    private static func extend(_ inherited: ComplexShape.Content, by own: Model?) -> ComplexShape.Content {
        guard case .elements(let base) = inherited else { return inherited }
        guard let base, let own else { return .elements(base ?? own) }
        return .elements(Model(term: .group(.sequence, [base, own]), minimum: 1, maximum: 1))
    }

    private mutating func addAttributes(_ group: AttributeGroup, to shape: inout ComplexShape) throws(DynamicError) {
        var pending = [group]
        var met: Set<QName> = []
        while let next = pending.popLast() {
            if let wildcard = next.anyAttribute { shape.anyAttribute = wildcard }
            for use in next.uses {
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
                shape.attributes.removeAll { $0.name == declaration.name }
                guard !use.isProhibited else { continue }
                shape.attributes.append(
                    .init(
                        name: declaration.name, type: declaration.type, isRequired: use.isRequired,
                        preset: use.preset ?? declaration.preset))
            }
            for use in next.groups where met.insert(use.name).inserted {
                guard let found = schema.attributeGroups[use.name] else {
                    throw DynamicError(
                        .brokenSchema, "the attribute group \(use.name) is not defined in any schema that was read.")
                }
                pending.append(found)
            }
        }
    }

    // MARK: Content models

    private func model(_ particle: Particle) throws(DynamicError) -> Model {
        var budget = Self.parts
        return try model(particle, depth: 0, &budget)
    }

    private func model(_ particle: Particle, depth: Int, _ budget: inout Int) throws(DynamicError) -> Model {
        guard depth < Self.depth else { throw Self.tooDeep }
        budget -= 1
        guard budget > 0 else { throw Self.tooLarge }
        let term: Model.Term
        switch particle.term {
        case .element(let element): term = .element([element])
        case .wildcard(let wildcard): term = .wildcard(wildcard)
        case .reference(let name):
            guard let element = schema.elements[name] else {
                throw DynamicError(.brokenSchema, "the element \(name) is not defined in any schema that was read.")
            }
            term = .element(substitutes(for: element, &budget))
        case .group(let compositor, let parts):
            var models: [Model] = []
            for part in parts { models.append(try model(part, depth: depth + 1, &budget)) }
            term = .group(compositor, models)
        case .groupReference(let name):
            guard let group = schema.groups[name] else {
                throw DynamicError(.brokenSchema, "the group \(name) is not defined in any schema that was read.")
            }
            term = .group(.sequence, [try model(group, depth: depth + 1, &budget)])
        }
        return Model(term: term, minimum: particle.minimum, maximum: particle.maximum)
    }

    /// The element, unless it is abstract, and the members of its substitution group (XML Schema Part 1 §3.3.6).
    private func substitutes(for head: ElementDeclaration, _ budget: inout Int) -> [ElementDeclaration] {
        var all: [ElementDeclaration] = []
        var pending = [head.name]
        var met: Set<QName> = []
        while let name = pending.popLast(), budget > 0 {
            budget -= 1
            guard met.insert(name).inserted, let element = schema.elements[name] else { continue }
            if !element.isAbstract { all.append(element) }
            pending += (schema.substitutions[name] ?? []).reversed()
        }
        // An abstract element without members is kept, so that its name appears in messages.
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

    /// How a type is named in a value: `xs:int`, a local name, or `{namespace}name` where several types have it.
    mutating func text(of type: QName) -> String {
        if type.namespace == Namespaces.schema { return "xs:\(type.localName)" }
        return typeNames(type.localName) == [type] ? type.localName : Key.clark(type)
    }

    // MARK: Derived types

    /// The concrete named types that are derived from a type, itself included, nearest first.
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
