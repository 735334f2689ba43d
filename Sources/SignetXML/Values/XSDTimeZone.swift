/// A time zone as XML Schema writes it: `Z`, `+02:00`; minutes from UTC, at most fourteen hours (Part 2 §3.2.7.3).
public struct XSDTimeZone: Sendable, Hashable {
    private let offset: Int16

    /// Minutes east of UTC, from -840 to 840.
    public var minutes: Int { Int(offset) }

    /// Makes a time zone; nil when it is more than fourteen hours from UTC.
    public init?(minutes: Int) {
        guard (-840...840).contains(minutes) else { return nil }
        offset = Int16(truncatingIfNeeded: minutes)
    }

    private init(offset: Int16) { self.offset = offset }
    /// UTC, written `Z`; `+00:00` and `-00:00` are read as the same.
    public static let utc = XSDTimeZone(offset: 0)

    /// A time zone or none, in two bytes.
    struct Optional: Sendable, Hashable {
        private let offset: Int16

        init(_ zone: XSDTimeZone?) { offset = zone?.offset ?? .min }

        static let none = Optional(nil)
        static let utc = Optional(.utc)

        var isPresent: Bool { offset != .min }
        var zone: XSDTimeZone? { isPresent ? XSDTimeZone(offset: offset) : nil }
        /// Minutes east of UTC; zero when there is no time zone.
        var minutes: Int { isPresent ? Int(offset) : 0 }
        var seconds: Int { minutes * 60 }
    }
}
