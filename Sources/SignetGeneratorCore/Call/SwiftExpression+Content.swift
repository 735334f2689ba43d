import SignetXML

/// Swift for content that is kept as it was written.
extension SwiftExpression {
    static func parsing(_ element: XMLFragment, head: String = ".init") -> SwiftExpression {
        .call(head, [Argument("parsing", .literal(String(decoding: element.bytes, as: UTF8.self).rawSwiftLiteral))])
    }

    /// Content without a type.
    static func content(_ content: XMLAny) -> SwiftExpression {
        if !content.attributes.isEmpty || !content.children.isEmpty {
            return fragment(content).map { .call("XMLAny", $0) } ?? .placeholder("content that cannot be written again")
        }
        let text = content.text
        return .call("XMLAny", text.isEmpty ? [] : [Argument("text", .literal(text.swiftLiteral))])
    }

    /// A value of a structure that only the program knows.
    static func structure(_ type: String, _ content: XMLAny) -> SwiftExpression {
        fragment(content).map { .call("\($0.inOneLine).structure", .term("\(type).self")) }
            ?? .placeholder("content that cannot be written again")
    }

    private static func fragment(_ content: XMLAny) -> SwiftExpression? {
        (try? XMLFragment(XMLName(.none, "any"), content)).map { parsing($0, head: "XMLFragment") }
    }

    static func attribute(_ attribute: XMLAnyAttribute) -> SwiftExpression {
        let namespace = attribute.namespaceURI
        return .call(
            ".init",
            (namespace.isEmpty ? [] : [Argument("namespaceURI", .literal(namespace.swiftLiteral))]) + [
                Argument("localName", .literal(attribute.localName.swiftLiteral)),
                Argument("value", .literal(attribute.value.swiftLiteral)),
            ])
    }
}

extension String {
    /// A string literal with this value that needs no escapes, where there is one.
    fileprivate var rawSwiftLiteral: String {
        let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        return isPlain && contains("\"") && !contains("\"#") && !contains("\\#") ? "#\"\(self)\"#" : swiftLiteral
    }
}
