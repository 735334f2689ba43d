package import SignetWSDL

/// Names a type that gets a Swift declaration.
package struct TypeKey: Sendable, Hashable {
    package enum Root: Int, Sendable, Hashable {
        case type, element, attribute
        /// What a message holds that is no global element: a wrapper, or several parts.
        case message
    }

    /// The global component that it belongs to.
    package var root: Root
    package var name: QName
    /// The local declarations on the way to an anonymous type; empty for the global component's own type.
    package var path: [String] = []

    func nested(_ name: String) -> TypeKey { TypeKey(root: root, name: self.name, path: path + [name]) }
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

/// What a field, a message or a text is bound to.
package enum BoundReference: Sendable, Hashable {
    case builtIn(BuiltInType)
    case declared(TypeKey)
}

/// One property to be.
package struct BoundField: Sendable {
    /// In the order of a table.
    package enum Kind: Sendable, Hashable {
        case element
        /// One of several elements; the type is the declaration that holds them.
        case choice
        /// `xs:any`.
        case wildcard
        case attribute, text
        /// `xs:anyAttribute`.
        case anyAttribute
    }

    package enum Occurrence: Sendable, Hashable {
        case required, optional, repeated
    }

    package var name: QName
    package var kind: Kind
    package var type: BoundReference
    package var occurrence: Occurrence
    package var isNillable = false
    package var preset: Preset?
    package var documentation: String?
    package var location: SourceLocation
}

/// One declaration to be.
package struct BoundType: Sendable {
    package enum Content: Sendable {
        case structure([BoundField])
        /// One field at a time.
        case choice([BoundField])
        case enumeration([Facet])
        /// An array of SOAP's encoding: any number of items, all of this kind.
        case array(BoundArray)
    }

    package var content: Content
    package var documentation: String?
    package var location: SourceLocation

    package var fields: [BoundField] {
        get {
            switch content {
            case .structure(let fields), .choice(let fields): fields
            case .enumeration: []
            case .array(let array): [array.item]
            }
        }
        set {
            switch content {
            case .structure: content = .structure(newValue)
            case .choice: content = .choice(newValue)
            case .enumeration: break
            case .array(var array):
                if let item = newValue.first { array.item = item }
                content = .array(array)
            }
        }
    }
}

/// The second stage's result: every type that the messages reach.
package struct BoundSchema: Sendable {
    package var types: [TypeKey: BoundType] = [:]
    /// What bodies, header blocks and faults hold: always a structure.
    package var messages: [TypeKey: BoundReference] = [:]
}
