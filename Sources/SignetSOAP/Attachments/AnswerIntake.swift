import HTTPTypes
import Synchronization

/// Takes an answer apart while it arrives, if it has parts.
final class AnswerIntake: ContentReceiver {
    private let limits: AttachmentLimits
    private let receiver = Mutex<Result<MultipartReceiver, AttachmentError>?>(nil)

    init(limits: AttachmentLimits) { self.limits = limits }

    func mayTake(contentType: String?) -> Bool { contentType.map(MultipartReceiver.takes) ?? false }

    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        guard let contentType = fields[.contentType], MultipartReceiver.takes(contentType) else { return false }
        let made = Result { () throws(AttachmentError) in
            try MultipartReceiver(contentType: contentType, limits: limits)
        }
        receiver.withLock { $0 = made }
        return true
    }

    func receive(_ bytes: [UInt8]) async throws { try receiver.withLock { try $0?.get() }?.take(bytes) }

    /// The message that has arrived; nil when it has no parts.
    ///
    /// - Throws: ``AttachmentError``.
    func message(_ response: ClientResponse) throws -> ReceivedMessage? {
        if let receiver = try receiver.withLock({ try $0?.get() }) { return try receiver.finish() }
        // A transport may have handed it over as a whole.
        guard let contentType = response.fields.value(of: .contentType), MultipartReceiver.takes(contentType) else {
            return nil
        }
        return try ReceivedMessage(response.body, contentType: contentType, limits: limits)
    }
}

extension ReceivedMessage {
    /// The media type and charset of the envelope alone; nil where nothing says them.
    var contentType: String? {
        guard !rootType.isEmpty else { return nil }
        guard let charset, MediaType(rootType).charset == nil else { return rootType }
        return "\(rootType); charset=\(charset.quoted)"
    }
}
