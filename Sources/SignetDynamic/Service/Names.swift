import SignetWSDL

/// Writes names of elements and attributes as keys: as their local names, or as `{namespace}name` when that is needed
/// to distinguish two names.
enum ElementKey {
    static func text(_ name: QName, among names: [QName]) -> String {
        let isAmbiguous = names.contains { $0.localName == name.localName && $0.namespace != name.namespace }
        return isAmbiguous ? expandedName(name) : name.localName
    }

    /// The keys of several names.
    static func texts(of names: [QName]) -> [String] {
        let namespaces = Dictionary(grouping: names, by: \.localName).mapValues { Set($0.map(\.namespace)).count }
        return names.map { (namespaces[$0.localName] ?? 0) > 1 ? expandedName($0) : $0.localName }
    }

    /// `{namespace}name`, with empty braces for no namespace.
    static func expandedName(_ name: QName) -> String { "{\(name.namespace)}\(name.localName)" }

    /// Reads `{namespace}name`; nil when the text does not begin with a brace.
    static func name(_ text: String) -> QName? {
        let scalars = text.unicodeScalars
        guard scalars.first == "{", let close = scalars.lastIndex(of: "}") else { return nil }
        return QName(String(scalars[..<close].dropFirst()), String(scalars[close...].dropFirst()))
    }
}

extension String {
    /// The name of the attribute that a member of a JSON object represents: the text after `@`; nil for other members.
    var attributeKey: String? {
        unicodeScalars.first == "@" ? String(unicodeScalars.dropFirst()) : nil
    }
}
