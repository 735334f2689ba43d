/// A time zone as XML Schema writes it: `Z`, `+02:00`; minutes from UTC, at most fourteen hours (Part 2 §3.2.7.3).
public struct XSDTimeZone: Sendable, Hashable {
    /// Minutes east of UTC, from -840 to 840.
    public var minutes: Int { Int(offset) }

    private let offset: Int16

    /// Nil when more than fourteen hours away.
    public init?(minutes: Int) {
        guard (-840...840).contains(minutes) else { return nil }
        offset = Int16(truncatingIfNeeded: minutes)
    }

    private init() { offset = 0 }
    public static let utc = XSDTimeZone()

    /// A time zone or none in two bytes.
    struct Optional: Sendable, Hashable {
        private let offset: Int16

        init(_ zone: XSDTimeZone?) { offset = zone?.offset ?? .min }

        var zone: XSDTimeZone? { offset == .min ? nil : XSDTimeZone(minutes: Int(offset)) }
        var isPresent: Bool { offset != .min }
        /// Seconds east of UTC; zero when there is no time zone.
        var seconds: Int { offset == .min ? 0 : Int(offset) * 60 }
    }
}
