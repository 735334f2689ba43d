/// A fraction of a second with any number of decimal digits: zero or more, less than one.
///
/// Eighteen digits are stored in the value itself; it allocates memory only when there are more.
public struct XSDFraction: Sendable, Hashable, Comparable {
    private enum Storage: Sendable {
        case attoseconds(UInt64)
        /// The attoseconds, and the digits after the eighteenth, as ASCII; the last is not zero.
        indirect case long(UInt64, [UInt8])
    }

    private let storage: Storage

    /// Attoseconds in a second.
    static let one: UInt64 = 1_000_000_000_000_000_000
    /// No fraction; neither a point nor a digit is written for it.
    public static let zero = XSDFraction(digits: 0)

    /// The first eighteen digits: units of 10⁻¹⁸ s, rounded down.
    public var attoseconds: UInt64 {
        switch storage {
        case .attoseconds(let value), .long(let value, _): value
        }
    }

    /// Whether there are no digits after the eighteenth, so that ``attoseconds`` is the whole fraction.
    public var isWithinAttoseconds: Bool {
        if case .attoseconds = storage { return true }
        return false
    }

    /// The ASCII digits after the eighteenth.
    var furtherDigits: [UInt8] {
        if case .long(_, let digits) = storage { return digits }
        return []
    }

    var isZero: Bool { isWithinAttoseconds && attoseconds == 0 }

    /// Makes a fraction; nil when it is not less than a second.
    public init?(attoseconds: UInt64) {
        guard attoseconds < Self.one else { return nil }
        storage = .attoseconds(attoseconds)
    }

    /// Makes a fraction from the digits after the point, for example `25` for a quarter; nil when there is no digit, or
    /// another character.
    public init?(digits: String) {
        var text = ".\(digits)"
        let value: XSDFraction? = text.withUTF8 {
            var scanner = DateScanner($0)
            let fraction = scanner.fraction()
            return scanner.isAtEnd ? fraction : nil
        }
        guard let value else { return nil }
        self = value
    }

    /// The caller has checked that the value is less than a second.
    init(digits attoseconds: UInt64) { storage = .attoseconds(attoseconds) }

    /// The caller has checked that both are digits; zeros at the end are dropped.
    init(digits attoseconds: UInt64, further: [UInt8]) {
        var further = further
        while further.last == 0x30 { further.removeLast() }
        storage = further.isEmpty ? .attoseconds(attoseconds) : .long(attoseconds, further)
    }

    /// All digits after the point, without zeros at the end; empty for zero.
    public var digits: String {
        var writer = XMLWriter()
        writer.fraction(self)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count).dropFirst(), as: UTF8.self)
    }

    public static func == (left: Self, right: Self) -> Bool {
        switch (left.storage, right.storage) {
        case (.attoseconds(let a), .attoseconds(let b)): a == b
        case (.long(let a, let moreOfA), .long(let b, let moreOfB)): a == b && moreOfA == moreOfB
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(attoseconds)
        if !isWithinAttoseconds { hasher.combine(furtherDigits) }
    }

    public static func < (left: Self, right: Self) -> Bool {
        if left.attoseconds != right.attoseconds { return left.attoseconds < right.attoseconds }
        return left.furtherDigits.lexicographicallyPrecedes(right.furtherDigits)
    }
}
