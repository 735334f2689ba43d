extension XMLCanonicalization {
    /// The canonical form of one element of a document; see ``write(elementAt:of:omitting:limits:into:)``.
    public func canonicalForm(
        ofElementAt offset: Int, of document: [UInt8], omitting omitted: Int? = nil, limits: XMLLimits = .init()
    ) throws(XMLError) -> [UInt8] {
        var form: [UInt8] = []
        try write(elementAt: offset, of: document, omitting: omitted, limits: limits) { form.append(contentsOf: $0) }
        return form
    }

    /// Passes the canonical form of one element of a document on while it is made: what a signature over that element is
    /// made of.
    ///
    /// The inclusive methods add the declarations around the element, and its inherited attributes in the namespace `xml`
    /// (Canonical XML 1.0 §2.4, 1.1 §2.4).
    ///
    /// - Parameters:
    ///   - offset: where the start tag of the element begins, in bytes from the start of the document.
    ///   - document: the whole document, all of which is checked. When it has another encoding than UTF-8, places count in its
    ///     conversion into UTF-8.
    ///   - omitted: where the start tag of an element inside begins that is left out, such as an enveloped signature; nil
    ///     to leave nothing out.
    ///   - limits: the limits of the document.
    ///   - sink: receives the bytes, in order and piece by piece. They are valid only during the call, and count only if
    ///     this method does not throw.
    /// - Throws: `XMLError` as ``canonicalForm(of:omitting:limits:doctype:)``, and with `unexpected` when no element begins at one
    ///   of the places.
    public func write(
        elementAt offset: Int, of document: [UInt8], omitting omitted: Int? = nil, limits: XMLLimits = .init(),
        into sink: (UnsafeRawBufferPointer) -> Void
    ) throws(XMLError) {
        try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
            var around = XMLInheritedAttributes()
            var isFound = false
            while try reader.next() != .endOfDocument {
                around.leave(reader.frames.count)
                guard let name = reader.frames.last?.name, !isFound, name - 1 - reader.base == offset else {
                    if !isFound { around.enter(&reader) }
                    continue
                }
                isFound = true
                var writer = XMLCanonicalWriter(self)
                let inherited = around.inherited(by: method, &reader)
                try reader.check()
                try writer.element(&reader, inherited: inherited, omitting: omitted, into: sink)
                writer.flush(into: sink)
            }
            if !isFound {
                reader.fail(.unexpected, "no element begins at byte \(offset) of the document.")
                try reader.check()
            }
        }
    }
}

/// The attributes in the namespace `xml` of the open elements.
struct XMLInheritedAttributes {
    private var attributes: [(depth: Int, attribute: XMLCanonicalWriter.Inherited)] = []
    private var depth = 0

    /// Notes those of the element whose start tag was read last, unless it was read before.
    mutating func enter(_ reader: inout XMLReader) {
        let count = reader.frames.count
        guard count > depth else { return }
        depth = count
        let all = reader.attributes
        for attribute in all where attribute.prefixLength == 3 && attribute.namespace == XMLNamespace.xml.id {
            let name = Array(UnsafeBufferPointer(start: attribute.localName, count: attribute.localLength))
            attributes.append((count, .init(localName: name, value: reader.attributeValue(attribute))))
        }
    }

    /// Forgets those of elements that have ended.
    mutating func leave(_ count: Int) {
        guard count < depth else { return }
        depth = count
        while let last = attributes.last, last.depth > count { attributes.removeLast() }
    }

    /// Joining values takes time that grows with them, at every level.
    private static let maximumBaseBytes = 8192

    mutating func inherited(
        by method: XMLCanonicalization.Method, _ reader: inout XMLReader
    ) -> [XMLCanonicalWriter.Inherited] {
        guard method != .exclusive10 else { return [] }
        var result: [XMLCanonicalWriter.Inherited] = []
        var places: [[UInt8]: Int] = [:]
        for (_, attribute) in attributes {
            // Canonical XML 1.1 inherits only these, and joins bases.
            let isJoined = method == .inclusive11 && attribute.localName.elementsEqual("base".utf8)
            let isInherited =
                method == .inclusive10 || isJoined || attribute.localName.elementsEqual("lang".utf8)
                || attribute.localName.elementsEqual("space".utf8)
            guard isInherited else { continue }
            guard let place = places[attribute.localName] else {
                places[attribute.localName] = result.count
                result.append(attribute)
                continue
            }
            result[place].value = isJoined ? XMLBase.joined(result[place].value, attribute.value) : attribute.value
            if isJoined, result[place].value.utf8.count > Self.maximumBaseBytes {
                reader.fail(
                    .textTooLong, "the values of xml:base join to more than \(Self.maximumBaseBytes) bytes.")
                return []
            }
        }
        if result.count > reader.limits.attributes {
            reader.fail(
                .tooManyAttributes,
                "an element inherits more than \(reader.limits.attributes) attributes (XMLLimits.attributes).")
        }
        return result
    }
}
