/// Puts messages into envelopes.
enum EnvelopeWriter {
    /// An envelope whose body, with its tags, is written by `body`.
    static func envelope(
        _ version: SOAPVersion, namespaces: [(prefix: String, namespace: XMLNamespace)] = [], namesTypes: Bool = false,
        header: ((inout XMLWriter) -> Void)?, collector: AttachmentCollector? = nil,
        body: (inout XMLWriter) -> Void
    ) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter()
        writer.declaration()
        writer.startElement(version.envelope, declaring: [("soap", version.namespace)] + namespaces)
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
}
