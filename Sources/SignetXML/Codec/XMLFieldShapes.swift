// How properties are read and written, by their types: a shape for each kind of content and each way in which it may be
// absent or repeat.

// MARK: Values

enum ValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }

    static var blank: T { ._placeholder }
    static var plain: XMLPlainForm { XMLPlainForm(T.self, .one) }

    static func read(_ x: inout T, _ reader: inout XMLReader) { T._read(&x, from: &reader) }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.value(part, x.pointee)
    }
}

enum OptionalValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }
    static var plain: XMLPlainForm { XMLPlainForm(T.self, .optional) }

    static func read(_ x: inout T?, _ reader: inout XMLReader) { T._read(optional: &x, from: &reader) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee { writer.value(part, value) }
    }
}

enum NillableValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }
    static var plain: XMLPlainForm { XMLPlainForm(T.self, .nillable) }

    static func read(_ x: inout T?, _ reader: inout XMLReader) { T._read(optional: &x, from: &reader) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableValue(part, x.pointee)
    }
}

enum OptionalNillableValueShape<T: XMLValue>: XMLFieldShape {
    static var plain: XMLPlainForm { XMLPlainForm(T.self, .optionalNillable) }

    static func read(_ x: inout Nillable<T>?, _ reader: inout XMLReader) { T._read(nillable: &x, from: &reader) }

    static func write(_ x: UnsafePointer<Nillable<T>?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableValue(part.element, x.pointee)
    }
}

enum ValuesShape<T: XMLValue>: XMLFieldShape {
    static var plain: XMLPlainForm { XMLPlainForm(T.self, .many) }

    static func read(_ x: inout [T], _ reader: inout XMLReader) { T._read(next: &x, from: &reader) }

    static func write(_ x: UnsafePointer<[T]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.values(part.element, x.pointee)
    }
}

enum NillableValuesShape<T: XMLValue>: XMLFieldShape {
    static func read(_ x: inout [Nillable<T>], _ reader: inout XMLReader) { reader.nillableValues(&x) }

    static func write(_ x: UnsafePointer<[Nillable<T>]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableValues(part.element, x.pointee)
    }
}

// MARK: Structures

protocol XMLStructureShape: XMLFieldShape where Value: XMLFielded {}

extension XMLStructureShape {
    static var blank: Value { Value(_decoding: ()) }
    static func compared(_ x: Value) -> XMLCompared<Value> { XMLCompared(x) }
}

enum StructureShape<T: XMLFielded>: XMLStructureShape {
    static func read(_ x: inout T, _ reader: inout XMLReader) { reader.structure(&x) }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x))
    }
}

enum OptionalStructureShape<T: XMLFielded>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) { reader.optionalStructure(&x) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        // The value of an optional is at its beginning in memory; unwrapping it would copy it.
        if x.pointee != nil { writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x)) }
    }

    static func compared(_ x: T?) -> XMLCompared<T>? { x.map(XMLCompared.init) }
}

enum NillableStructureShape<T: XMLFielded>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) { reader.optionalStructure(&x) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if x.pointee != nil {
            writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x))
        } else {
            writer.null(part.element, of: T.xmlTable)
        }
    }

    static func compared(_ x: T?) -> XMLCompared<T>? { x.map(XMLCompared.init) }
}

enum OptionalNillableStructureShape<T: XMLFielded>: XMLFieldShape {
    static func read(_ x: inout Nillable<T>?, _ reader: inout XMLReader) { reader.optionalNillableStructure(&x) }

    static func write(_ x: UnsafePointer<Nillable<T>?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableStructure(part.element, x.pointee)
    }

    static func compared(_ x: Nillable<T>?) -> Nillable<XMLCompared<T>>? { x.map { $0.map(XMLCompared.init) } }
}

// The type of the list is a requirement beside that of its items, although it is always an array: otherwise it would be
// looked up at each item.
protocol XMLStructuresShape: XMLFieldShape where Value: RangeReplaceableCollection, Value.Element == Item {
    associatedtype Item: XMLFielded
}

extension XMLStructuresShape {
    static func compared(_ x: Value) -> [XMLCompared<Item>] { x.map(XMLCompared.init) }

    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        guard left.count == right.count else { return false }
        let table = Item.xmlTable
        let areEqual = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                // The items are compared in place, as they are written.
                guard let one = left.baseAddress, let other = right.baseAddress, one != other else { return true }
                return left.indices.allSatisfy { table.areEqual(one + $0, other + $0) }
            }
        }
        return areEqual == true
    }

    /// Passes on the items in place: a copy of an item would retain everything that it refers to.
    static func forEach(_ x: UnsafePointer<Value>, _ body: (XMLTable, UnsafeRawPointer) -> Void) {
        let table = Item.xmlTable
        // The list is used as the array that it is: code for collections in general is not specialized for its items.
        UnsafeRawPointer(x).assumingMemoryBound(to: [Item].self).pointee.withUnsafeBufferPointer { items in
            guard let first = items.baseAddress else { return }
            for index in 0..<items.count { body(table, UnsafeRawPointer(first + index)) }
        }
    }
}

enum StructuresShape<Item: XMLFielded, List: RangeReplaceableCollection>: XMLStructuresShape
where List.Element == Item {
    typealias Value = List

    static func read(_ x: inout List, _ reader: inout XMLReader) { reader.structures(&x) }

    static func write(_ x: UnsafePointer<List>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        forEach(x) { writer.structure(part.element, $0, $1) }
    }
}

enum NillableStructuresShape<T: XMLFielded>: XMLFieldShape {
    static func read(_ x: inout [Nillable<T>], _ reader: inout XMLReader) { reader.nillableStructures(&x) }

    static func write(_ x: UnsafePointer<[Nillable<T>]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableStructures(part.element, x.pointee)
    }

    static func compared(_ x: [Nillable<T>]) -> [Nillable<XMLCompared<T>>] { x.map { $0.map(XMLCompared.init) } }
}

// MARK: Structures in boxes

protocol XMLBoxShape: XMLFieldShape where Value == XMLBox<Held> {
    associatedtype Held: Sendable
}

extension XMLBoxShape {
    static var blank: Value { Value() }

    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        left.held === right.held || compared(left) == compared(right)
    }
}

extension XMLBoxShape where Held: XMLFielded {
    static func compared(_ x: Value) -> XMLCompared<Held>? { x.value.map(XMLCompared.init) }
}

enum BoxedOptionalStructureShape<T: XMLFielded>: XMLBoxShape {
    typealias Held = T

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        var value: T?
        reader.optionalStructure(&value)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee.value { writer.structure(part.element, value) }
    }
}

enum BoxedNillableStructureShape<T: XMLFielded>: XMLBoxShape {
    typealias Held = T

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        BoxedOptionalStructureShape.read(&x, &reader)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableStructure(part.element, x.pointee.value)
    }
}

enum BoxedOptionalNillableStructureShape<T: XMLFielded>: XMLBoxShape {
    typealias Held = Nillable<T>

    static func read(_ x: inout XMLBox<Nillable<T>>, _ reader: inout XMLReader) {
        var value: Nillable<T>?
        reader.optionalNillableStructure(&value)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<Nillable<T>>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableStructure(part.element, x.pointee.value)
    }

    static func compared(_ x: XMLBox<Nillable<T>>) -> Nillable<XMLCompared<T>>? {
        x.value.map { $0.map(XMLCompared.init) }
    }
}

// MARK: Choices

enum ChoiceShape<T: XMLChoice>: XMLFieldShape {
    static var blank: T { ._placeholder }

    static func read(_ x: inout T, _ reader: inout XMLReader) {
        if let value = reader.alternative(of: T.self) { x = value }
    }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.choice(part.element, x.pointee)
    }
}

enum OptionalChoiceShape<T: XMLChoice>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) {
        if let value = reader.alternative(of: T.self) { x = value }
    }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee { writer.choice(part.element, value) }
    }
}

enum ChoicesShape<T: XMLChoice>: XMLFieldShape {
    static func read(_ x: inout [T], _ reader: inout XMLReader) { reader.choices(&x) }

    static func write(_ x: UnsafePointer<[T]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.choices(part.element, x.pointee)
    }
}

// MARK: Groups of elements

enum OptionalGroupShape<T: XMLFielded>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) {
        x = reader.filledGroup()
    }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if x.pointee != nil { writer.members(part.element, T.xmlTable, UnsafeRawPointer(x)) }
    }

    static func compared(_ x: T?) -> XMLCompared<T>? { x.map(XMLCompared.init) }
}

enum GroupsShape<Item: XMLFielded, List: RangeReplaceableCollection>: XMLStructuresShape
where List.Element == Item {
    typealias Value = List

    static func read(_ x: inout List, _ reader: inout XMLReader) { x.append(reader.filledGroup()) }

    static func write(_ x: UnsafePointer<List>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        forEach(x) { writer.members(part.element, $0, $1) }
    }
}

enum BoxedGroupShape<T: XMLFielded>: XMLBoxShape {
    typealias Held = T

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        var value: T?
        OptionalGroupShape.read(&value, &reader)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee.value { writer.group(part.element, value) }
    }
}
