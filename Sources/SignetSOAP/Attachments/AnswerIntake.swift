import HTTPTypes
import Synchronization

/// Takes an answer apart while it arrives, if it has parts, or elements that are handed over.
final class AnswerIntake: ContentReceiver {
    private let limits: AttachmentLimits
    /// Takes the repeated elements; nil where none are to be handed over.
    private let elements: (any ElementReceiver)?
    private let receiver = Mutex<Result<MultipartReceiver, AttachmentError>?>(nil)

    init(limits: AttachmentLimits, elements: (any ElementReceiver)?) {
        self.limits = limits
        self.elements = elements
    }

    func mayTake(contentType: String?) -> Bool {
        contentType.map(MultipartReceiver.takes) == true || elements?.mayTake(contentType: contentType) == true
    }

    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        guard let contentType = fields[.contentType], MultipartReceiver.takes(contentType) else {
            return elements?.takes(status, fields) ?? false
        }
        let made = Result { () throws(AttachmentError) in
            try MultipartReceiver(contentType: contentType, limits: limits)
        }
        receiver.withLock { $0 = made }
        return true
    }

    func receive(_ bytes: [UInt8]) async throws {
        if let receiver = try receiver.withLock({ try $0?.get() }) { return try receiver.take(bytes) }
        try await elements?.receive(bytes)
    }

    /// What is left of an answer whose elements were handed over; nil where that is not wanted, or not to be done:
    /// other answers than the one that is called for are judged as a whole.
    ///
    /// - Parameters:
    ///   - response: the answer, with the envelope in place of the parts.
    ///   - takesOthers: whether the envelope counts whatever it is labelled as.
    /// - Throws: ``ElementFailure``.
    func remainder(
        of response: ClientResponse, _ message: ReceivedMessage?, takesOthers: Bool
    ) async throws -> ReceivedElements? {
        guard let elements else { return nil }
        if let received = try await elements.finish() { return received }
        let contentType = response.fields.value(of: .contentType)
        guard (200..<300).contains(response.status.code), !response.body.isEmpty,
            takesOthers || elements.mayTake(contentType: contentType)
        else { return nil }
        return try await elements.take(all: response, message)
    }

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
