/// How a client or a service sends binary content with its messages, and what it accepts.
public struct AttachmentSettings: Sendable, Hashable {
    /// When MTOM is used. The settings of a client have `.never` unless changed, those of a service `.ifRequested()`.
    /// Settings that you make yourself have `.never`: for a service, change `dispatcher.attachments`, or pass
    /// `.ifRequested()`.
    public var mtom: MTOM
    /// The limits of received messages with attachments.
    public var limits = AttachmentLimits()

    /// - Parameter mtom: see ``mtom``.
    public init(mtom: MTOM = .never) { self.mtom = mtom }

    /// Whether the changed settings concern only services that take attachments.
    package var isOnlyForAttachments: Bool { limits != AttachmentLimits() || mtom.isOnlyForRequested }

    /// When binary values are sent beside the envelope, each as a part of its own (MTOM, SOAP 1.1 and 1.2). Every
    /// message with MTOM is an XOP package.
    ///
    /// The parameter `bytes` is the size from which a value is sent beside the envelope, 1 KiB unless given; smaller
    /// values stay in the envelope, and so do empty ones.
    public struct MTOM: Sendable, Hashable {
        private enum Use {
            case never
            case ifRequested
            case always
        }
        private let use: Use
        private let bytes: Int

        /// All values are written in base64 into the envelope, as peers without MTOM require.
        public static let never = MTOM(use: .never, bytes: 0)
        /// A service uses MTOM in answers to clients that have used it in their request, and base64 in other answers.
        /// A call with this setting ends with ``/SignetHTTP/TransportError`` and `invalidRequest`, because only a service
        /// is asked for MTOM.
        public static func ifRequested(from bytes: Int = 1024) -> MTOM { MTOM(use: .ifRequested, bytes: bytes) }
        /// All messages are sent with MTOM.
        public static func always(from bytes: Int = 1024) -> MTOM { MTOM(use: .always, bytes: bytes) }

        /// The size from which a value of an answer is sent beside the envelope; nil without MTOM.
        func threshold(isRequested: Bool) -> Int? {
            switch use {
            case .never: nil
            case .ifRequested: isRequested ? bytes : nil
            case .always: bytes
            }
        }

        /// The size from which a value of a request is sent beside the envelope; nil without MTOM.
        ///
        /// - Throws: ``/SignetHTTP/TransportError`` with `invalidRequest` for ``ifRequested(from:)``.
        var requestThreshold: Int? {
            get throws(TransportError) {
                guard use != .ifRequested else {
                    throw TransportError(
                        .invalidRequest,
                        "The setting attachments.mtom of the client is .ifRequested, which only a service can follow: set it to .always() or .never."
                    )
                }
                return threshold(isRequested: false)
            }
        }

        /// Whether it was changed in a way that concerns only clients that use MTOM.
        fileprivate var isOnlyForRequested: Bool { use == .ifRequested && self != .ifRequested() }
    }
}
