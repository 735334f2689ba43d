/// Takes binary values out of an envelope while it is written (XOP 1.0 §3.1).
final class AttachmentCollector: XMLIncluder {
    private let threshold: Int
    private(set) var attachments: [MessageAttachment] = []

    /// - Parameter threshold: see ``AttachmentSettings/MTOM``.
    init(_ threshold: Int) { self.threshold = threshold }

    func reference(to bytes: [UInt8]) -> String? {
        bytes.count >= max(threshold, 1) ? take(MessageAttachment(bytes, contentType: "application/octet-stream")) : nil
    }

    /// Makes the attachment a part of the message, and returns the reference to it.
    func take(_ attachment: MessageAttachment) -> String {
        // An attachment that occurs at several places is sent as one part.
        if attachments.last != attachment, !attachments.contains(attachment) { attachments.append(attachment) }
        return ContentID.url(attachment.contentID)
    }
}

/// A value of `xs:base64Binary` whose content need not be in memory. The generator makes it of the schema types that
/// its configuration names under `types`.
///
/// With MTOM (``AttachmentSettings/mtom``) it is sent beside the envelope whatever its size, with
/// ``MessageAttachment/contentType``. Without MTOM it is written into the envelope in base64, if its content is
/// in memory.
extension MessageAttachment: XMLValue {
    public static var typeName: String { "xs:base64Binary" }
    public static var _placeholder: MessageAttachment { MessageAttachment([], contentType: "application/octet-stream") }
    public static var _takesInclusions: Bool { true }

    public init?(lexical text: Span<UInt8>) {
        guard let value = XSDBase64Binary(lexical: text) else { return nil }
        self.init(value.bytes, contentType: "application/octet-stream")
    }

    public init?(lexical text: Span<UInt8>, in scope: borrowing XMLReader) {
        guard let inclusion = scope.inclusion else {
            self.init(lexical: text)
            return
        }
        guard let attachment = (inclusion as? ReceivedParts.Part)?.attachment else { return nil }
        self = attachment
    }

    public func writeLexical(to writer: inout XMLWriter) {
        guard let bytes = bytesInMemory else {
            writer.refuse(
                "the content of an attachment is not in memory, and can be sent as a part of the message only: use MTOM (AttachmentSettings.mtom)."
            )
            return
        }
        XSDBase64Binary(bytes).writeLexical(to: &writer)
    }

    public static func _include(_ x: MessageAttachment, in writer: inout XMLWriter) -> Bool {
        guard let collector = writer.includer as? AttachmentCollector else { return false }
        writer.include(collector.take(x))
        return true
    }
}

extension MessageAttachment {
    /// The content, if it is in memory.
    var bytesInMemory: [UInt8]? { if case .bytes(let bytes) = content { bytes } else { nil } }
}

/// Two attachments are equal when their names and types are equal, and their content is the same bytes in memory, the
/// same file, or the same stream. The comparison reads no file and no stream.
extension MessageAttachment: Hashable {
    public static func == (left: MessageAttachment, right: MessageAttachment) -> Bool {
        guard left.contentID == right.contentID, left.contentType == right.contentType,
            left.contentLocation == right.contentLocation, left.fileName == right.fileName
        else { return false }
        return switch (left.content, right.content) {
        case (.bytes(let left), .bytes(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.kept(let file, let start, let count), .kept(let other, let otherStart, let otherCount)):
            file === other && start == otherStart && count == otherCount
        case (.body(let left), .body(let right)):
            if case (.stream(let left), .stream(let right)) = (left.content, right.content) {
                left === right
            } else {
                false
            }
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(contentID)
        hasher.combine(contentType)
    }
}
