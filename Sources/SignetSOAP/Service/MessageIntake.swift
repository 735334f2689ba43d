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

/// What bounds the requests of a service.
package struct RequestBounds: Sendable {
    /// The largest request in bytes, whatever is in it.
    package var bytes: Int
    /// Whether a request may come in parts.
    package var takesAttachments: Bool
    /// What the attachments of all requests may take on the disk; nil for as much as there is.
    package var spool: SpoolBudget?

    package init(bytes: Int, takesAttachments: Bool = true, spool: SpoolBudget? = nil) {
        self.bytes = bytes
        self.takesAttachments = takesAttachments
        self.spool = spool
    }
}

extension ServiceDispatcher {
    /// What takes the content of a request with these fields; nil when no message can be of this media type or charset, or it
    /// may not come in parts and does.
    ///
    /// - Parameter request: see ``OperationContext/request``.
    package func intake(
        for fields: HTTPFields, _ bounds: RequestBounds, in request: ServerRequest
    ) -> (any MessageIntake)? {
        let dispatcher = answering(request)
        let mediaType = MediaType(fields[.contentType] ?? "")
        if MultipartReceiver.takes(mediaType.essence) {
            return bounds.takesAttachments ? try? PackagedRequest(dispatcher, fields, bounds) : nil
        }
        // A version that the service does not speak is answered by a fault, as its standard demands.
        guard let version = SOAPVersion.named(byMediaType: mediaType.essence),
            mediaType.charset.map(Self.reads(charset:)) ?? true
        else { return nil }
        return WholeMessage(
            dispatcher: dispatcher, limit: bounds.bytes, version: version, charset: mediaType.charset,
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
            to: message.withLock { $0 }, nil, declared: version, charset: charset, action: action, from: peer)
    }
}
