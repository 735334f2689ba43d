/// Generated code calls these for an alternative of a choice: `make`, a case of the enumeration, wraps the value read.
extension XMLReader {
    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLValue>(_ make: (T) -> Choice) -> Choice? {
        taken(T.self).map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLValue>(_ make: (T?) -> Choice) -> Choice? {
        takeNil() ? make(nil) : simple(T.self).map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLValue>(_ make: ([T]) -> Choice) -> Choice? {
        repeated { reader, values in reader.values(&values) }.map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLValue>(_ make: ([Nillable<T>]) -> Choice)
        -> Choice?
    {
        repeated { reader, values in reader.nillableValues(&values) }.map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLFielded>(_ make: (T) -> Choice) -> Choice? {
        taken(T.self).map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLFielded>(_ make: (T?) -> Choice) -> Choice? {
        takeNil() ? make(nil) : taken(T.self).map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLFielded>(_ make: ([T]) -> Choice) -> Choice? {
        repeated { reader, values in reader.structures(&values) }.map(make)
    }

    @_spi(Generated) @inlinable public mutating func branch<Choice, T: XMLFielded>(_ make: ([Nillable<T>]) -> Choice)
        -> Choice?
    {
        repeated { reader, values in reader.nillableStructures(&values) }.map(make)
    }

    @_spi(Generated) public mutating func branch<Choice>(_ make: (XMLFragment) -> Choice) -> Choice? {
        keepElement().map(make)
    }

    @_spi(Generated) public mutating func branch<Choice>(_ make: ([XMLFragment]) -> Choice) -> Choice? {
        repeated { reader, values in reader.fragments(&values) }.map(make)
    }

    // MARK: Groups

    /// An alternative that is a sequence of elements.
    @_spi(Generated) @inlinable public mutating func branchGroup<Choice, T: XMLFielded>(_ make: (T) -> Choice)
        -> Choice?
    {
        make(filledGroup())
    }

    @_spi(Generated) @inlinable public mutating func branchGroup<Choice, T: XMLFielded>(_ make: ([T]) -> Choice)
        -> Choice?
    {
        repeated { reader, values in values.append(reader.filledGroup()) }.map(make)
    }

    /// An alternative that is another choice.
    @_spi(Generated) @inlinable public mutating func branchGroup<Choice, T: XMLChoice>(_ make: (T) -> Choice) -> Choice?
    {
        alternative(of: T.self).map(make)
    }

    @_spi(Generated) @inlinable public mutating func branchGroup<Choice, T: XMLChoice>(_ make: ([T]) -> Choice)
        -> Choice?
    {
        repeated { reader, values in reader.choices(&values) }.map(make)
    }

    // MARK: Text

    /// The text between two elements of mixed content.
    @_spi(Generated) public mutating func text<Choice>(_ make: (String) -> Choice) -> Choice? {
        let text = heldText
        heldText = ""
        return make(text)
    }

    /// An alternative whose white space is collapsed, as `XMLFields.collapsed` does.
    @_spi(Generated) public mutating func branchCollapsed<Choice>(_ make: (String) -> Choice) -> Choice? {
        branch(.collapse, make)
    }

    @_spi(Generated) public mutating func branchCollapsed<Choice>(_ make: (String?) -> Choice) -> Choice? {
        takeNil() ? make(nil) : string(.collapse).map(make)
    }

    @_spi(Generated) public mutating func branchCollapsed<Choice>(_ make: ([String]) -> Choice) -> Choice? {
        repeated { reader, values in reader.text(&values, .collapse) }.map(make)
    }

    @_spi(Generated) public mutating func branchCollapsed<Choice>(_ make: ([Nillable<String>]) -> Choice) -> Choice? {
        repeated { reader, values in reader.text(&values, .collapse) }.map(make)
    }

    /// An alternative of the type `xs:normalizedString`.
    @_spi(Generated) public mutating func branchReplaced<Choice>(_ make: (String) -> Choice) -> Choice? {
        branch(.replace, make)
    }

    @_spi(Generated) public mutating func branchReplaced<Choice>(_ make: (String?) -> Choice) -> Choice? {
        takeNil() ? make(nil) : string(.replace).map(make)
    }

    @_spi(Generated) public mutating func branchReplaced<Choice>(_ make: ([String]) -> Choice) -> Choice? {
        repeated { reader, values in reader.text(&values, .replace) }.map(make)
    }

    @_spi(Generated) public mutating func branchReplaced<Choice>(_ make: ([Nillable<String>]) -> Choice) -> Choice? {
        repeated { reader, values in reader.text(&values, .replace) }.map(make)
    }

    private mutating func branch<Choice>(_ whiteSpace: XSDWhiteSpace, _ make: (String) -> Choice) -> Choice? {
        if takeNil() {
            failNil()
            return nil
        }
        return string(whiteSpace).map(make)
    }

    // MARK: Pieces

    @inlinable mutating func taken<T: XMLValue>(_ type: T.Type) -> T? {
        if takeNil() {
            failNil()
            return nil
        }
        return simple(type)
    }

    @inlinable mutating func taken<T: XMLFielded>(_ type: T.Type) -> T? {
        if takeNil() {
            failNil()
            return nil
        }
        return filled()
    }

    /// Reads the elements of an alternative that repeats; nil when none could be read.
    @inlinable mutating func repeated<T>(_ read: (inout XMLReader, inout [T]) -> Void) -> [T]? {
        let place = alternative
        var values: [T] = []
        repeat { read(&self, &values) } while nextRepetition(place)
        return values.isEmpty ? nil : values
    }
}
