import SignetXML

extension XMLNode {
    /// Reads a whole document; `file` is its name in messages.
    ///
    /// Schemas of others have document type declarations with entities for long names; nothing outside the document is fetched
    /// for them.
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
            throw WSDLError(.malformedXML, error.message, at: place, cause: error)
        }
    }
}

/// Puts elements into a tree; it keeps its own stack, so that a deep document needs no deep recursion.
private struct TreeBuilder {
    private let file: String
    private var open: [XMLNode] = []
    /// How deep below a `documentation` element we are; zero outside.
    private var documentationDepth = 0
    private(set) var root: XMLNode

    init(file: String) {
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
        let place = reader.startTagPlace()
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
