import Synchronization

/// The parts of a received message as its envelope refers to them (XOP 1.0 §2.1).
final class ReceivedParts: XMLInclusionSource {
    /// A part that the envelope refers to.
    struct Part: XMLInclusion {
        let attachment: Attachment
        let parts: ReceivedParts

        func bytes(limit: Int) throws -> [UInt8] {
            if let bytes = attachment.bytesInMemory { return bytes }
            // What is in a file would take memory anew each time that the envelope refers to it.
            guard parts.read.withLock({ $0.insert(attachment.contentID).inserted }) else {
                throw AttachmentError(
                    .tooLarge, "The envelope holds the attachment “\(attachment.contentID)” more than once.")
            }
            return try attachment.bytes(limit: limit)
        }
    }

    private let message: ReceivedMessage
    private let read = Mutex<Set<String>>([])

    init(_ message: ReceivedMessage) { self.message = message }

    func inclusion(_ reference: String) throws(XMLError) -> any XMLInclusion {
        let reference = String(reference.trimmedXMLSpace)
        guard let attachment = message.attachment(named: reference) else {
            throw XMLError(
                .missing, "the message has no part “\(reference.prefix(200))”, to which an xop:Include refers.")
        }
        return Part(attachment: attachment, parts: self)
    }
}
