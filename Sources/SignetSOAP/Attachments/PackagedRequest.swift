import HTTPTypes
import Synchronization

/// Takes a request with attachments apart while it arrives.
final class PackagedRequest: MessageIntake {
    private let dispatcher: ServiceDispatcher
    private let receiver: MultipartReceiver
    /// The field `SOAPAction`; nil when there is none.
    private let action: String?
    /// Why the request cannot be read. What is left of it is passed over.
    private let failure = Mutex<AttachmentError?>(nil)

    var limit: Int { dispatcher.attachments.limits.totalBytes }

    /// - Throws: ``AttachmentError`` for a media type of which nothing can be read.
    init(_ dispatcher: ServiceDispatcher, _ fields: HTTPFields) throws(AttachmentError) {
        self.dispatcher = dispatcher
        receiver = try MultipartReceiver(
            contentType: fields[.contentType] ?? "", limits: dispatcher.attachments.limits)
        action = fields[.soapAction].map { MediaType.unquoted($0[...]) }
    }

    func receive(_ bytes: [UInt8]) throws {
        guard failure.withLock({ $0 == nil }) else { return }
        do { try receiver.take(bytes) } catch let error as AttachmentError {
            if error.code.isLimit { throw MessageRefusal(status: 413, "\(error)") }
            if error.code == .fileFailed { throw error }
            failure.withLock { $0 = error }
        }
    }

    func respond(from peer: PeerDescription) async -> ServiceDispatcher.Answer {
        do {
            if let failure = failure.withLock({ $0 }) { throw failure }
            let message = try receiver.finish()
            let type = MediaType(message.rootType)
            return await dispatcher.respond(
                to: message.root, message, declared: SOAPVersion.named(byMediaType: type.essence),
                charset: message.charset, action: message.action ?? action, from: peer)
        } catch {
            return dispatcher.refuse(.client("The request cannot be read: \(error)"))
        }
    }
}
