/// How one value stands to another in the order relation of its type (XML Schema Part 2 §2.4.1.2, §4.2.3).
public enum XSDOrder: Sendable, Hashable {
    /// This value is smaller, earlier or shorter than the other, whatever a missing time zone may be.
    case less
    /// Both are one value, perhaps in different texts: `12:00:00Z` and `14:00:00+02:00`.
    case equal
    /// This value is larger, later or longer than the other, whatever a missing time zone may be.
    case greater
}

/// A value of a date, time or duration type: what these have in common (XML Schema Part 2 §3.2.6 to §3.2.14).
///
/// Equality and hash follow the value space: two ways to write the same instant are equal. What is written keeps the time
/// zone that the value came with.
public protocol XSDTemporal: XSDValue, LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The partial order of the type; nil when the order cannot be determined, for example because only one of two values
    /// less than fourteen hours apart has a time zone. `.equal` exactly when the values are `==`.
    func compare(to other: Self) -> XSDOrder?

    /// Writes the canonical form, which is one and the same for equal values and, but for ``XSDTime``, leads back to them.
    func writeCanonical(to writer: inout XMLWriter)
}

/// The partial order as operators: each is false where the order cannot be determined; ``compare(to:)`` tells that apart.
extension XSDTemporal {
    /// True when the left value is before the right one, or shorter, for certain: `P1M` is not less than `P30D`.
    public static func < (left: Self, right: Self) -> Bool { left.compare(to: right) == .less }
    /// True when the left value is after the right one, or longer, for certain. It may be false together with `<` and
    /// `==`.
    public static func > (left: Self, right: Self) -> Bool { left.compare(to: right) == .greater }
    /// Not the opposite of `>`: both are false for `P1M` and `P30D`.
    public static func <= (left: Self, right: Self) -> Bool { left < right || left == right }
    /// Not the opposite of `<`: both are false for `P1M` and `P30D`.
    public static func >= (left: Self, right: Self) -> Bool { left > right || left == right }
}

extension XSDTemporal {
    /// Reads a lexical form without white space around it; nil when it is not one.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ Self(lexical: $0.span) }) else { return nil }
        self = value
    }

    public var description: String { lexicalForm }

    /// The text that is one and the same for equal values.
    public var canonicalForm: String {
        var writer = XMLWriter()
        writeCanonical(to: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }
}
