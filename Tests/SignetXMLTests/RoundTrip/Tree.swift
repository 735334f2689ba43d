import SignetXML

/// What a document means: names with their namespaces, attributes without order, texts put together.
struct Tree: Sendable {
    struct Name: Hashable, Sendable {
        var uri: String
        var local: String
    }

    enum Node: Sendable {
        case text(String)
        case element(Tree)
    }

    var name: Name
    var attributes: [Name: String] = [:]
    private(set) var content: [Node] = []

    init(name: Name) { self.name = name }

    mutating func append(_ text: String) {
        if text.isEmpty { return }
        if case .text(let before)? = content.last {
            content[content.count - 1] = .text(before + text)
        } else {
            content.append(.text(text))
        }
    }

    mutating func append(_ element: Tree) { content.append(.element(element)) }

    var hasText: Bool {
        content.contains { if case .text = $0 { true } else { false } }
    }

    var elements: [Tree] {
        content.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Where another tree differs first, byte for byte; nil when it is equal.
    func difference(from other: Tree, at path: String = "") -> String? {
        let path = "\(path)/\(name.local)"
        func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        guard same(name.uri, other.name.uri), same(name.local, other.name.local) else {
            return "\(path): \(other.name)"
        }
        guard attributes.count == other.attributes.count else { return "\(path): \(other.attributes.keys)" }
        for (name, value) in attributes where !same(value, other.attributes[name] ?? "absent") {
            return "\(path)/@\(name): \(value.debugDescription), \(other.attributes[name].debugDescription)"
        }
        for (own, others) in zip(content, other.content) {
            switch (own, others) {
            case (.text(let own), .text(let others)):
                if !same(own, others) { return "\(path): \(own.debugDescription), \(others.debugDescription)" }
            case (.element(let own), .element(let others)):
                if let difference = own.difference(from: others, at: path) { return difference }
            default: return "\(path): an element and a text"
            }
        }
        return content.count == other.content.count ? nil : "\(path): \(content.count), \(other.content.count) items"
    }

    /// The same with white space left out where `model` has elements only.
    func without(spaceOf model: Tree) -> Tree {
        var result = Tree(name: name)
        result.attributes = attributes
        var models = model.elements[...]
        for node in content {
            switch node {
            case .text(let text):
                let isSpace = text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 }
                if model.hasText || model.elements.isEmpty || !isSpace { result.append(text) }
            case .element(let element): result.append(models.popFirst().map { element.without(spaceOf: $0) } ?? element)
            }
        }
        return result
    }
}

extension Tree {
    /// Reads the element whose start tag was read last.
    init(_ reader: inout XMLReader) throws(XMLError) {
        self = Tree(name: Name(uri: reader.namespaceURI, local: reader.elementName))
        for attribute in reader.allAttributes() {
            attributes[Name(uri: attribute.namespaceURI, local: attribute.name)] = attribute.value
        }
        while true {
            switch try reader.next() {
            case .startElement: append(try Tree(&reader))
            case .text: append(try reader.currentText())
            case .endElement, .endOfDocument: return
            }
        }
    }

    init(_ bytes: [UInt8]) throws(XMLError) {
        self = try XMLReader.read(bytes) { (reader) throws(XMLError) in
            try reader.root()
            let tree = try Tree(&reader)
            try reader.finish()
            return tree
        }
    }
}
