import SignetWSDL
import SignetXML

/// An element held in memory, on its way between a value and a message.
struct XMLTree: Sendable {
    var name: QName
    var attributes: [Attribute] = []
    var content: [Item] = []
    /// The namespaces in scope where the element was read; the innermost stands last.
    var scope: [Binding] = []

    struct Attribute: Sendable {
        var name: QName
        var value: [Text]
    }

    /// A piece of a simple value.
    enum Text: Sendable {
        case plain(String)
        /// A qualified name, whose prefix is chosen when it is written.
        case name(QName)
    }

    enum Item: Sendable {
        case element(XMLTree)
        case text(Text)
        /// Markup that is well-formed and declares the namespaces it uses.
        case markup(String)
    }

    struct Binding: Sendable, Hashable {
        var prefix: String
        var namespace: String
    }

    static let schemaInstance = XMLNamespace.schemaInstance.uri
    static let nilName = QName(schemaInstance, "nil")
    static let typeName = QName(schemaInstance, "type")

    var elements: [XMLTree] {
        content.compactMap { item in
            if case .element(let element) = item { element } else { nil }
        }
    }

    /// All text directly inside, put together.
    var text: String {
        content.reduce(into: "") { text, item in
            if case .text(.plain(let piece)) = item { text += piece }
        }
    }

    var hasText: Bool { text.contains { !$0.isWhitespace } }

    func attribute(_ name: QName) -> String? {
        attributes.first { $0.name == name }.map { attribute in
            attribute.value.reduce(into: "") { text, piece in
                if case .plain(let plain) = piece { text += plain }
            }
        }
    }

    var isNil: Bool {
        let value = attribute(Self.nilName)?.trimmedSpace
        return value == "true" || value == "1"
    }

    /// Resolves a qualified name that a value of this element holds; nil when its prefix is bound to nothing.
    func resolve(_ text: String) -> QName? {
        let parts = text.trimmedSpace.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let prefix = parts.count == 2 ? String(parts[0]) : ""
        let local = parts.last.map(String.init) ?? ""
        if let binding = scope.last(where: { $0.prefix == prefix }) { return QName(binding.namespace, local) }
        if prefix.isEmpty { return QName("", local) }
        return prefix == "xml" ? QName(Namespaces.xml, local) : nil
    }
}

extension String {
    /// Without white space of XML at either end.
    var trimmedSpace: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        let start = drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...last])
    }

    /// The facet `whiteSpace` with the value `collapse` (XML Schema Part 2 §4.3.6).
    var collapsedSpace: String {
        split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.joined(separator: " ")
    }
}
