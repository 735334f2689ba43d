/// Takes messages out of envelopes.
enum EnvelopeReader {
    /// Why an envelope cannot be read.
    enum Failure: Error {
        case malformed(XMLError)
        /// The root element is no SOAP envelope.
        case notAnEnvelope(root: String)
        /// An envelope of another version.
        case version(namespace: String)
        /// A header block with mustUnderstand that nobody knows.
        case headerNotUnderstood(String)
    }

    /// Reads an envelope and hands its first body element to `body`; a body without element gives nil.
    ///
    /// - Parameter understood: names of the header blocks that the caller processes.
    static func read<Result>(
        _ bytes: [UInt8], version: SOAPVersion, limits: XMLLimits, understood: Set<XMLName>,
        body: (inout XMLReader) throws(XMLError) -> Result
    ) throws(Failure) -> (headers: [ReceivedHeaderBlock], body: Result?) {
        let outcome: Swift.Result<(headers: [ReceivedHeaderBlock], body: Result?), Failure>
        do {
            outcome = try XMLReader.read(bytes, limits: limits) { (reader) throws(XMLError) in
                try reader.root()
                guard reader.isElement(version.envelope) else {
                    return .failure(
                        reader.elementName == "Envelope"
                            ? .version(namespace: reader.namespaceURI) : .notAnEnvelope(root: reader.elementName))
                }
                var headers: [ReceivedHeaderBlock] = []
                var result: Result?
                var hasBody = false
                while try reader.nextChild() {
                    if !hasBody, reader.isElement(version.header) {
                        headers += try readHeaders(&reader, bytes, version)
                        if let missed = headers.first(where: { isMissed($0, understood) }) {
                            return .failure(.headerNotUnderstood("{\(missed.namespaceURI)}\(missed.localName)"))
                        }
                    } else if !hasBody, reader.isElement(version.body) {
                        hasBody = true
                        if try reader.nextChild() {
                            result = try body(&reader)
                            while try reader.nextChild() { try reader.skipElement() }
                        }
                    } else {
                        try reader.skipElement()
                    }
                }
                try reader.finish()
                return .success((headers, result))
            }
        } catch {
            throw .malformed(error)
        }
        return try outcome.get()
    }

    private static func isMissed(_ block: ReceivedHeaderBlock, _ understood: Set<XMLName>) -> Bool {
        guard block.mustUnderstand else { return false }
        // Blocks for somebody else on the way are not ours to understand (SOAP 1.1 §4.2.2).
        if let actor = block.actor, !actor.isEmpty, actor != "http://schemas.xmlsoap.org/soap/actor/next" {
            return false
        }
        return !understood.contains { $0.localName == block.localName && $0.namespace.uri == block.namespaceURI }
    }

    private static func readHeaders(
        _ reader: inout XMLReader, _ bytes: [UInt8], _ version: SOAPVersion
    ) throws(XMLError) -> [ReceivedHeaderBlock] {
        var blocks: [ReceivedHeaderBlock] = []
        while try reader.nextChild() {
            let namespace = reader.namespaceURI
            let name = reader.elementName
            let flag = reader.attribute("mustUnderstand", namespace: version.namespace)
            let actor = reader.attribute("actor", namespace: version.namespace)
            let content = String(decoding: bytes[try reader.skipElementContent()], as: UTF8.self)
            blocks.append(
                ReceivedHeaderBlock(
                    namespaceURI: namespace, localName: name, mustUnderstand: flag == "1" || flag == "true",
                    actor: actor,
                    content: content))
        }
        return blocks
    }

    /// Reads the fault whose start tag was read last (SOAP 1.1 §4.4) into the error to throw.
    static func fault(
        _ reader: inout XMLReader, _ bytes: [UInt8], version: SOAPVersion, bindings: [FaultBinding]
    ) throws(XMLError) -> any Error {
        var fault = SOAPFault(.server, "")
        fault.isReceived = true
        var typed: (@Sendable (SOAPFault) -> any Error)?
        while try reader.nextChild() {
            switch reader.elementName {
            case "faultcode":
                // Taken before the text is read: the element may declare the prefix itself.
                let scope = reader.namespacesInScope
                fault.code = code(try reader.elementText(), scope)
            case "faultstring": fault.reason = try reader.elementText()
            case "faultactor": fault.actor = try reader.elementText()
            case "detail":
                fault.detail = String(decoding: bytes[try reader.skipElementContent()], as: UTF8.self)
                typed = detail(bytes, version, bindings)
            default: try reader.skipElement()
            }
        }
        return typed.map { $0(fault) } ?? fault
    }

    private static func code(_ text: String, _ scope: [(prefix: String, uri: String)]) -> SOAPFault.Code {
        let name = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        // Many services write the standard codes without a prefix.
        if parts.count == 1, ["Client", "Server", "VersionMismatch", "MustUnderstand"].contains(name) {
            return .init(namespaceURI: SOAPVersion.soap11.namespace.uri, localName: name)
        }
        let prefix = parts.count == 2 ? parts[0] : ""
        return .init(namespaceURI: scope.last { $0.prefix == prefix }?.uri ?? "", localName: parts.last ?? "")
    }

    /// Looks for a declared element in the detail, with a reader of its own: whatever else a service puts there, text
    /// included, must not hide the fault.
    private static func detail(
        _ bytes: [UInt8], _ version: SOAPVersion, _ bindings: [FaultBinding]
    ) -> (@Sendable (SOAPFault) -> any Error)? {
        guard !bindings.isEmpty else { return nil }
        return try? XMLReader.read(bytes) { (reader) throws(XMLError) in
            try reader.root()
            let path = [version.body, version.fault, XMLName(.none, "detail")]
            for name in path {
                while try reader.nextChild(), !reader.isElement(name) { try reader.skipElement() }
            }
            let depth = reader.depth
            while reader.depth >= depth {
                guard try reader.next() == .startElement else { continue }
                if let binding = bindings.first(where: { reader.isElement($0.name) }) {
                    return try binding.decode(&reader)
                }
                try reader.skipElement()
            }
            return nil
        }
    }
}
