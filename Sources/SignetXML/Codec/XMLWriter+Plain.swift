/// Writes elements in their most common form: a start tag without attributes, the text of a value of one of the most
/// common types, an end tag. Each is written in one pass; anything else is left to the code that calls the type.
extension XMLWriter {
    /// Whether an element or attribute consists of its name and its text, and needs nothing else.
    private var writesPlainly: Bool { isPlain && !isWatched && collector == nil }

    /// Writes elements of a structure, as long as each has one of the most common types; returns the number of the
    /// first that is left.
    mutating func writePlainElements(_ table: XMLTable, from first: Int, _ structure: UnsafeRawPointer) -> Int {
        let end = min(table.elements.count, table.places.count)
        // Read through pointers: otherwise all fields are copied.
        guard first < end, writesPlainly, let fields = table.elements.baseAddress.map({ UnsafePointer($0) }),
            let places = table.places.baseAddress.map({ UnsafePointer($0) }), isReady(for: fields[first].namespace)
        else { return first }
        let namespace = ready.namespace
        let takesBytesOut = includer != nil
        // A local value holds the output position, because no other code can change it.
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

    /// Writes the element with this number, whose value is a text.
    mutating func value<T: XMLValue>(_ index: Int, _ x: T, as text: String) {
        if writesPlainly, let field = element(index), field.pointee.isPlain, isReady(for: field.pointee.namespace) {
            var output = PlainOutput(ready, self)
            output.text(.element(field), text, &self)
            return output.end(&self)
        }
        guard startValue(index) else { return handOver(index, x) }
        x.writeLexical(to: &self)
        endValue()
    }

    /// Writes the unusual parts of the value of a plain element or attribute, so that a defect gets its path.
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

    /// The position of the next byte.
    fileprivate var place: UnsafeMutablePointer<UInt8> { base + count }
    /// The end of the available memory.
    fileprivate var limit: UnsafeMutablePointer<UInt8> { base + room }

    fileprivate mutating func written(to place: UnsafeMutablePointer<UInt8>) { count = place - base }
}

extension XMLTable.Field {
    /// Whether the field is an element or attribute of its own whose values have the usual form.
    fileprivate var isPlain: Bool { kind == .element && group == 0 }
}

/// The part whose value a plain text is.
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

/// The output position of a writer, and the tags of one namespace. It is separate from the writer, so that it stays in
/// registers.
private struct PlainOutput {
    /// The bytes that tags and the ends of copied words take besides a name.
    private static let slack = 64

    private var at: ByteCursor
    private var limit: UnsafeMutablePointer<UInt8>
    private let open: UInt64
    private let close: UInt64
    private let length: Int

    @inline(__always) init(_ tag: XMLWriter.ReadyTag, _ writer: borrowing XMLWriter) {
        at = ByteCursor(writer.place)
        limit = writer.limit
        open = tag.open
        close = tag.close
        length = tag.length
    }

    func end(_ writer: inout XMLWriter) { writer.written(to: at.p) }

    // MARK: Properties

    /// Writes a property; returns false, with nothing written, when the type has to write it.
    // Transparent, so that it becomes part of the calling loop: no other attribute achieves that.
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

    /// Passes on the values of a property in place; false when a value has no text.
    @inline(__always) private mutating func each<T: XMLValue>(
        _ count: XMLPlainForm.Count, _ property: UnsafeRawPointer, _ type: T.Type, _ writer: inout XMLWriter,
        _ body: (inout PlainOutput, UnsafePointer<T>, inout XMLWriter) -> Void
    ) -> Bool {
        switch count {
        case .one: break
        // The value of an optional is at its beginning in memory; unwrapping it would copy it.
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

    // Not inlined, so that each exists once, and the loop over the properties stays small.
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
            let copied = XMLWriter.copyPlainText(start, bytes.count, to: at.p, isAttribute: part.isAttribute)
            at.p += copied
            if copied < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[copied...])
                apart(part, &writer) { $0.escape(rest, isAttribute: part.isAttribute) }
            }
        }
        finish(part)
    }

    @inline(__always) mutating func bool(_ part: PlainPart, _ value: Bool, _ writer: inout XMLWriter) {
        start(part, ByteCursor.longestNumber, &writer)
        at.store(value ? 0x6575_7274 : 0x65_736C_6166, value ? 4 : 5)
        finish(part)
    }

    @inline(never) mutating func integer(_ part: PlainPart, _ value: Int64, _ writer: inout XMLWriter) {
        start(part, ByteCursor.longestNumber, &writer)
        if value < 0 { at.store(UInt64(UInt8(ascii: "-")), 1) }
        at.digits(value.magnitude)
        finish(part)
    }

    @inline(never) mutating func date(_ part: PlainPart, _ value: UnsafePointer<XSDDate>, _ writer: inout XMLWriter) {
        start(part, ByteCursor.longestNumber, &writer)
        if 0..<10_000 ~= value.pointee.year {
            at.four(value.pointee.year)
            at.monthAndDay(value.pointee)
            at.zone(value.pointee.zone)
        } else {
            apart(part, &writer) { value.pointee.writeLexical(to: &$0) }
        }
        finish(part)
    }

    @inline(never) mutating func dateTime(
        _ part: PlainPart, _ value: UnsafePointer<XSDDateTime>, _ writer: inout XMLWriter
    ) {
        start(part, ByteCursor.longestNumber, &writer)
        if 0..<10_000 ~= value.pointee.date.year, value.pointee.fraction.isWithinAttoseconds {
            at.four(value.pointee.date.year)
            at.monthAndDay(value.pointee.date)
            at.store(UInt64(UInt8(ascii: "T")), 1)
            at.time(value.pointee.hour, value.pointee.minute, value.pointee.second)
            at.fraction(value.pointee.attoseconds)
            at.zone(value.pointee.date.zone)
        } else {
            apart(part, &writer) { value.pointee.writeLexical(to: &$0) }
        }
        finish(part)
    }

    @inline(never) mutating func base64(_ part: PlainPart, _ bytes: [UInt8], _ writer: inout XMLWriter) {
        start(part, XSDBase64Binary.textLength(bytes.count), &writer)
        at.p += XSDBase64Binary.encode(bytes, into: at.p)
        finish(part)
    }

    /// Writes a text with the general code.
    @inline(never) private mutating func apart(
        _ part: PlainPart, _ writer: inout XMLWriter, _ write: (inout XMLWriter) -> Void
    ) {
        writer.written(to: at.p)
        writer.writeApart(part, write)
        writer.reserve(part.field.pointee.length + Self.slack)
        at = ByteCursor(writer.place)
        limit = writer.limit
    }

    // MARK: Tags

    /// Writes the start tag, or the attribute's name, and reserves room for the value and its end.
    @inline(__always) private mutating func start(_ part: PlainPart, _ count: Int, _ writer: inout XMLWriter) {
        let name = part.field.pointee.length
        let needed = count + 2 * name + Self.slack
        if limit - at.p < needed {
            writer.written(to: at.p)
            writer.reserve(needed)
            at = ByteCursor(writer.place)
            limit = writer.limit
        }
        switch part {
        case .element(let field):
            at.store(open, length + 1)
            at.copy(field, name + 1)
        case .attribute(let field):
            at.store(UInt64(UInt8(ascii: " ")), 1)
            at.copy(field, name)
            at.store(0x223D, 2)
        }
    }

    @inline(__always) private mutating func finish(_ part: PlainPart) {
        switch part {
        case .element(let field):
            at.store(close, length + 2)
            at.copy(field, field.pointee.length + 1)
        case .attribute: at.store(UInt64(UInt8(ascii: "\"")), 1)
        }
    }
}
