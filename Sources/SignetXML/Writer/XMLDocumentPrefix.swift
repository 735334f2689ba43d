/// The XML declaration and the start tag of a root element with its namespaces, prepared for all documents with the
/// same beginning.
public struct XMLDocumentPrefix: Sendable {
    let bytes: [UInt8]
    let bindings: [XMLWriter.Binding]
    let tagStart: Int
    /// Declarations that the start tag gets at the end.
    let hoisted: [XMLWriter.Insertion]
    /// Where further declarations are inserted into the start tag.
    let rootTag: Int?
    let failure: XMLError?

    /// - Parameters:
    ///   - root: the root element.
    ///   - declaring: as for `XMLWriter.startElement(_:declaring:attributes:)`. An invalid name or prefix is a defect
    ///     of each document with this beginning: ``XMLWriter/finish()`` throws it.
    public init(_ root: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = []) {
        var writer = XMLWriter()
        writer.declaration()
        writer.startElement(root, declaring: declaring)
        bytes = writer.bytesWritten
        bindings = writer.bindings
        tagStart = writer.tagStart
        hoisted = writer.hoisted
        rootTag = writer.rootTag
        failure = writer.failure
    }
}

extension XMLWriter {
    /// Makes a writer that has written the opening. The content of the root element and its end tag follow.
    public init(_ opening: XMLDocumentPrefix) {
        self.init(bindings: opening.bindings, failure: opening.failure)
        raw(opening.bytes)
        tagStart = opening.tagStart
        hoisted = opening.hoisted
        rootTag = opening.rootTag
        depth = 1
        enter()
    }
}
