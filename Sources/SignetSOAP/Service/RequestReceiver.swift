package import HTTPTypes
import Synchronization

/// Receives the content of one request while it arrives, and answers it.
package protocol RequestReceiver: Sendable {
    /// The largest content that it accepts, in bytes. A larger request that announces its size is refused before its
    /// content is sent.
    var limit: Int { get }

    /// Receives the next piece, in order, one piece after the other; the client is slowed down while this works.
    ///
    /// - Throws: ``MessageRefusal`` when the request is to be answered with a status alone; any other error is an error
    ///   of the server itself.
    func receive(_ bytes: [UInt8]) async throws

    /// Answers the message, whose content is complete. Called once at most.
    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response
}

/// A request that is answered by a status without a message.
package struct MessageRefusal: Error, Hashable {
    /// The status of the answer.
    package let status: Int
    /// The reason for the log; the client does not see it.
    package let reason: String

    package init(status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    package static func tooLarge(_ limit: Int) -> Self { .init(status: 413, "more than \(limit) bytes") }
}

/// The limits for the requests of a service.
package struct RequestBounds: Sendable {
    /// The largest size of a request in bytes, whatever its kind.
    package var bytes: Int
    /// Whether a request may come in parts.
    package var takesAttachments: Bool
    /// The budget for the disk space of the attachments of all requests; nil for no limit.
    package var spool: SpoolBudget?

    package init(bytes: Int, takesAttachments: Bool = true, spool: SpoolBudget? = nil) {
        self.bytes = bytes
        self.takesAttachments = takesAttachments
        self.spool = spool
    }
}

extension ServiceDispatcher {
    /// Makes the receiver for the content of a request with these fields; nil when no message can have this media type
    /// or charset, or when the request has parts and must not.
    ///
    /// - Parameter request: see ``OperationContext/request``.
    package func intake(
        for fields: HTTPFields, _ bounds: RequestBounds, in request: ServerRequest
    ) -> (any RequestReceiver)? {
        let dispatcher = answering(request)
        let mediaType = MediaType(fields[.contentType] ?? "")
        if MultipartReceiver.takes(mediaType.essence) {
            return bounds.takesAttachments ? try? PackagedRequest(dispatcher, fields, bounds) : nil
        }
        // A request in a version that the service does not support is answered by a fault, as the standard demands.
        guard let version = SOAPVersion.named(byMediaType: mediaType.essence),
            mediaType.charset.map(Self.reads(charset:)) ?? true
        else { return nil }
        return WholeMessage(
            dispatcher: dispatcher, limit: bounds.bytes, version: version, charset: mediaType.charset,
            action: Self.action(of: fields))
    }
}

/// Collects a message in memory.
private final class WholeMessage: RequestReceiver {
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

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response {
        await dispatcher.respond(
            to: message.withLock { $0 }, nil, declared: version, charset: charset, action: action, from: peer)
    }
}
