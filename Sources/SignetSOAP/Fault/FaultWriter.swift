/// Writes faults as envelopes.
struct FaultWriter {
    let version: SOAPVersion
    let fault: SOAPFault
    /// Writes the detail that the WSDL declares.
    var detail: ((inout XMLWriter) -> Void)?
    var headerBlocks: [HeaderBlock] = []

    /// The HTTP status of the answer (SOAP 1.1 §6.2, SOAP 1.2 Part 2 §7.5.2.2).
    var status: Int { version == .soap12 && codes[0] == .sender ? 400 : 500 }

    func envelope() throws(XMLError) -> [UInt8] {
        try EnvelopeWriter.envelope(version, EnvelopeWriter.opening(version), header: header) { writer in
            writer.startElement(version.body)
            writer.startElement(version.fault)
            if version == .soap11 { write11(&writer) } else { write12(&writer) }
            writer.endElement(version.fault)
            writer.endElement(version.body)
        }
    }

    /// The code as this version has it, and the subcodes.
    private var codes: [SOAPFault.Code] {
        let all = [fault.code] + fault.subcodes
        if version == .soap11 { return [fault.subcodes.first ?? fault.code] }
        if fault.code.standardName(in: .soap12) != nil { return all }
        // SOAP 1.1 §4.4.1: the text after a dot only specializes the code before it.
        let isClient =
            fault.code.namespaceURI == SOAPVersion.soap11.namespace.uri && fault.code.localName.hasPrefix("Client.")
        return [isClient ? .sender : .receiver] + all
    }

    /// SOAP 1.1 §4.4.
    private func write11(_ writer: inout XMLWriter) {
        for code in codes { value(code, XMLName(.none, "faultcode"), &writer) }
        let reason = fault.reasons.first { $0.text == fault.reason }
        text(
            XMLName(.none, "faultstring"), fault.reason, &writer,
            language: reason?.language == "en" ? nil : reason?.language)
        if let role = fault.role { text(XMLName(.none, "faultactor"), role, &writer) }
        writeDetail(XMLName(.none, "detail"), &writer)
    }

    /// SOAP 1.2 Part 1 §5.4.
    private func write12(_ writer: inout XMLWriter) {
        let subcode = name("Subcode")
        writer.startElement(name("Code"))
        for (depth, code) in codes.enumerated() {
            if depth > 0 { writer.startElement(subcode) }
            value(code, name("Value"), &writer)
        }
        for _ in codes.dropFirst() { writer.endElement(subcode) }
        writer.endElement(name("Code"))
        writer.startElement(name("Reason"))
        for reason in fault.reasons.isEmpty ? [.init("", language: "en")] : fault.reasons {
            // The attribute is required; `und` says that the language is not known (RFC 5646 §4.1).
            text(name("Text"), reason.text, &writer, language: reason.language ?? "und")
        }
        writer.endElement(name("Reason"))
        if let node = fault.node { text(name("Node"), node, &writer) }
        if let role = fault.role { text(name("Role"), role, &writer) }
        writeDetail(name("Detail"), &writer)
    }

    private func name(_ localName: String) -> XMLName { XMLName(version.namespace, localName) }

    private func writeDetail(_ name: XMLName, _ writer: inout XMLWriter) {
        guard
            detail != nil || !fault.detail.isEmpty || fault.detailText != nil || !fault.detailAttributes.isEmpty
        else { return }
        writer.startElement(name) { $0.anyAttributes(fault.detailAttributes) }
        detail?(&writer)
        writer.wildcard(fault.detail)
        if let text = fault.detailText { writer.text(text) }
        writer.endElement(name)
    }

    private func value(_ code: SOAPFault.Code, _ name: XMLName, _ writer: inout XMLWriter) {
        let isStandard = code.standardName(in: version)
        if let standard = isStandard {
            text(name, "soap:\(standard)", &writer)
        } else {
            let received = ReceivedName(namespaceURI: code.namespaceURI, localName: code.localName)
            writer.startElement(name)
            writer.text(Self.qualified(received, &writer))
            writer.endElement(name)
        }
    }

    private func text(_ name: XMLName, _ value: String, _ writer: inout XMLWriter, language: String? = nil) {
        writer.startElement(name, attributes: language.map { [(XMLName(.xml, "lang"), $0)] } ?? [])
        writer.text(value)
        writer.endElement(name)
    }

    /// The name with a declared prefix, as the text of the element being written.
    private static func qualified(_ name: ReceivedName, _ writer: inout XMLWriter) -> String {
        let prefix = writer.prefix(declaring: name.namespaceURI, wished: "q")
        return prefix.isEmpty ? name.localName : "\(prefix):\(name.localName)"
    }

    // MARK: Header blocks

    /// The header blocks to send with the fault: `NotUnderstood` (SOAP 1.2 Part 1 §5.4.8) and `Upgrade` (§5.4.7), which
    /// also accompanies faults of SOAP 1.1 (Appendix A).
    private var header: ((inout XMLWriter) -> Void)? {
        let notUnderstood = version == .soap12 ? fault.notUnderstood : []
        guard !notUnderstood.isEmpty || !fault.supportedVersions.isEmpty || !headerBlocks.isEmpty else { return nil }
        return { [supported = fault.supportedVersions, headerBlocks, version] writer in
            for block in headerBlocks { block.write(to: &writer, version) }
            for block in notUnderstood { Self.empty("NotUnderstood", block, &writer) }
            guard !supported.isEmpty else { return }
            let upgrade = XMLName(SOAPVersion.soap12.namespace, "Upgrade")
            writer.startElement(upgrade)
            for version in supported {
                let envelope = ReceivedName(namespaceURI: version.namespace.uri, localName: "Envelope")
                Self.empty("SupportedEnvelope", envelope, &writer)
            }
            writer.endElement(upgrade)
        }
    }

    /// An element of SOAP 1.2 whose attribute `qname` is a name.
    private static func empty(_ localName: String, _ qname: ReceivedName, _ writer: inout XMLWriter) {
        let element = XMLName(SOAPVersion.soap12.namespace, localName)
        writer.startElement(element) { $0.attribute(XMLName(.none, "qname"), qualified(qname, &$0)) }
        writer.endElement(element)
    }
}
