public import SignetXML

/// One event of a reader.
public enum Event: Equatable {
    case start(uri: String, name: String, attributes: [Attribute])
    case end
    case text(String)

    public struct Attribute: Equatable {
        public var uri: String
        public var name: String
        public var value: String

        public init(uri: String = "", name: String, value: String) {
            self.uri = uri
            self.name = name
            self.value = value
        }
    }
}

/// All events of a document up to its end or its first error.
public struct Trace {
    /// Texts that follow each other are joined; an empty one is left out.
    public private(set) var events: [Event] = []
    public var error: XMLError?
    public private(set) var deepest = 0

    public init(
        _ document: [UInt8], limits: XMLLimits = .init(), charset: String? = nil, doctype: XMLDoctype = .refused,
        refusesComments: Bool = false
    ) {
        error = XMLReader.read(document, limits: limits, charset: charset, doctype: doctype) { reader in
            reader.refusesCommentsAndInstructions = refusesComments
            return follow(&reader)
        }
    }

    public init(_ excerpt: XMLExcerpt) { error = XMLReader.read(excerpt) { follow(&$0) } }

    /// An empty trace.
    public init() {}

    private mutating func follow(_ reader: inout XMLReader) -> XMLError? {
        // In an excerpt, the surrounding elements are open.
        let outer = reader.depth
        do throws(XMLError) {
            while true {
                switch try reader.next() {
                case .startElement:
                    append(
                        .start(
                            uri: reader.namespaceURI, name: reader.elementName,
                            attributes: reader.allAttributes().map {
                                Event.Attribute(uri: $0.namespaceURI, name: $0.name, value: $0.value)
                            }))
                    deepest = max(deepest, reader.depth)
                case .endElement: append(.end)
                case .text: append(.text(try reader.currentText()))
                case .endOfDocument:
                    require(reader.depth == outer, "the end of the document has open elements")
                    return nil
                }
            }
        } catch {
            requireFinal(error, &reader)
            return error
        }
    }

    public mutating func append(_ event: Event) {
        guard case .text(let text) = event else { return events.append(event) }
        if text.isEmpty { return }
        if case .text(let before) = events.last {
            events[events.count - 1] = .text(before + text)
        } else {
            events.append(event)
        }
    }
}

/// Requires that a reader returns its first error to every later request.
public func requireFinal(_ first: XMLError, _ reader: inout XMLReader) {
    func requireSame(_ call: (inout XMLReader) throws(XMLError) -> Void) {
        do throws(XMLError) {
            try call(&reader)
            require(false, "a reader goes on behind its defect: \(first)")
        } catch {
            require(isSame(error, first), "a reader's defect has changed: \(first), then \(error)")
        }
    }
    requireSame { (reader) throws(XMLError) in try reader.check() }
    requireSame { (reader) throws(XMLError) in _ = try reader.next() }
    requireSame { (reader) throws(XMLError) in _ = try reader.nextChild() }
    requireSame { (reader) throws(XMLError) in _ = try reader.elementText() }
    requireSame { (reader) throws(XMLError) in try reader.skipElement() }
    requireSame { (reader) throws(XMLError) in _ = try reader.fragment() }
    requireSame { (reader) throws(XMLError) in try reader.finish() }
    _ = reader.allAttributes()
    _ = reader.attribute("a")
    _ = reader.namespacesInScope
    _ = reader.elementName
}

/// Whether two errors are equal in every part; `==` compares only the codes.
public func isSame(_ a: XMLError?, _ b: XMLError?) -> Bool {
    a?.code == b?.code && a?.message == b?.message && a?.offset == b?.offset && a?.line == b?.line
        && a?.column == b?.column && a?.path == b?.path
}

/// Requires that an error is inside the document, and that line and column agree with the offset.
public func requirePlace(_ error: XMLError, in document: [UInt8]) {
    require(
        (0...document.count).contains(error.offset), "the offset \(error.offset) is outside of \(document.count) bytes")
    require(error.line >= 1 && error.column >= 1, "line \(error.line), column \(error.column)")
    let before = document.prefix(error.offset)
    // In other documents the characters depend on the encoding.
    guard before.allSatisfy({ $0 > 0 && $0 < 0x80 }) else { return }
    var line = 1
    var column = 1
    for (index, byte) in before.enumerated() {
        let next = index + 1 < document.count ? document[index + 1] : 0
        if byte == 0x0A || (byte == 0x0D && next != 0x0A) {
            line += 1
            column = 1
        } else {
            column += 1
        }
    }
    if error.line != line || error.column != column {
        // A carriage return before a line feed ends no line, and may or may not count as a character.
        fatalError("byte \(error.offset) is line \(line), column \(column), not \(error.line), \(error.column)")
    }
}
