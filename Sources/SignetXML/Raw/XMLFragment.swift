/// One whole element, kept as it was written, for places where a schema says `xs:any`.
///
/// ```swift
/// for record in result.records {
///     print(record.any.first(named: "Name")?.text ?? "-")
/// }
/// ```
///
/// The bytes are UTF-8 and well-formed, and have the same meaning in every document: the element declares every
/// namespace it uses, also for prefixes before a colon in a text or an attribute's value. Nothing else is changed;
/// comments and processing instructions inside are kept. Two fragments are equal when their bytes are.
///
/// Only the types of texts could show which texts are qualified names. Texts are examined as they were written, so that
/// a namespace declared outside may be lost when a qualified name in a text or a value
/// - has its prefix or colon written as a character reference (`t&#58;Person`),
/// - is split by a comment, a processing instruction or the border of a CDATA section (`t<![CDATA[:Person]]>`),
/// - has no prefix and means the default namespace; only `xsi:type` is known to be such a name.
///
/// Names of elements and attributes are always complete, and so are the element's own declarations. An undeclared name
/// before a colon (`note n1: …`) counts as a prefix when a surrounding element declares a prefix of that name; a
/// fragment kept there declares it too, and is not equal to this one.
///
/// A description shows only name and size, because it is unknown which content is secret; for the same reason, errors
/// do not repeat invalid values.
public struct XMLFragment: Sendable {
    /// The element as it was written.
    let element: [UInt8]
    /// Where the name in its start tag ends; declarations are inserted there.
    let nameEnd: Int
    /// The declarations that the element needs from its surroundings.
    let declarations: [XMLDeclaration]
    /// The namespace name of the element; empty for no namespace.
    public let namespaceURI: String
    /// The element's name without its prefix.
    public let localName: String

    init(element: [UInt8], nameEnd: Int, declarations: [XMLDeclaration], namespaceURI: String, localName: String) {
        self.element = element
        self.nameEnd = nameEnd
        self.declarations = declarations
        self.namespaceURI = namespaceURI
        self.localName = localName
    }

    // MARK: Making one

    /// Makes a fragment of the root element of a document.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - limits: the limits of the document.
    ///   - charset: the encoding that the transport names; see ``XMLReader/read(_:limits:charset:doctype:_:)``.
    /// - Throws: `XMLError` for text that is not well-formed, or larger than the limits allow.
    public init(parsing bytes: [UInt8], limits: XMLLimits = .init(), charset: String? = nil) throws(XMLError) {
        self = try XMLReader.read(bytes, limits: limits, charset: charset) { (reader) throws(XMLError) in
            try reader.root()
            let fragment = try reader.fragment()
            try reader.finish()
            return fragment
        }
    }

    /// Makes a fragment of the root element of a document.
    ///
    /// - Throws: `XMLError` for text that is not well-formed, or larger than the limits allow.
    public init(parsing text: String, limits: XMLLimits = .init()) throws(XMLError) {
        try self.init(parsing: Array(text.utf8), limits: limits, charset: "utf-8")
    }

    /// Makes an element with a text.
    ///
    /// - Throws: `unwritable` for a text with characters that XML does not allow, or when `name` is not a valid name.
    public init(_ name: XMLName, text: String) throws(XMLError) {
        try self.init(name, XMLAny(text: text))
    }

    /// Makes an element with a value of a simple type.
    public init<T: XMLValue>(_ name: XMLName, value: T) throws(XMLError) {
        try self.init { writer in
            writer.startElement(name)
            value.writeLexical(to: &writer)
            writer.endElement(name)
        }
    }

    /// Makes an element with the content of a structure, for example ``XMLAny``.
    public init<T: XMLFielded>(_ name: XMLName, _ value: T) throws(XMLError) {
        try self.init { writer in writer.element(name, value) }
    }

    /// Makes the one element that `write` writes.
    ///
    /// - Throws: `XMLError` for text that cannot stand in XML, and when `write` writes anything but one complete
    ///   element.
    public init(writing write: (inout XMLWriter) -> Void) throws(XMLError) {
        var writer = XMLWriter()
        write(&writer)
        self = try XMLReader.read(writer.finish(), limits: .none) { (reader) throws(XMLError) in
            reader.hidesValues = true
            try reader.root()
            let fragment = try reader.fragment()
            try reader.finish()
            return fragment
        }
    }

    /// The placeholder for the fragment until it is read.
    public static let _placeholder = XMLFragment(
        element: Array("<none/>".utf8), nameEnd: 5, declarations: [], namespaceURI: "", localName: "none")

    // MARK: Content

    /// The element with every namespace declaration that it needs.
    public var bytes: [UInt8] {
        if declarations.isEmpty { return element }
        var writer = XMLWriter()
        writer.wildcard(self)
        return writer.bytesWritten
    }

    /// Whether the element has this name.
    public func isElement(_ name: XMLName) -> Bool {
        localName == name.localName && namespaceURI.isExactly(name.namespace.uri)
    }

    /// The character data of the element and of all elements inside, in their order; references are resolved.
    public var text: String { (try? read { (reader) throws(XMLError) in try reader.allText() }) ?? "" }

    /// The elements directly inside.
    public var children: [XMLFragment] { (try? read { (reader) throws(XMLError) in try reader.children() }) ?? [] }

    /// The value of an attribute; nil when it is absent.
    public func attribute(_ name: String, namespace: XMLNamespace = .none) -> String? {
        read { reader in reader.attribute(name, namespace: namespace) }
    }

    /// All attributes, namespace declarations left out.
    public var attributes: [XMLAnyAttribute] {
        read { reader in reader.allAttributes() }.map {
            XMLAnyAttribute(namespaceURI: $0.namespaceURI, localName: $0.name, value: $0.value)
        }
    }

    /// Whether the element states that it has no value: `xsi:nil="true"`.
    public var isNil: Bool { read { reader in reader.isNil() } }

    /// Reads the content of the element as a structure.
    public func structure<T: XMLFielded>(_ type: T.Type = T.self) throws(XMLError) -> T {
        try read { (reader) throws(XMLError) in try reader.structure(type) }
    }

    /// Reads the content of the element as a value of a simple type.
    public func value<T: XMLValue>(_ type: T.Type = T.self) throws(XMLError) -> T {
        try read { (reader) throws(XMLError) in try reader.value(type) }
    }

    /// Reads the content of the element as the type that its `xsi:type` names (XML Schema Part 1 §2.6.1): one of a
    /// service's `xmlTypes`, which are the types derived from others and the types from which they are derived.
    ///
    /// ```swift
    /// if let car = try answer.anything.value(of: Garages.xmlTypes) as? Garages.Car { … }
    /// ```
    ///
    /// - Returns: nil when there is no `xsi:type`, or it names none of the types.
    /// - Throws: the errors of ``structure(_:)``.
    public func value(of types: XMLTypeRegistry) throws(XMLError) -> (any XMLDerivable)? {
        try read { (reader) throws(XMLError) in try reader.value(of: types) }
    }

    /// Runs `body` with a reader that has read the element's start tag.
    ///
    /// - Throws: the errors of `body`.
    public func read<Result, Failure: Error>(
        _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try XMLReader.readKept(bytes, body)
    }
}

extension XMLFragment: Hashable, CustomStringConvertible, CustomReflectable {
    public static func == (left: Self, right: Self) -> Bool {
        if left.element == right.element && left.declarations == right.declarations { return true }
        // The same bytes can result in two ways: with declarations from the surroundings, or with the element's own.
        guard left.localName == right.localName, left.namespaceURI.isExactly(right.namespaceURI) else { return false }
        return left.bytes == right.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(namespaceURI)
        hasher.combine(localName)
        hasher.combine(text)
    }

    public var description: String {
        "\(namespaceURI.isEmpty ? "" : "{\(namespaceURI)}")\(localName) (\(element.count) bytes)"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sequence<XMLFragment> {
    /// The first element with this local name, in the namespace when one is given.
    public func first(named localName: String, namespace: XMLNamespace? = nil) -> XMLFragment? {
        first { piece in piece.localName == localName && namespace.map { piece.namespaceURI.isExactly($0.uri) } ?? true
        }
    }
}

extension XMLReader {
    /// Runs `body` with a reader over bytes that were checked when they were kept, after the root's start tag.
    static func readKept<Result, Failure: Error>(
        _ bytes: [UInt8], _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try read(bytes, limits: .none) { (reader) throws(Failure) in
            reader.hidesValues = true
            _ = reader.advance()
            return try body(&reader)
        }
    }

    /// The character data up to the end tag of the innermost open element, including that of elements inside.
    mutating func allText() throws(XMLError) -> String {
        let target = depth - 1
        var text = ""
        while depth > target {
            if try next() == .text { text += try currentText() }
        }
        return text
    }

    /// The elements directly inside the innermost open element; text between them is skipped.
    mutating func children() throws(XMLError) -> [XMLFragment] {
        var children: [XMLFragment] = []
        while true {
            switch try next() {
            case .startElement: children.append(try fragment())
            case .text: continue
            case .endElement, .endOfDocument: return children
            }
        }
    }
}
