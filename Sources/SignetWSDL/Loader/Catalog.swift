import SignetXML

/// The local copies of documents that other documents import by an address (OASIS XML Catalogs 1.1).
///
/// The loader understands `uri`, `system`, `rewriteURI`, `rewriteSystem`, `group` and `xml:base`, and skips all other
/// entries.
struct Catalog {
    static let namespace = "urn:oasis:names:tc:entity:xmlns:xml:catalog"
    static let fileName = "catalog.xml"

    private var exact: [String: Entry] = [:]
    private var prefixes: [(start: String, entry: Entry)] = []
    /// The address of each file that has an entry of its own.
    private var addresses: [String: WebAddress] = [:]

    private struct Entry {
        /// The path that replaces the address, or its beginning, relative to the folder that may be read.
        var replacement: String
        /// The path of the catalog.
        var catalog: String
        var location: SourceLocation
    }

    /// Adds the entries of a catalog; a document of another kind has none.
    mutating func add(_ bytes: [UInt8], path: String, shown: String, limits: XMLLimits) throws(WSDLError) {
        let root = try XMLNode.parse(bytes, file: shown, limits: limits)
        guard root.isNamed(Self.namespace, "catalog") else { return }
        var open: [(node: XMLNode, base: String)] = [(root, "")]
        while let (node, outer) = open.popLast() {
            let base = outer + (node.attribute(QName(Namespaces.xml, "base")) ?? "")
            switch node.name.localName {
            case "uri": enter(node, "name", "uri", base, path)
            case "system": enter(node, "systemId", "uri", base, path)
            case "rewriteURI": enter(node, "uriStartString", "rewritePrefix", base, path)
            case "rewriteSystem": enter(node, "systemIdStartString", "rewritePrefix", base, path)
            // Reversed, so that the entries are visited in document order.
            default: open += node.children.reversed().map { ($0, base) }
            }
        }
    }

    private mutating func enter(_ node: XMLNode, _ key: String, _ value: String, _ base: String, _ path: String) {
        guard node.name.namespace == Self.namespace, let address = node.attribute(key),
            let replacement = node.attribute(value)
        else { return }
        let entry = Entry(replacement: base + replacement, catalog: path, location: node.location)
        // The first matching entry counts (§7.1.2).
        if value == "rewritePrefix" {
            prefixes.append((address, entry))
        } else if exact[address] == nil {
            exact[address] = entry
            if case .file(let file) = ImportTarget(entry.replacement, from: path), addresses[file] == nil {
                addresses[file] = WebAddress(address)
            }
        }
    }

    /// Whether a file cannot be the one that a document refers to by the same path: both have an address, and the
    /// catalog maps the file to a different address.
    func excludes(_ file: String, from document: String) -> Bool {
        addresses[document] != nil && (addresses[file] != nil || file == Self.fileName)
    }

    /// The path of the file for a reference in a document: an address, or a reference relative to the document's own
    /// address.
    func path(for reference: String, in document: String) throws(WSDLError) -> String? {
        if let found = try path(for: reference) { return found }
        guard let address = addresses[document]?.resolving(reference) else { return nil }
        return try path(for: address.description)
    }

    /// The path of the file that the catalog gives for an address; nil when no entry matches it.
    func path(for address: String) throws(WSDLError) -> String? {
        let address = String(address.prefix { $0 != "#" })
        let found: (name: String, entry: Entry)
        if let entry = exact[address] {
            found = (entry.replacement, entry)
        } else {
            let fitting = prefixes.filter { address.hasPrefix($0.start) }
            // The longest beginning wins (§7.1.2).
            guard let longest = fitting.map(\.start.utf8.count).max(),
                let (start, entry) = fitting.first(where: { $0.start.utf8.count == longest })
            else { return nil }
            found = (entry.replacement + address.dropFirst(start.count), entry)
        }
        guard case .file(let path) = ImportTarget(found.name, from: found.entry.catalog) else {
            throw WSDLError(
                .importRefused,
                "the catalog gives ‘\(found.name)’ for ‘\(address)’, which is no file inside the folder that may be read.",
                at: found.entry.location)
        }
        return path
    }
}
