/// The hour, minute and second that dates and times have in common.
struct TimeOfDay {
    var hour: UInt8
    var minute: UInt8
    var second: UInt8
    var fraction: XSDFraction

    static let midnight = TimeOfDay(0, 0, 0, .zero)

    init(_ hour: UInt8, _ minute: UInt8, _ second: UInt8, _ fraction: XSDFraction) {
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = fraction
    }

    /// Makes a time; nil when a part is out of range. 24:00:00 is allowed.
    init?(hour: Int, minute: Int, second: Int, fraction: XSDFraction) {
        guard 0..<24 ~= hour || hour == 24 && minute == 0 && second == 0 && fraction.isZero, 0..<60 ~= minute,
            0..<60 ~= second
        else { return nil }
        self.init(
            UInt8(truncatingIfNeeded: hour), UInt8(truncatingIfNeeded: minute), UInt8(truncatingIfNeeded: second),
            fraction)
    }

    /// The caller has checked that the seconds are those of a day.
    init(secondsOfDay seconds: Int, _ fraction: XSDFraction) {
        self.init(
            UInt8(truncatingIfNeeded: seconds / 3600), UInt8(truncatingIfNeeded: seconds / 60 % 60),
            UInt8(truncatingIfNeeded: seconds % 60), fraction)
    }

    var isEndOfDay: Bool { hour == 24 }
    var secondsOfDay: Int { Int(hour) * 3600 + Int(minute) * 60 + Int(second) }
}
