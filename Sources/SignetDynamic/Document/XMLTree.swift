import SignetWSDL
import SignetXML

/// An element held in memory, on its way between a value and a message.
struct XMLTree: Sendable {
    var name: QName
    var attributes: [Attribute] = []
    var content: [Item] = []
    /// The namespaces in scope where the element was read.
    var scope = Scope.none
    /// Where the element begins in the text that was read; for the outermost element, where its content begins.
    var place = Place()

    /// Line and column, from 1.
    struct Place: Sendable, Hashable {
        var line = 1
        var column = 1
    }

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

    /// The namespaces in scope. A scope has only the declarations of its own element and a reference to the scope
    /// around it, because an answer may have as many scopes as elements.
    final class Scope: Sendable {
        static let none = Scope([], in: nil)

        private let own: [Binding]
        private let outer: Scope?
        let count: Int

        init(_ own: [Binding], in outer: Scope?) {
            self.own = own
            self.outer = outer
            count = own.count + (outer?.count ?? 0)
        }

        /// All bindings; the innermost are last.
        var bindings: [Binding] { (outer?.bindings ?? []) + own }

        func namespace(of prefix: String) -> String? {
            own.last { $0.prefix == prefix }?.namespace ?? outer?.namespace(of: prefix)
        }
    }

    /// How deep elements may be nested: code that walks a tree needs a few calls on the stack for each level.
    static let depth = 64

    static let schemaInstance = XMLNamespace.schemaInstance.uri
    static let nilName = QName(schemaInstance, "nil")
    static let typeName = QName(schemaInstance, "type")

    var elements: [XMLTree] {
        content.compactMap { item in
            if case .element(let element) = item { element } else { nil }
        }
    }

    /// All text directly inside the element, concatenated.
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
        let value = attribute(Self.nilName)?.trimmedXMLSpace
        return value == "true" || value == "1"
    }

    /// Resolves a qualified name in a value of this element; nil when its prefix is not bound.
    func resolve(_ text: String) -> QName? {
        let (prefix, local) = text.trimmedXMLSpace.qualifiedNameParts
        if let namespace = scope.namespace(of: prefix) { return QName(namespace, local) }
        if prefix.isEmpty { return QName("", local) }
        return prefix == "xml" ? QName(Namespaces.xml, local) : nil
    }
}
