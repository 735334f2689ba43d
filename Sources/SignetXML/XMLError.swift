/// Why a document was refused, and where.
public struct XMLError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// Whether one of ``XMLLimits`` is exceeded: the document may be valid, but it is larger than the program
        /// accepts.
        public let isLimit: Bool

        private init(_ description: String, isLimit: Bool = false) {
            self.description = description
            self.isLimit = isLimit
        }

        /// A well-formedness rule of XML 1.0 is broken.
        public static let malformed = Code("malformed")
        /// A byte sequence that is not UTF-8, or a character that XML does not allow (XML 1.0 §2.2).
        public static let invalidCharacter = Code("invalidCharacter")
        /// The encoding is not supported, or contradicts the bytes.
        public static let unsupportedEncoding = Code("unsupportedEncoding")
        /// The document has a document type declaration where none is allowed, or one with parts that are not supported
        /// (``XMLDoctype``).
        public static let doctypeRefused = Code("doctypeRefused")
        /// A rule of Namespaces in XML 1.0 is broken, for example by a prefix that is not declared.
        public static let namespace = Code("namespace")
        /// The document ends too early.
        public static let unexpectedEnd = Code("unexpectedEnd")
        /// A text that is not in the lexical space of its type (XML Schema Part 2).
        public static let invalidValue = Code("invalidValue")
        /// A required element or attribute is absent.
        public static let missing = Code("missing")
        /// An element occurs more than once where one is allowed.
        public static let duplicate = Code("duplicate")
        /// An element or text is at a place where it is not allowed.
        public static let unexpected = Code("unexpected")
        /// The text to be written has characters that XML does not allow.
        public static let unwritable = Code("unwritable")

        /// Elements are nested deeper than ``XMLLimits/depth``.
        public static let tooDeep = Code("tooDeep", isLimit: true)
        /// An element has more attributes than ``XMLLimits/attributes``.
        public static let tooManyAttributes = Code("tooManyAttributes", isLimit: true)
        /// More namespace declarations are in scope than ``XMLLimits/namespaces``.
        public static let tooManyNamespaces = Code("tooManyNamespaces", isLimit: true)
        /// A name or a namespace name is longer than ``XMLLimits/nameBytes``.
        public static let nameTooLong = Code("nameTooLong", isLimit: true)
        /// A text or an attribute's value is longer than ``XMLLimits/textBytes``.
        public static let textTooLong = Code("textTooLong", isLimit: true)
        /// The document, or what is kept of it, is larger than ``XMLLimits/documentBytes``.
        public static let documentTooLarge = Code("documentTooLarge", isLimit: true)
        /// A repeated element is larger than the limit of an ``XMLFramer``.
        public static let elementTooLarge = Code("elementTooLarge", isLimit: true)
        /// More entities are declared than the limits allow, or they expand to more text.
        public static let tooManyEntities = Code("tooManyEntities", isLimit: true)
        /// The document has more elements of one kind than can be kept, such as header blocks of an envelope.
        public static let tooManyElements = Code("tooManyElements", isLimit: true)
    }

    /// The kind of defect. Programs should use it for decisions, because each version may word messages differently.
    public var code: Code
    /// A sentence for people, without the place. It repeats up to 40 bytes of a wrong value, but never the value of an
    /// attribute, or of an element whose name marks a secret.
    public var message: String
    /// The position, counted in bytes from the start of the input, a byte-order mark included.
    public var offset: Int
    /// The line, counted from 1; zero when there is no document, as while writing.
    public var line: Int
    /// The column, counted in characters (Unicode scalars) from 1.
    public var column: Int
    /// The open elements from the root, as written in the document: `soap:Envelope/soap:Body/q:Query`.
    public var path: String
    /// All deviations from the schema, when one of them is the error; 1,000 at most.
    public var deviations: [XMLDeviation] = []

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: a sentence for people, without the place; it must not contain a secret.
    ///   - offset: the position, in bytes from the start of the input.
    ///   - line: the line, counted from 1; zero when there is no document.
    ///   - column: the column, in characters from 1; zero when there is no document.
    ///   - path: the open elements from the root, as written in the document; empty when it is not known.
    public init(
        _ code: Code, _ message: String, offset: Int = 0, line: Int = 0, column: Int = 0, path: String = ""
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.line = line
        self.column = column
        self.path = path
    }

    public var description: String {
        let place = line > 0 ? "line \(line), column \(column) (byte \(offset))" : ""
        let inside = path.isEmpty ? "" : "in \(path)"
        let parts = [place, inside].filter { !$0.isEmpty }
        return parts.isEmpty ? message : "\(parts.joined(separator: ", ")): \(message)"
    }
}

extension XMLError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
