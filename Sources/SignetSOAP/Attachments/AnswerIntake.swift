import HTTPTypes
import Synchronization

/// Splits an answer into its parts while it arrives, or hands its elements over.
final class AnswerIntake: ContentReceiver {
    private let limits: AttachmentLimits
    /// Takes the repeated elements; nil when none are handed over.
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

    /// The rest of an answer whose elements were handed over; nil when the call wants no elements, or when the answer
    /// is not the expected one: other answers are checked as a whole.
    ///
    /// - Parameters:
    ///   - response: the answer, with the envelope in place of the parts.
    ///   - takesOthers: whether an envelope with any media type is accepted.
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
        // A transport may have delivered the content as a whole.
        guard let contentType = response.fields.value(of: .contentType), MultipartReceiver.takes(contentType) else {
            return nil
        }
        return try ReceivedMessage(response.body, contentType: contentType, limits: limits)
    }
}

extension ReceivedMessage {
    /// The media type and charset of the envelope alone; nil when the answer does not state them.
    var contentType: String? {
        guard !rootType.isEmpty else { return nil }
        guard let charset, MediaType(rootType).charset == nil else { return rootType }
        return "\(rootType); charset=\(charset.quoted)"
    }
}
