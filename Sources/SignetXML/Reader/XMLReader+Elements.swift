extension XMLReader {
    // MARK: The last start tag

    /// The namespace name of the element whose start tag was read last; empty for no namespace.
    public var namespaceURI: String { uri(of: elementNamespace) }
    /// Its local name.
    public var elementName: String { string(localName, localLength) }

    /// Whether the element whose start tag was read last has this name.
    public func isElement(_ name: XMLName) -> Bool {
        stands(elementNamespace, for: name.namespace) && localLength == name.localName.utf8.count
            && equals(localName, name.localName)
    }

    /// Whether the element whose start tag was read last has this local name, in any namespace.
    package func isElement(local name: String) -> Bool {
        localLength == name.utf8.count && equals(localName, name)
    }

    private func equals(_ bytes: UnsafePointer<UInt8>, _ name: String) -> Bool {
        var i = 0
        for byte in name.utf8 {
            if bytes[i] != byte { return false }
            i += 1
        }
        return true
    }

    /// The value of an attribute of the start tag read last; nil when it is absent. Call this before moving on.
    public mutating func attribute(_ name: String, namespace: XMLNamespace = .none) -> String? {
        let length = name.utf8.count
        for attribute in attributes
        where stands(attribute.namespace, for: namespace) && attribute.localLength == length
            && equals(attribute.localName, name)
        {
            if attribute.prefixLength == 0 && name == "xmlns" { continue }
            return attributeValue(attribute)
        }
        return nil
    }

    /// All attributes of the start tag read last, without namespace declarations, as (namespace name, local name,
    /// value).
    public mutating func allAttributes() -> [(namespaceURI: String, name: String, value: String)] {
        guard !attributes.isEmpty else { return [] }
        var result: [(String, String, String)] = []
        result.reserveCapacity(attributes.count)
        for index in attributes.indices {
            let attribute = attributes[index]
            if isDeclaration(attribute) { continue }
            result.append(
                (
                    uri(of: attribute.namespace), string(attribute.localName, attribute.localLength),
                    attributeValue(attribute)
                ))
        }
        return result
    }

    func isDeclaration(_ attribute: Attribute) -> Bool {
        attribute.namespace == Self.declarations
            || (attribute.prefixLength == 0 && attribute.localLength == 5
                && starts(with: "xmlns", at: attribute.localName))
    }

    /// The namespace name to which a prefix is bound here; the empty prefix means the default namespace.
    ///
    /// Needed for values that are qualified names, such as a fault code or `xsi:type`.
    public func namespaceURI(forPrefix prefix: String) -> String? {
        var prefix = prefix
        let number = prefix.withUTF8 { lookup($0.baseAddress ?? start, $0.count) }
        guard let number else { return nil }
        return uri(of: number)
    }

    /// Whether the start tag read last declares any namespace.
    package var declaresNamespaces: Bool { bindings.count > (frames.last?.bindings ?? 0) }

    /// The bindings in scope, innermost last, as (prefix, namespace name).
    public var namespacesInScope: [(prefix: String, uri: String)] {
        bindings.map { (string($0.prefix, $0.length), uri(of: $0.namespace)) }
    }

    /// What each prefix stands for around the innermost open element, whose own declarations are left out.
    package var namespacesAround: [String: String] {
        var result: [String: String] = [:]
        for binding in bindings.prefix(frames.last?.bindings ?? 0) {
            result[string(binding.prefix, binding.length)] = uri(of: binding.namespace)
        }
        return result
    }

    /// Where the start tag of the innermost open element begins, in bytes from the start of the document; nil outside of
    /// the root element.
    package var startTagOffset: Int? { frames.last.map { $0.name - 1 - base } }
    /// How many bytes of the document were read.
    package var bytesRead: Int { p - base }
    /// Whether the reader reads the program's bytes, not a conversion of them from another encoding: places then count in them.
    package var isInPlace: Bool { hasOwnBytes }
    /// The number of open elements.
    package var openElements: Int { frames.count }

    // MARK: Walking

    /// Moves to the next child of the innermost open element: true when a child's start tag was read, false when the
    /// end tag of the open element was read.
    ///
    /// A child becomes the innermost open element: read it or skip it, otherwise its own children come next. White
    /// space between children is skipped; other text is an error.
    public mutating func nextChild() throws(XMLError) -> Bool {
        let found = advanceToChild()
        try check()
        return found
    }

    /// Moves to the next start tag with this name, at any depth, and skips everything before it: false when the
    /// document has no other one; the document is then complete and well-formed.
    ///
    /// If the program does not read the element, its content comes next.
    public mutating func nextElement(_ name: XMLName) throws(XMLError) -> Bool {
        while let token = advance(), token != .endOfDocument {
            if token == .startElement && isElement(name) { return true }
        }
        try check()
        return false
    }

    mutating func advanceToChild() -> Bool {
        while let token = advance() {
            switch token {
            case .startElement: return true
            case .endElement: return false
            case .text:
                if !currentTextIsSpace {
                    fail(.unexpected, "there is text where only elements are allowed.", at: text)
                    return false
                }
            case .endOfDocument:
                return false
            }
        }
        return false
    }

    /// Skips the rest of the innermost open element, its end tag included. The skipped part is checked like everything
    /// else.
    public mutating func skipElement() throws(XMLError) {
        skipRest()
        try check()
    }

    mutating func skipRest() {
        let target = frames.count - 1
        while frames.count > target, !hasFailed, let token = advance(), token != .endOfDocument {}
    }

    /// Skips the innermost open element and returns the range of its content, markup included, counted in the document
    /// as UTF-8, a byte-order mark included.
    package mutating func skipElementContent() throws(XMLError) -> Range<Int> {
        let from = p - base
        let isEmpty = selfClosed
        try skipElement()
        guard !isEmpty else { return from..<from }
        var q = p
        while q - base > from && q[-1] != UInt8(ascii: "<") { q -= 1 }
        return from..<max(from, q - base - 1)
    }

    /// The text of the innermost open element, read to its end tag; references are resolved, and CDATA sections and
    /// pieces around comments are joined. A child element is an error.
    public mutating func elementText() throws(XMLError) -> String {
        beginLeaf()
        let bytes = leafBytes()
        try settle()
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Reads the innermost open element as a structure, to its end tag. Call it right after the start tag.
    ///
    /// An element that is nil (`xsi:nil`) has no value, unless the type keeps elements as they were written or is a
    /// message that may be nil.
    ///
    /// - Throws: `missing`, `duplicate`, `unexpected` or `invalidValue` for content that the type does not allow and
    ///   ``tolerance`` does not tolerate. The error has all ``deviations``.
    public mutating func structure<T: XMLFielded>(_ type: T.Type = T.self) throws(XMLError) -> T {
        beginLeaf()
        let value: T
        if isNil(for: type) {
            deviate(.unexpectedNil, "the element is nil (xsi:nil), for which a structure has no value.")
            leaf.isNil = true
            _ = takeNil()
            value = T(_decoding: ())
        } else {
            value = filled(type)
        }
        try settle()
        return value
    }

    /// Reads the innermost open element as a simple value, to its end tag.
    ///
    /// - Throws: `invalidValue` for a text that is not such a value. The message repeats the text unless a surrounding
    ///   name marks it as secret.
    public mutating func value<T: XMLValue>(_ type: T.Type = T.self) throws(XMLError) -> T {
        beginLeaf()
        let value = simple(type)
        try settle()
        return value ?? ._placeholder
    }

    /// The piece of text that ``next()`` found last, with references resolved and line ends normalised.
    public mutating func currentText() throws(XMLError) -> String {
        if textIsLiteral && !hasFailed { return string(text, textLength) }
        scratch.removeAll()
        _ = appendCurrentText()
        try check()
        return String(decoding: UnsafeBufferPointer(start: scratch.base, count: scratch.count), as: UTF8.self)
    }

    /// The ranges of the attribute values of the start tag read last, with the attributes' local names, without
    /// namespace declarations. They are counted as in ``skipElementContent()``.
    package var attributeValueRanges: [(name: String, range: Range<Int>)] {
        var ranges: [(name: String, range: Range<Int>)] = []
        for attribute in attributes where !isDeclaration(attribute) {
            let from = attribute.value - base
            ranges.append((string(attribute.localName, attribute.localLength), from..<(from + attribute.valueLength)))
        }
        return ranges
    }

    /// Checks that nothing but comments, processing instructions and white space follows the root element.
    public mutating func finish() throws(XMLError) {
        while let token = advance() {
            if token == .endOfDocument { break }
            fail(.unexpected, "the document goes on where its end is expected.")
        }
        try check()
    }

    /// Moves to the root element: the first step in most documents.
    public mutating func root() throws(XMLError) {
        if advance() != .startElement { fail(.unexpected, "a root element is expected.") }
        try check()
    }
}
