/// How one value compares to another in the order relation of its type (XML Schema Part 2 §2.4.1.2, §4.2.3).
public enum XSDOrder: Sendable, Hashable {
    /// This value is smaller, earlier or shorter than the other, whatever a missing time zone is.
    case less
    /// Both are the same value, possibly in different texts: `12:00:00Z` and `14:00:00+02:00`.
    case equal
    /// This value is larger, later or longer than the other, whatever a missing time zone is.
    case greater
}

/// A value of a date, time or duration type: what these have in common (XML Schema Part 2 §3.2.6 to §3.2.14).
///
/// Equality and hash follow the value space: two texts for the same instant are equal. The written text keeps the
/// original time zone of the value.
public protocol XSDTemporal: XSDValue, LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The partial order of the type; nil when the order cannot be determined, for example because only one of two
    /// values less than fourteen hours apart has a time zone. `.equal` exactly when the values are `==`.
    func compare(to other: Self) -> XSDOrder?

    /// Writes the canonical form, which is the same for equal values. Reading it returns an equal value, except for
    /// ``XSDTime``.
    func writeCanonical(to writer: inout XMLWriter)
}

/// The partial order as operators: each is false when the order cannot be determined; ``compare(to:)`` shows that case.
extension XSDTemporal {
    /// True when the left value is certainly before the right one, or shorter: `P1M` is not less than `P30D`.
    public static func < (left: Self, right: Self) -> Bool { left.compare(to: right) == .less }
    /// True when the left value is certainly after the right one, or longer. It may be false together with `<` and
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

    /// The text that is the same for equal values.
    public var canonicalForm: String {
        var writer = XMLWriter()
        writeCanonical(to: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }
}
