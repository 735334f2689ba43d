/// The value of an element that may be absent, present, or present and nil (`xsi:nil="true"`).
///
/// Generated code uses it, as `Nillable<T>?`, only when a schema allows all three.
public enum Nillable<Wrapped: Sendable>: Sendable {
    /// The element is present with `xsi:nil="true"`, and so without content (XML Schema Part 1 §2.6.2).
    case null
    /// The element is present with a value, which may be an empty text.
    case value(Wrapped)

    /// The value, or nil for `xsi:nil`.
    public var value: Wrapped? {
        if case .value(let value) = self { return value }
        return nil
    }

    /// A value, or ``Nillable/null`` for nil. An absent element is the nil of `Nillable<T>?` instead.
    public init(_ value: Wrapped?) { self = value.map(Self.value) ?? .null }
}

extension Nillable: Equatable where Wrapped: Equatable {}
extension Nillable: Hashable where Wrapped: Hashable {}

/// The description of the value; `nil` for `xsi:nil`.
extension Nillable: CustomStringConvertible {
    public var description: String { value.map { "\($0)" } ?? "nil" }
}

extension Nillable: ExpressibleByUnicodeScalarLiteral where Wrapped: ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral value: Wrapped.UnicodeScalarLiteralType) {
        self = .value(Wrapped(unicodeScalarLiteral: value))
    }
}

extension Nillable: ExpressibleByExtendedGraphemeClusterLiteral
where Wrapped: ExpressibleByExtendedGraphemeClusterLiteral {
    public init(extendedGraphemeClusterLiteral value: Wrapped.ExtendedGraphemeClusterLiteralType) {
        self = .value(Wrapped(extendedGraphemeClusterLiteral: value))
    }
}

extension Nillable: ExpressibleByStringLiteral where Wrapped: ExpressibleByStringLiteral {
    public init(stringLiteral value: Wrapped.StringLiteralType) { self = .value(Wrapped(stringLiteral: value)) }
}

extension Nillable: ExpressibleByIntegerLiteral where Wrapped: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Wrapped.IntegerLiteralType) { self = .value(Wrapped(integerLiteral: value)) }
}

extension Nillable: ExpressibleByFloatLiteral where Wrapped: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Wrapped.FloatLiteralType) { self = .value(Wrapped(floatLiteral: value)) }
}

extension Nillable: ExpressibleByBooleanLiteral where Wrapped: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Wrapped.BooleanLiteralType) { self = .value(Wrapped(booleanLiteral: value)) }
}

/// Any ``Nillable``.
public protocol XSDNillable<Content> {
    /// The type of the element's content when it is not nil.
    associatedtype Content
    /// The value, or nil for `xsi:nil`.
    var value: Content? { get }
}

extension Nillable: XSDNillable {}

extension Optional where Wrapped: XSDNillable {
    /// The value, through both optional levels: nil when the element is absent, and when it is `xsi:nil`.
    public var value: Wrapped.Content? { self?.value }
}
