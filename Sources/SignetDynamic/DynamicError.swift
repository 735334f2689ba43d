/// Why a service could not be described, or a value could not be turned into a message.
public struct DynamicError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The text is not JSON (RFC 8259), or exceeds a limit.
        public static let malformedJSON = Code("malformedJSON")
        /// The WSDL or something that it imports cannot be read.
        public static let unreadableWSDL = Code("unreadableWSDL")
        /// There is no such service or port, or there are several, of which the program must choose one.
        public static let unknownService = Code("unknownService")
        /// There is no operation, header block or type with this name.
        public static let unknownName = Code("unknownName")
        /// The service, or this operation, needs a feature that is not supported without generated code, or not at all.
        public static let notSupported = Code("notSupported")
        /// A value is not what the schema allows.
        public static let invalidValue = Code("invalidValue")
        /// Something that the schema requires is absent.
        public static let missing = Code("missing")
        /// The schema refers to something that it does not define, or is circular.
        public static let brokenSchema = Code("brokenSchema")
        /// A value or a schema is nested too deeply, or is too large.
        public static let limitExceeded = Code("limitExceeded")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What is wrong, what is expected, and what to do next.
    public var message: String
    /// Where in the value, for example `LogEntryQuery.filter[2].from`; empty when the defect is elsewhere.
    public var path: String
    /// The error of the XML reader or writer that led to this one; nil where there was none.
    public var cause: (any Error)?

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - path: where in the value; empty when the defect is elsewhere.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(_ code: Code, _ message: String, path: String = "", cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.cause = cause
    }

    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

extension DynamicError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
