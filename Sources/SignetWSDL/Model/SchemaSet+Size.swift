extension SchemaSet {
    /// How much may be followed in the schema for one purpose: all that its components say, many times over. Groups, bases, derived types
    /// and substitution groups multiply what a schema says, the largest of those in use about tenfold; without a bound, to two to the
    /// power of its length.
    package var workLimit: Int { min(1_000_000, 40_000 + 30 * size) }

    /// The number of particles, attributes and types that are written in the schema.
    private var size: Int {
        types.values.reduce(0) { $0 + $1.size } + groups.values.reduce(0) { $0 + $1.size }
            + attributeGroups.values.reduce(0) { $0 + $1.size } + elements.values.reduce(0) { $0 + 1 + $1.type.size }
    }
}

extension TypeDefinition {
    fileprivate var size: Int {
        switch self {
        case .simple: return 1
        case .complex(let type):
            let own = 1 + type.attributes.size
            switch type.content {
            case .particle(let particle), .derived(_, _, let particle?): return own + particle.size
            case .empty, .simple, .derived: return own
            }
        }
    }
}

extension TypeReference {
    fileprivate var size: Int {
        if case .anonymous(let type) = self { type.size } else { 0 }
    }
}

extension Particle {
    fileprivate var size: Int {
        switch term {
        case .element(let element): 1 + element.type.size
        case .group(_, let parts): parts.reduce(1) { $0 + $1.size }
        case .reference, .groupReference, .wildcard: 1
        }
    }
}

extension AttributeGroup {
    fileprivate var size: Int { 1 + uses.count + groups.count }
}
