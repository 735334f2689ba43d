/// A namespace declaration: a prefix, empty for the default namespace, and the namespace name.
struct XMLDeclaration: Sendable, Hashable {
    var prefix: String
    var uri: String

    /// The number of bytes it takes when written, without escapes.
    var size: Int { prefix.utf8.count + uri.utf8.count + 10 }
}

/// Keeps pieces of a document as they were written.
///
/// A kept piece has the same meaning elsewhere: it includes the namespace declarations that it needs from its
/// surroundings. These are the ones used by the names of elements and attributes, and those whose prefix is before a
/// colon in a text or in an attribute's value, because that may be a qualified name (`xsi:type="t:Person"`, a fault
/// code, an XPath). A default namespace is included when an element without prefix or an `xsi:type` without prefix
/// needs it.
extension XMLReader {
    /// Keeps the element whose start tag was read last, to its end tag.
    public mutating func fragment() throws(XMLError) -> XMLFragment {
        leaf.framed = true
        let fragment = keepElement()
        try check()
        return fragment ?? ._placeholder
    }

    mutating func fragment(_ x: inout XMLFragment) {
        if let value = keepElement() { x = value }
    }

    mutating func optionalFragment(_ x: inout XMLFragment?) {
        if let value = keepElement() { x = value }
    }

    @usableFromInline mutating func fragments(_ x: inout [XMLFragment]) {
        if let value = keepElement() { x.append(value) }
    }

    /// Reads an attribute that the table does not name.
    package mutating func anyAttribute(_ x: inout [XMLAnyAttribute]) {
        guard !hasFailed, let attribute = leaf.attribute else { return }
        leaf.attribute = nil
        let value = attributeValue(attribute)
        let name = string(attribute.localName, attribute.localLength)
        x.append(XMLAnyAttribute(namespaceURI: uri(of: attribute.namespace), localName: name, value: value))
    }

    package mutating func keepElement() -> XMLFragment? {
        guard !hasFailed else { return nil }
        if !leaf.framed {
            // A predicted start tag has not set the name of the element yet.
            elementNamespace = prediction.namespace
            localName = leaf.name + (prediction.openLength - 1)
            localLength = leaf.length - (prediction.openLength - 1)
            attributes.removeAll(keepingCapacity: true)
            frameLeaf()
        }
        leaf.isNil = false
        leaf.hasAttributes = false
        guard !hasFailed else { return nil }
        guard let frame = frames.last else { return nothingToKeep() }
        let begin = frame.name - 1
        let (uri, name) = (namespaceURI, elementName)
        var scope = Scope(outer: frame.bindings)
        noteTag(&scope)
        passOver(&scope)
        guard !hasFailed else { return nil }
        let element = Array(UnsafeBufferPointer(start: begin, count: p - begin))
        let declarations = declarations(scope)
        guard hasRoom(element.count, declarations) else { return nil }
        return XMLFragment(
            element: element, nameEnd: frame.length + 1, declarations: declarations, namespaceURI: uri, localName: name)
    }

    /// Keeps attributes and content of the innermost open element, whose start tag was read last.
    mutating func keepContent() -> XMLAny? {
        guard !hasFailed else { return nil }
        guard !frames.isEmpty else { return nothingToKeep() }
        // The name is not kept, so the declarations of the element itself are also outside the piece.
        var scope = Scope(outer: bindings.count)
        noteAttributes(&scope)
        var written: [UInt8] = []
        for attribute in attributes where !isDeclaration(attribute) {
            written.append(UInt8(ascii: " "))
            let length = attribute.value + attribute.valueLength + 1 - attribute.name
            written.append(contentsOf: UnsafeBufferPointer(start: attribute.name, count: length))
        }
        let declared = bindings
        let begin = p
        let isEmpty = selfClosed
        passOver(&scope)
        guard !hasFailed else { return nil }
        var stop = p
        if isEmpty { stop = begin } else { repeat { stop -= 1 } while stop > begin && stop[0] != UInt8(ascii: "<") }
        let content = Array(UnsafeBufferPointer(start: begin, count: stop - begin))
        let declarations = declarations(scope, of: declared)
        guard hasRoom(written.count + content.count, declarations) else { return nil }
        return XMLAny(declarations: declarations, attributes: written, content: content)
    }

    private mutating func nothingToKeep<Kept>() -> Kept? {
        fail(.unexpected, "no element is open that could be kept: its end tag has been read.")
        return nil
    }

    /// Limits what is kept of one document: declarations added to many small pieces could make it grow.
    private mutating func hasRoom(_ count: Int, _ declarations: [XMLDeclaration]) -> Bool {
        keptBytes = declarations.reduce(keptBytes + count) { $0 + $1.size }
        if keptBytes <= limits.documentBytes { return true }
        fail(
            .documentTooLarge,
            "what is kept of the document as it was written takes more than \(limits.documentBytes) bytes with its "
                + "namespace declarations (XMLLimits.documentBytes).")
        return false
    }

    // MARK: Declarations from the surroundings

    /// The declarations around a piece that it needs.
    private struct Scope {
        /// The declarations with a smaller number are outside the piece.
        var outer: Int
        var used = FieldSet()
    }

    private func declarations(_ scope: Scope, of bindings: [Binding]? = nil) -> [XMLDeclaration] {
        let bindings = bindings ?? self.bindings
        var declarations: [XMLDeclaration] = []
        for index in 0..<min(scope.outer, bindings.count)
        where scope.used.contains(index) && bindings[index].namespace != XMLNamespace.none.id {
            let binding = bindings[index]
            declarations.append(
                XMLDeclaration(prefix: string(binding.prefix, binding.length), uri: uri(of: binding.namespace)))
        }
        return declarations
    }

    /// Reads to the end tag of the innermost open element, checks everything, and records the used prefixes.
    private mutating func passOver(_ scope: inout Scope) {
        let target = frames.count - 1
        while frames.count > target, !hasFailed, let token = advance(), token != .endOfDocument {
            if token == .startElement { noteTag(&scope) }
            if token == .text { noteValue(text, textLength, &scope) }
        }
    }

    private func noteTag(_ scope: inout Scope) {
        guard scope.outer > 0, let frame = frames.last else { return }
        note(frame.name, max(0, localName - frame.name - 1), &scope)
        noteAttributes(&scope)
    }

    private func noteAttributes(_ scope: inout Scope) {
        for attribute in attributes where !isDeclaration(attribute) {
            if attribute.prefixLength > 0 { note(attribute.name, attribute.prefixLength, &scope) }
            noteValue(attribute.value, attribute.valueLength, &scope)
            if attribute.namespace == XMLNamespace.schemaInstance.id, attribute.localLength == 4,
                starts(with: "type", at: attribute.localName)
            {
                let hasPrefix = (0..<attribute.valueLength).contains { attribute.value[$0] == UInt8(ascii: ":") }
                if !hasPrefix { note(attribute.value, 0, &scope) }
            }
        }
    }

    /// Records every name before a colon.
    private func noteValue(_ value: UnsafePointer<UInt8>, _ count: Int, _ scope: inout Scope) {
        guard scope.outer > 0 else { return }
        // Where a name would begin that extends to the current position.
        var name = 0
        for index in 0..<count {
            let byte = value[index]
            if byte == UInt8(ascii: ":") {
                if index > name { note(value + name, index - name, &scope) }
                name = index + 1
            } else if byte < 0x80 && !XMLCharacters.isNameByte(byte) {
                name = index + 1
            }
        }
    }

    private func note(_ prefix: UnsafePointer<UInt8>, _ length: Int, _ scope: inout Scope) {
        for index in bindings.indices.reversed()
        where bindings[index].length == length && same(bindings[index].prefix, prefix, length) {
            if index < scope.outer { scope.used.insert(index) }
            return
        }
    }
}
