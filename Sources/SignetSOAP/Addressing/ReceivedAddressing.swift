/// The header blocks of WS-Addressing in a received message (Core 1.0 §3, Submission 2004/08 §3).
struct ReceivedAddressing: Sendable {
    let version: AddressingVersion
    private(set) var action: String?
    private(set) var messageID: String?
    private(set) var to: String?
    private(set) var replyTo: EndpointReference?
    private(set) var faultTo: EndpointReference?
    /// The messages that this one answers.
    private(set) var repliesTo: [String] = []
    /// The first error in them. The other blocks are read nevertheless, so that a fault can say which message it
    /// answers.
    private(set) var defect: AddressingDefect?

    /// The greatest length of a URI, in bytes.
    private static let maximumTextBytes = 2048

    /// - Parameter blocks: the blocks that are addressed to this receiver.
    init(_ blocks: [ReceivedHeaderBlock], _ version: AddressingVersion) {
        self.version = version
        var seen: Set<String> = []
        for block in blocks where block.namespaceURI == version.namespace.uri {
            guard let part = AddressingVersion.Part(rawValue: block.localName) else { continue }
            do throws(AddressingDefect) {
                if part != .relatesTo, !seen.insert(part.rawValue).inserted {
                    throw AddressingDefect(
                        .invalidAddressingHeader, subcode: .invalidCardinality, "there is a second \(part.rawValue)",
                        part: part)
                }
                try read(block.fragment, part)
            } catch {
                var defect = error
                defect.part = part
                if self.defect == nil { self.defect = defect }
                // It is unknown which of two identifiers the sender meant.
                if defect.subcode == .invalidCardinality, part == .messageID { messageID = nil }
            }
        }
    }

    private mutating func read(_ fragment: XMLFragment, _ part: AddressingVersion.Part) throws(AddressingDefect) {
        switch part {
        case .action: action = try Self.text(of: fragment, part.rawValue)
        case .messageID: messageID = try Self.text(of: fragment, part.rawValue)
        case .to: to = try Self.text(of: fragment, part.rawValue)
        case .replyTo: replyTo = try EndpointReference(received: fragment)
        case .faultTo: faultTo = try EndpointReference(received: fragment)
        case .from: _ = try EndpointReference(received: fragment)
        case .relatesTo:
            let identifier = try Self.text(of: fragment, part.rawValue)
            if isReply(fragment) { repliesTo.append(identifier) }
        }
    }

    /// Whether a `RelatesTo` says that the message is an answer: a URI in 1.0, a qualified name in 2004/08.
    private func isReply(_ fragment: XMLFragment) -> Bool {
        guard let type = fragment.attribute("RelationshipType")?.trimmedXMLSpace else { return true }
        if version == .v10 { return type == "http://www.w3.org/2005/08/addressing/reply" }
        let (prefix, localName) = type.qualifiedNameParts
        let uri = fragment.read { $0.namespaceURI(forPrefix: prefix) }
        return localName == "Reply" && uri == version.namespace.uri
    }

    /// The URI in an element.
    static func text(of fragment: XMLFragment, _ name: String) throws(AddressingDefect) -> String {
        let text: String
        do throws(XMLError) {
            text = try fragment.read { (reader) throws(XMLError) in try reader.elementText() }.trimmedXMLSpace
        } catch {
            throw AddressingDefect(.invalidAddressingHeader, "\(name) holds something else than a text")
        }
        guard !text.isEmpty, text.utf8.count <= maximumTextBytes,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0 == " " })
        else {
            throw AddressingDefect(.invalidAddressingHeader, "\(name) is no URI of at most \(maximumTextBytes) bytes")
        }
        return text
    }
}
