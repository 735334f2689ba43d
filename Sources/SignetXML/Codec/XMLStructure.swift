/// A complex type: what reads, writes, compares and describes it comes from the fields it hands over. Generated code implements it;
/// ``XMLReader`` and ``XMLWriter`` do the work.
///
/// Two are equal when all that they would write is equal, compared as values; those within another are compared so even where
/// their type has a `==` of its own. The description is the type and what it holds, in
/// one line of about 1,000 characters at most: for logs and debuggers, not for machines. What is nil or empty is left out. A type
/// with a property `description` of the type `String` is described by that alone.
public typealias XMLStructure = XMLFielded & Hashable & CustomStringConvertible

/// What ``XMLStructure`` asks of a type.
// It does not refine Hashable: what refines a protocol of the standard library has no tables that are known before the program
// runs, and all generated code would look them up.
public protocol XMLFielded: Sendable {
    /// An empty value for the reader to fill: any value of each property's type will do, such as ``XMLValue/_placeholder``. What is
    /// required and absent is reported before a caller gets the value.
    ///
    /// A type may leave it out whose `xmlFields` hands over all of its stored properties and nothing else, and does nothing with
    /// the value but that: then it is called with a value that is none yet. Initial values of properties do not count then, and
    /// those of base types (``XMLFields/derived(_:_:_:)``) that are required cannot be made so.
    init(_decoding: Void)
    /// Says the names of the fields, and hands over the stored property of each: the elements first, then the attributes, then the
    /// text of simple content, then the attributes of any name.
    ///
    /// It calls ``XMLFields/names(_:elements:attributes:groups:text:anyAttribute:mixed:unordered:types:presets:forms:rules:)`` first, then
    /// a method for each property, `field` in code that is written by hand. Its result is kept, so that it must have no other
    /// effects. What is handed over are stored properties without observers, each once, the same for all values: not what an
    /// optional holds, nor an item of an array. A type that hands over anything else is neither read nor written: an ``XMLError`` says
    /// which field it is.
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields)
}

/// A choice between elements, and groups of elements: an enumeration with a case an alternative.
public protocol XMLChoice: Sendable, Hashable, CustomStringConvertible {
    /// The names of the alternatives: made with ``XMLTable/init(choice:elements:groups:mixed:types:presets:forms:rules:)``.
    static var xmlTable: XMLTable { get }
    /// Reads the alternative with this index; nil when its value could not be read. Text between the elements of mixed content
    /// is the alternative behind all others.
    static func decode(_ index: Int, from reader: inout XMLReader) -> Self?
    /// Writes the alternative: with the method of ``XMLWriter`` that fits what it holds, and the alternative's index.
    func encode(to writer: inout XMLWriter)
    /// Stands for the choice until it is read.
    static var _placeholder: Self { get }
    /// The alternative and what it holds; see ``XMLStructure``.
    @_disfavoredOverload var description: String { get }
}

/// A complex type that is derived from another, or another from it (XML Schema Part 1 §3.4).
public protocol XMLDerivable: XMLStructure {
    /// The type's name, as `xsi:type` says it.
    static var xmlType: XMLName { get }
}
