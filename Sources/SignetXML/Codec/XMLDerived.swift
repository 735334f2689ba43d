/// Holds a value whose type may be any type derived from a declared one; `Value` is `any P`, `(any P)?`, `[any P]` or
/// `Nillable<any P>?` for a protocol `P` that comes from ``XMLDerivable``.
///
/// Two are equal when their values are of the same types and equal.
public struct XMLDerived<Value: Sendable>: Sendable, Hashable {
    /// The value. Each item may have another type. When it is not the declared type, a writer names it in `xsi:type`
    /// (XML Schema Part 1 §2.6.1).
    public var value: Value

    /// Makes one with a value of any derived type. It does not check whether the service knows that type.
    @inlinable public init(_ value: Value) { self.value = value }

    public static func == (left: Self, right: Self) -> Bool {
        XMLErased(left.value) == XMLErased(right.value)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(XMLErased(value)) }
}

/// The values in an ``XMLDerived``, without their static type.
enum XMLErased: Hashable {
    case absent
    case null
    case value(AnyHashable)
    case list([XMLErased])

    init(_ value: Any) {
        if let list = value as? [any XMLDerivable] {
            self = .list(list.map { .value(AnyHashable($0)) })
        } else if let structure = value as? any XMLDerivable {
            self = .value(AnyHashable(structure))
        } else if let nillable = value as? any XMLNillable {
            self = nillable.erased.map { XMLErased($0) } ?? .null
        } else if let list = value as? [any XMLNillable] {
            self = .list(list.map { $0.erased.map { XMLErased($0) } ?? .null })
        } else {
            self = .absent
        }
    }

    /// The values one by one; nil for one that is nil.
    var values: [(any XMLDerivable)?] {
        switch self {
        case .absent: []
        case .null: [nil]
        case .value(let value): [value.base as? any XMLDerivable]
        case .list(let list): list.flatMap(\.values)
        }
    }
}

/// Any ``Nillable``.
protocol XMLNillable {
    var erased: Any? { get }
}

extension Nillable: XMLNillable {
    var erased: Any? { value }
}

/// The types of a service that take part in derivation, by the names that `xsi:type` uses.
public struct XMLTypeRegistry: Sendable {
    private let types: [XMLName: any XMLDerivable.Type]
    /// Whether values of unregistered types are kept as they are written.
    var keepsUnknownVariants: Bool { types[XMLAny.xmlType] != nil }

    /// - Parameter types: the types to register. If ``XMLAny`` is among them, values of all other types are kept as
    ///   they are written.
    @_spi(Generated) public init(_ types: [any XMLDerivable.Type]) {
        self.types = Dictionary(types.map { ($0.xmlType, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The type with this name; nil when the service has none.
    public subscript(name: XMLName) -> (any XMLDerivable.Type)? { types[name] }
}
