/// The kind of a property of one of the most common types, so that its text is read without calling the type.
struct XMLPlainForm {
    enum Kind: UInt8 {
        /// The type reads the text itself.
        case none
        case string, bool, int32, int64, double, decimal, integer, date, dateTime, base64Binary
        /// The type makes a value of any text.
        case enumeration
    }

    /// A reader treats optional and nillable properties alike: it does not have to write nil.
    enum Count: UInt8 { case one, optional, nillable, optionalNillable, many }

    let kind: Kind
    let count: Count

    static let none = XMLPlainForm(kind: .none, count: .one)

    /// Whether the text may need processing before the value is made of it.
    @inline(__always) var mayNeedReader: Bool { kind == .string || kind == .enumeration }
}

extension XMLPlainForm {
    init<T: XMLValue>(_ type: T.Type, _ count: Count) {
        // A property that may be nil is first tried as a value, which might be refused.
        let isEnumeration = count != .optionalNillable && type is any XMLEnumeration.Type
        self.init(kind: Self.kinds[ObjectIdentifier(type)] ?? (isEnumeration ? .enumeration : .none), count: count)
    }

    private static let kinds: [ObjectIdentifier: Kind] = [
        ObjectIdentifier(String.self): .string,
        ObjectIdentifier(Bool.self): .bool,
        ObjectIdentifier(Int32.self): .int32,
        ObjectIdentifier(Int64.self): .int64,
        ObjectIdentifier(Double.self): .double,
        ObjectIdentifier(XSDDecimal.self): .decimal,
        ObjectIdentifier(XSDInteger.self): .integer,
        ObjectIdentifier(XSDDate.self): .date,
        ObjectIdentifier(XSDDateTime.self): .dateTime,
        ObjectIdentifier(XSDBase64Binary.self): .base64Binary,
    ]
}

/// Reads elements as they are nearly always written: a start tag without attributes, plain text, an end tag like the
/// start tag. Each is read in one pass. Elements written in another way, and texts that are not values, are left to the
/// code that reports errors.
extension XMLReader {
    /// Reads such elements into the properties of a structure, as long as the table expects each of them next and its
    /// type is one of the most common.
    mutating func takePlain(_ table: XMLTable, _ progress: inout Progress, _ structure: UnsafeMutableRawPointer) {
        // Read through pointers: otherwise all fields are copied.
        let count = min(table.elements.count, table.places.count, 64)
        guard progress.nextElement < count, frames.count < limits.depth,
            limits.textBytes >= PlainElements.longestNumber,
            let fields = table.elements.baseAddress.map({ UnsafePointer($0) }),
            let places = table.places.baseAddress.map({ UnsafePointer($0) })
        else { return }
        if prediction.namespace != fields[progress.nextElement].namespace {
            predict(fields[progress.nextElement].namespace)
        }
        let elements = plainElements
        let isUnordered = table.isUnordered
        var next = progress.nextElement
        var seen = progress.seen.low
        // A local variable holds the position, because no other code can change it.
        var q = p

        while let (index, text) = elements.next(at: &q, fields, next..<count, seen, isUnordered) {
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
            let isRepeated = fields[index].occurrence == .repeated
            guard isRepeated || seen & bit == 0 else { break }
            if let end = elements.take(text, fields + index, places + index, structure) {
                q = end
            } else if places[index].plain.mayNeedReader,
                let end = takeOther(text, fields + index, places + index, structure)
            {
                q = end
            } else {
                break
            }
            seen |= bit
            next = isRepeated ? index : index &+ 1
        }
        if !hasFailed { p = q }
        progress.seen.low = seen
        progress.nextElement = next
    }

    @inline(__always) private var plainElements: PlainElements {
        PlainElements(prediction, end, longestText: limits.textBytes, hasBracket: hasBracket)
    }

    /// Reads a value that needs more than its text: an enumeration, or a string with references.
    @inline(never) private mutating func takeOther(
        _ text: UnsafePointer<UInt8>, _ field: UnsafePointer<XMLTable.Field>, _ place: UnsafePointer<XMLFieldPlace>,
        _ structure: UnsafeMutableRawPointer
    ) -> UnsafePointer<UInt8>? {
        let elements = plainElements
        let stop = endOfPlainText(text)
        guard stop > text, stop - text <= limits.textBytes, stop < end else { return nil }
        if place.pointee.plain.kind == .enumeration {
            guard let next = elements.closing(field, at: stop), elements.isClean(text, stop) else { return nil }
            p = next
            leaf.isNil = false
            leaf.isIncluded = false
            leaf.value = UnsafeBufferPointer(start: text, count: stop - text)
            place.pointee.coding._withUnsafeGuaranteedRef { $0.read(structure + place.pointee.offset, &self) }
            leaf.value = nil
            return next
        }
        let length = elements.nameLength(field)
        guard stop[0] == UInt8(ascii: "&"), let stop = resolve(text, stop, text - length - 1, length),
            let next = elements.closing(field, at: stop)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(scratch.base), count: scratch.count)
        return elements.store(Self.text(of: bytes), place, structure, next)
    }
}

/// The state for reading elements that are written plainly. It is separate from the reader, because passing the reader
/// to a non-mutating function copies it.
private struct PlainElements {
    /// The greatest number of bytes that are compared for a number, a boolean, or a word.
    static let longestNumber = 24

    private let namespace: Int32
    /// `<p:`, the bits that count, and its length.
    private let open: UInt64
    private let mask: UInt64
    private let length: Int
    private let end: UnsafePointer<UInt8>
    private let longestText: Int
    private let hasBracket: Bool

    init(
        _ prediction: XMLReader.Prediction, _ end: UnsafePointer<UInt8>, longestText: Int, hasBracket: Bool
    ) {
        namespace = prediction.namespace
        open = prediction.open
        mask = prediction.openMask
        length = prediction.openLength
        self.end = end
        self.longestText = longestText
        self.hasBracket = hasBracket
    }

    // MARK: Tags

    /// The field whose start tag comes next, after white space, and the position after the tag. It is the first field
    /// of `range`, or a later one if those between may be absent.
    @inline(__always) func next(
        at q: inout UnsafePointer<UInt8>, _ fields: UnsafePointer<XMLTable.Field>, _ range: Range<Int>, _ seen: UInt64,
        _ isUnordered: Bool
    ) -> (Int, UnsafePointer<UInt8>)? {
        while q < end, XMLCharacters.isSpace(q[0]) { q += 1 }
        // The length of a prefix and a word of the name, and more.
        guard end - q >= 24, word(q) & mask == open else { return nil }
        var index = range.lowerBound
        while index < range.upperBound {
            let field = fields + index
            if namespace == field.pointee.namespace, let text = behindName(field, q + length) { return (index, text) }
            guard field.pointee.kind != .group,
                field.pointee.occurrence != .required || isUnordered
                    || seen & 1 &<< UInt64(truncatingIfNeeded: index) != 0
            else { return nil }
            index &+= 1
        }
        return nil
    }

    /// The position after the end tag of the field, if that tag is at `q`. After its first byte, an end tag is a start
    /// tag with a slash in the place of `<`.
    @inline(__always) func closing(
        _ field: UnsafePointer<XMLTable.Field>, at q: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        guard end - q >= 24, q[0] == UInt8(ascii: "<"), word(q + 1) & mask == open &- 0x0D else { return nil }
        return behindName(field, q + 1 + length)
    }

    /// The length of the name with its prefix.
    func nameLength(_ field: UnsafePointer<XMLTable.Field>) -> Int { length - 1 + field.pointee.length }

    /// The position after the field's name and `>`, if both are at `name`, where a word can be read.
    @inline(__always) private func behindName(
        _ field: UnsafePointer<XMLTable.Field>, _ name: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        guard word(name) & field.pointee.mask == field.pointee.word else { return nil }
        let length = field.pointee.length
        return length < 8 || endsSo(field, name, length) ? name + (length &+ 1) : nil
    }

    /// Compares the rest of a name after its first word. The last word overlaps the one before it.
    @inline(__always) private func endsSo(
        _ field: UnsafePointer<XMLTable.Field>, _ name: UnsafePointer<UInt8>, _ length: Int
    ) -> Bool {
        guard end - name > length else { return false }
        let wanted = field.pointee.name
        var i = 8
        while i < length &- 7 {
            if word(name + i) != word(wanted + i) { return false }
            i &+= 8
        }
        return word(name + (length &- 7)) == word(wanted + (length &- 7))
    }

    @inline(__always) private func word(_ q: UnsafePointer<UInt8>) -> UInt64 { XMLReader.word(q) }

    // MARK: Values

    /// Reads the text at `text`, and stores its value in the property. Returns the position after the end tag, or nil,
    /// with nothing changed, when there is no plain text or no value.
    // Transparent, so that it becomes part of the calling loop: no other attribute achieves that.
    @_transparent func take(
        _ text: UnsafePointer<UInt8>, _ field: UnsafePointer<XMLTable.Field>, _ place: UnsafePointer<XMLFieldPlace>,
        _ structure: UnsafeMutableRawPointer
    ) -> UnsafePointer<UInt8>? {
        // A number is read before it is known where it ends.
        guard end - text >= Self.longestNumber else { return nil }
        switch place.pointee.plain.kind {
        case .none, .enumeration: return nil
        case .bool:
            let isTrue = word(text) & 0xFFFF_FFFF == 0x6575_7274
            guard isTrue || word(text) & 0xFF_FFFF_FFFF == 0x65_736C_6166,
                let next = closing(field, at: text + (isTrue ? 4 : 5))
            else { return nil }
            return store(isTrue, place, structure, next)
        case .int32:
            guard let (number, stop) = integer(text), let value = Int32(exactly: number),
                let next = closing(field, at: stop)
            else { return nil }
            return store(value, place, structure, next)
        case .int64:
            guard let (number, stop) = integer(text), let next = closing(field, at: stop) else { return nil }
            return store(number, place, structure, next)
        case .string, .double, .decimal, .integer, .date, .dateTime, .base64Binary: break
        }
        let stop = XMLReader.endOfPlainText(text, end)
        guard stop > text, stop - text <= longestText, let next = closing(field, at: stop) else { return nil }
        let bytes = UnsafeBufferPointer(start: text, count: stop - text)
        switch place.pointee.plain.kind {
        case .string: return isClean(text, stop) ? store(XMLReader.text(of: bytes), place, structure, next) : nil
        case .double: return store(Double(lexical: bytes.span), place, structure, next)
        case .decimal: return store(XSDDecimal(lexical: bytes.span), place, structure, next)
        case .integer: return store(XSDInteger(lexical: bytes.span), place, structure, next)
        case .date: return store(XSDDate(lexical: bytes.span), place, structure, next)
        case .dateTime: return store(XSDDateTime(lexical: bytes.span), place, structure, next)
        case .base64Binary: return store(XSDBase64Binary(lexical: bytes.span), place, structure, next)
        case .none, .bool, .int32, .int64, .enumeration: return nil
        }
    }

    /// Whether the text has no `]`, which might begin `]]>`. It may also check some bytes after `stop`, where an end
    /// tag is.
    @inline(__always) func isClean(_ text: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>) -> Bool {
        !hasBracket || holdsNoBracket(text, stop)
    }

    @inline(never) private func holdsNoBracket(_ text: UnsafePointer<UInt8>, _ stop: UnsafePointer<UInt8>) -> Bool {
        var q = text
        while q < stop {
            let other = word(q) ^ 0x5D5D_5D5D_5D5D_5D5D
            if (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080 != 0 { return false }
            q += 8
        }
        return true
    }

    /// Puts a value into the property that has its type.
    @inline(__always) func store<T: XMLValue>(
        _ value: T?, _ place: UnsafePointer<XMLFieldPlace>, _ structure: UnsafeMutableRawPointer,
        _ next: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        guard let value else { return nil }
        let property = structure + place.pointee.offset
        switch place.pointee.plain.count {
        case .one: property.assumingMemoryBound(to: T.self).pointee = value
        case .optional, .nillable: property.assumingMemoryBound(to: T?.self).pointee = value
        case .optionalNillable: property.assumingMemoryBound(to: Nillable<T>?.self).pointee = .value(value)
        case .many: append(value, to: &property.assumingMemoryBound(to: [T].self).pointee)
        }
        return next
    }

    @inline(__always) private func append<T>(_ value: T, to list: inout [T]) {
        // A repeated element usually occurs more than once.
        if list.isEmpty { list.reserveCapacity(max(1, 64 / MemoryLayout<T>.stride)) }
        list.append(value)
    }

    /// Reads a number of at most eighteen digits; also returns the position after it.
    @inline(__always) private func integer(_ text: UnsafePointer<UInt8>) -> (Int64, UnsafePointer<UInt8>)? {
        let isNegative = text[0] == UInt8(ascii: "-")
        let first = isNegative ? text + 1 : text
        var (value, count) = digits(first)
        if count == 8 {
            // At most ten more digits, so that nothing overflows.
            while first[count] &- 0x30 <= 9 {
                guard count < 18 else { return nil }
                value = value &* 10 &+ UInt64(first[count] &- 0x30)
                count &+= 1
            }
        }
        guard count > 0 else { return nil }
        let magnitude = Int64(truncatingIfNeeded: value)
        return (isNegative ? 0 &- magnitude : magnitude, first + count)
    }

    /// Reads at most eight digits at `text`; returns their number and their count. It reads them all at once, because
    /// numbers vary in length.
    @inline(__always) private func digits(_ text: UnsafePointer<UInt8>) -> (value: UInt64, count: Int) {
        let digits = word(text) ^ 0x3030_3030_3030_3030
        let others = (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080
        let count = others.trailingZeroBitCount &>> 3
        guard count > 0 else { return (0, 0) }
        // The last digit into the highest byte, zeros before the first; then pairs, fours, and all.
        var value = digits &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
        value = value &* 10 &+ value &>> 8
        let low = (value & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = (value &>> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return ((low &+ high) &>> 32, count)
    }
}
