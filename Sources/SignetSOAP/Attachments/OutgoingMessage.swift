/// An envelope with what travels beside it.
struct OutgoingMessage: Sendable {
    var envelope: [UInt8]
    var version: SOAPVersion
    /// Whether values have left the envelope, or could have.
    var isPackage = false
    var attachments: [MessageAttachment] = []

    /// Whether there is an envelope and nothing else.
    var isAlone: Bool { !isPackage && attachments.isEmpty }

    /// The media type, and the content.
    ///
    /// - Parameter action: see ``MultipartMessage``.
    /// - Throws: ``AttachmentError`` for an attachment that cannot be sent.
    func content(action: String? = nil) throws(AttachmentError) -> (contentType: String, body: HTTPBody) {
        if isAlone {
            var contentType = "\(version.mediaType); charset=utf-8"
            if version == .soap12, let action { contentType += "; action=\(action.quoted)" }
            return (contentType, HTTPBody(envelope))
        }
        let message = try MultipartMessage(
            envelope: envelope, packaging: isPackage ? .xop : .attachments, version: version, action: action,
            attachments: attachments)
        return (message.contentType, message.body)
    }
}

extension OperationRequest {
    /// A message of this operation in an envelope, and what stands beside it.
    ///
    /// - Parameters:
    ///   - element: the element that holds it; nil when it is the content of the body itself.
    ///   - threshold: see ``AttachmentSettings/mtomThreshold``; nil to write everything into the envelope.
    ///   - attachments: stand behind those that leave the envelope.
    func outgoing(
        _ version: SOAPVersion, _ headerBlocks: [HeaderBlock], _ element: XMLName?, _ message: some XMLStructure,
        _ threshold: Int?, _ attachments: [MessageAttachment]
    ) throws(XMLError) -> OutgoingMessage {
        let collector = threshold.map(AttachmentCollector.init)
        let envelope = try envelope(version, headerBlocks, element, message, collector: collector)
        return OutgoingMessage(
            envelope: envelope, version: version, isPackage: collector != nil,
            attachments: (collector?.attachments ?? []) + attachments)
    }
}
