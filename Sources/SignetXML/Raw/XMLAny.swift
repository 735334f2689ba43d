/// The attributes and the content of an element, kept as they were written: an element whose type is `xs:anyType`, or
/// one with text and elements mixed.
///
/// Unlike an ``XMLFragment`` it has no name: it is the content of an element, and can be put into any other element.
/// Everything said there about namespaces, comments, equality and secrets also applies here.
public struct XMLAny: Sendable, Hashable {
    let declarations: [XMLDeclaration]
    /// The attributes as written, each preceded by a space, without namespace declarations.
    let attributeBytes: [UInt8]
    let content: [UInt8]

    init(declarations: [XMLDeclaration], attributes: [UInt8], content: [UInt8]) {
        self.declarations = declarations
        attributeBytes = attributes
        self.content = content
    }

    // MARK: Making one

    /// Makes empty content: no attributes, no text, no elements.
    public init() { self.init(declarations: [], attributes: [], content: []) }

    /// Makes content from a text.
    ///
    /// - Throws: `unwritable` for characters that XML does not allow.
    public init(text: String) throws(XMLError) { try self.init(writing: { $0.text(text) }) }

    /// Makes content from elements.
    public init(children: [XMLFragment]) {
        var writer = XMLWriter()
        writer.wildcard(children)
        self.init(declarations: [], attributes: [], content: writer.bytesWritten)
    }

    /// Makes content from an element, without its name.
    public init(_ fragment: XMLFragment) {
        self = (try? fragment.structure(XMLAny.self)) ?? XMLAny()
    }

    /// Makes the content that a structure would write into its element.
    public init<T: XMLFielded>(_ value: T) throws(XMLError) {
        try self.init { writer in writer.element(Self.anyName, value) }
    }

    /// Makes the content that the two functions write: first the attributes, with ``XMLWriter/attribute(_:_:)`` and
    /// ``XMLWriter/attribute(_:qualifiedName:)``, then text and elements.
    ///
    /// - Parameters:
    ///   - declaring: namespaces to declare once for all of the content, with the wanted prefixes.
    ///   - attributes: writes the attributes; no attributes by default.
    ///   - write: writes text and elements.
    /// - Throws: `XMLError` for text that cannot stand in XML, and when start and end tags do not match.
    public init(
        declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: (inout XMLWriter) -> Void = { _ in }, writing write: (inout XMLWriter) -> Void
    ) throws(XMLError) {
        try self.init { writer in
            writer.startElement(Self.anyName, declaring: declaring, attributes: attributes)
            write(&writer)
            writer.endElement(Self.anyName)
        }
    }

    private init(_ write: (inout XMLWriter) -> Void) throws(XMLError) {
        self = try XMLFragment(writing: write).structure()
    }

    private static let anyName = XMLName(.none, "any")

    // MARK: Content

    /// The character data of the content, in its order; references are resolved.
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

    /// Reads the content as a structure.
    public func structure<T: XMLFielded>(_ type: T.Type = T.self) throws(XMLError) -> T {
        try read { (reader) throws(XMLError) in try reader.structure(type) }
    }

    /// Reads the content as a value of a simple type.
    public func value<T: XMLValue>(_ type: T.Type = T.self) throws(XMLError) -> T {
        try read { (reader) throws(XMLError) in try reader.value(type) }
    }

    /// Reads the content as the type that `xsi:type` names among its attributes; see ``XMLFragment/value(of:)``.
    ///
    /// - Returns: nil when there is no `xsi:type`, or it names none of the types.
    public func value(of types: XMLTypeRegistry) throws(XMLError) -> (any XMLDerivable)? {
        try read { (reader) throws(XMLError) in try reader.value(of: types) }
    }

    /// Runs `body` with a reader that has read a start tag with the attributes; the name of the tag has no meaning.
    ///
    /// - Throws: the errors of `body`.
    public func read<Result, Failure: Error>(
        _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try XMLReader.readKept(bytes, body)
    }

    /// The content in an element whose name has no meaning.
    private var bytes: [UInt8] {
        var writer = XMLWriter()
        writer.raw("<any")
        writer.write(declarations)
        writer.raw(attributeBytes)
        writer.raw(UInt8(ascii: ">"))
        writer.raw(content)
        writer.raw("</any>")
        return writer.bytesWritten
    }

    /// Returns the same content without a default namespace declared by the element itself, so that the element can be
    /// in no namespace.
    ///
    /// Each child element declares the default namespace instead; nil when this takes more than `room` bytes.
    func withoutDefaultNamespace(room: Int) -> XMLAny? {
        guard let standard = declarations.first(where: { $0.prefix.isEmpty }) else { return self }
        let children = (try? read { (reader) throws(XMLError) in try reader.childStarts() }) ?? []
        var declared = declarations.filter { !$0.prefix.isEmpty }
        var declaration = XMLWriter()
        declaration.write([standard])
        guard children.count <= room / declaration.count else { return nil }
        var writer = XMLWriter()
        // `bytes` ends with the content and `</any>`.
        let begin = bytes.count - content.count - 6
        var from = 0
        for child in children where child > begin {
            writer.raw(content[from..<(child - begin)])
            from = child - begin
            writer.raw(declaration.base, declaration.count)
        }
        writer.raw(content[from...])
        var attributes = attributeBytes
        if let type = attribute("type", namespace: .schemaInstance), !type.utf8.contains(UInt8(ascii: ":")) {
            let prefix = XMLWriter.freePrefix { candidate in declared.contains { $0.prefix == candidate } }
            declared.append(XMLDeclaration(prefix: prefix, uri: standard.uri))
            let place = read { reader in reader.typeOffset() }
            let start = begin - 1 - attributes.count
            if let place { attributes.insert(contentsOf: Array("\(prefix):".utf8), at: place - start) }
        }
        return XMLAny(declarations: declared, attributes: attributes, content: writer.bytesWritten)
    }
}

extension XMLReader {
    /// The positions in the start tags of child elements without a default namespace at which one can be declared.
    fileprivate mutating func childStarts() throws(XMLError) -> [Int] {
        var starts: [Int] = []
        while true {
            switch try next() {
            case .startElement:
                let declares = attributes.contains { $0.prefixLength == 0 && isDeclaration($0) }
                if !declares, let frame = frames.last { starts.append(frame.name + frame.length - base) }
                try skipElement()
            case .text: continue
            case .endElement, .endOfDocument: return starts
            }
        }
    }

    /// Where the value of `xsi:type` begins.
    fileprivate func typeOffset() -> Int? {
        let attribute = attributes.first {
            $0.namespace == XMLNamespace.schemaInstance.id && $0.localLength == 4
                && starts(with: "type", at: $0.localName)
        }
        guard var place = attribute?.value else { return nil }
        while XMLCharacters.isSpace(place[0]) { place += 1 }
        return place - base
    }
}

extension XMLAny: XMLFielded {
    public static func == (left: Self, right: Self) -> Bool {
        left.declarations == right.declarations && left.attributeBytes == right.attributeBytes
            && left.content == right.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(declarations)
        hasher.combine(attributeBytes)
        hasher.combine(content)
    }

    public init(_decoding: Void) { self.init() }
    public static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) { fields.raw(&x) }
}

/// Represents values of derived types that a program does not know, if its ``XMLTypeRegistry`` has `XMLAny`. The
/// attribute `xsi:type` is among the kept attributes.
extension XMLAny: XMLDerivable {
    public static let xmlType = XMLName("http://www.w3.org/2001/XMLSchema", "anyType")
}

extension XMLAny: CustomStringConvertible, CustomReflectable {
    public var description: String { "any (\(attributeBytes.count + content.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension XMLFragment {
    /// The content of the element, without its name.
    public var content: XMLAny { XMLAny(self) }
}
