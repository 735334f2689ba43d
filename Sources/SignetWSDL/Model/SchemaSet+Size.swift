extension SchemaSet {
    /// How many components may be visited for one purpose: a multiple of the size of the schema. Groups, bases, derived
    /// types and substitution groups multiply the work, in the largest schemas in use about tenfold; without a bound it
    /// can reach two to the power of the schema's length.
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
