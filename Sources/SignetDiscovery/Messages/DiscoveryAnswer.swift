import SignetSOAP

/// A message as it came in a datagram: what it answers, and which devices it describes.
struct DiscoveryAnswer: Sendable {
    /// The description of one device: a ProbeMatch or a ResolveMatch.
    struct Match: Sendable, Hashable {
        var endpointAddress = ""
        var types: [ReceivedName] = []
        var scopes: [String] = []
        var addresses: [String] = []
        var metadataVersion: UInt32 = 0
    }

    /// What the message is.
    enum Kind: Sendable, Hashable { case probeMatches, resolveMatches }

    private(set) var messageID: String?
    private(set) var relatesTo: [String] = []
    /// Nil for any message that describes no devices, such as a Hello or a fault.
    private(set) var kind: Kind?
    private(set) var version = DiscoveryVersion.v11
    private(set) var matches: [Match] = []
    /// Descriptions without a usable endpoint address.
    private(set) var malformedMatches = 0
    /// Descriptions beyond the limit.
    private(set) var furtherMatches = 0

    /// Which texts of a description are kept, and of how many descriptions.
    private let maximumMatches: Int
    private let maximumWords: Int

    /// Reads a datagram.
    ///
    /// - Parameters:
    ///   - maximumMatches: how many devices are read; the others are counted.
    ///   - maximumWords: how many types, scopes and addresses of a device are kept.
    /// - Throws: an error for a datagram that is no envelope, or that has a header block which must be understood and is
    ///   not known here.
    init(_ bytes: [UInt8], maximumMatches: Int, maximumWords: Int) throws(XMLError) {
        self = try XMLReader.read(bytes, limits: Self.limits) { (reader) throws(XMLError) in
            var answer = Self(maximumMatches: maximumMatches, maximumWords: maximumWords)
            try answer.read(&reader)
            return answer
        }
    }

    private init(maximumMatches: Int, maximumWords: Int) {
        self.maximumMatches = maximumMatches
        self.maximumWords = maximumWords
    }

    private static let limits: XMLLimits = {
        var limits = XMLLimits()
        limits.documentBytes = 65_535
        limits.depth = 32
        // Cameras declare all namespaces of ONVIF.
        limits.attributes = 256
        limits.namespaces = 256
        limits.nameBytes = 512
        limits.textBytes = 32_768
        return limits
    }()

    private mutating func read(_ reader: inout XMLReader) throws(XMLError) {
        try reader.root()
        guard let soap = SOAPVersion.all.first(where: { reader.isElement($0.envelope) }) else {
            throw Self.unexpected("the root element is no envelope of SOAP", &reader)
        }
        var hasBody = false
        while try reader.nextChild() {
            if !hasBody, reader.isElement(soap.header) {
                try readHeader(soap, &reader)
            } else if !hasBody, reader.isElement(soap.body) {
                hasBody = true
                try readBody(&reader)
            } else {
                throw Self.unexpected("an element has no place in the envelope", &reader)
            }
        }
        try reader.finish()
        if !hasBody { throw Self.unexpected("the envelope has no body", &reader) }
    }

    private mutating func readHeader(_ soap: SOAPVersion, _ reader: inout XMLReader) throws(XMLError) {
        while try reader.nextChild() {
            let namespace = reader.namespaceURI
            let isAddressing = DiscoveryVersion.all.contains { $0.addressing.namespace.uri == namespace }
            switch reader.elementName {
            case "MessageID" where isAddressing:
                guard messageID == nil else { throw Self.unexpected("there are two identifiers", &reader) }
                let text = try reader.elementText().trimmedXMLSpace
                // Identifiers are kept as long as the search takes.
                guard text.utf8.count <= 256 else { throw Self.unexpected("the identifier is too long", &reader) }
                messageID = text
            case "RelatesTo" where isAddressing && relatesTo.count < 8:
                relatesTo.append(try reader.elementText().trimmedXMLSpace)
            default:
                let demand = reader.attribute("mustUnderstand", namespace: soap.namespace)?.trimmedXMLSpace
                let isKnown = isAddressing || DiscoveryVersion.all.contains { $0.namespace.uri == namespace }
                if !isKnown, demand == "1" || demand == "true" {
                    throw Self.unexpected("a header block must be understood that is not known", &reader)
                }
                try reader.skipElement()
            }
        }
    }

    private mutating func readBody(_ reader: inout XMLReader) throws(XMLError) {
        while try reader.nextChild() {
            let namespace = reader.namespaceURI
            let found = DiscoveryVersion.all.first { $0.namespace.uri == namespace }
            guard kind == nil, let found, ["ProbeMatches", "ResolveMatches"].contains(reader.elementName) else {
                try reader.skipElement()
                continue
            }
            version = found
            let isProbe = reader.elementName == "ProbeMatches"
            kind = isProbe ? .probeMatches : .resolveMatches
            let name = XMLName(found.namespace, isProbe ? "ProbeMatch" : "ResolveMatch")
            while try reader.nextChild() {
                if reader.isElement(name) {
                    if matches.count + malformedMatches < maximumMatches {
                        try readMatch(&reader)
                    } else {
                        furtherMatches += 1
                        try reader.skipElement()
                    }
                } else {
                    try reader.skipElement()
                }
            }
        }
    }

    private mutating func readMatch(_ reader: inout XMLReader) throws(XMLError) {
        var match = Match()
        let namespace = version.namespace.uri
        while try reader.nextChild() {
            let isOwn = reader.namespaceURI == namespace
            switch reader.elementName {
            case "EndpointReference": match.endpointAddress = try Self.reference(&reader) ?? match.endpointAddress
            case "Types" where isOwn:
                // The prefixes mean what they mean here; after the text, the element is closed.
                var prefixes: [String: String] = [:]
                for (prefix, uri) in reader.namespacesInScope { prefixes[prefix] = uri }
                for word in try words(&reader) where match.types.count < maximumWords {
                    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
                    guard parts.count <= 2, let name = parts.last, XMLName.isNCName(String(name)) else { continue }
                    let prefix = parts.count == 2 ? String(parts[0]) : ""
                    guard let uri = prefixes[prefix] ?? (prefix.isEmpty ? "" : nil), uri.isEmpty || uri.isUsableWord
                    else { continue }
                    match.types.append(ReceivedName(namespaceURI: uri, localName: String(name)))
                }
            case "Scopes" where isOwn: match.scopes += try words(&reader)
            case "XAddrs" where isOwn: match.addresses += try words(&reader)
            case "MetadataVersion" where isOwn:
                match.metadataVersion = UInt32(try reader.elementText().trimmedXMLSpace) ?? match.metadataVersion
            default: try reader.skipElement()
            }
        }
        match.scopes = Array(match.scopes.prefix(maximumWords))
        match.addresses = Array(match.addresses.prefix(maximumWords))
        if match.endpointAddress.isEmpty { malformedMatches += 1 } else { matches.append(match) }
    }

    /// The address in an endpoint reference; nil when it has none that can be used.
    private static func reference(_ reader: inout XMLReader) throws(XMLError) -> String? {
        var address: String?
        while try reader.nextChild() {
            if address == nil,
                DiscoveryVersion.all.contains(where: {
                    reader.isElement(XMLName($0.addressing.namespace, "Address"))
                })
            {
                address = try reader.elementText().trimmedXMLSpace
            } else {
                try reader.skipElement()
            }
        }
        return address.flatMap { $0.isUsableWord ? $0 : nil }
    }

    /// The words of a list that can be used.
    private func words(_ reader: inout XMLReader) throws(XMLError) -> [String] {
        let text = try reader.elementText()
        return text.utf8.split(whereSeparator: { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
            .lazy.map { String(Substring($0)) }
            .filter(\.isUsableWord).prefix(maximumWords).map(\.self)
    }

    private static func unexpected(_ message: String, _ reader: inout XMLReader) -> XMLError {
        XMLError(.unexpected, "\(message).", offset: reader.offset)
    }
}
