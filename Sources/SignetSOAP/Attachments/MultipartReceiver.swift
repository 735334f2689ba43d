import Synchronization

/// A message whose parts have arrived: the envelope and the parts beside it.
package struct ReceivedMessage: Sendable {
    /// The envelope.
    package let root: [UInt8]
    /// The media type of the envelope, with its parameters. For an XOP package it is the type of the envelope before
    /// packaging, which names the version of SOAP (XOP §4.1).
    package let rootType: String
    /// The charset of the envelope in lower case; nil when the message names none.
    package let charset: String?
    /// The action of SOAP 1.2, wherever the sender has put it; nil when there is no action.
    package let action: String?
    /// Whether the envelope is an XOP document, whose `xop:Include` elements stand for content of attachments.
    package let isXOP: Bool
    /// The other parts in their order.
    package let attachments: [MessageAttachment]
    /// The departures from the standards that were tolerated.
    package let deviations: [String]
    /// Whether the envelope may have content in the parts (XOP). A verifier has seen the envelope alone.
    let mayInclude: Bool
    private let index: AttachmentIndex

    init(
        root: [UInt8], rootType: String, charset: String?, action: String?, isXOP: Bool,
        attachments: [MessageAttachment],
        deviations: [String], mayInclude: Bool = true
    ) {
        self.mayInclude = mayInclude
        (self.root, self.rootType, self.charset, self.action) = (root, rootType, charset, action)
        (self.isXOP, self.attachments, self.deviations) = (isXOP, attachments, deviations)
        index = AttachmentIndex(attachments)
    }

    /// The message with what a verifier has found in it.
    func replaced(by message: SOAPMessage) -> ReceivedMessage {
        ReceivedMessage(
            root: message.envelope, rootType: rootType, charset: "utf-8", action: action, isXOP: isXOP,
            attachments: message.attachments, deviations: deviations, mayInclude: false)
    }

    /// What the envelope may include.
    func parts(room: Int) -> ReceivedParts? { mayInclude ? ReceivedParts(self, room: room) : nil }

    /// The attachment that a URL in the envelope names: `cid:` (RFC 2392), or the `Content-Location` of a part.
    package func attachment(named url: String) -> MessageAttachment? { index[url] }
}

/// Attachments by the URLs that name them.
package struct AttachmentIndex: Sendable {
    private let byID: [String: MessageAttachment]
    private let byLocation: [String: MessageAttachment]

    package init(_ attachments: [MessageAttachment]) {
        byID = Dictionary(attachments.map { ($0.contentID, $0) }) { first, _ in first }
        byLocation = Dictionary(attachments.compactMap { one in one.contentLocation.map { ($0, one) } }) { first, _ in
            first
        }
    }

    /// The attachment with this URL: `cid:` and its identifier (RFC 2392), or its location.
    package subscript(url: String) -> MessageAttachment? {
        for id in ContentID.candidates(url) { if let attachment = byID[id] { return attachment } }
        return byLocation[url]
    }
}

/// Receives a multipart/related message (RFC 2387). It keeps the envelope in memory, and the attachments in memory
/// while they are few and small, otherwise in one file.
///
/// Call ``receive(_:)`` and ``finish()`` one after the other, never at the same time.
package final class MultipartReceiver: Sendable {
    private let state: Mutex<MultipartIntake>

    /// - Parameters:
    ///   - contentType: the `Content-Type` of the message.
    ///   - spool: limits the disk space of this message and others together; nil for no limit.
    /// - Throws: ``AttachmentError`` with `unusableContentType`.
    package init(
        contentType: String, limits: AttachmentLimits = .init(), spool: SpoolBudget? = nil
    ) throws(AttachmentError) {
        state = Mutex(try MultipartIntake(contentType: contentType, limits: limits, spool: spool))
    }

    /// Whether a `Content-Type` is that of such a message, even if its parameters are invalid: reading it then throws.
    package static func takes(_ contentType: String) -> Bool {
        // Nearly all answers have another type, which their first letter shows.
        guard let first = contentType.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }), first | 0x20 == UInt8(ascii: "m")
        else { return false }
        let type = MediaType(contentType)
        return (type.defect?.essence ?? type.essence) == "multipart/related"
    }

    /// - Throws: ``AttachmentError``.
    package func receive(_ bytes: [UInt8]) async throws { try take(bytes) }

    /// The same for callers that are not asynchronous. It writes files while it runs.
    package func take(_ bytes: [UInt8]) throws { try state.withLock { try $0.push(bytes) } }

    /// Call this once, at the end of the message.
    ///
    /// - Throws: ``AttachmentError``, for example `truncated`.
    package func finish() throws -> ReceivedMessage { try state.withLock { try $0.finish() } }
}

/// Reads a whole message in memory.
extension ReceivedMessage {
    /// - Throws: ``AttachmentError``.
    package init(_ bytes: [UInt8], contentType: String, limits: AttachmentLimits = .init()) throws {
        var intake = try MultipartIntake(contentType: contentType, limits: limits)
        try intake.push(bytes)
        self = try intake.finish()
    }
}
