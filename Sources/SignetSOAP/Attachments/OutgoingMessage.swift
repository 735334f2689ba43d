/// An envelope with the parts that are sent beside it.
struct OutgoingMessage: Sendable {
    var envelope: [UInt8]
    var version: SOAPVersion
    /// Whether values were moved out of the envelope, or could have been.
    var isPackage = false
    var attachments: [MessageAttachment] = []

    /// Whether there is an envelope and nothing else.
    var isAlone: Bool { !isPackage && attachments.isEmpty }

    /// The media type and the content of the message.
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
    /// Writes a message of this operation into an envelope, and collects the parts beside it.
    ///
    /// - Parameters:
    ///   - element: the element that contains the message; nil when the message is the content of the body itself.
    ///   - threshold: see ``AttachmentSettings/MTOM``; nil to write everything into the envelope.
    ///   - attachments: attachments that follow the values moved out of the envelope.
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
