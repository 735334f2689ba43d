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
}

/// The content of a recorded message.
package struct RecordedContent: Sendable, Hashable {
    /// Nil when there is no content.
    package var contentType: String?
    package var bytes: [UInt8]
}

extension RecordedContent {
    /// The content of a message with the values of secret elements and attributes replaced; a message that is not XML is left out.
    ///
    /// - Returns: the content, and whether something of it is left out that is no secret value.
    static func redacted(_ bytes: [UInt8], contentType: String?) -> (content: RecordedContent, isLeftOut: Bool) {
        guard !bytes.isEmpty else { return (RecordedContent(contentType: contentType, bytes: []), false) }
        let type = MediaType(contentType ?? "")
        guard (try? XMLReader.utf8(bytes, charset: type.charset)) != nil,
            case let text = MessageRedaction.redacted(bytes, charset: type.charset), text.hasPrefix("<")
        else {
            let text = "(\(bytes.count) bytes that are no XML were left out of the recording)\n"
            return (RecordedContent(contentType: "text/plain; charset=utf-8", bytes: Array(text.utf8)), true)
        }
        guard MediaType.isUTF8(type.charset) && isDeclaredUTF8(text) else {
            // What is written is UTF-8.
            let content =
                isDeclaredUTF8(text) ? text : String(text[(text.range(of: "?>")?.upperBound ?? text.startIndex)...])
            return (RecordedContent(contentType: "\(type.essence); charset=utf-8", bytes: Array(content.utf8)), false)
        }
        return (RecordedContent(contentType: contentType, bytes: Array(text.utf8)), false)
    }

    /// Whether the XML declaration names no other encoding.
    private static func isDeclaredUTF8(_ text: String) -> Bool {
        guard text.hasPrefix("<?xml"), let end = text.range(of: "?>"),
            case let declaration = text[..<end.lowerBound].lowercased(), declaration.contains("encoding")
        else { return true }
        return declaration.contains("utf-8")
    }
}
#endif
