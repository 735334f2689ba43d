import SignetXML

/// Suggestions for names that no component has.
extension SchemaSet {
    /// ` (did you mean ‘xs:string’?)`, or nothing.
    package func hint(missingType name: QName) -> String {
        if elements[name] != nil {
            return " (there is an element of that name: a part refers to it with ‘element’, and an element with ‘ref’)"
        }
        if name.namespace != Namespaces.schema, isBuiltIn(name) {
            return " (did you mean ‘xs:\(name.localName)’, with a prefix for \(Namespaces.schema)?)"
        }
        return hint(name, among: types.keys)
    }

    /// The same for an element.
    package func hint(missingElement name: QName) -> String {
        if types[name] != nil || isBuiltIn(name) { return " (there is a type of that name: ‘type’ refers to it)" }
        return hint(name, among: elements.keys)
    }

    /// Whether XML Schema has a built-in type with the local name.
    private func isBuiltIn(_ name: QName) -> Bool { XSDBuiltInType(rawValue: name.localName) != nil }

    /// Suggests a name that differs only by its namespace, or a similar name.
    private func hint(_ name: QName, among names: some Sequence<QName>) -> String {
        let called = names.filter { $0.localName == name.localName }.sorted()
        if let only = called.first, called.count == 1 { return " (did you mean \(only)?)" }
        let near = names.filter { $0.namespace == name.namespace }.map(\.localName).sorted()
        return NearMatch.find(name.localName, among: near).map { " (did you mean ‘\($0)’?)" } ?? ""
    }
}
