/// Puts messages into envelopes.
enum EnvelopeWriter {
    /// An envelope whose body, with its tags, is written by `body`.
    ///
    /// - Parameter opening: what ``opening(_:_:)`` gives for the version.
    static func envelope(
        _ version: SOAPVersion, _ opening: XMLOpening, namesTypes: Bool = false,
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

    /// The beginning of all envelopes that declare the same namespaces.
    static func opening(
        _ version: SOAPVersion, _ namespaces: [(prefix: String, namespace: XMLNamespace)] = []
    ) -> XMLOpening {
        XMLOpening(version.envelope, declaring: [("soap", version.namespace)] + namespaces)
    }
}
