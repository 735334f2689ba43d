/// A complex type. It declares its fields, from which it is read, written, compared and described. Generated code
/// implements it; ``XMLReader`` and ``XMLWriter`` do the work.
///
/// Two values are equal when everything that they would write is equal, compared as values; nested values are compared
/// in this way even if their type has a `==` of its own. The description is the type and its content, in one line of
/// about 1,000 characters at most: for logs and debuggers, not for machines. It omits fields that are nil or empty. A
/// type with a property `description` of the type `String` is described by that alone.
public typealias XMLStructure = XMLFielded & Hashable & CustomStringConvertible

/// The requirements of ``XMLStructure``.
// It does not refine Hashable: a protocol that refines one of the standard library has no statically known witness
// tables, and generated code would look them up at run time.
public protocol XMLFielded: Sendable {
    /// Makes an empty value for the reader to fill. Each property may have any value of its type, such as
    /// ``XMLValue/_placeholder``. The reader reports absent required content before a caller gets the value.
    ///
    /// A type may omit it if its `xmlFields` hands over all stored properties and nothing else, and does nothing else
    /// with the value, because it is then called with an uninitialized value. Initial values of properties then have no
    /// effect, and required properties of base types (``XMLFields/derived(_:_:_:)``) are not possible.
    init(_decoding: Void)
    /// States the names of the fields, and hands over the stored property of each: the elements first, then the
    /// attributes, then the text of simple content, then the attributes of any name.
    ///
    /// It calls
    /// ``XMLFields/names(_:elements:attributes:groups:text:anyAttribute:mixed:unordered:types:presets:forms:rules:)``
    /// first, then a method for each property, `field` in handwritten code. The result is kept, so it must have no
    /// other effects. Hand over stored properties without observers, each once, the same for all values: not the value
    /// of an optional, nor an item of an array. A type that hands over anything else is neither read nor written: an
    /// ``XMLError`` says which field it is.
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields)
}

/// A choice between elements and groups of elements: an enumeration with one case for each alternative.
public protocol XMLChoice: Sendable, Hashable, CustomStringConvertible {
    /// The names of the alternatives: made with
    /// `XMLTable.init(choice:elements:groups:mixed:types:presets:forms:rules:)`.
    static var xmlTable: XMLTable { get }
    /// Reads the alternative with this index; nil when its value could not be read. Text between the elements of mixed
    /// content is the alternative after all others.
    static func decode(_ index: Int, from reader: inout XMLReader) -> Self?
    /// Writes the alternative: call the method of ``XMLWriter`` that fits its value, with the index of the alternative.
    func encode(to writer: inout XMLWriter)
    /// The placeholder for the choice until it is read.
    static var _placeholder: Self { get }
    /// The alternative and its value; see ``XMLStructure``.
    @_disfavoredOverload var description: String { get }
}

/// A complex type that is derived from another, or from which another is derived (XML Schema Part 1 §3.4).
public protocol XMLDerivable: XMLStructure {
    /// The name of the type that `xsi:type` uses.
    static var xmlType: XMLName { get }
}
