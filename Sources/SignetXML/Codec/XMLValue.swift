/// A value of a simple type, which is read from text and written as text (XML Schema Part 2 §2).
public protocol XMLValue: Sendable, Hashable {
    /// Reads the lexical form; nil when it is not in the lexical space.
    ///
    /// The bytes are valid UTF-8. White space at both ends is removed if ``/SignetXML/XMLValue/whiteSpace`` is
    /// `collapse`. When this initializer refuses a text, the reader tries it once more with all white space treated
    /// according to ``/SignetXML/XMLValue/whiteSpace``, if that changes the text.
    init?(lexical bytes: Span<UInt8>)

    /// Reads a lexical form whose meaning depends on the namespaces in scope, such as a qualified name.
    ///
    /// Values call ``XMLReader/namespaceURI(forValuePrefix:)`` on `scope`. Other types do not implement it.
    init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader)

    /// Writes the lexical form.
    func writeLexical(to writer: inout XMLWriter)

    /// How white space is treated before the value is read (Part 2 §4.3.6); `collapse` unless a type overrides it.
    static var whiteSpace: XSDWhiteSpace { get }
    /// The type's name for messages, for example `xs:int`.
    static var typeName: String { get }
    /// The placeholder for the value until it is read; a reader reports a required value that never came.
    static var _placeholder: Self { get }

    /// Whether values may be sent beside the document: ``init(lexical:in:)`` then takes ``XMLReader/inclusion``, and no
    /// bytes.
    static var _takesInclusions: Bool { get }
    /// Writes a reference to the value, if the value is to be sent beside the document.
    static func _include(_ x: Self, in writer: inout XMLWriter) -> Bool

    // Reader and writer call these for a property of this type. They are requirements, so that the code for each type
    // of this module is compiled here once: otherwise generated code would contain a copy for each type in each module,
    // which takes long to compile.
    static func _read(_ x: inout Self, from reader: inout XMLReader)
    static func _read(optional x: inout Self?, from reader: inout XMLReader)
    static func _read(nillable x: inout Nillable<Self>?, from reader: inout XMLReader)
    static func _read(next x: inout [Self], from reader: inout XMLReader)
    /// Writes the element with this number in the table of the structure being written.
    static func _write(_ x: Self, _ index: Int, to writer: inout XMLWriter)
    /// Reads values with white space between them; nil when a word is not in the lexical space.
    static func _list(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) -> [Self]?
    /// Writes values separated by spaces.
    static func _write(list: [Self], to writer: inout XMLWriter)
}

extension XMLValue {
    @inlinable public static var whiteSpace: XSDWhiteSpace { .collapse }

    @inlinable public init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) { self.init(lexical: bytes) }

    @inlinable public static var _takesInclusions: Bool { false }
    @inlinable public static func _include(_ x: Self, in writer: inout XMLWriter) -> Bool { false }

    public static func _read(_ x: inout Self, from reader: inout XMLReader) {
        if reader.takeNil() { return reader.failNil() }
        if let value = reader.simple(Self.self) { x = value }
    }

    public static func _read(optional x: inout Self?, from reader: inout XMLReader) {
        if reader.takeNil() { return reader.acceptNil() }
        x = reader.simple(Self.self)
    }

    public static func _read(nillable x: inout Nillable<Self>?, from reader: inout XMLReader) {
        if reader.takeNil() { x = .null } else { x = reader.simple(Self.self).map(Nillable.value) }
    }

    public static func _read(next x: inout [Self], from reader: inout XMLReader) {
        if reader.takeNil() { return reader.failNil() }
        if let value = reader.simple(Self.self) { x.append(value) }
    }

    public static func _write(_ x: Self, _ index: Int, to writer: inout XMLWriter) {
        guard writer.startValue(index) else { return writer.handOver(index, x) }
        if !_include(x, in: &writer) { x.writeLexical(to: &writer) }
        writer.endValue()
    }

    public static func _list(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) -> [Self]? {
        var items: [Self] = []
        var i = 0
        while let word = XSDWhiteSpace.nextWord(bytes, &i) {
            guard let item = Self(lexical: bytes.extracting(word), in: scope) else { return nil }
            items.append(item)
        }
        return items
    }

    public static func _write(list: [Self], to writer: inout XMLWriter) {
        for index in list.indices {
            if index > 0 { writer.raw(UInt8(ascii: " ")) }
            list[index].writeLexical(to: &writer)
        }
    }
}
