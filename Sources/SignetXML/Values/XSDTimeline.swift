/// A position on one of the two time lines: the one of UTC, and the one of local times without a time zone (Part 2
/// §3.2.7.4).
struct XSDTimeline: Hashable {
    var seconds: Int64
    var fraction = XSDFraction.zero
    var isZoned: Bool

    private static let farthestZone: Int64 = 14 * 3600

    /// A local time may be up to fourteen hours away from the same time in UTC; within that distance the order is
    /// unknown.
    func compare(to other: Self) -> XSDOrder? {
        if isZoned == other.isZoned { return Self.order(self, other) }
        // Whichever of the two has a time zone, the difference must be more than fourteen hours.
        var later = self
        later.seconds += Self.farthestZone
        if Self.order(later, other) == .less { return .less }
        later.seconds -= 2 * Self.farthestZone
        return Self.order(later, other) == .greater ? .greater : nil
    }

    private static func order(_ left: Self, _ right: Self) -> XSDOrder {
        if left.seconds != right.seconds { return left.seconds < right.seconds ? .less : .greater }
        if left.fraction == right.fraction { return .equal }
        return left.fraction < right.fraction ? .less : .greater
    }
}
