import Synchronization

/// The parts of a received message as its envelope refers to them (XOP 1.0 §2.1).
final class ReceivedParts: XMLInclusionSource {
    /// A part that the envelope refers to.
    struct Part: XMLInclusion {
        let attachment: MessageAttachment
        let parts: ReceivedParts

        func bytes(limit: Int) throws -> [UInt8] {
            // An envelope may refer to one part as often as it likes.
            let room = parts.room.withLock { $0 }
            let bytes = try attachment.bytes(limit: min(limit, room))
            parts.room.withLock { $0 -= bytes.count }
            return bytes
        }
    }

    private let message: ReceivedMessage
    /// How many bytes more may come into the values of the message.
    private let room: Mutex<Int>

    /// - Parameter room: bytes of all parts together that may become values in memory, each as often as the envelope refers to it.
    init(_ message: ReceivedMessage, room: Int) {
        self.message = message
        self.room = Mutex(room)
    }

    func inclusion(_ reference: String) throws(XMLError) -> any XMLInclusion {
        let reference = reference.trimmedXMLSpace
        guard let attachment = message.attachment(named: reference) else {
            throw XMLError(
                .missing, "the message has no part “\(reference.prefix(200))”, to which an xop:Include refers.")
        }
        return Part(attachment: attachment, parts: self)
    }
}
