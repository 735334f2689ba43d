/// Reads faults of either version, and makes the error to throw.
enum FaultReader {
    /// Subcodes that are nested more deeply are dropped.
    private static let maximumSubcodes = 16

    static let name = SOAPVersion.soap11.fault.localName

    /// Whether the element whose start tag was read last is a fault, of any version. Some services omit the namespace,
    /// or use one of their own. An element of another namespace is a fault only when it has the children of a fault,
    /// because any value may have that name. An element with an identifier is a value in SOAP's encoding to which other
    /// elements refer, and whose type has that name.
    ///
    /// - Parameter wanted: the element that the answer is expected to contain.
    static func isFault(_ reader: inout XMLReader, besides wanted: XMLName? = nil) -> Bool {
        if SOAPVersion.all.contains(where: { reader.isElement($0.fault) }) { return true }
        guard reader.isElement(local: name), wanted?.localName != name, reader.attribute("id") == nil,
            reader.attribute("id", namespace: SOAPEncoding.soap12) == nil
        else { return false }
        let parts = reader.childNamesAhead(limit: EnvelopeReader.maximumPieces)
        if parts.contains("faultcode") || parts.contains("faultstring") { return true }
        // For an element without a namespace, one child of a fault is enough.
        let isPlain = reader.isElement(XMLName("", name))
        if isPlain, parts.contains(where: { ["detail", "Detail", "Reason"].contains($0) }) { return true }
        return parts.contains("Code") && parts.contains("Reason")
    }

    /// Whether the body of a message has a fault, as far as the message can be read.
    static func isFault(in message: [UInt8], charset: String?, limits: XMLLimits) -> Bool {
        // Few bodies have an element of that name.
        guard MarkupScanner.namesInBody(message, charset: charset).contains(name) else { return false }
        let isThere = try? XMLReader.read(message, limits: limits, charset: charset) { (reader) throws(XMLError) in
            try reader.root()
            guard let spoken = SOAPVersion.all.first(where: { reader.isElement($0.envelope) }),
                try enter(&reader, where: { $0.isElement(spoken.body) })
            else { return false }
            return try enter(&reader, where: { isFault(&$0) })
        }
        return isThere ?? false
    }

    /// Reads the fault whose start tag was read last (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4).
    ///
    /// The parts are recognized by their local names, because the names of the two versions differ and some services
    /// mix them. Unexpected text and elements hide nothing: the text of a part is all the text in it and in its
    /// descendants.
    static func read(
        _ reader: inout XMLReader, _ head: EnvelopeHead, bindings: [FaultBinding]
    ) throws(XMLError) -> any Error {
        var fault = SOAPFault(.server, "")
        fault.reasons = []
        fault.isReceived = true
        fault.hasCode = false
        var loose = ""
        while try nextPart(&reader, &loose) {
            switch reader.elementName {
            case "faultcode":
                let code = try code(&reader)
                if !code.localName.isEmpty { fault.code = code }
            case "faultstring": fault.reasons = [try reason(&reader)]
            case "faultactor", "Role": fault.role = try someText(&reader)
            case "Node": fault.node = try someText(&reader)
            case "Code":
                let codes = try codes(&reader)
                if let code = codes.first, !code.localName.isEmpty { fault.code = code }
                fault.subcodes = Array(codes.dropFirst())
            case "Reason": try reasons(&reader, &fault)
            case "detail", "Detail":
                do throws(XMLError) { try detail(&reader, &fault) } catch {
                    // The reader cannot continue, so the fault has only the parts that were read before.
                    guard error.code == .tooDeep, fault.hasCode || !fault.reasons.isEmpty else { throw error }
                    fault.isDetailUnread = true
                    fault.headerBlocks = head.headerBlocks
                    return fault
                }
            default: try reader.skipElement()
            }
        }
        if fault.reasons.isEmpty { fault.reasons = reasons(loose) }
        fault.headerBlocks = head.headerBlocks
        readBlocks(head.headerBlocks, &fault)
        return declared(fault, bindings) ?? fault
    }

    /// The fault in a message of a version, even if the rest of the message is invalid; nil when there is no fault, or
    /// it cannot be read to its end. Only a detail that is nested too deeply may be missing.
    ///
    /// - Parameter version: nil for any.
    static func fault(
        in message: [UInt8], charset: String?, _ version: SOAPVersion? = nil, limits: XMLLimits,
        bindings: [FaultBinding] = []
    ) -> (any Error)? {
        let found = try? XMLReader.read(message, limits: limits, charset: charset) { (reader) throws(XMLError) in
            try reader.root()
            guard let spoken = SOAPVersion.all.first(where: { reader.isElement($0.envelope) }),
                version == nil || version == spoken, try enter(&reader, where: { $0.isElement(spoken.body) }),
                try enter(&reader, where: { isFault(&$0) })
            else { return nil as (any Error)? }
            return try read(&reader, EnvelopeHead(version: spoken), bindings: bindings)
        }
        return found ?? nil
    }

    /// Opens the first child of the innermost open element that satisfies the condition; false when there is none.
    private static func enter(
        _ reader: inout XMLReader, where isWanted: (inout XMLReader) -> Bool
    ) throws(XMLError) -> Bool {
        var loose = ""
        while try nextPart(&reader, &loose) {
            if isWanted(&reader) { return true }
            try reader.skipElement()
        }
        return false
    }

    // MARK: Text

    /// Moves to the next element inside the innermost open one, and collects the text before it; false at the end tag.
    private static func nextPart(_ reader: inout XMLReader, _ loose: inout String) throws(XMLError) -> Bool {
        while true {
            switch try reader.next() {
            case .startElement: return true
            case .text: loose += try reader.currentText()
            case .endElement, .endOfDocument: return false
            }
        }
    }

    /// All text in the innermost open element, that of elements inside included.
    private static func text(_ reader: inout XMLReader) throws(XMLError) -> String {
        let depth = reader.depth
        var text = ""
        while reader.depth >= depth {
            if try reader.next() == .text { text += try reader.currentText() }
        }
        return text
    }

    /// The same; nil when there is no text.
    private static func someText(_ reader: inout XMLReader) throws(XMLError) -> String? {
        let text = try text(&reader)
        return text.trimmedXMLSpace.isEmpty ? nil : text
    }

    // MARK: Parts

    private static func reason(_ reader: inout XMLReader) throws(XMLError) -> SOAPFault.Reason {
        let language = reader.attribute("lang", namespace: .xml)
        return SOAPFault.Reason(try text(&reader), language: language)
    }

    /// The reasons made of text outside of a reason element, if there is any.
    private static func reasons(_ loose: String) -> [SOAPFault.Reason] {
        let text = loose.trimmedXMLSpace
        return text.isEmpty ? [] : [SOAPFault.Reason(text)]
    }

    private static func reasons(_ reader: inout XMLReader, _ fault: inout SOAPFault) throws(XMLError) {
        var loose = ""
        while try nextPart(&reader, &loose) {
            guard fault.reasons.count < EnvelopeReader.maximumPieces else {
                throw EnvelopeReader.tooMany("reasons of a fault", reader.offset)
            }
            fault.reasons.append(try reason(&reader))
        }
        if fault.reasons.isEmpty { fault.reasons = reasons(loose) }
    }

    /// The code and its subcodes, which are nested.
    private static func codes(_ reader: inout XMLReader) throws(XMLError) -> [SOAPFault.Code] {
        var codes: [SOAPFault.Code] = []
        var loose = ""
        let scope = reader.namespacesInScope
        let depth = reader.depth
        while reader.depth >= depth {
            switch try reader.next() {
            case .startElement where reader.elementName == "Value" && codes.count <= maximumSubcodes:
                codes.append(try code(&reader))
            case .startElement where reader.elementName != "Subcode": try reader.skipElement()
            case .text where codes.isEmpty: loose += try reader.currentText()
            default: break
            }
        }
        let name = loose.trimmedXMLSpace
        guard codes.isEmpty, !name.isEmpty else { return codes }
        return [code(name) { prefix in scope.last { $0.prefix == prefix }?.uri }]
    }

    private static func code(_ reader: inout XMLReader) throws(XMLError) -> SOAPFault.Code {
        // The scope is taken before the text is read if the element declares namespaces itself; otherwise it is still
        // known afterwards.
        let scope = reader.declaresNamespaces ? reader.namespacesInScope : nil
        let name = try text(&reader).trimmedXMLSpace
        let prefix = name.qualifiedNameParts.prefix
        let uri = scope?.last { $0.prefix == prefix }?.uri ?? reader.namespaceURI(forPrefix: prefix)
        return code(name) { _ in uri }
    }

    /// The code that a text names. A text that is not a qualified name with a declared prefix, such as a URL or a
    /// sentence, is kept unchanged.
    private static func code(_ name: String, _ namespace: (_ prefix: String) -> String?) -> SOAPFault.Code {
        let (prefix, localName) = name.qualifiedNameParts
        // Many services write the standard codes without a prefix.
        for version in SOAPVersion.all where prefix.isEmpty {
            let code = SOAPFault.Code(namespaceURI: version.namespace.uri, localName: name)
            if code.standardName(in: version) == name { return code }
        }
        guard XMLName.isNCName(localName), let uri = prefix.isEmpty ? namespace("") ?? "" : namespace(prefix) else {
            return .init(namespaceURI: "", localName: name)
        }
        return .init(namespaceURI: uri, localName: localName)
    }

    private static func detail(_ reader: inout XMLReader, _ fault: inout SOAPFault) throws(XMLError) {
        let offset = reader.offset
        let whole = try reader.fragment()
        fault.detailElement = whole
        fault.detailAttributes = whole.attributes
        try whole.read { (reader) throws(XMLError) in
            var text = ""
            while try nextPart(&reader, &text) {
                guard fault.detail.count < EnvelopeReader.maximumPieces else {
                    throw EnvelopeReader.tooMany("elements in the detail of a fault", offset)
                }
                fault.detail.append(try reader.fragment())
            }
            let trimmed = text.trimmedXMLSpace
            fault.detailText = trimmed.isEmpty ? nil : trimmed
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

    /// Reads the header blocks `NotUnderstood` and `Upgrade` (SOAP 1.2 Part 1 §5.4.7 and §5.4.8).
    private static func readBlocks(_ blocks: [ReceivedHeaderBlock], _ fault: inout SOAPFault) {
        let namespace = SOAPVersion.soap12.namespace
        for block in blocks {
            if block.fragment.isElement(XMLName(namespace, "NotUnderstood")),
                let name = block.fragment.read({ reader in qname(&reader) })
            {
                fault.notUnderstood.append(name)
            }
            guard block.fragment.isElement(XMLName(namespace, "Upgrade")) else { continue }
            // They are read one by one, because nothing limits their number.
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
