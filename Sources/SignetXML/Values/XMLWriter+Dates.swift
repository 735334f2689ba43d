extension XMLWriter {
    mutating func year(_ year: Int) {
        if year < 0 { raw(UInt8(ascii: "-")) }
        digits(abs(year), width: 4)
    }

    mutating func date(_ date: XSDDate) {
        year(date.year)
        raw(UInt8(ascii: "-"))
        digits(date.month, width: 2)
        raw(UInt8(ascii: "-"))
        digits(date.day, width: 2)
    }

    mutating func time(_ time: TimeOfDay) {
        digits(Int(time.hour), width: 2)
        raw(UInt8(ascii: ":"))
        digits(Int(time.minute), width: 2)
        raw(UInt8(ascii: ":"))
        digits(Int(time.second), width: 2)
        fraction(time.fraction)
    }

    /// A point and the digits, without zeros at the end; nothing when there are none.
    mutating func fraction(_ fraction: XSDFraction) {
        if fraction.isZero { return }
        raw(UInt8(ascii: "."))
        let further = fraction.furtherDigits
        var rest = fraction.attoseconds
        var unit = XSDFraction.one / 10
        while rest > 0 || (!further.isEmpty && unit > 0) {
            raw(0x30 &+ UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
            unit /= 10
        }
        raw(further)
    }

    mutating func zone(_ zone: XSDTimeZone.Optional) {
        guard let minutes = zone.zone?.minutes else { return }
        if minutes == 0 { return raw(UInt8(ascii: "Z")) }
        raw(minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        digits(abs(minutes) / 60, width: 2)
        raw(UInt8(ascii: ":"))
        digits(abs(minutes) % 60, width: 2)
    }
}
