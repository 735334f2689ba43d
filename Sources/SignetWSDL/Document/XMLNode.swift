import SignetXML

/// An element of a document held in memory, with its namespaces in scope and its location.
struct XMLNode: Sendable {
    var name: QName
    var location: SourceLocation
    var attributes: [Attribute] = []
    var children: [XMLNode] = []
    /// The text of a `documentation` element, markup inside it left out, and that of a policy's address or token type; other text has no meaning in a
    /// WSDL.
    var text = ""
    /// The namespaces in scope; the innermost comes last.
    var scope: [Binding] = []

    struct Attribute: Sendable {
        var name: QName
        var value: String
    }

    struct Binding: Sendable, Equatable {
        var prefix: String
        var namespace: String
    }

    func isNamed(_ namespace: String, _ localName: String) -> Bool {
        name.localName == localName && name.namespace == namespace
    }

    /// The value of an attribute in no namespace, without white space at either end.
    func attribute(_ localName: String) -> String? { attribute(QName("", localName))?.trimmedXMLSpace }

    func attribute(_ name: QName) -> String? { attributes.first { $0.name == name }?.value }

    /// How the name of a component may be written.
    enum NameForm {
        /// What XML calls a name without a colon (Namespaces in XML 1.0, NCName).
        case strict
        /// Such names with slashes between them, which Axis2 gives to the ports and operations of a service in a
        /// folder. In a message such a name occurs only inside a default action of WS-Addressing, which contains
        /// slashes anyway. In RPC style an element has the name of the operation, so that such an operation cannot be
        /// used.
        case path
    }

    func required(_ localName: String, _ form: NameForm = .strict) throws(WSDLError) -> String {
        guard let value = attribute(localName), !value.isEmpty else {
            throw WSDLError(.invalid, "‘\(name.localName)’ needs the attribute ‘\(localName)’.", at: location)
        }
        if localName == "name" { try checkName(value, form) }
        return value
    }

    /// Names end up in generated code and in messages, so that other texts are refused.
    private func checkName(_ value: String, _ form: NameForm) throws(WSDLError) {
        let scalars = value.unicodeScalars
        let parts = form == .path ? scalars.split(separator: "/", omittingEmptySubsequences: false) : [scalars[...]]
        guard parts.allSatisfy({ XMLName.isNCName(String($0)) }) else {
            let shown = String(value.prefix(40).map { $0.isNewline || $0 == "\u{1B}" ? " " : $0 })
            throw WSDLError(.invalid, "‘\(shown)’ is not a name (Namespaces in XML 1.0, NCName).", at: location)
        }
    }

    func children(_ namespace: String, _ localName: String) -> [XMLNode] {
        children.filter { $0.isNamed(namespace, localName) }
    }

    func child(_ namespace: String, _ localName: String) -> XMLNode? {
        children.first { $0.isNamed(namespace, localName) }
    }

    /// Resolves an attribute whose value is a qualified name (Namespaces in XML 1.0 §4, XML Schema Part 2 §3.2.18).
    func qualifiedName(_ localName: String) throws(WSDLError) -> QName? {
        guard let value = attribute(localName) else { return nil }
        return try resolve(value)
    }

    func requiredQualifiedName(_ localName: String, _ form: NameForm = .strict) throws(WSDLError) -> QName {
        try resolve(try required(localName), form)
    }

    /// The namespace of names without a prefix; empty when they have no namespace.
    var defaultNamespace: String { scope.last { $0.prefix.isEmpty }?.namespace ?? "" }

    func resolve(_ value: String, _ form: NameForm = .strict) throws(WSDLError) -> QName {
        let (prefix, local) = value.qualifiedNameParts
        try checkName(local, form)
        if prefix.isEmpty { return QName(defaultNamespace, local) }
        if let binding = scope.last(where: { $0.prefix == prefix }) { return QName(binding.namespace, local) }
        if prefix == "xml" { return QName(Namespaces.xml, local) }
        throw WSDLError(.undeclaredPrefix, "nothing declares the prefix of the name ‘\(value)’.", at: location)
    }
}
