/// A value of one of the built-in types of XML Schema, with the equality and the order of its value space (Part 2 §2.2,
/// §3).
public protocol XSDValue: XMLValue {
    /// The form that is the same for equal values, unescaped (Part 2 §2.3.1).
    ///
    /// The text that ``XMLValue/writeLexical(to:)`` writes is in the lexical space too, but often shorter.
    var canonicalForm: String { get }

    /// How this value compares to another: nil when neither is less and they are not equal. For types without an order
    /// this is the case for all different values.
    func compare(to other: Self) -> XSDOrder?
}

extension XSDValue {
    /// The text of ``XMLValue/writeLexical(to:)``: for types that write equal values in one way.
    public var canonicalForm: String { lexicalForm }

    /// `.equal` or nil: for types without an order, such as `xs:boolean` and `xs:hexBinary`.
    public func compare(to other: Self) -> XSDOrder? { self == other ? .equal : nil }
}

extension XSDValue where Self: Comparable {
    /// Never nil: for types with a total order, such as `xs:decimal`.
    public func compare(to other: Self) -> XSDOrder? { self < other ? .less : self == other ? .equal : .greater }
}

extension XMLValue {
    /// The text of the value in a document.
    public var lexicalForm: String {
        var writer = XMLWriter()
        writeLexical(to: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }

    /// Reads a text like that of an element, white space included; nil when it is not in the lexical space.
    static func read(text: String) -> Self? {
        var text = text
        return text.withUTF8 { bytes in
            whiteSpace.applied(to: bytes.span).map { Self(lexical: $0.span) } ?? Self(lexical: bytes.span)
        }
    }
}
