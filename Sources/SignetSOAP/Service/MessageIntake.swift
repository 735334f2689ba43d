package import HTTPTypes
import Synchronization

/// Takes the content of one request while it arrives, and answers it.
package protocol MessageIntake: Sendable {
    /// How many bytes it takes. More that are announced are refused before they are sent.
    var limit: Int { get }

    /// Takes some more, in order, one piece after the other; the client is slowed down while it works.
    ///
    /// - Throws: ``MessageRefusal`` where the request is to be answered with a status alone; anything else is an error of our own.
    func receive(_ bytes: [UInt8]) async throws

    /// Answers the message, whose content is complete. Called once at most.
    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Answer
}

/// A request that is answered by a status without a message.
package struct MessageRefusal: Error, Hashable {
    /// The status of the answer.
    package let status: Int
    /// For the log; the peer is not told.
    package let reason: String

    package init(status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    package static func tooLarge(_ limit: Int) -> Self { .init(status: 413, "more than \(limit) bytes") }
}

extension ServiceDispatcher {
    /// What takes the content of a request with these fields; nil when no message can be of this media type or charset.
    ///
    /// - Parameter limit: the largest message in bytes, apart from attachments, which ``AttachmentLimits`` bounds.
    package func intake(for fields: HTTPFields, limit: Int) -> (any MessageIntake)? {
        let mediaType = MediaType(fields[.contentType] ?? "")
        if MultipartReceiver.takes(mediaType.essence) { return try? PackagedRequest(self, fields, limit: limit) }
        // A version that the service does not speak is answered by a fault, as its standard demands.
        guard let version = SOAPVersion.named(byMediaType: mediaType.essence),
            mediaType.charset.map(Self.reads(charset:)) ?? true
        else { return nil }
        return WholeMessage(
            dispatcher: self, limit: limit, version: version, charset: mediaType.charset,
            action: Self.action(of: fields))
    }
}

/// Gathers a message in memory.
private final class WholeMessage: MessageIntake {
    private let dispatcher: ServiceDispatcher
    let limit: Int
    private let version: SOAPVersion
    private let charset: String?
    private let action: String?
    private let message = Mutex<[UInt8]>([])

    init(dispatcher: ServiceDispatcher, limit: Int, version: SOAPVersion, charset: String?, action: String?) {
        self.dispatcher = dispatcher
        self.limit = limit
        self.version = version
        self.charset = charset
        self.action = action
    }

    func receive(_ bytes: [UInt8]) throws {
        try message.withLock { message in
            guard bytes.count <= limit - message.count else { throw MessageRefusal.tooLarge(limit) }
            message += bytes
        }
    }

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Answer {
        await dispatcher.respond(
            to: message.withLock { $0 }, declared: version, charset: charset, action: action, from: peer)
    }
}
