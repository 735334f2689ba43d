/// How a client or a service sends binary content with its messages.
public struct AttachmentSettings: Sendable, Hashable {
    /// The size in bytes from which binary values are sent beside the envelope, each as a part of its own (MTOM, SOAP
    /// 1.1 and 1.2); every message is then an XOP package. Nil writes them in base64 into the envelope, as services
    /// without MTOM require.
    public var mtomThreshold: Int?
    /// Whether a service uses MTOM only in answers to clients that have used it in their request, from 1 KiB on when
    /// ``mtomThreshold`` is nil, and base64 in answers to other clients. When false, ``mtomThreshold`` applies to all
    /// answers.
    public var usesMTOMOnlyIfRequested = true
    /// The limits of received messages with attachments.
    public var limits = AttachmentLimits()

    /// - Parameter mtomThreshold: see ``mtomThreshold``.
    public init(mtomThreshold: Int? = nil) { self.mtomThreshold = mtomThreshold }

    /// Whether the changed settings concern only services that take attachments.
    package var isOnlyForAttachments: Bool {
        limits != AttachmentLimits() || (usesMTOMOnlyIfRequested && mtomThreshold != nil)
    }

    /// MTOM for values of 1 KiB and more.
    public static let mtom = AttachmentSettings(mtomThreshold: 1024)
}
