import SignetXML

extension XMLNode {
    /// Replaces an XML declaration that follows white space by spaces. XML 1.0 §2.8 forbids such white space, but
    /// servers send it. Spaces keep all source locations unchanged.
    static func withoutLeadingSpace(_ bytes: [UInt8]) -> (content: [UInt8], hadSpace: Bool) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: mark) ? mark.count : 0
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x9...0xA).contains($0) || $0 == 0xD }
        guard let first = bytes[start...].firstIndex(where: { !isSpace($0) }), first > start,
            bytes[first...].starts(with: Array("<?xml".utf8)), bytes.count > first + 5, isSpace(bytes[first + 5]),
            let end = bytes[first...].firstIndex(of: UInt8(ascii: ">"))
        else { return (bytes, false) }
        let declaration = String(decoding: bytes[first...end], as: UTF8.self).lowercased()
        guard declaration.contains("version"), declaration.hasSuffix("?>") else { return (bytes, false) }
        // In another encoding the declaration is needed: the white space is removed instead, and source locations move.
        guard declaration.contains("utf-8") || !declaration.contains("encoding") else {
            return (Array(bytes[first...]), true)
        }
        var content = bytes
        for index in first...end where !isSpace(content[index]) { content[index] = 0x20 }
        return (content, true)
    }

    /// Reads a whole document; `file` is its name in messages.
    ///
    /// Third-party schemas have document type declarations with entities for long names; nothing outside the document
    /// is fetched for them.
    static func parse(_ bytes: [UInt8], file: String, limits: XMLLimits) throws(WSDLError) -> XMLNode {
        do {
            return try XMLReader.read(bytes, limits: limits, doctype: .internalEntities) { (reader) throws(XMLError) in
                var builder = TreeBuilder(file: file)
                while true {
                    switch try reader.next() {
                    case .startElement: builder.start(&reader)
                    case .text: if builder.keepsText { builder.add(try reader.currentText()) }
                    case .endElement: builder.end()
                    case .endOfDocument: return builder.root
                    }
                }
            }
        } catch {
            let place = SourceLocation(file: file, line: error.line, column: error.column)
            throw WSDLError(.malformedXML, describeNonXML(bytes) ?? error.message, at: place, cause: error)
        }
    }

    /// Describes bytes that a server or user supplied in place of an XML document; nil when they may be XML.
    private static func describeNonXML(_ bytes: [UInt8]) -> String? {
        let start = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased().drop(while: \.isWhitespace)
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
            return "this is a page (HTML), and not a WSDL or a schema; is the name or address the right one?"
        }
        // Documents in encodings other than UTF-8 may begin with bytes that are not text here.
        guard let first = start.unicodeScalars.first(where: { $0 != "\u{FEFF}" }), first != "<", first.value > 0x1F,
            first != "\u{FFFD}"
        else { return nil }
        return "this is no XML, which begins with ‘<’; is the name or address the right one?"
    }
}

/// Builds the tree of elements; it keeps its own stack, so that a deep document needs no deep recursion.
private struct TreeBuilder {
    private let file: String
    private var open: [XMLNode] = []
    /// The current depth below a `documentation` element; zero outside.
    private var documentationDepth = 0
    private(set) var root: XMLNode

    init(file: String) {
        self.file = file
        root = XMLNode(name: QName("", ""), location: SourceLocation(file: file))
    }

    var keepsText: Bool { documentationDepth > 0 || open.last.map { IssuedTokenPolicy.hasText($0.name) } == true }

    mutating func start(_ reader: inout XMLReader) {
        if documentationDepth > 0 {
            documentationDepth += 1
            add(" ")
            return
        }
        let place = reader.startTagPlace()
        var node = XMLNode(
            name: QName(Namespaces.current(reader.namespaceURI), reader.elementName),
            location: SourceLocation(file: file, line: place.line, column: place.column))
        node.attributes = reader.allAttributes().map {
            XMLNode.Attribute(name: QName($0.namespaceURI, $0.name), value: $0.value)
        }
        // Most elements declare no namespaces: they share their parent's list.
        if let parent = open.last, !reader.declaresNamespaces {
            node.scope = parent.scope
        } else {
            node.scope = reader.namespacesInScope.map {
                XMLNode.Binding(prefix: $0.prefix, namespace: Namespaces.current($0.uri))
            }
        }
        if node.name.localName == "documentation" { documentationDepth = 1 }
        open.append(node)
    }

    mutating func add(_ text: String) {
        if !open.isEmpty { open[open.count - 1].text += text }
    }

    mutating func end() {
        if documentationDepth > 1 {
            documentationDepth -= 1
            return
        }
        documentationDepth = 0
        guard let node = open.popLast() else { return }
        if open.isEmpty { root = node } else { open[open.count - 1].children.append(node) }
    }
}

extension Namespaces {
    /// Maps the namespaces of drafts of XML Schema to that of version 1.0: old documents use them with the same
    /// meaning.
    fileprivate static func current(_ namespace: String) -> String { drafts.contains(namespace) ? schema : namespace }

    private static let drafts: Set<String> = [
        "http://www.w3.org/1999/XMLSchema", "http://www.w3.org/2000/10/XMLSchema",
    ]
}
