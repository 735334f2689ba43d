/// A stored property of a structure: its position, and the object that reads and writes it.
struct XMLFieldPlace {
    /// Bytes from the beginning of the value.
    let offset: Int
    // Unmanaged: tables live as long as the program, and counting would make all threads that read a type wait for each
    // other.
    let coding: Unmanaged<XMLFieldCoding>
    /// The plain form of the coding, copied here for fast access.
    let plain: XMLPlainForm

    init(_ coding: XMLFieldCoding, at offset: Int) {
        self.offset = offset
        self.coding = .passRetained(coding)
        plain = coding.plain
    }
}

/// The position of a stored property in the values of its type, and its size, in bytes.
package struct XMLPropertyPlace: Sendable, Hashable {
    package let offset: Int
    package let size: Int

    package init(offset: Int, size: Int) {
        self.offset = offset
        self.size = size
    }
}

/// The role of a field in XML; elements and attributes are numbered separately.
package enum XMLFieldPart: Sendable {
    case element(Int)
    case attribute(Int)
    case text
    case anyAttributes

    /// The number of the element; -1 when the part is no element.
    package var element: Int {
        if case .element(let number) = self { number } else { -1 }
    }
}

/// Reads, writes and compares a property whose type only this object knows. It never changes after it is made.
class XMLFieldCoding {
    /// Initializes memory with the placeholder for the value until it is read.
    func place(_ field: UnsafeMutableRawPointer) {}
    func read(_ field: UnsafeMutableRawPointer, _ reader: inout XMLReader) {}
    func write(_ field: UnsafeRawPointer, _ part: XMLFieldPart, _ writer: inout XMLWriter) {}
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool { true }
    func hash(_ field: UnsafeRawPointer, into hasher: inout Hasher) {}

    /// The roles in XML that a field with this coding may have.
    let kind: XMLFieldKind
    /// Whether the field can make a placeholder for its value.
    let isPlaced: Bool
    let plain: XMLPlainForm
    /// The size of the property in memory; zero when another field has it.
    let size: Int
    let alignment: Int

    init<Value>(_ kind: XMLFieldKind, _ type: Value.Type, isPlaced: Bool, plain: XMLPlainForm = .none) {
        self.kind = kind
        self.plain = plain
        self.isPlaced = isPlaced
        size = MemoryLayout<Value>.size
        alignment = MemoryLayout<Value>.alignment
    }
}

/// The possible roles of a field in XML.
package enum XMLFieldKind: Sendable {
    /// An element, a group of elements or a wildcard.
    case elements
    /// One value: an element, an attribute or simple content.
    case value
    /// The attributes that have no field of their own.
    case anyAttributes
    case any

    func mayBe(_ part: XMLFieldPart) -> Bool {
        switch (self, part) {
        case (.any, _), (.value, .element), (.value, .attribute), (.value, .text), (.elements, .element),
            (.anyAttributes, .anyAttributes):
            true
        default: false
        }
    }
}

/// A way to read and write that is the same for all properties of a type.
protocol XMLFieldShape {
    associatedtype Value
    /// The value as it is compared with others.
    associatedtype Compared: Hashable
    /// Whether it is one value of a simple type, which may also be an attribute or simple content.
    static var isValue: Bool { get }
    /// The placeholder for the value until it is read.
    static var blank: Value { get }
    /// How its text may be read.
    static var plain: XMLPlainForm { get }
    static func read(_ x: inout Value, _ reader: inout XMLReader)
    static func write(_ x: UnsafePointer<Value>, _ part: XMLFieldPart, _ writer: inout XMLWriter)
    static func compared(_ x: Value) -> Compared
    static func areEqual(_ left: Value, _ right: Value) -> Bool
}

extension XMLFieldShape {
    static func areEqual(_ left: Value, _ right: Value) -> Bool { compared(left) == compared(right) }
}

extension XMLFieldShape where Value: Hashable {
    static func compared(_ x: Value) -> Value { x }
}

extension XMLFieldShape {
    static var isValue: Bool { false }
    static var plain: XMLPlainForm { .none }
}

extension XMLFieldShape where Value: ExpressibleByNilLiteral {
    static var blank: Value { nil }
}

extension XMLFieldShape where Value: RangeReplaceableCollection {
    static var blank: Value { Value() }
}

final class XMLShapedCoding<Shape: XMLFieldShape>: XMLFieldCoding {
    init() {
        super.init(Shape.isValue ? .value : .elements, Shape.Value.self, isPlaced: true, plain: Shape.plain)
    }

    override func place(_ field: UnsafeMutableRawPointer) {
        field.initializeMemory(as: Shape.Value.self, to: Shape.blank)
    }

    override func read(_ field: UnsafeMutableRawPointer, _ reader: inout XMLReader) {
        Shape.read(&field.assumingMemoryBound(to: Shape.Value.self).pointee, &reader)
    }

    override func write(_ field: UnsafeRawPointer, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        Shape.write(field.assumingMemoryBound(to: Shape.Value.self), part, &writer)
    }

    override func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        Shape.areEqual(
            left.assumingMemoryBound(to: Shape.Value.self).pointee,
            right.assumingMemoryBound(to: Shape.Value.self).pointee)
    }

    override func hash(_ field: UnsafeRawPointer, into hasher: inout Hasher) {
        Shape.compared(field.assumingMemoryBound(to: Shape.Value.self).pointee).hash(into: &hasher)
    }
}

/// A coding with functions of its own: for a shape that is known when this module is compiled, so that they are
/// specialized for its type, or for a property that needs more than its type to be read and written.
final class XMLSpecialCoding<Value: Hashable>: XMLFieldCoding {
    typealias Read = (inout Value, inout XMLReader) -> Void
    typealias Write = (UnsafePointer<Value>, XMLFieldPart, inout XMLWriter) -> Void

    /// Makes the placeholder for the value; nil when only the type can make it.
    private let blank: (() -> Value)?
    private let read: Read
    /// Writes the value; nil for a property that is not written, and therefore not compared.
    private let write: Write?

    init(
        _ kind: XMLFieldKind, _ blank: (() -> Value)?, plain: XMLPlainForm = .none, _ read: @escaping Read,
        _ write: Write?
    ) {
        self.blank = blank
        self.read = read
        self.write = write
        super.init(kind, Value.self, isPlaced: blank != nil, plain: plain)
    }

    // Inlined, so that the closures capture no type: captures would be reference-counted at each call.
    @inline(__always) convenience init<Shape: XMLFieldShape>(_ shape: Shape.Type) where Shape.Value == Value {
        self.init(
            Shape.isValue ? .value : .elements, { Shape.blank }, plain: Shape.plain, { Shape.read(&$0, &$1) },
            { Shape.write($0, $1, &$2) })
    }

    override func place(_ field: UnsafeMutableRawPointer) {
        if let blank { field.initializeMemory(as: Value.self, to: blank()) }
    }

    override func read(_ field: UnsafeMutableRawPointer, _ reader: inout XMLReader) {
        read(&field.assumingMemoryBound(to: Value.self).pointee, &reader)
    }

    override func write(_ field: UnsafeRawPointer, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        write?(field.assumingMemoryBound(to: Value.self), part, &writer)
    }

    override func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        write == nil
            || left.assumingMemoryBound(to: Value.self).pointee == right.assumingMemoryBound(to: Value.self).pointee
    }

    override func hash(_ field: UnsafeRawPointer, into hasher: inout Hasher) {
        if write != nil { field.assumingMemoryBound(to: Value.self).pointee.hash(into: &hasher) }
    }
}

/// Reads into a property that another field writes.
final class XMLReadingCoding: XMLFieldCoding {
    private let coding: Unmanaged<XMLFieldCoding>

    init(_ coding: Unmanaged<XMLFieldCoding>) {
        self.coding = coding
        super.init(.any, Void.self, isPlaced: true)
    }

    override func read(_ field: UnsafeMutableRawPointer, _ reader: inout XMLReader) {
        coding._withUnsafeGuaranteedRef { $0.read(field, &reader) }
    }
}

/// Writes additional attributes into the start tag, made from the whole value.
final class XMLTagCoding<Value, Tag: Hashable>: XMLFieldCoding {
    private let tag: @Sendable (Value) -> Tag
    private let write: @Sendable (Tag, inout XMLWriter) -> Void

    init(_ tag: @escaping @Sendable (Value) -> Tag, _ write: @escaping @Sendable (Tag, inout XMLWriter) -> Void) {
        self.tag = tag
        self.write = write
        super.init(.any, Void.self, isPlaced: true)
    }

    private func tag(_ value: UnsafeRawPointer) -> Tag { tag(value.assumingMemoryBound(to: Value.self).pointee) }

    override func write(_ field: UnsafeRawPointer, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        write(tag(field), &writer)
    }

    override func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool { tag(left) == tag(right) }

    override func hash(_ field: UnsafeRawPointer, into hasher: inout Hasher) { tag(field).hash(into: &hasher) }
}

// MARK: Walking through a structure

extension XMLReader {
    /// Reads the content of the element whose start tag was read last into `x`, to its end tag.
    @_spi(Generated) public mutating func content<T: XMLFielded>(of x: inout T) {
        let table = T.xmlTable
        withUnsafeMutablePointer(to: &x) { content(table, UnsafeMutableRawPointer($0)) }
    }

    mutating func content(_ table: XMLTable, _ value: UnsafeMutableRawPointer) {
        guard !table.isDefective else { return fail(.unexpected, table.defect) }
        var progress = beginStructure(table)
        while let index = nextField(table, &progress, of: value) { read(table, index, value) }
    }

    /// A structure with the content of the element whose start tag was read last, read to its end tag.
    @usableFromInline mutating func filled<T: XMLFielded>(_ type: T.Type = T.self) -> T {
        let table = T.xmlTable
        var value = table.empty(type)
        withUnsafeMutablePointer(to: &value) { content(table, UnsafeMutableRawPointer($0)) }
        return value
    }

    /// Reads a group of elements that are part of the content of the enclosing element.
    @usableFromInline mutating func filledGroup<T: XMLFielded>(_ type: T.Type = T.self) -> T {
        let table = T.xmlTable
        var value = table.empty(type)
        withUnsafeMutablePointer(to: &value) { members(table, UnsafeMutableRawPointer($0)) }
        return value
    }

    private mutating func members(_ table: XMLTable, _ value: UnsafeMutableRawPointer) {
        guard !table.isDefective else { return fail(.unexpected, table.defect) }
        var progress = beginGroup()
        while let index = nextMember(table, &progress, of: value) { read(table, index, value) }
    }

    @inline(__always) private mutating func read(_ table: XMLTable, _ index: Int, _ value: UnsafeMutableRawPointer) {
        let places = table.places
        guard index < places.count else { return }
        let place = places[index]
        place.coding._withUnsafeGuaranteedRef { $0.read(value + place.offset, &self) }
    }
}

extension XMLWriter {
    package mutating func content<T: XMLFielded>(of value: T) {
        let table = T.xmlTable
        withUnsafePointer(to: value) { content(table, UnsafeRawPointer($0)) }
    }

    mutating func content(_ table: XMLTable, _ value: UnsafeRawPointer) {
        let outer = enterTable(table)
        if table.isDefective { fail(table.defect) }
        let places = table.places
        if table.isWhole {
            hasOpenTag = true
            if let place = places.first { write(place, .element(0), value) }
            if hasOpenTag { closeTag() }
            hasOpenTag = false
        } else if table.isRaw {
            if let place = places.first { write(place, .anyAttributes, value) }
            closeTag()
            if let place = places.first { write(place, .text, value) }
        } else {
            let elements = table.elements.count
            if places.count > elements { writeAttributes(table, value) }
            if let tag = table.tag { write(tag, .anyAttributes, value) }
            closeTag()
            writeElements(table, value)
            let text = elements + table.attributes.count
            if table.hasText, text < places.count { write(places[text], .text, value) }
        }
        leaveTable(outer)
    }

    private mutating func writeAttributes(_ table: XMLTable, _ value: UnsafeRawPointer) {
        let places = table.places
        let first = table.elements.count
        var index = writePlainAttributes(table, from: 0, value)
        while index < min(table.attributes.count, places.count - first) {
            write(places[first + index], .attribute(index), value)
            index = writePlainAttributes(table, from: index + 1, value)
        }
        if table.hasAnyAttribute, let last = places.last { write(last, .anyAttributes, value) }
    }

    private mutating func writeElements(_ table: XMLTable, _ value: UnsafeRawPointer) {
        let places = table.places
        var index = writePlainElements(table, from: 0, value)
        while index < min(table.elements.count, places.count) {
            write(places[index], .element(index), value)
            index = writePlainElements(table, from: index + 1, value)
        }
    }

    /// Writes a group of elements.
    mutating func members(_ index: Int, _ table: XMLTable, _ value: UnsafeRawPointer) {
        let outer = enterGroup(index, table)
        if table.isDefective { fail(table.defect) }
        writeElements(table, value)
        leaveTable(outer)
    }

    @inline(__always) private mutating func write(
        _ place: XMLFieldPlace, _ part: XMLFieldPart, _ value: UnsafeRawPointer
    ) {
        place.coding._withUnsafeGuaranteedRef { $0.write(value + place.offset, part, &self) }
    }
}

// Written here once: synthesizing these functions for each type would take the compiler longer than everything else in
// generated code.
extension XMLFielded {
    /// Two values are equal when everything that they would write is equal, compared as values: `1.0` is `1`.
    @_semantics("optimize.no.crossmodule") public static func == (left: Self, right: Self) -> Bool {
        let table = xmlTable
        return withUnsafePointer(to: left) { left in
            withUnsafePointer(to: right) { right in
                table.areEqual(UnsafeRawPointer(left), UnsafeRawPointer(right))
            }
        }
    }

    /// Hashes the values of all fields: `1.0` and `1` have the same hash.
    @_semantics("optimize.no.crossmodule") public func hash(into hasher: inout Hasher) {
        let table = Self.xmlTable
        withUnsafePointer(to: self) { table.hash(UnsafeRawPointer($0), into: &hasher) }
    }

    /// The hash of ``hash(into:)``. It differs from one run of the program to the next; do not store it.
    @_semantics("optimize.no.crossmodule") public var hashValue: Int {
        var hasher = Hasher()
        hash(into: &hasher)
        return hasher.finalize()
    }
}

extension XMLTable {
    /// An empty value of the table's type.
    fileprivate func empty<T: XMLFielded>(_ type: T.Type) -> T {
        guard let blank = content.pointee.blank else { return T(_decoding: ()) }
        return blank.assumingMemoryBound(to: T.self).pointee
    }

    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        // Values of a type with invalid fields cannot be compared.
        guard !isDefective else { return false }
        func areEqual(_ place: XMLFieldPlace) -> Bool {
            place.coding._withUnsafeGuaranteedRef { $0.areEqual(left + place.offset, right + place.offset) }
        }
        return places.allSatisfy(areEqual) && (tag.map(areEqual) ?? true)
    }

    fileprivate func hash(_ value: UnsafeRawPointer, into hasher: inout Hasher) {
        func hash(_ place: XMLFieldPlace) {
            place.coding._withUnsafeGuaranteedRef { $0.hash(value + place.offset, into: &hasher) }
        }
        places.forEach(hash)
        tag.map(hash)
    }
}
