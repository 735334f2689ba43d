/// The value of an element that may be absent, present, or present and nil (`xsi:nil="true"`).
///
/// Used only where a schema allows all three, as `Nillable<T>?`.
public enum Nillable<Wrapped: Sendable>: Sendable {
    case null
    case value(Wrapped)

    /// The value, or nil for `xsi:nil`.
    public var value: Wrapped? {
        if case .value(let value) = self { return value }
        return nil
    }

    public init(_ value: Wrapped?) { self = value.map(Self.value) ?? .null }
}

extension Nillable: Equatable where Wrapped: Equatable {}
extension Nillable: Hashable where Wrapped: Hashable {}

extension Nillable: ExpressibleByUnicodeScalarLiteral where Wrapped == String {
    public init(unicodeScalarLiteral value: String) { self = .value(value) }
}

extension Nillable: ExpressibleByExtendedGraphemeClusterLiteral where Wrapped == String {
    public init(extendedGraphemeClusterLiteral value: String) { self = .value(value) }
}

extension Nillable: ExpressibleByStringLiteral where Wrapped == String {
    public init(stringLiteral value: String) { self = .value(value) }
}
