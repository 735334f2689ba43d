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
    /// Nil when there is no content.
    package var contentType: String?
    package var bytes: [UInt8]
}

extension RecordedContent {
    /// The content of a message with the values of secret elements and attributes replaced; a message that is not XML is left out.
    ///
    /// - Returns: the content, and why all of it is left out; nil when it is not.
    static func redacted(_ bytes: [UInt8], contentType: String?) -> (content: RecordedContent, defect: XMLError?) {
        guard !bytes.isEmpty else { return (RecordedContent(contentType: contentType, bytes: []), nil) }
        let type = MediaType(contentType ?? "")
        let redacted: [UInt8]
        do throws(XMLError) {
            redacted = try MessageRedaction.replacingSecrets(bytes, charset: type.charset, keepsMessageElement: true)
        } catch {
            let text = "(\(bytes.count) bytes that cannot be read as XML were left out of the recording)\n"
            return (RecordedContent(contentType: "text/plain; charset=utf-8", bytes: Array(text.utf8)), error)
        }
        let text = String(decoding: redacted, as: UTF8.self)
        guard !MediaType.isUTF8(type.charset) || !isDeclaredUTF8(text) else {
            return (RecordedContent(contentType: contentType, bytes: redacted), nil)
        }
        // What is written is UTF-8, whatever the declaration says.
        let content = isDeclaredUTF8(text) ? text[...] : text[(text.range(of: "?>")?.upperBound ?? text.startIndex)...]
        return (RecordedContent(contentType: "\(type.essence); charset=utf-8", bytes: Array(content.utf8)), nil)
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
