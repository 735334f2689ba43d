/// The notation `(a b)` of choices, until no generated code uses it.
extension XMLReader {
    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice, _ make: (T) -> Choice) {
        if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout Choice?, _ make: (T) -> Choice) {
        if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLValue>(_ x: inout [Choice], _ make: (T) -> Choice) {
        if let value = taken(T.self) { x.append(make(value)) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice, _ make: (T) -> Choice) {
        if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice?, _ make: (T) -> Choice) {
        if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout [Choice], _ make: (T) -> Choice) {
        if let value = taken(T.self) { x.append(make(value)) }
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
        if takeNil() { x = make(nil) } else if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout Choice?, _ make: (T?) -> Choice) {
        if takeNil() { x = make(nil) } else if let value = taken(T.self) { x = make(value) }
    }

    @inlinable public mutating func choice<Choice, T: XMLStructure>(_ x: inout [Choice], _ make: (T?) -> Choice) {
        if takeNil() { x.append(make(nil)) } else if let value = taken(T.self) { x.append(make(value)) }
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
