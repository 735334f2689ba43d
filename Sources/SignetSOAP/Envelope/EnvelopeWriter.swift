/// Puts messages into envelopes.
enum EnvelopeWriter {
    /// An envelope whose body is written by `body`.
    static func envelope(
        _ version: SOAPVersion, headers: [HeaderBlock] = [],
        namespaces: [(prefix: String, namespace: XMLNamespace)] = [],
        body: (inout XMLWriter) -> Void
    ) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter()
        writer.declaration()
        writer.startElement(version.envelope, declaring: [("soap", version.namespace)] + namespaces)
        if !headers.isEmpty {
            writer.startElement(version.header)
            for header in headers {
                var attributes: [(name: XMLName, value: String)] = []
                if header.mustUnderstand { attributes.append((version.mustUnderstand, "1")) }
                if let actor = header.actor { attributes.append((version.actor, actor)) }
                header.write(&writer, attributes)
            }
            writer.endElement(version.header)
        }
        writer.startElement(version.body)
        body(&writer)
        writer.endElement(version.body)
        writer.endElement(version.envelope)
        return try writer.finish()
    }

    /// An envelope with a fault (SOAP 1.1 §4.4).
    static func fault(
        _ version: SOAPVersion, _ fault: SOAPFault, detail: ((inout XMLWriter) -> Void)? = nil
    ) throws(XMLError) -> [UInt8] {
        try envelope(version) { writer in
            let isStandard = fault.code.namespaceURI == version.namespace.uri || fault.code.namespaceURI.isEmpty
            // The code's prefix is declared by hand: its namespace is known to this fault only and not worth keeping.
            writer.startElement(
                version.fault,
                attributes: isStandard ? [] : [(XMLName(.none, "xmlns:code"), fault.code.namespaceURI)])
            text("faultcode", "\(isStandard ? "soap" : "code"):\(fault.code.localName)", &writer)
            text("faultstring", fault.reason, &writer)
            if let actor = fault.actor { text("faultactor", actor, &writer) }
            if let detail {
                let name = XMLName(.none, "detail")
                writer.startElement(name)
                detail(&writer)
                writer.endElement(name)
            }
            writer.endElement(version.fault)
        }
    }

    private static func text(_ name: String, _ value: String, _ writer: inout XMLWriter) {
        let name = XMLName(.none, name)
        writer.startElement(name)
        writer.text(value)
        writer.endElement(name)
    }
}
