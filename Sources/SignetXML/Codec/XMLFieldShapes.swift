// How properties are read and written, by their types: a shape for each kind of content and each way in which it may be absent or
// repeat.

// MARK: Values

enum ValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }

    static var blank: T { ._placeholder }

    static func read(_ x: inout T, _ reader: inout XMLReader) { T._read(&x, from: &reader) }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.value(part, x.pointee)
    }
}

enum OptionalValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }

    static func read(_ x: inout T?, _ reader: inout XMLReader) { T._read(optional: &x, from: &reader) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee { writer.value(part, value) }
    }
}

enum NillableValueShape<T: XMLValue>: XMLFieldShape {
    static var isValue: Bool { true }

    static func read(_ x: inout T?, _ reader: inout XMLReader) { T._read(optional: &x, from: &reader) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableValue(part, x.pointee)
    }
}

enum OptionalNillableValueShape<T: XMLValue>: XMLFieldShape {
    static func read(_ x: inout Nillable<T>?, _ reader: inout XMLReader) { T._read(nillable: &x, from: &reader) }

    static func write(_ x: UnsafePointer<Nillable<T>?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableValue(part.element, x.pointee)
    }
}

enum ValuesShape<T: XMLValue>: XMLFieldShape {
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

enum StructureShape<T: XMLStructure>: XMLFieldShape {
    static var blank: T { T(_decoding: ()) }

    static func read(_ x: inout T, _ reader: inout XMLReader) { reader.structure(&x) }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x))
    }
}

enum OptionalStructureShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) { reader.optionalStructure(&x) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        // What an optional holds stands at its beginning; to take it out would copy it.
        if x.pointee != nil { writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x)) }
    }
}

enum NillableStructureShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) { reader.optionalStructure(&x) }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if x.pointee != nil {
            writer.structure(part.element, T.xmlTable, UnsafeRawPointer(x))
        } else {
            writer.null(part.element)
        }
    }
}

enum OptionalNillableStructureShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout Nillable<T>?, _ reader: inout XMLReader) { reader.optionalNillableStructure(&x) }

    static func write(_ x: UnsafePointer<Nillable<T>?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableStructure(part.element, x.pointee)
    }
}

enum StructuresShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout [T], _ reader: inout XMLReader) { reader.structures(&x) }

    static func write(_ x: UnsafePointer<[T]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        let table = T.xmlTable
        // In their place: to copy one is to count all that it refers to.
        x.pointee.withUnsafeBufferPointer { items in
            guard let first = items.baseAddress else { return }
            for index in 0..<items.count {
                writer.structure(part.element, table, UnsafeRawPointer(first + index))
            }
        }
    }
}

enum NillableStructuresShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout [Nillable<T>], _ reader: inout XMLReader) { reader.nillableStructures(&x) }

    static func write(_ x: UnsafePointer<[Nillable<T>]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableStructures(part.element, x.pointee)
    }
}

// MARK: Structures in boxes

enum BoxedOptionalStructureShape<T: XMLStructure>: XMLFieldShape {
    static var blank: XMLBox<T> { XMLBox() }

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        var value: T?
        reader.optionalStructure(&value)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee.value { writer.structure(part.element, value) }
    }
}

enum BoxedNillableStructureShape<T: XMLStructure>: XMLFieldShape {
    static var blank: XMLBox<T> { XMLBox() }

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        BoxedOptionalStructureShape.read(&x, &reader)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.nillableStructure(part.element, x.pointee.value)
    }
}

enum BoxedOptionalNillableStructureShape<T: XMLStructure>: XMLFieldShape {
    static var blank: XMLBox<Nillable<T>> { XMLBox() }

    static func read(_ x: inout XMLBox<Nillable<T>>, _ reader: inout XMLReader) {
        var value: Nillable<T>?
        reader.optionalNillableStructure(&value)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<Nillable<T>>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.optionalNillableStructure(part.element, x.pointee.value)
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

enum GroupShape<T: XMLStructure>: XMLFieldShape {
    static var blank: T { T(_decoding: ()) }

    static func read(_ x: inout T, _ reader: inout XMLReader) { reader.members(of: &x) }

    static func write(_ x: UnsafePointer<T>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        writer.members(part.element, T.xmlTable, UnsafeRawPointer(x))
    }
}

enum OptionalGroupShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout T?, _ reader: inout XMLReader) {
        var value = T(_decoding: ())
        reader.members(of: &value)
        x = value
    }

    static func write(_ x: UnsafePointer<T?>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if x.pointee != nil { writer.members(part.element, T.xmlTable, UnsafeRawPointer(x)) }
    }
}

enum GroupsShape<T: XMLStructure>: XMLFieldShape {
    static func read(_ x: inout [T], _ reader: inout XMLReader) { reader.group(&x) }

    static func write(_ x: UnsafePointer<[T]>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        let table = T.xmlTable
        x.pointee.withUnsafeBufferPointer { items in
            guard let first = items.baseAddress else { return }
            for index in 0..<items.count { writer.members(part.element, table, UnsafeRawPointer(first + index)) }
        }
    }
}

enum BoxedGroupShape<T: XMLStructure>: XMLFieldShape {
    static var blank: XMLBox<T> { XMLBox() }

    static func read(_ x: inout XMLBox<T>, _ reader: inout XMLReader) {
        var value: T?
        OptionalGroupShape.read(&value, &reader)
        x = XMLBox(value)
    }

    static func write(_ x: UnsafePointer<XMLBox<T>>, _ part: XMLFieldPart, _ writer: inout XMLWriter) {
        if let value = x.pointee.value { writer.group(part.element, value) }
    }
}
