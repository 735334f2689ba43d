/// The namespace declarations in scope at many places of a document at once: each place refers to its innermost
/// declaration, and each declaration to the one around it.
struct NamespaceChain {
    private struct Link {
        var prefix: Range<Int>
        var uri: Range<Int>
        var outer: Int
    }

    let bytes: [UInt8]
    private var links: [Link] = []

    /// The scope outside of the root.
    static let none = -1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The number of known declarations.
    var mark: Int { links.count }

    /// Removes the declarations that were added since a mark was taken.
    mutating func forget(from mark: Int) { links.removeSubrange(min(mark, links.count)...) }

    /// Returns the scope inside a start tag that occurs in `scope`.
    mutating func entering(_ tag: MarkupScanner.StartTag, in scope: Int) -> Int {
        var scope = scope
        for attribute in tag.attributes {
            guard let prefix = declaredPrefix(attribute) else { continue }
            links.append(Link(prefix: prefix, uri: attribute.value, outer: scope))
            scope = links.count - 1
        }
        return scope
    }

    /// The prefix that an attribute declares, empty for the default namespace; nil when the attribute is no
    /// declaration.
    func declaredPrefix(_ attribute: MarkupScanner.Attribute) -> Range<Int>? {
        let name = bytes[attribute.name]
        if name.elementsEqual("xmlns".utf8) { return attribute.name.upperBound..<attribute.name.upperBound }
        guard name.starts(with: "xmlns:".utf8) else { return nil }
        return attribute.name.lowerBound + 6..<attribute.name.upperBound
    }

    /// The namespace name as it is written; empty when the prefix is not declared.
    func uri(_ prefix: some Sequence<UInt8>, in scope: Int) -> ArraySlice<UInt8> {
        var next = scope
        while links.indices.contains(next) {
            let link = links[next]
            if bytes[link.prefix].elementsEqual(prefix) { return bytes[link.uri] }
            next = link.outer
        }
        return []
    }

    /// All declarations in a scope, each prefix once.
    func bindings(in scope: Int) -> [(prefix: ArraySlice<UInt8>, uri: ArraySlice<UInt8>)] {
        var found: [(prefix: ArraySlice<UInt8>, uri: ArraySlice<UInt8>)] = []
        var next = scope
        while links.indices.contains(next) {
            let link = links[next]
            let prefix = bytes[link.prefix]
            if !found.contains(where: { $0.prefix == prefix }) { found.append((prefix, bytes[link.uri])) }
            next = link.outer
        }
        return found
    }
}
