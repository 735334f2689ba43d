/// Writes messages into envelopes.
enum EnvelopeWriter {
    /// Makes an envelope. `body` writes its Body element, tags included.
    ///
    /// - Parameter opening: the result of ``opening(_:_:)`` for the version.
    static func envelope(
        _ version: SOAPVersion, _ opening: XMLDocumentPrefix, namesTypes: Bool = false,
        header: ((inout XMLWriter) -> Void)?, collector: AttachmentCollector? = nil,
        body: (inout XMLWriter) -> Void
    ) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter(opening)
        if let header {
            writer.startElement(version.header)
            header(&writer)
            writer.endElement(version.header)
        }
        writer.writesTypes = namesTypes
        writer.includer = collector
        body(&writer)
        writer.endElement(version.envelope)
        return try writer.finish()
    }

    /// Makes the beginning that all envelopes with the same namespaces share.
    static func opening(
        _ version: SOAPVersion, _ namespaces: [(prefix: String, namespace: XMLNamespace)] = []
    ) -> XMLDocumentPrefix {
        XMLDocumentPrefix(version.envelope, declaring: [("soap", version.namespace)] + namespaces)
    }
}
