extension XMLWriter {
    mutating func year(_ year: Int) {
        if year < 0 { raw(UInt8(ascii: "-")) }
        digits(abs(year), width: 4)
    }

    mutating func date(_ date: XSDDate) {
        year(date.year)
        short { $0.monthAndDay(date) }
    }

    mutating func time(_ time: TimeOfDay) {
        short { $0.time(Int(time.hour), Int(time.minute), Int(time.second)) }
        fraction(time.fraction)
    }

    /// A point and the digits, without zeros at the end.
    mutating func fraction(_ fraction: XSDFraction) {
        let further = fraction.furtherDigits
        short { $0.fraction(fraction.attoseconds, hasMore: !further.isEmpty) }
        raw(further)
    }

    mutating func zone(_ zone: XSDTimeZone.Optional) {
        short { $0.zone(zone) }
    }
}
