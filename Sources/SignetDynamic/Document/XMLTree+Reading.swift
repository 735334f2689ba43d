import SignetSOAP
import SignetWSDL

extension XMLTree {
    /// Reads the content of an element into memory; the element gets the given name.
    init(_ any: XMLAny, name: QName) throws {
        self = try any.read { (reader) in try XMLTree(&reader) }
        self.name = name
    }

    init(_ fragment: XMLFragment) throws {
        self = try fragment.read { (reader) in try XMLTree(&reader) }
    }

    /// Reads the element whose start tag was read last, to its end. It keeps its own stack, so that a deep message
    /// needs no deep recursion.
    private init(_ reader: inout XMLReader) throws {
        var open = [Self.start(&reader, in: nil)]
        let place = reader.place()
        open[0].place = Place(line: place.line, column: place.column)
        while true {
            switch try reader.next() {
            case .startElement:
                guard open.count < Self.depth else {
                    throw DynamicError(
                        .limitExceeded, "the elements of the message are nested deeper than \(Self.depth).")
                }
                open.append(Self.start(&reader, in: open.last))
            case .text:
                let text = try reader.currentText()
                open[open.count - 1].content.append(.text(.plain(text)))
            case .endElement, .endOfDocument:
                guard let done = open.popLast() else { break }
                guard !open.isEmpty else {
                    self = done
                    return
                }
                open[open.count - 1].content.append(.element(done))
            }
        }
    }

    private static func start(_ reader: inout XMLReader, in parent: XMLTree?) -> XMLTree {
        var element = XMLTree(name: QName(reader.namespaceURI, reader.elementName))
        let place = reader.startTagPlace()
        element.place = Place(line: place.line, column: place.column)
        element.attributes = reader.allAttributes().map {
            Attribute(name: QName($0.namespaceURI, $0.name), value: [.plain($0.value)])
        }
        if let parent, !reader.declaresNamespaces {
            element.scope = parent.scope
        } else {
            let own = reader.namespacesInScope.dropFirst(parent?.scope.count ?? 0)
            element.scope = Scope(own.map { Binding(prefix: $0.prefix, namespace: $0.uri) }, in: parent?.scope)
        }
        return element
    }

    /// The markup of the element's content, self-contained.
    var markup: String {
        var text = ""
        for item in content {
            switch item {
            case .text(.plain(let plain)): text += Self.escaped(plain, isAttribute: false)
            case .element(let child):
                var words: Set<String> = []
                child.collectPrefixes(into: &words)
                text += child.markup(under: [], words)
            case .text(.name), .markup: break
            }
        }
        return text
    }

    /// Collects words that may be prefixes, in names and in values that are qualified names; the default namespace is
    /// always included.
    private func collectPrefixes(into words: inout Set<String>) {
        words.formUnion(["", qualified(name, isAttribute: false).qualifiedNameParts.prefix])
        for attribute in attributes {
            words.insert(qualified(attribute.name, isAttribute: true).qualifiedNameParts.prefix)
            Self.collectPrefixes(self.attribute(attribute.name) ?? "", into: &words)
        }
        Self.collectPrefixes(text, into: &words)
        for child in elements { child.collectPrefixes(into: &words) }
    }

    private static func collectPrefixes(_ text: String, into words: inout Set<String>) {
        words.formUnion(text.xmlWords.lazy.map(\.qualifiedNameParts.prefix))
    }

    /// The element with the prefixes that it was read with; `declared` is in scope around it.
    private func markup(under declared: [Binding], _ words: Set<String>) -> String {
        let scope = scope.bindings
        let needed = scope.enumerated().filter { index, binding in
            // The innermost binding of a prefix counts.
            words.contains(binding.prefix) && !scope[(index + 1)...].contains { $0.prefix == binding.prefix }
                && declared.last { $0.prefix == binding.prefix }?.namespace != binding.namespace
                && (!binding.namespace.isEmpty || declared.contains { $0.prefix == binding.prefix })
        }.map(\.element)
        let tag = qualified(name, isAttribute: false)
        var text = "<\(tag)"
        for binding in needed {
            text +=
                " xmlns\(binding.prefix.isEmpty ? "" : ":\(binding.prefix)")=\"\(Self.escaped(binding.namespace, isAttribute: true))\""
        }
        for attribute in attributes {
            text +=
                " \(qualified(attribute.name, isAttribute: true))=\"\(Self.escaped(self.attribute(attribute.name) ?? "", isAttribute: true))\""
        }
        text += ">"
        for item in content {
            switch item {
            case .text(.plain(let plain)): text += Self.escaped(plain, isAttribute: false)
            case .element(let child): text += child.markup(under: declared + needed, words)
            case .text(.name), .markup: break
            }
        }
        return text + "</\(tag)>"
    }

    private func qualified(_ name: QName, isAttribute: Bool) -> String {
        if name.namespace == Namespaces.xml { return "xml:\(name.localName)" }
        if name.namespace.isEmpty { return name.localName }
        let scope = scope.bindings
        let binding = scope.enumerated().last { index, binding in
            binding.namespace == name.namespace && !(isAttribute && binding.prefix.isEmpty)
                && !scope[(index + 1)...].contains { $0.prefix == binding.prefix }
        }?.element
        guard let prefix = binding?.prefix, !prefix.isEmpty else { return name.localName }
        return "\(prefix):\(name.localName)"
    }

    /// Escapes characters that have a meaning in XML. In an attribute it also escapes white space, which a reader would
    /// turn into spaces (XML 1.0 §2.11, §3.3.3).
    static func escaped(_ text: String, isAttribute: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\r": result += "&#13;"
            case "\t" where isAttribute, "\n" where isAttribute: result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
