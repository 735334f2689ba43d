#if Server
import Foundation
import SignetHTTP
import SignetSOAP
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

extension RecordedContent {
    /// The content of a message with the values of secret elements and attributes replaced; what cannot be read is left out.
    ///
    /// - Returns: the content, why all of it is left out, and what else is left out; nil when nothing is.
    static func redacted(
        _ bytes: [UInt8], contentType: String?
    ) -> (content: RecordedContent, defect: (any Error)?, remark: String?) {
        guard !bytes.isEmpty else { return (RecordedContent(contentType: contentType, bytes: []), nil, nil) }
        do {
            if let contentType, MultipartReceiver.takes(contentType) {
                let (content, remark) = try RecordedParts.redacted(bytes, contentType: contentType)
                return (content, nil, remark)
            }
            return (try redacted(whole: bytes, contentType: contentType), nil, nil)
        } catch {
            let text = "(\(bytes.count) bytes that cannot be read were left out of the recording)\n"
            let content = RecordedContent(contentType: "text/plain; charset=utf-8", bytes: Array(text.utf8))
            return (content, error, nil)
        }
    }

    private static func redacted(whole bytes: [UInt8], contentType: String?) throws(XMLError) -> RecordedContent {
        let type = MediaType(contentType ?? "")
        let redacted = try MessageRedaction.replacingSecrets(bytes, charset: type.charset, keepsMessageElement: true)
        let text = String(decoding: redacted.message, as: UTF8.self)
        let isOpen = type.action.map { Endpoint.withoutQueryValues($0) == $0 } ?? true
        guard !MediaType.isUTF8(type.charset) || !isDeclaredUTF8(text) || !isOpen else {
            return RecordedContent(contentType: contentType, bytes: redacted.message)
        }
        return RecordedContent(
            contentType: mediaType(type.essence, action: type.action), bytes: withoutEncoding(text))
    }

    /// What is written is UTF-8, whatever the declaration says.
    static func withoutEncoding(_ text: String) -> [UInt8] {
        Array((isDeclaredUTF8(text) ? text[...] : text[(text.range(of: "?>")?.upperBound ?? text.startIndex)...]).utf8)
    }

    /// A media type for content in UTF-8.
    static func mediaType(_ essence: String, action: String?) -> String {
        let action = action.map { "; action=\(Endpoint.withoutQueryValues($0).quoted)" } ?? ""
        return "\(essence); charset=utf-8\(action)"
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
#endif
