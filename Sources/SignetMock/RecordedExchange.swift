#if Server
import Foundation
import SignetHTTP
package import SignetSOAP
import SignetXML

/// A request to a service and its answer, without secrets.
package struct RecordedExchange: Sendable, Hashable {
    /// The value of the field `SOAPAction`, without quotes; nil without the field.
    package var action: String?
    package var request: RecordedContent
    package var status: Int
    package var answer: RecordedContent
    /// Names of elements and attributes that the operator has called secret, besides those that look so.
    package var secretNames: [String] = []
}

/// The content of a recorded message.
package struct RecordedContent: Sendable, Hashable {
    /// Nil when there is no content; that of the envelope when the message has parts.
    package var contentType: String?
    /// The envelope when the message has parts.
    package var bytes: [UInt8]
    /// What stands beside the envelope; nil for a message without parts.
    package var parts: RecordedParts?
}

/// The parts of a recorded message beside its envelope.
package struct RecordedParts: Sendable, Hashable {
    package var packaging: MultipartMessage.Packaging
    package var attachments: [MessageAttachment]
}

extension RecordedContent {
    /// The content of a message with the values of secret elements and attributes replaced; a message that is not XML is left out.
    ///
    /// - Returns: the content, and why all of it is left out; nil when it is not.
    static func redacted(
        _ bytes: [UInt8], contentType: String?
    ) -> (content: RecordedContent, defect: (any Error)?) {
        guard !bytes.isEmpty else { return (RecordedContent(contentType: contentType, bytes: []), nil) }
        if let contentType, MultipartReceiver.takes(contentType) {
            do { return (try RecordedParts.redacted(bytes, contentType: contentType), nil) } catch {
                return (leftOut(bytes), error)
            }
        }
        let type = MediaType(contentType ?? "")
        let redacted: [UInt8]
        do throws(XMLError) {
            redacted = try MessageRedaction.replacingSecrets(bytes, charset: type.charset, keepsMessageElement: true)
        } catch { return (leftOut(bytes), error) }
        let text = String(decoding: redacted, as: UTF8.self)
        guard !MediaType.isUTF8(type.charset) || !isDeclaredUTF8(text) else {
            return (RecordedContent(contentType: contentType, bytes: redacted), nil)
        }
        // What is written is UTF-8, whatever the declaration says.
        let content = isDeclaredUTF8(text) ? text[...] : text[(text.range(of: "?>")?.upperBound ?? text.startIndex)...]
        return (RecordedContent(contentType: "\(type.essence); charset=utf-8", bytes: Array(content.utf8)), nil)
    }

    /// What stands in the place of content that cannot be read, and so could have secrets.
    private static func leftOut(_ bytes: [UInt8]) -> RecordedContent {
        let text = "(\(bytes.count) bytes that cannot be read were left out of the recording)\n"
        return RecordedContent(contentType: "text/plain; charset=utf-8", bytes: Array(text.utf8))
    }

    /// The content as it is sent. A message with parts gets a new boundary.
    ///
    /// - Throws: `AttachmentError` for a part that cannot be sent.
    func sent() throws -> (contentType: String?, bytes: [UInt8]) {
        guard let parts else { return (contentType, bytes) }
        let type = MediaType(contentType ?? "")
        let message = try MultipartMessage(
            envelope: bytes, packaging: parts.packaging,
            version: SOAPVersion.named(byMediaType: type.essence) ?? .soap11, action: type.action,
            attachments: parts.attachments)
        // Recorded attachments are in memory.
        return (message.contentType, message.body.bytes ?? [])
    }

    /// Whether the XML declaration names no other encoding.
    private static func isDeclaredUTF8(_ text: String) -> Bool {
        guard text.hasPrefix("<?xml") || text.hasPrefix("\u{FEFF}<?xml"), let end = text.range(of: "?>"),
            case let declaration = text[..<end.lowerBound].lowercased(), declaration.contains("encoding")
        else { return true }
        return declaration.contains("utf-8")
    }
}

extension RecordedParts {
    /// A message with parts, without secrets: those of the envelope and of other parts in XML are replaced, and parts are left out that
    /// only secret elements refer to.
    fileprivate static func redacted(_ bytes: [UInt8], contentType: String) throws -> RecordedContent {
        let message = try ReceivedMessage(bytes, contentType: contentType)
        var (envelope, defect) = RecordedContent.redacted(message.root, contentType: message.envelopeType)
        if let defect { throw defect }
        let secret = try references(in: message.root, to: message).subtracting(
            references(in: envelope.bytes, to: message))
        let attachments = try message.attachments.filter { !secret.contains($0.contentID) }.map { part in
            let content = try part.bytes(limit: bytes.count)
            guard MediaType(part.contentType).isXML else { return part.replacingContent(by: content) }
            let (redacted, _) = RecordedContent.redacted(content, contentType: part.contentType)
            var part = part.replacingContent(by: redacted.bytes)
            part.contentType = redacted.contentType ?? part.contentType
            return part
        }
        envelope.parts = RecordedParts(packaging: message.isXOP ? .xop : .attachments, attachments: attachments)
        // What cannot be sent again is no use in a recording.
        _ = try envelope.sent()
        return envelope
    }

    /// The identifiers of the parts that texts and attributes of an envelope name.
    private static func references(in envelope: [UInt8], to message: ReceivedMessage) throws(XMLError) -> Set<String> {
        try XMLReader.read(envelope, charset: "utf-8") { (reader) throws(XMLError) in
            var found: Set<String> = []
            func take(_ text: String) {
                guard let part = message.attachment(named: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                    return
                }
                found.insert(part.contentID)
            }
            while true {
                switch try reader.next() {
                case .startElement: for attribute in reader.allAttributes() { take(attribute.value) }
                case .text: take(try reader.currentText())
                case .endElement: continue
                case .endOfDocument: return found
                }
            }
        }
    }
}

extension ReceivedMessage {
    /// The media type of the envelope, with its charset.
    fileprivate var envelopeType: String {
        guard let charset, MediaType(rootType).charset == nil else { return rootType }
        return "\(rootType); charset=\(charset)"
    }
}
#endif
