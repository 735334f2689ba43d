/// Elements as nearly all are written: a start tag without attributes, the text of a value of one of the commonest types, an end
/// tag. Each is written in one go; what needs more than that is left to the code that asks the type.
extension XMLWriter {
    /// Whether an element or attribute is its name and its text, and nothing else is to be done for it.
    private var writesPlainly: Bool { isPlain && !isWatched && collector == nil }

    /// Writes elements of a structure, as long as each is of one of the commonest types; the number of the first that is left.
    mutating func writePlainElements(_ table: XMLTable, from first: Int, _ structure: UnsafeRawPointer) -> Int {
        let end = min(table.elements.count, table.places.count)
        // Through pointers: copies of all that they say are made else.
        guard first < end, writesPlainly, let fields = table.elements.baseAddress.map({ UnsafePointer($0) }),
            let places = table.places.baseAddress.map({ UnsafePointer($0) }), isReady(for: fields[first].namespace)
        else { return first }
        let namespace = ready.namespace
        let takesBytesOut = includer != nil
        // Bytes go to a place that no other code sees.
        var output = PlainOutput(ready, self)
        var index = first
        while index < end {
            let field = fields + index
            let form = places[index].plain
            guard field.pointee.namespace == namespace, field.pointee.isPlain,
                !takesBytesOut || form.kind != .base64Binary,
                output.write(.element(field), form, structure + places[index].offset, &self)
            else { break }
            index &+= 1
        }
        output.end(&self)
        return index
    }

    /// The same for attributes without a namespace.
    mutating func writePlainAttributes(_ table: XMLTable, from first: Int, _ structure: UnsafeRawPointer) -> Int {
        let elements = table.elements.count
        let end = min(table.attributes.count, table.places.count - elements)
        guard first < end, writesPlainly, let fields = table.attributes.baseAddress.map({ UnsafePointer($0) }),
            let places = table.places.baseAddress.map({ UnsafePointer($0) + elements })
        else { return first }
        var output = PlainOutput(ready, self)
        var index = first
        while index < end {
            let field = fields + index
            guard field.pointee.namespace == XMLNamespace.none.id, field.pointee.isPlain,
                output.write(.attribute(field), places[index].plain, structure + places[index].offset, &self)
            else { break }
            index &+= 1
        }
        output.end(&self)
        return index
    }

    /// Writes an element that holds a text, if nothing else is to be done for it; whether it did.
    mutating func writePlainElement(_ index: Int, _ text: String) -> Bool {
        guard writesPlainly, let table, index >= 0, index < table.elements.count, let field = table.field(index),
            field.pointee.isPlain, isReady(for: field.pointee.namespace)
        else { return false }
        var output = PlainOutput(ready, self)
        output.text(.element(field), text, &self)
        output.end(&self)
        return true
    }

    /// Writes what a value of a plain element or attribute has beyond the usual, so that a defect gets its path.
    fileprivate mutating func writeApart(_ part: PlainPart, _ write: (inout XMLWriter) -> Void) {
        switch part {
        case .element(let field):
            current = field
            write(&self)
            current = nil
        case .attribute(let field):
            isInAttribute = true
            value(of: field.pointee.shownName, write)
            isInAttribute = false
        }
    }

    /// Where the next byte goes.
    fileprivate var place: UnsafeMutablePointer<UInt8> { base + count }
    /// What lies behind the memory there is.
    fileprivate var limit: UnsafeMutablePointer<UInt8> { base + room }

    fileprivate mutating func written(to place: UnsafeMutablePointer<UInt8>) { count = place - base }
}

extension XMLTable.Field {
    /// Whether it is an element or attribute of its own whose values are written as usual.
    fileprivate var isPlain: Bool { kind == .element && group == 0 }
}

/// What a plain text is the value of.
private enum PlainPart {
    case element(UnsafePointer<XMLTable.Field>)
    case attribute(UnsafePointer<XMLTable.Field>)

    @inline(__always) var field: UnsafePointer<XMLTable.Field> {
        switch self {
        case .element(let field), .attribute(let field): field
        }
    }

    @inline(__always) var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }
}

/// The place at which a writer writes, and the tags of one namespace. Apart from the writer, so that it stays in registers.
private struct PlainOutput {
    /// As many bytes as a number or a date takes at most.
    private static let longestNumber = 64
    /// Bytes beside a name that tags and the ends of copied words take.
    private static let slack = 64

    private var p: UnsafeMutablePointer<UInt8>
    private var limit: UnsafeMutablePointer<UInt8>
    private let open: UInt64
    private let close: UInt64
    private let length: Int

    @inline(__always) init(_ tag: XMLWriter.ReadyTag, _ writer: borrowing XMLWriter) {
        p = writer.place
        limit = writer.limit
        open = tag.open
        close = tag.close
        length = tag.length
    }

    func end(_ writer: inout XMLWriter) { writer.written(to: p) }

    // MARK: Properties

    /// Writes a property; false, with nothing done, when that is left to its type.
    // Transparent, so that it becomes part of the loop that calls it, which is done with nothing else.
    @_transparent mutating func write(
        _ part: PlainPart, _ form: XMLPlainForm, _ property: UnsafeRawPointer, _ writer: inout XMLWriter
    ) -> Bool {
        switch form.kind {
        case .none, .enumeration, .double: false
        case .string: each(form.count, property, String.self, &writer) { $0.text(part, $1.pointee, &$2) }
        case .decimal:
            each(form.count, property, XSDDecimal.self, &writer) { $0.text(part, $1.pointee.description, &$2) }
        case .integer:
            each(form.count, property, XSDInteger.self, &writer) { $0.text(part, $1.pointee.description, &$2) }
        case .bool: each(form.count, property, Bool.self, &writer) { $0.bool(part, $1.pointee, &$2) }
        case .int32: each(form.count, property, Int32.self, &writer) { $0.integer(part, Int64($1.pointee), &$2) }
        case .int64: each(form.count, property, Int64.self, &writer) { $0.integer(part, $1.pointee, &$2) }
        case .date: each(form.count, property, XSDDate.self, &writer) { $0.date(part, $1, &$2) }
        case .dateTime: each(form.count, property, XSDDateTime.self, &writer) { $0.dateTime(part, $1, &$2) }
        case .base64Binary:
            each(form.count, property, XSDBase64Binary.self, &writer) { $0.base64(part, $1.pointee.bytes, &$2) }
        }
    }

    /// Hands over the values of a property where they are; false when it holds one that has no text.
    @inline(__always) private mutating func each<T: XMLValue>(
        _ count: XMLPlainForm.Count, _ property: UnsafeRawPointer, _ type: T.Type, _ writer: inout XMLWriter,
        _ body: (inout PlainOutput, UnsafePointer<T>, inout XMLWriter) -> Void
    ) -> Bool {
        switch count {
        case .one: break
        // What an optional holds stands at its beginning; to take it out would copy it.
        case .optional: if property.assumingMemoryBound(to: T?.self).pointee == nil { return true }
        case .nillable: if property.assumingMemoryBound(to: T?.self).pointee == nil { return false }
        case .optionalNillable:
            switch property.assumingMemoryBound(to: Nillable<T>?.self).pointee {
            case .value: break
            case .null: return false
            case nil: return true
            }
        case .many:
            property.assumingMemoryBound(to: [T].self).pointee.withUnsafeBufferPointer { items in
                guard let first = items.baseAddress else { return }
                for index in 0..<items.count { body(&self, first + index, &writer) }
            }
            return true
        }
        body(&self, property.assumingMemoryBound(to: T.self), &writer)
        return true
    }

    // MARK: Values

    // Not inlined: so that each is there once, and the loop over the properties stays small.
    @inline(never) mutating func text(_ part: PlainPart, _ text: String, _ writer: inout XMLWriter) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { self.text(part, $0, &writer) }
        if isDone != nil { return }
        start(part, 0, &writer)
        apart(part, &writer) { $0.escape(text, isAttribute: part.isAttribute) }
        finish(part)
    }

    @inline(__always) private mutating func text(
        _ part: PlainPart, _ bytes: UnsafeBufferPointer<UInt8>, _ writer: inout XMLWriter
    ) {
        start(part, bytes.count, &writer)
        if let start = bytes.baseAddress {
            let copied = XMLWriter.copyPlainText(start, bytes.count, to: p, isAttribute: part.isAttribute)
            p += copied
            if copied < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[copied...])
                apart(part, &writer) { $0.escape(rest, isAttribute: part.isAttribute) }
            }
        }
        finish(part)
    }

    @inline(__always) mutating func bool(_ part: PlainPart, _ value: Bool, _ writer: inout XMLWriter) {
        start(part, Self.longestNumber, &writer)
        store(value ? 0x6575_7274 : 0x65_736C_6166, value ? 4 : 5)
        finish(part)
    }

    @inline(never) mutating func integer(_ part: PlainPart, _ value: Int64, _ writer: inout XMLWriter) {
        start(part, Self.longestNumber, &writer)
        if value < 0 { store(UInt64(UInt8(ascii: "-")), 1) }
        digits(value.magnitude)
        finish(part)
    }

    @inline(never) mutating func date(_ part: PlainPart, _ value: UnsafePointer<XSDDate>, _ writer: inout XMLWriter) {
        start(part, Self.longestNumber, &writer)
        if 0..<10_000 ~= value.pointee.year {
            day(value.pointee)
            zone(value.pointee.zone)
        } else {
            apart(part, &writer) { value.pointee.writeLexical(to: &$0) }
        }
        finish(part)
    }

    @inline(never) mutating func dateTime(
        _ part: PlainPart, _ value: UnsafePointer<XSDDateTime>, _ writer: inout XMLWriter
    ) {
        start(part, Self.longestNumber, &writer)
        if 0..<10_000 ~= value.pointee.date.year, value.pointee.fraction.isWithinAttoseconds {
            day(value.pointee.date)
            store(UInt64(UInt8(ascii: "T")), 1)
            pair(value.pointee.hour)
            pair(value.pointee.minute, after: UInt8(ascii: ":"))
            pair(value.pointee.second, after: UInt8(ascii: ":"))
            fraction(value.pointee.attoseconds)
            zone(value.pointee.date.zone)
        } else {
            apart(part, &writer) { value.pointee.writeLexical(to: &$0) }
        }
        finish(part)
    }

    @inline(never) mutating func base64(_ part: PlainPart, _ bytes: [UInt8], _ writer: inout XMLWriter) {
        start(part, XSDBase64Binary.textLength(bytes.count), &writer)
        p += XSDBase64Binary.encode(bytes, into: p)
        finish(part)
    }

    /// Writes a text with the code that writes any.
    @inline(never) private mutating func apart(
        _ part: PlainPart, _ writer: inout XMLWriter, _ write: (inout XMLWriter) -> Void
    ) {
        writer.written(to: p)
        writer.writeApart(part, write)
        writer.reserve(part.field.pointee.length + Self.slack)
        p = writer.place
        limit = writer.limit
    }

    // MARK: Tags

    /// Writes the start tag, or the attribute's name, and makes room for the value and for what ends it.
    @inline(__always) private mutating func start(_ part: PlainPart, _ count: Int, _ writer: inout XMLWriter) {
        let name = part.field.pointee.length
        let needed = count + 2 * name + Self.slack
        if limit - p < needed {
            writer.written(to: p)
            writer.reserve(needed)
            p = writer.place
            limit = writer.limit
        }
        switch part {
        case .element(let field):
            store(open, length + 1)
            copy(field, name + 1)
        case .attribute(let field):
            store(UInt64(UInt8(ascii: " ")), 1)
            copy(field, name)
            store(0x223D, 2)
        }
    }

    @inline(__always) private mutating func finish(_ part: PlainPart) {
        switch part {
        case .element(let field):
            store(close, length + 2)
            copy(field, field.pointee.length + 1)
        case .attribute: store(UInt64(UInt8(ascii: "\"")), 1)
        }
    }

    // MARK: Bytes

    /// Writes the first bytes of a word; what is written behind them is overwritten later.
    @inline(__always) private mutating func store(_ word: UInt64, _ count: Int) {
        UnsafeMutableRawPointer(p).storeBytes(of: word.littleEndian, as: UInt64.self)
        p += count
    }

    /// Writes bytes of a name in a table, which has sixteen readable bytes behind it.
    @inline(__always) private mutating func copy(_ field: UnsafePointer<XMLTable.Field>, _ count: Int) {
        let from = UnsafeRawPointer(field.pointee.name)
        let to = UnsafeMutableRawPointer(p)
        var i = 0
        repeat {
            to.storeBytes(of: from.loadUnaligned(fromByteOffset: i, as: UInt64.self), toByteOffset: i, as: UInt64.self)
            i &+= 8
        } while i < count
        p += count
    }

    // MARK: Digits

    /// Two digits of a number below 100 as they stand in memory.
    @inline(__always) private static func pair(_ value: UInt64) -> UInt64 {
        let tens = (value &* 103) &>> 10
        return 0x3030 | tens | (value &- tens &* 10) &<< 8
    }

    @inline(__always) private mutating func pair(_ value: Int) {
        store(Self.pair(UInt64(truncatingIfNeeded: value)), 2)
    }

    @inline(__always) private mutating func pair(_ value: Int, after separator: UInt8) {
        store(Self.pair(UInt64(truncatingIfNeeded: value)) &<< 8 | UInt64(separator), 3)
    }

    @inline(__always) private mutating func digits(_ value: UInt64) {
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

    /// Eight digits of a number below 100,000,000 as they stand in memory: halves, then pairs, then digits, each all at once.
    @inline(__always) private static func eightDigits(_ value: UInt64) -> UInt64 {
        let high = value / 10_000
        let halves = high | (value &- high &* 10_000) &<< 32
        let hundreds = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) &<< 16
        let tens = (pairs &* 103) &>> 10 & 0x000F_000F_000F_000F
        return 0x3030_3030_3030_3030 | tens | (pairs &- tens &* 10) &<< 8
    }

    /// A day of a year with four digits.
    @inline(__always) private mutating func day(_ date: XSDDate) {
        let (century, year) = date.year.quotientAndRemainder(dividingBy: 100)
        pair(century)
        pair(year)
        pair(date.month, after: UInt8(ascii: "-"))
        pair(date.day, after: UInt8(ascii: "-"))
    }

    /// A point and the digits, without zeros at the end.
    @inline(__always) private mutating func fraction(_ attoseconds: UInt64) {
        guard attoseconds > 0 else { return }
        store(UInt64(UInt8(ascii: ".")), 1)
        var rest = attoseconds
        var unit = XSDFraction.one / 10
        while rest > 0 {
            store(0x30 &+ rest / unit, 1)
            rest %= unit
            unit /= 10
        }
    }

    @inline(__always) private mutating func zone(_ zone: XSDTimeZone.Optional) {
        guard zone.isPresent else { return }
        let minutes = zone.minutes
        if minutes == 0 { return store(UInt64(UInt8(ascii: "Z")), 1) }
        pair(abs(minutes) / 60, after: minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        pair(abs(minutes) % 60, after: UInt8(ascii: ":"))
    }
}
