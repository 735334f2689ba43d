/// Reads faults of either version into the error to throw.
enum FaultReader {
    /// Subcodes deeper than this are dropped.
    private static let maximumSubcodes = 16

    /// Reads the fault whose start tag was read last (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4).
    ///
    /// The parts are told by their local names: those of the two versions differ, and some services mix them up.
    static func read(
        _ reader: inout XMLReader, _ head: EnvelopeHead, bindings: [FaultBinding]
    ) throws(XMLError) -> any Error {
        var fault = SOAPFault(.server, "")
        fault.reasons = []
        fault.isReceived = true
        while try reader.nextChild() {
            switch reader.elementName {
            case "faultcode": fault.code = try code(&reader)
            case "faultstring": fault.reasons = [try reason(&reader)]
            case "faultactor", "Role": fault.role = try reader.elementText()
            case "Node": fault.node = try reader.elementText()
            case "Code":
                let codes = try codes(&reader)
                fault.code = codes.first ?? fault.code
                fault.subcodes = Array(codes.dropFirst())
            case "Reason":
                while try reader.nextChild() {
                    guard fault.reasons.count < EnvelopeReader.maximumPieces else {
                        throw EnvelopeReader.tooMany("reasons of a fault", reader.offset)
                    }
                    fault.reasons.append(try reason(&reader))
                }
            case "detail", "Detail": try detail(&reader, &fault)
            default: try reader.skipElement()
            }
        }
        fault.headerBlocks = head.headerBlocks
        readBlocks(head.headerBlocks, &fault)
        return declared(fault, bindings) ?? fault
    }

    private static func reason(_ reader: inout XMLReader) throws(XMLError) -> SOAPFault.Reason {
        let language = reader.attribute("lang", namespace: .xml)
        return SOAPFault.Reason(try reader.elementText(), language: language)
    }

    /// The code and its subcodes, which are nested.
    private static func codes(_ reader: inout XMLReader) throws(XMLError) -> [SOAPFault.Code] {
        var codes: [SOAPFault.Code] = []
        let depth = reader.depth
        while reader.depth >= depth {
            switch try reader.next() {
            case .startElement where reader.elementName == "Value" && codes.count <= maximumSubcodes:
                codes.append(try code(&reader))
            case .startElement where reader.elementName != "Subcode": try reader.skipElement()
            default: break
            }
        }
        return codes
    }

    private static func code(_ reader: inout XMLReader) throws(XMLError) -> SOAPFault.Code {
        // Taken before the text is read where the element may declare the prefix itself; otherwise it is known afterwards.
        let scope = reader.declaresNamespaces ? reader.namespacesInScope : nil
        let name = try reader.elementText().trimmedXMLSpace
        let (prefix, localName) = name.qualifiedNameParts
        // Many services write the standard codes without a prefix.
        for version in SOAPVersion.all where prefix.isEmpty {
            let code = SOAPFault.Code(namespaceURI: version.namespace.uri, localName: name)
            if code.standardName(in: version) == name { return code }
        }
        let uri = scope?.last { $0.prefix == prefix }?.uri ?? reader.namespaceURI(forPrefix: prefix)
        return .init(namespaceURI: uri ?? "", localName: localName)
    }

    private static func detail(_ reader: inout XMLReader, _ fault: inout SOAPFault) throws(XMLError) {
        var text = ""
        while true {
            switch try reader.next() {
            case .startElement:
                guard fault.detail.count < EnvelopeReader.maximumPieces else {
                    throw EnvelopeReader.tooMany("elements in the detail of a fault", reader.offset)
                }
                fault.detail.append(try reader.fragment())
            case .text: text += try reader.currentText()
            case .endElement, .endOfDocument:
                let trimmed = text.trimmedXMLSpace
                fault.detailText = trimmed.isEmpty ? nil : String(trimmed)
                return
            }
        }
    }

    /// The fault with its detail typed. A detail that departs from its type must not hide the fault.
    private static func declared(_ fault: SOAPFault, _ bindings: [FaultBinding]) -> (any Error)? {
        for fragment in fault.detail {
            guard let binding = bindings.first(where: { fragment.isElement($0.name) }) else { continue }
            let make = try? fragment.read { (reader) throws(XMLError) in try binding.decode(&reader) }
            return make?(fault)
        }
        return nil
    }

    /// What the header blocks `NotUnderstood` and `Upgrade` say (SOAP 1.2 Part 1 §5.4.7 and §5.4.8).
    private static func readBlocks(_ blocks: [ReceivedHeaderBlock], _ fault: inout SOAPFault) {
        let namespace = SOAPVersion.soap12.namespace
        for block in blocks {
            if block.fragment.isElement(XMLName(namespace, "NotUnderstood")),
                let name = block.fragment.read({ reader in qname(&reader) })
            {
                fault.notUnderstood.append(name)
            }
            guard block.fragment.isElement(XMLName(namespace, "Upgrade")) else { continue }
            // One by one, because nothing bounds their number.
            try? block.fragment.read { (reader) throws(XMLError) in
                while try reader.nextChild() {
                    let name = qname(&reader)
                    for version in SOAPVersion.all
                    where name?.is(version.envelope) == true && !fault.supportedVersions.contains(version) {
                        fault.supportedVersions.append(version)
                    }
                    try reader.skipElement()
                }
            }
        }
    }

    private static func qname(_ reader: inout XMLReader) -> ReceivedName? {
        guard let value = reader.attribute("qname") else { return nil }
        let (prefix, localName) = value.trimmedXMLSpace.qualifiedNameParts
        if localName.isEmpty { return nil }
        return ReceivedName(namespaceURI: reader.namespaceURI(forPrefix: prefix) ?? "", localName: localName)
    }
}
