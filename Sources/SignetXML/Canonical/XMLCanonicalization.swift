/// A method of making the canonical form of XML, with its parameters.
///
/// ```swift
/// let form = XMLCanonicalization(.exclusive10)
/// let bytes = try form.canonicalForm(of: document)
/// ```
///
/// Two documents with the same canonical form mean the same to most programs; signatures are made over it.
public struct XMLCanonicalization: Sendable, Hashable {
    /// The recommendations of the W3C.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Method: Sendable, Hashable, CaseIterable {
        /// Canonical XML 1.0: the form has all namespaces that are declared around it.
        case inclusive10
        /// Canonical XML 1.1, which does not inherit `xml:id` and joins `xml:base`.
        case inclusive11
        /// Exclusive XML Canonicalization 1.0: the form has only the namespaces that names in it use.
        case exclusive10
    }

    /// The method.
    public var method: Method
    /// Whether comments are part of the form.
    public var hasComments: Bool
    /// Prefixes whose declarations the exclusive form treats as the inclusive one does (§3, PrefixList); `#default` means
    /// the default namespace. The inclusive methods ignore the list.
    public var inclusiveNamespaces: [String]

    /// - Parameters:
    ///   - method: see ``method``.
    ///   - hasComments: see ``hasComments``.
    ///   - inclusiveNamespaces: see ``inclusiveNamespaces``.
    public init(_ method: Method, hasComments: Bool = false, inclusiveNamespaces: [String] = []) {
        self.method = method
        self.hasComments = hasComments
        self.inclusiveNamespaces = inclusiveNamespaces
    }

    /// The canonical form of a document. It has no more bytes than the limits allow a document.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - omitted: where the start tag of an element begins that is left out; see ``write(_:omitting:limits:doctype:into:)``.
    ///   - limits: the limits of the document.
    ///   - doctype: what becomes of a document type declaration; it is refused unless the program asks for it.
    /// - Throws: `XMLError` for a document that is not well-formed or exceeds the limits, and for namespace names that are
    ///   relative (Canonical XML 1.0 §1.3).
    public func canonicalForm(
        of document: [UInt8], omitting omitted: Int? = nil, limits: XMLLimits = .init(), doctype: XMLDoctype = .refused
    ) throws(XMLError) -> [UInt8] {
        var form: [UInt8] = []
        form.reserveCapacity(document.count)
        try write(document, omitting: omitted, limits: limits, doctype: doctype) { form.append(contentsOf: $0) }
        return form
    }

    /// Passes the canonical form of a document on while it is made, as ``canonicalForm(of:omitting:limits:doctype:)``.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - omitted: where the start tag of an element begins that is left out, such as an enveloped signature, in bytes from
    ///     the start of the document; nil to leave nothing out.
    ///   - limits: the limits of the document.
    ///   - doctype: what becomes of a document type declaration.
    ///   - sink: receives the bytes, in order and piece by piece. They are valid only during the call, and count only if
    ///     this method does not throw.
    public func write(
        _ document: [UInt8], omitting omitted: Int? = nil, limits: XMLLimits = .init(), doctype: XMLDoctype = .refused,
        into sink: (UnsafeRawBufferPointer) -> Void
    ) throws(XMLError) {
        try XMLReader.read(document, limits: limits, doctype: doctype) { (reader) throws(XMLError) in
            var writer = XMLCanonicalWriter(self)
            writer.markup(&reader, .beforeRoot)
            try reader.root()
            try writer.element(&reader, omitting: omitted, into: sink)
            writer.markup(&reader, .afterRoot)
            try reader.finish()
            writer.flush(into: sink)
        }
    }
}
