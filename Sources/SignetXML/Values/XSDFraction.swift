/// A fraction of a second with any number of decimal digits: zero or more, less than one.
///
/// Eighteen digits stand in the value itself; it allocates only when there are more.
public struct XSDFraction: Sendable, Hashable {
    /// The digits after the eighteenth, as ASCII; the last is not zero.
    private enum Storage: Sendable, Hashable {
        case attoseconds(UInt64)
        indirect case long(UInt64, [UInt8])
    }

    private let storage: Storage

    static let one: UInt64 = 1_000_000_000_000_000_000
    public static let zero = XSDFraction(digits: 0)

    /// The first eighteen digits: units of 10⁻¹⁸ s, rounded down.
    public var attoseconds: UInt64 {
        switch storage {
        case .attoseconds(let value), .long(let value, _): value
        }
    }

    /// The ASCII digits after the eighteenth; none when ``attoseconds`` is exact.
    public var furtherDigits: [UInt8] {
        if case .long(_, let digits) = storage { return digits }
        return []
    }

    public var isZero: Bool { storage == .attoseconds(0) }

    /// Nil when not less than a second.
    public init?(attoseconds: UInt64) {
        guard attoseconds < Self.one else { return nil }
        storage = .attoseconds(attoseconds)
    }

    /// The caller has seen that the value is less than a second.
    init(digits attoseconds: UInt64) { storage = .attoseconds(attoseconds) }

    /// The caller has seen that both are digits; zeros at the end are dropped.
    init(digits attoseconds: UInt64, further: [UInt8]) {
        var further = further
        while further.last == 0x30 { further.removeLast() }
        storage = further.isEmpty ? .attoseconds(attoseconds) : .long(attoseconds, further)
    }
}

extension XSDFraction: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        if left.attoseconds != right.attoseconds { return left.attoseconds < right.attoseconds }
        return left.furtherDigits.lexicographicallyPrecedes(right.furtherDigits)
    }
}
