/// Why parts beside an envelope could not be read, kept or written.
public struct AttachmentError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Whether one of ``AttachmentLimits`` is exceeded: the message may be in order, but more than the program wants to take.
        public let isLimit: Bool

        private init(_ description: String, isLimit: Bool = false) {
            self.description = description
            self.isLimit = isLimit
        }

        /// The `Content-Type` is not that of a multipart/related message, or a parameter of it cannot be used.
        public static let unusableContentType = Code("unusableContentType")
        /// The fields before a part break the rules of RFC 822, or hold characters that nobody may put there.
        public static let malformedHeader = Code("malformedHeader")
        /// Content that is not what its transfer encoding says (RFC 2045 §6).
        public static let malformedContent = Code("malformedContent")
        /// A `Content-Transfer-Encoding` that cannot be read.
        public static let unsupportedEncoding = Code("unsupportedEncoding")
        /// The message ends before its last boundary.
        public static let truncated = Code("truncated")
        /// Two parts have the same `Content-ID`.
        public static let duplicateID = Code("duplicateID")
        /// The message has no part at all, and so no envelope.
        public static let noRoot = Code("noRoot")
        /// A file could not be opened, read or written: no such file, no right, a full disk. The message says which.
        public static let fileFailed = Code("fileFailed")
        /// The attachments of other requests take all the room on the disk that a server allows them together.
        public static let spoolFull = Code("spoolFull")
        /// There is a file of that name already, and it may not be replaced.
        public static let fileExists = Code("fileExists")
        /// A file is no longer as long as it was when the message was begun.
        public static let contentChanged = Code("contentChanged")
        /// The content is a stream that is written while it is sent, and cannot be read here.
        public static let notReadable = Code("notReadable")
        /// An attachment has a name or a type that cannot stand in a header. Nothing was sent.
        public static let unwritable = Code("unwritable")

        /// More parts than ``AttachmentLimits/parts``.
        public static let tooManyParts = Code("tooManyParts", isLimit: true)
        /// More fields before a part than ``AttachmentLimits/headerFields``.
        public static let tooManyFields = Code("tooManyFields", isLimit: true)
        /// More bytes before a part than ``AttachmentLimits/headerBytes``.
        public static let headerTooLarge = Code("headerTooLarge", isLimit: true)
        /// The root part is larger than ``AttachmentLimits/rootBytes``.
        public static let rootTooLarge = Code("rootTooLarge", isLimit: true)
        /// The message is larger than ``AttachmentLimits/totalBytes``, or a part than whoever reads it wants.
        public static let tooLarge = Code("tooLarge", isLimit: true)
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The place in the message, in bytes from its start; nil where it is not about what was received.
    public var offset: Int?

    package init(_ code: Code, _ message: String, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    public var description: String { offset.map { "byte \($0): \(message)" } ?? message }
}

extension AttachmentError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
