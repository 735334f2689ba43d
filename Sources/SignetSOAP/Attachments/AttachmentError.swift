/// Why parts beside an envelope could not be read, kept or written.
public struct AttachmentError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Whether one of ``AttachmentLimits`` is exceeded: the message may be valid, but it is larger than the program
        /// accepts.
        public let isLimit: Bool

        private init(_ description: String, isLimit: Bool = false) {
            self.description = description
            self.isLimit = isLimit
        }

        /// The `Content-Type` is not that of a multipart/related message, or a parameter of it cannot be used.
        public static let unusableContentType = Code("unusableContentType")
        /// The fields before a part break the rules of RFC 822, or contain forbidden characters.
        public static let malformedHeader = Code("malformedHeader")
        /// The content does not match its transfer encoding (RFC 2045 §6).
        public static let malformedContent = Code("malformedContent")
        /// The `Content-Transfer-Encoding` is not supported.
        public static let unsupportedEncoding = Code("unsupportedEncoding")
        /// The message ends before its last boundary.
        public static let truncated = Code("truncated")
        /// Two parts have the same `Content-ID`.
        public static let duplicateID = Code("duplicateID")
        /// The message has no part at all, and so no envelope.
        public static let noRoot = Code("noRoot")
        /// A file could not be opened, read or written: there is no such file, the program has no permission, or the
        /// disk is full. The message says which.
        public static let fileFailed = Code("fileFailed")
        /// The attachments of all requests together take all the disk space that the server allows them.
        public static let spoolFull = Code("spoolFull")
        /// There is a file of that name already, and it may not be replaced.
        public static let fileExists = Code("fileExists")
        /// The length of a file has changed since the message was begun.
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
        /// The message is larger than ``AttachmentLimits/totalBytes``, or a part is larger than its reader allows.
        public static let tooLarge = Code("tooLarge", isLimit: true)
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The position in the message, in bytes from its start; nil when the error is not about a received message.
    public var offset: Int?

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - offset: the position in the message, in bytes from its start; nil when the error is not about a received message.
    public init(_ code: Code, _ message: String, offset: Int? = nil) {
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
