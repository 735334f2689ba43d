package import SignetWSDL

/// The key of a type that gets a Swift declaration.
package struct TypeKey: Sendable, Hashable {
    package enum Root: Int, Sendable, Hashable {
        case type, element, attribute
        /// The content of a message that is not a global element: a wrapper, or several parts.
        case message
        case group
        /// The elements that may occur where a global element is referenced (XML Schema Part 1 §3.3.6).
        case substitution
    }

    /// The global component that it belongs to.
    package var root: Root
    package var name: QName
    /// The local declarations on the way to an anonymous type; empty for the global component's own type.
    package var path: [String] = []

    func nested(_ name: String) -> TypeKey { TypeKey(root: root, name: self.name, path: path + [name]) }

    /// The name in diagnostics.
    var shown: String { path.last ?? name.localName }
}

extension TypeKey: Comparable {
    /// Named types first, then elements, an outer type before those inside it.
    package static func < (left: Self, right: Self) -> Bool {
        if left.path.count != right.path.count { return left.path.count < right.path.count }
        if left.root != right.root { return left.root.rawValue < right.root.rawValue }
        if left.name != right.name { return left.name < right.name }
        return left.path.lexicographicallyPrecedes(right.path)
    }
}

/// The Swift type to which a field, a message or a text is bound.
package indirect enum BoundReference: Sendable, Hashable {
    case builtIn(BuiltInType)
    case declared(TypeKey)
    /// A list of a simple type (XML Schema Part 2 §4.1.1).
    case list(BoundReference)
    /// A Swift type that the configuration names and another module declares.
    case external(String, isSimple: Bool)

    /// The declaration that the reference needs, if it needs one.
    package var declaration: TypeKey? {
        switch self {
        case .declared(let key): key
        case .list(let item): item.declaration
        case .builtIn, .external: nil
        }
    }
}

/// One property of a planned declaration.
package struct BoundField: Sendable {
    /// In the order of a table.
    package enum Kind: Sendable, Hashable {
        case element
        /// A choice; the type is the declaration that holds the alternatives.
        case choice
        /// Several elements that occur together; the type is the declaration that holds them.
        case group
        /// `xs:any`.
        case wildcard
        case attribute, text
        /// `xs:anyAttribute`.
        case anyAttribute
        /// The whole content of an element: the value of a message whose type has derived types.
        case whole
    }

    package enum Occurrence: Sendable, Hashable {
        case required, optional, repeated
    }

    package var name: QName
    package var kind: Kind
    package var type: BoundReference
    package var occurrence: Occurrence
    /// How often it may occur, when ``occurrence`` alone does not describe it.
    package var bounds: Occurrences?
    package var isNillable = false
    package var preset: Preset?
    /// The namespaces that a wildcard allows.
    package var namespaces: Wildcard.Namespaces?
    /// The schema's own name for the type of an element, if it has one.
    package var schemaType: QName?
    /// The schema's rules for a simple value beside its type, as `key=value`; `form=` gives the lexical form to write.
    package var rules: [String] = []
    package var documentation: String?
    package var location: SourceLocation
}

/// How often a particle may occur (XML Schema Part 1 §3.9), multiplied by the particles around it.
package struct Occurrences: Sendable, Hashable {
    package var minimum = 1
    /// Nil for `unbounded`.
    package var maximum: Int? = 1

    var isOptional: Bool { minimum == 0 }
    var isRepeated: Bool { maximum.map { $0 > 1 } ?? true }
    var bound: BoundField.Occurrence { isRepeated ? .repeated : isOptional ? .optional : .required }

    func around(_ particle: Particle) -> Occurrences {
        around(Occurrences(minimum: particle.minimum, maximum: particle.maximum))
    }

    func around(_ inner: Occurrences) -> Occurrences {
        var maximum: Int?
        if let own = self.maximum, let inner = inner.maximum { maximum = Self.product(own, inner) }
        return Occurrences(minimum: Self.product(minimum, inner.minimum), maximum: maximum)
    }

    /// An overflow gives the largest number, because no message holds more elements.
    private static func product(_ left: Int, _ right: Int) -> Int {
        let (result, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : result
    }
}

/// One planned declaration.
package struct BoundType: Sendable {
    package enum Content: Sendable {
        case structure([BoundField])
        /// Exactly one of the fields is present.
        case choice([BoundField])
        case enumeration([Facet])
        /// An array of SOAP's encoding: any number of items, all of this kind.
        case array(BoundArray)
        /// A union: a value of one of several simple types (XML Schema Part 2 §4.1.1).
        case union([BoundReference])
    }

    package var content: Content
    /// Whether the elements may occur in any order: `xs:all`.
    package var isUnordered = false
    /// Whether text may occur among the alternatives of a choice.
    package var isMixed = false
    /// Whether no value is of this type itself.
    package var isAbstract = false
    /// Whether values of types derived from this one may occur where this one is declared.
    package var isBase = false
    /// Whether values of derived types without a Swift declaration are kept as written; only with ``isBase``.
    package var keepsUnknownVariants = false
    /// The types with ``isBase`` that this one is derived from, the nearest first.
    package var bases: [TypeKey] = []
    /// The bound types derived from this one, this one among them unless it is abstract, sorted; only with ``isBase``.
    package var variants: [TypeKey] = []
    package var documentation: String?
    package var location: SourceLocation

    package var fields: [BoundField] {
        get {
            switch content {
            case .structure(let fields), .choice(let fields): fields
            case .enumeration, .union: []
            case .array(let array): [array.item]
            }
        }
        set {
            switch content {
            case .structure: content = .structure(newValue)
            case .choice: content = .choice(newValue)
            case .enumeration, .union: break
            case .array(var array):
                if let item = newValue.first { array.item = item }
                content = .array(array)
            }
        }
    }

    /// Whether it is a simple type.
    package var isSimple: Bool {
        switch content {
        case .enumeration, .union: true
        case .structure, .choice, .array: false
        }
    }

    package var isChoice: Bool {
        if case .choice = content { return true }
        return false
    }

    /// The references that the declaration mentions.
    var references: [BoundReference] {
        if case .union(let members) = content { return members }
        return fields.map(\.type)
    }
}

/// The second stage's result: every type that the messages reach.
package struct BoundSchema: Sendable {
    package var types: [TypeKey: BoundType] = [:]
    /// The content of bodies, header blocks and faults: always a structure.
    package var messages: [TypeKey: BoundReference] = [:]
    /// The messages whose element may be nil; contents of faults are not included.
    package var nillableMessages: Set<TypeKey> = []

    /// Whether a value of this reference may be of a derived type.
    package func isPolymorphic(_ reference: BoundReference) -> Bool {
        if case .declared(let key) = reference { return types[key]?.isBase == true }
        return false
    }
}
