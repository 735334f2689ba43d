import SignetSOAP
import SignetWSDL

extension XMLTree {
    /// The element as part of a message; all namespaces are declared on it.
    func fragment() throws(XMLError) -> XMLFragment {
        var limits = XMLLimits()
        limits.namespaces = 4096
        limits.attributes = 4096
        return try XMLFragment(parsing: bytes, limits: limits)
    }

    /// The element as UTF-8, self-contained.
    var bytes: [UInt8] {
        var writer = TreeWriter()
        writer.collect(self)
        writer.write(self, isRoot: true)
        return writer.bytes
    }
}

/// Writes a tree; the code that made the tree has limited its depth.
private struct TreeWriter {
    private(set) var bytes: [UInt8] = []
    private var prefixes: [String: String] = [Namespaces.xml: "xml", XMLTree.schemaInstance: "xsi"]
    private var declared: [String] = []

    /// Collects the namespaces that the element and its content use.
    mutating func collect(_ element: XMLTree) {
        collect(element.name.namespace)
        for attribute in element.attributes {
            collect(attribute.name.namespace)
            for piece in attribute.value { collect(piece) }
        }
        for item in element.content {
            switch item {
            case .element(let child): collect(child)
            case .text(let piece): collect(piece)
            case .markup: break
            }
        }
    }

    private mutating func collect(_ piece: XMLTree.Text) {
        if case .name(let name) = piece { collect(name.namespace) }
    }

    private mutating func collect(_ namespace: String) {
        guard !namespace.isEmpty, namespace != Namespaces.xml, !declared.contains(namespace) else { return }
        declared.append(namespace)
        if prefixes[namespace] == nil {
            prefixes[namespace] = namespace == Namespaces.schema ? "xs" : "d\(declared.count)"
        }
    }

    private func text(_ name: QName) -> String {
        guard !name.namespace.isEmpty, let prefix = prefixes[name.namespace] else { return name.localName }
        return "\(prefix):\(name.localName)"
    }

    mutating func write(_ element: XMLTree, isRoot: Bool) {
        let name = text(element.name)
        bytes += "<\(name)".utf8
        if isRoot {
            for namespace in declared {
                bytes += " xmlns:\(prefixes[namespace] ?? "")=\"".utf8
                escape(namespace)
                bytes.append(UInt8(ascii: "\""))
            }
        }
        for attribute in element.attributes {
            bytes += " \(text(attribute.name))=\"".utf8
            for piece in attribute.value { write(piece) }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        for item in element.content {
            switch item {
            case .element(let child): write(child, isRoot: false)
            case .text(let piece): write(piece)
            case .markup(let markup): bytes += markup.utf8
            }
        }
        bytes += "</\(name)>".utf8
    }

    private mutating func write(_ piece: XMLTree.Text) {
        switch piece {
        case .plain(let plain): escape(plain)
        case .name(let name): escape(text(name))
        }
    }

    private mutating func escape(_ text: String) { bytes += XMLTree.escaped(text, isAttribute: true).utf8 }
}
