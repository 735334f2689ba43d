/// A position in memory at which bytes are written; the caller has checked that there is room for them and for eight
/// more.
struct ByteCursor {
    /// The greatest number of bytes of a 64-bit number or a date, including those that are overwritten after it.
    static let longestNumber = 64

    var p: UnsafeMutablePointer<UInt8>

    @inline(__always) init(_ place: UnsafeMutablePointer<UInt8>) { p = place }

    /// Writes the first bytes of a word; the bytes after them are overwritten later.
    @inline(__always) mutating func store(_ word: UInt64, _ count: Int) {
        UnsafeMutableRawPointer(p).storeBytes(of: word.littleEndian, as: UInt64.self)
        p += count
    }

    /// Writes bytes of a name in a table, which sixteen readable bytes follow.
    @inline(__always) mutating func copy(_ field: UnsafePointer<XMLTable.Field>, _ count: Int) {
        let from = UnsafeRawPointer(field.pointee.name)
        let to = UnsafeMutableRawPointer(p)
        var i = 0
        repeat {
            to.storeBytes(of: from.loadUnaligned(fromByteOffset: i, as: UInt64.self), toByteOffset: i, as: UInt64.self)
            i &+= 8
        } while i < count
        p += count
    }

    // MARK: Numbers

    /// Two digits of a number below 100, in memory order.
    @inline(__always) private static func pair(_ value: UInt64) -> UInt64 {
        let tens = (value &* 103) &>> 10
        return 0x3030 | tens | (value &- tens &* 10) &<< 8
    }

    @inline(__always) mutating func pair(_ value: Int) {
        store(Self.pair(UInt64(truncatingIfNeeded: value)), 2)
    }

    @inline(__always) mutating func pair(_ value: Int, after separator: UInt8) {
        store(Self.pair(UInt64(truncatingIfNeeded: value)) &<< 8 | UInt64(separator), 3)
    }

    @inline(__always) mutating func digits(_ value: UInt64) {
        if value < 100 {
            let both = Self.pair(value)
            return value < 10 ? store(both &>> 8, 1) : store(both, 2)
        }
        if value < 100_000_000 { return leadingDigits(value) }
        let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
        if high < 100_000_000 {
            leadingDigits(high)
        } else {
            let (highest, middle) = high.quotientAndRemainder(dividingBy: 100_000_000)
            leadingDigits(highest)
            store(Self.eightDigits(middle), 8)
        }
        store(Self.eightDigits(low), 8)
    }

    /// The digits of a number from 1 to 99,999,999, without zeros before them.
    @inline(__always) private mutating func leadingDigits(_ value: UInt64) {
        let digits = Self.eightDigits(value)
        let zeros = (digits ^ 0x3030_3030_3030_3030).trailingZeroBitCount & ~7
        store(digits &>> UInt64(truncatingIfNeeded: zeros), 8 &- zeros &>> 3)
    }

    /// Eight digits of a number below 100,000,000, in memory order: halves, then pairs, then digits, each all at once.
    @inline(__always) private static func eightDigits(_ value: UInt64) -> UInt64 {
        let high = value / 10_000
        let halves = high | (value &- high &* 10_000) &<< 32
        let hundreds = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) &<< 16
        let tens = (pairs &* 103) &>> 10 & 0x000F_000F_000F_000F
        return 0x3030_3030_3030_3030 | tens | (pairs &- tens &* 10) &<< 8
    }

    // MARK: Dates

    /// Four digits of a number below 10,000.
    @inline(__always) mutating func four(_ value: Int) {
        let (high, low) = value.quotientAndRemainder(dividingBy: 100)
        pair(high)
        pair(low)
    }

    /// The part of a date after its year.
    @inline(__always) mutating func monthAndDay(_ date: XSDDate) {
        pair(date.month, after: UInt8(ascii: "-"))
        pair(date.day, after: UInt8(ascii: "-"))
    }

    /// A time without its fraction.
    @inline(__always) mutating func time(_ hour: Int, _ minute: Int, _ second: Int) {
        pair(hour)
        pair(minute, after: UInt8(ascii: ":"))
        pair(second, after: UInt8(ascii: ":"))
    }

    /// A point and the digits: without zeros at the end, or all eighteen, when others follow.
    @inline(__always) mutating func fraction(_ attoseconds: UInt64, hasMore: Bool = false) {
        guard attoseconds > 0 || hasMore else { return }
        store(UInt64(UInt8(ascii: ".")), 1)
        var rest = attoseconds
        var unit = XSDFraction.one / 10
        while rest > 0 || (hasMore && unit > 0) {
            store(0x30 &+ rest / unit, 1)
            rest %= unit
            unit /= 10
        }
    }

    @inline(__always) mutating func zone(_ zone: XSDTimeZone.Optional) {
        guard zone.isPresent else { return }
        let minutes = zone.minutes
        if minutes == 0 { return store(UInt64(UInt8(ascii: "Z")), 1) }
        pair(abs(minutes) / 60, after: minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        pair(abs(minutes) % 60, after: UInt8(ascii: ":"))
    }
}

extension XMLWriter {
    /// Writes at most ``ByteCursor/longestNumber`` bytes.
    @inline(__always) mutating func short(_ write: (inout ByteCursor) -> Void) {
        reserve(ByteCursor.longestNumber)
        var cursor = ByteCursor(base + count)
        write(&cursor)
        count = cursor.p - base
    }
}
