/// How binary content travels with the messages of a client or a service.
public struct AttachmentSettings: Sendable, Hashable {
    /// Binary values of at least so many bytes travel beside the envelope, each as a part of its own (MTOM, SOAP 1.1 and 1.2); every
    /// message is a package of XOP then. Nil to write them in base64 into the envelope, as services want it that know nothing
    /// of MTOM.
    public var mtomThreshold: Int?
    /// Of a service: whether it answers with MTOM only those who have asked with it, from 1 KiB on where ``mtomThreshold`` says nothing,
    /// and others in base64. If not, ``mtomThreshold`` says how everybody is answered.
    public var answersInKind = true
    /// Bounds on messages with attachments that are received.
    public var limits = AttachmentLimits()

    /// - Parameter mtomThreshold: see ``mtomThreshold``.
    public init(mtomThreshold: Int? = nil) { self.mtomThreshold = mtomThreshold }

    /// Whether what was changed concerns only services that take attachments.
    package var isOnlyForAttachments: Bool {
        limits != AttachmentLimits() || (answersInKind && mtomThreshold != nil)
    }

    /// MTOM, for what is worth a part of its own.
    public static let mtom = AttachmentSettings(mtomThreshold: 1024)
}
