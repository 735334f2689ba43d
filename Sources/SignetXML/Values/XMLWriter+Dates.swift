extension XMLWriter {
    mutating func year(_ year: Int) {
        if year < 0 { raw(UInt8(ascii: "-")) }
        digits(abs(year), width: 4)
    }

    mutating func date(_ date: XSDDate) {
        year(date.year)
        reserve(6)
        pair(date.month, after: UInt8(ascii: "-"))
        pair(date.day, after: UInt8(ascii: "-"))
    }

    mutating func time(_ time: TimeOfDay) {
        digits(Int(time.hour), width: 2)
        reserve(6)
        pair(Int(time.minute), after: UInt8(ascii: ":"))
        pair(Int(time.second), after: UInt8(ascii: ":"))
        if !time.fraction.isZero { fraction(time.fraction) }
    }

    /// A point and the digits, without zeros at the end.
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
        guard zone.isPresent else { return }
        let minutes = zone.minutes
        if minutes == 0 { return raw(UInt8(ascii: "Z")) }
        reserve(6)
        pair(abs(minutes) / 60, after: minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        pair(abs(minutes) % 60, after: UInt8(ascii: ":"))
    }

    /// A separator and a number below 100, for which the caller has reserved three bytes.
    @inline(__always) private mutating func pair(_ value: Int, after separator: UInt8) {
        let tens = UInt8(truncatingIfNeeded: value / 10)
        base[count] = separator
        base[count + 1] = 0x30 &+ tens
        base[count + 2] = 0x30 &+ UInt8(truncatingIfNeeded: value) &- tens &* 10
        count += 3
    }
}
