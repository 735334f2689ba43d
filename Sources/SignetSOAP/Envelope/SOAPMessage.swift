/// A message as a whole: its envelope, and the attachments beside it.
public struct SOAPMessage: Sendable {
    /// The envelope, in UTF-8.
    public var envelope: [UInt8]
    /// The attachments, in their order (SOAP Messages with Attachments).
    public var attachments: [MessageAttachment]

    /// - Parameters:
    ///   - envelope: the envelope, in UTF-8.
    ///   - attachments: the attachments, in their order.
    public init(_ envelope: [UInt8], attachments: [MessageAttachment] = []) {
        self.envelope = envelope
        self.attachments = attachments
    }
}
