import Synchronization

/// The parts of a received message to which its envelope refers (XOP 1.0 §2.1).
final class ReceivedParts: XMLInclusionSource {
    /// A part that the envelope refers to.
    struct Part: XMLInclusion {
        let attachment: MessageAttachment
        let parts: ReceivedParts

        func bytes(limit: Int) throws -> [UInt8] {
            // An envelope may refer to a part any number of times.
            let room = parts.room.withLock { $0 }
            let bytes = try attachment.bytes(limit: min(limit, room))
            parts.room.withLock { $0 -= bytes.count }
            return bytes
        }
    }

    private let message: ReceivedMessage
    /// How many more bytes may be copied into the values of the message.
    private let room: Mutex<Int>

    /// - Parameter room: how many bytes of all parts together may become values in memory; a part counts as often as
    ///   the envelope refers to it.
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
