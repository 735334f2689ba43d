/// A place in a written document at which more is written while the document is sent.
package struct XMLInsertionPlace: Sendable {
    /// The number of bytes of the document before it.
    package let offset: Int
    /// The namespaces in scope there, outermost first.
    private let declarations: [(prefix: String, uri: String)]

    /// What precedes the elements at a place, as far as the type of their parent determines it.
    package enum Order: Sendable {
        /// The order is unknown.
        case unknown
        /// The local names of the elements that precede them.
        case behind(Set<String>)
    }

    /// The place for further elements: after those that are there already, otherwise where the order determines it.
    ///
    /// - Parameters:
    ///   - path: the names of the element and its ancestors from the root. Of several such places the first counts.
    ///   - document: the document, as ``XMLWriter`` writes it.
    /// - Returns: nil when the parent is absent, or the order of its elements is unknown.
    package static func elements(
        at path: [XMLName], in document: [UInt8], _ order: Order
    ) throws(XMLError) -> XMLInsertionPlace? {
        try find(path.dropLast(), in: document) { (reader) throws(XMLError) in
            guard let name = path.last else { return nil }
            var (offset, isFound, isKnown) = (reader.offset, false, true)
            while try reader.nextChild() {
                let isElement = reader.isElement(name)
                let other = reader.elementName
                try reader.skipElement()
                if isElement {
                    (offset, isFound) = (reader.offset, true)
                } else if case .behind(let names) = order {
                    if !isFound, names.contains(other) { offset = reader.offset }
                } else if !isFound {
                    isKnown = false
                }
            }
            return isFound || isKnown ? offset : nil
        }
    }

    /// The place for the content of an empty element.
    ///
    /// - Returns: nil when the element is absent, or not empty.
    package static func content(
        of path: [XMLName], in document: [UInt8]
    ) throws(XMLError) -> XMLInsertionPlace? {
        try find(path[...], in: document) { (reader) throws(XMLError) in
            let offset = reader.offset
            return try reader.next() == .endElement ? offset : nil
        }
    }

    /// Enters the element with a path, and makes a place from the offset that is found in it.
    private static func find(
        _ path: ArraySlice<XMLName>, in document: [UInt8],
        _ offset: (inout XMLReader) throws(XMLError) -> Int?
    ) throws(XMLError) -> XMLInsertionPlace? {
        var limits = XMLLimits()
        limits.documentBytes = max(limits.documentBytes, document.count)
        limits.textBytes = limits.documentBytes
        return try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
            guard let root = path.first else { return nil }
            try reader.root()
            guard reader.isElement(root) else { return nil }
            for name in path.dropFirst() {
                var isFound = false
                while !isFound, try reader.nextChild() {
                    isFound = reader.isElement(name)
                    if !isFound { try reader.skipElement() }
                }
                guard isFound else { return nil }
            }
            let declarations = reader.namespacesInScope
            // Elements without a prefix would be in a default namespace, which the writer never declares.
            guard !declarations.contains(where: { $0.prefix.isEmpty && !$0.uri.isEmpty }) else { return nil }
            let start = reader.offset
            guard start > 0, document[start - 1] == UInt8(ascii: ">"),
                start < 2 || document[start - 2] != UInt8(ascii: "/")
            else { return nil }
            return try offset(&reader).map { XMLInsertionPlace(offset: $0, declarations: declarations) }
        }
    }

    /// An element as it must be written here: with the prefixes that are declared around it, and with its own
    /// declarations for all others.
    package func element<T: XMLStructure>(_ name: XMLName, _ value: T) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter(bindings: bindings, failure: nil)
        writer.element(name, value)
        return try writer.finish()
    }

    private var bindings: [XMLWriter.Binding] {
        var bindings: [XMLWriter.Binding] = []
        for (prefix, uri) in declarations where prefix != "xml" && !prefix.isEmpty {
            let prefix = Array(prefix.utf8)
            // Of two bindings with one prefix the inner one counts.
            bindings.removeAll { $0.prefix == prefix }
            let known = XMLNamespace.known(uri)
            bindings.append(
                XMLWriter.Binding(
                    prefix: prefix, namespace: known?.id ?? XMLWriter.Binding.unnumbered,
                    foreign: known == nil ? uri : "", depth: 0))
        }
        return bindings
    }
}

extension XMLFielded {
    /// The order in which the type puts other elements before this one.
    package static func order(of name: XMLName) -> XMLInsertionPlace.Order {
        let fields = xmlTable.elements
        guard let index = fields.firstIndex(where: { $0.shownName == name.localName }),
            fields.allSatisfy({ $0.kind == .element }), !xmlTable.isChoice, !xmlTable.isUnordered
        else { return .unknown }
        return .behind(Set(fields[..<index].map(\.shownName)))
    }
}
