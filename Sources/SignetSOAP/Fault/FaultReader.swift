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
                while try reader.nextChild() { fault.reasons.append(try reason(&reader)) }
            case "detail", "Detail": try detail(&reader, &fault)
            default: try reader.skipElement()
            }
        }
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
            case .startElement where reader.elementName == "Value": codes.append(try code(&reader))
            case .startElement where reader.elementName != "Subcode": try reader.skipElement()
            default: break
            }
        }
        return Array(codes.prefix(1 + maximumSubcodes))
    }

    private static func code(_ reader: inout XMLReader) throws(XMLError) -> SOAPFault.Code {
        // Taken before the text is read: the element may declare the prefix itself.
        let scope = reader.namespacesInScope
        let name = String(try reader.elementText().trimmedXMLSpace)
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        // Many services write the standard codes without a prefix.
        for version in SOAPVersion.all where parts.count == 1 {
            let code = SOAPFault.Code(namespaceURI: version.namespace.uri, localName: name)
            if code.standardName(in: version) == name { return code }
        }
        let prefix = parts.count == 2 ? parts[0] : ""
        return .init(namespaceURI: scope.last { $0.prefix == prefix }?.uri ?? "", localName: parts.last ?? "")
    }

    private static func detail(_ reader: inout XMLReader, _ fault: inout SOAPFault) throws(XMLError) {
        var text = ""
        while true {
            switch try reader.next() {
            case .startElement: fault.detail.append(try reader.fragment())
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
            if block.fragment.isElement(XMLName(namespace, "NotUnderstood")), let name = qname(block.fragment) {
                fault.notUnderstood.append(name)
            }
            guard block.fragment.isElement(XMLName(namespace, "Upgrade")) else { continue }
            let names = block.fragment.children.compactMap(qname)
            for version in names.compactMap({ name in SOAPVersion.all.first { name.is($0.envelope) } })
            where !fault.supportedVersions.contains(version) {
                fault.supportedVersions.append(version)
            }
        }
    }

    private static func qname(_ fragment: XMLFragment) -> ReceivedName? {
        let name = try? fragment.read { (reader) throws(XMLError) -> ReceivedName? in
            guard let value = reader.attribute("qname") else { return nil }
            let parts = value.trimmedXMLSpace.split(separator: ":", maxSplits: 1).map(String.init)
            let uri = reader.namespaceURI(forPrefix: parts.count == 2 ? parts[0] : "")
            return parts.last.map { ReceivedName(namespaceURI: uri ?? "", localName: $0) }
        }
        return name ?? nil
    }
}
