import SignetXML

extension XMLNode {
    /// Reads a whole document; `file` is its name in messages.
    static func parse(_ bytes: [UInt8], file: String, limits: XMLLimits) throws(WSDLError) -> XMLNode {
        do {
            return try XMLReader.read(bytes, limits: limits) { (reader) throws(XMLError) in
                var builder = TreeBuilder(bytes: bytes, file: file)
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
            throw WSDLError(.malformedXML, error.message, at: place, cause: error)
        }
    }
}

/// Puts elements into a tree; it keeps its own stack, so that a deep document needs no deep recursion.
private struct TreeBuilder {
    private var cursor: LineCursor
    private let file: String
    private var open: [XMLNode] = []
    /// How deep below a `documentation` element we are; zero outside.
    private var documentationDepth = 0
    private(set) var root: XMLNode

    init(bytes: [UInt8], file: String) {
        cursor = LineCursor(bytes: bytes)
        self.file = file
        root = XMLNode(name: QName("", ""), location: SourceLocation(file: file))
    }

    var keepsText: Bool { documentationDepth > 0 }

    mutating func start(_ reader: inout XMLReader) {
        if documentationDepth > 0 {
            documentationDepth += 1
            add(" ")
            return
        }
        let place = cursor.startOfTag(endingAt: reader.offset)
        var node = XMLNode(
            name: QName(reader.namespaceURI, reader.elementName),
            location: SourceLocation(file: file, line: place.line, column: place.column))
        node.attributes = reader.allAttributes().map {
            XMLNode.Attribute(name: QName($0.namespaceURI, $0.name), value: $0.value)
        }
        // Most elements declare nothing: they share their parent's list.
        if let parent = open.last, !reader.declaresNamespaces {
            node.scope = parent.scope
        } else {
            node.scope = reader.namespacesInScope.map { XMLNode.Binding(prefix: $0.prefix, namespace: $0.uri) }
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

/// Turns positions, which only grow, into lines and columns.
private struct LineCursor {
    private let bytes: [UInt8]
    private var position: Int
    private var line = 1
    private var column = 1

    init(bytes: [UInt8]) {
        self.bytes = bytes
        // A byte-order mark takes no column.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The place of the `<` that begins the tag which ends before `offset`; a tag holds no other one (XML 1.0 §2.4).
    mutating func startOfTag(endingAt offset: Int) -> (line: Int, column: Int) {
        var target = min(offset, bytes.count) - 1
        while target > position, bytes[target] != UInt8(ascii: "<") { target -= 1 }
        while position < target {
            let byte = bytes[position]
            position += 1
            let isLineEnd = byte == 0x0A || (byte == 0x0D && !(position < bytes.count && bytes[position] == 0x0A))
            if isLineEnd {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}
