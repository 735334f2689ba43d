import HTTPTypes
import Logging
import Synchronization

/// Splits a request with attachments into its parts while it arrives.
final class PackagedRequest: RequestReceiver {
    private let dispatcher: ServiceDispatcher
    private let receiver: MultipartReceiver
    /// The field `SOAPAction`; nil when the request has none.
    private let action: String?
    /// Why the request cannot be read, after which the rest of it is skipped; and how many bytes have arrived.
    private let state = Mutex((failure: AttachmentError?.none, count: 0))

    let limit: Int

    /// - Throws: ``AttachmentError`` for a media type with which no content can be read.
    init(_ dispatcher: ServiceDispatcher, _ fields: HTTPFields, _ bounds: RequestBounds) throws(AttachmentError) {
        self.dispatcher = dispatcher
        let limits = dispatcher.attachments.limits.bounded(by: bounds.bytes)
        limit = limits.totalBytes
        receiver = try MultipartReceiver(
            contentType: fields[.contentType] ?? "", limits: limits, spool: bounds.spool)
        action = fields[.soapAction].map { MediaType.unquoted($0[...]) }
    }

    func receive(_ bytes: [UInt8]) throws {
        let hasFailed = try state.withLock { state in
            guard bytes.count <= limit - state.count else { throw MessageRefusal.tooLarge(limit) }
            state.count += bytes.count
            return state.failure != nil
        }
        guard !hasFailed else { return }
        do { try receiver.take(bytes) } catch let error as AttachmentError {
            if error.code == .spoolFull { throw MessageRefusal(status: 503, "\(error)") }
            if error.code.isLimit { throw MessageRefusal(status: 413, "\(error)") }
            if error.code == .fileFailed { throw error }
            state.withLock { $0.failure = error }
        }
    }

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Response {
        do {
            if let failure = state.withLock({ $0.failure }) { throw failure }
            let message = try receiver.finish()
            let type = MediaType(message.rootType)
            return await dispatcher.respond(
                to: message.root, message, declared: SOAPVersion.named(byMediaType: type.essence),
                charset: message.charset, action: message.action ?? action, from: peer)
        } catch let error as AttachmentError where error.code != .fileFailed {
            return dispatcher.refuse(.client("The request cannot be read: \(error)"))
        } catch {
            // Errors of the server's disk are for the operator, not for the client.
            let context = OperationContext(peer: peer, in: dispatcher.request)
            dispatcher.logger.error("a request cannot be received", metadata: context.metadata(["error": "\(error)"]))
            return dispatcher.refuse(.server("Internal error."))
        }
    }
}
