/// Puts messages into envelopes.
enum EnvelopeWriter {
    /// An envelope whose body is written by `body`.
    static func envelope(
        _ version: SOAPVersion, headers: [HeaderBlock] = [],
        namespaces: [(prefix: String, namespace: XMLNamespace)] = [],
        body: (inout XMLWriter) -> Void
    ) throws(XMLError) -> [UInt8] {
        let header: ((inout XMLWriter) -> Void)? = { writer in
            for block in headers { block.write(to: &writer, version) }
        }
        return try envelope(version, namespaces: namespaces, header: headers.isEmpty ? nil : header, body: body)
    }

    static func envelope(
        _ version: SOAPVersion, namespaces: [(prefix: String, namespace: XMLNamespace)] = [],
        header: ((inout XMLWriter) -> Void)?, body: (inout XMLWriter) -> Void
    ) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter()
        writer.declaration()
        writer.startElement(version.envelope, declaring: [("soap", version.namespace)] + namespaces)
        if let header {
            writer.startElement(version.header)
            header(&writer)
            writer.endElement(version.header)
        }
        writer.startElement(version.body)
        body(&writer)
        writer.endElement(version.body)
        writer.endElement(version.envelope)
        return try writer.finish()
    }
}
