/// What generated code calls for the elements of a choice: the value read is wrapped by `make`, a case of an enumeration.
extension XMLReader {
    @inlinable mutating func branch<T: XMLValue>(_ type: T.Type) -> T? {
        if takeNil() {
            failNil()
            return nil
        }
        return simple(type)
    }

    @inlinable mutating func branch<T: XMLStructure>(_ type: T.Type) -> T? {
        if takeNil() {
            failNil()
            return nil
        }
        var value = T(_decoding: ())
        content(of: &value)
        return value
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice, _ make: (T) -> Choice) {
        if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice?, _ make: (T) -> Choice) {
        if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout [Choice], _ make: (T) -> Choice) {
        if let value = branch(T.self) { x.append(make(value)) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice, _ make: (T) -> Choice) {
        if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice?, _ make: (T) -> Choice) {
        if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout [Choice], _ make: (T) -> Choice) {
        if let value = branch(T.self) { x.append(make(value)) }
    }

    // MARK: Nillable elements

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice, _ make: (T?) -> Choice) {
        if takeNil() { x = make(nil) } else if let value = simple(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice?, _ make: (T?) -> Choice) {
        if takeNil() { x = make(nil) } else if let value = simple(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout [Choice], _ make: (T?) -> Choice) {
        if takeNil() { x.append(make(nil)) } else if let value = simple(T.self) { x.append(make(value)) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice, _ make: (T?) -> Choice) {
        if takeNil() { x = make(nil) } else if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice?, _ make: (T?) -> Choice) {
        if takeNil() { x = make(nil) } else if let value = branch(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout [Choice], _ make: (T?) -> Choice) {
        if takeNil() { x.append(make(nil)) } else if let value = branch(T.self) { x.append(make(value)) }
    }

    // MARK: Any element

    public mutating func choice<Choice>(_ x: inout Choice, _ make: (XMLFragment) -> Choice) {
        if let value = keepElement() { x = make(value) }
    }

    public mutating func choice<Choice>(_ x: inout Choice?, _ make: (XMLFragment) -> Choice) {
        if let value = keepElement() { x = make(value) }
    }

    public mutating func choice<Choice>(_ x: inout [Choice], _ make: (XMLFragment) -> Choice) {
        if let value = keepElement() { x.append(make(value)) }
    }
}
