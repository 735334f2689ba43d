/// A place where a document is well-formed, but does not follow its schema.
public struct XMLDeviation: Sendable, Hashable, CustomStringConvertible {
    /// The kind of deviation. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// The tolerance that allows it.
        public let tolerance: XMLTolerance
        /// The code of the error when it is not tolerated.
        let error: XMLError.Code

        private init(_ description: String, _ tolerance: XMLTolerance, _ error: XMLError.Code) {
            self.description = description
            self.tolerance = tolerance
            self.error = error
        }

        /// The type does not declare the element; the reader skips it.
        public static let unknownElement = Code("unknownElement", .unknownElement, .unexpected)
        /// The type does not declare the attribute; the reader skips it.
        public static let unknownAttribute = Code("unknownAttribute", .unknownAttribute, .unexpected)
        /// A required element is absent; its property gets a placeholder value. The reader never tolerates this beside
        /// an element that the type does not declare: the value may be there under another name, and the reader does
        /// not make one up for it.
        public static let missingElement = Code("missingElement", .missingElement, .missing)
        /// A required attribute is absent; its property gets a placeholder value. As for elements, the reader never
        /// tolerates this beside an unknown attribute.
        public static let missingAttribute = Code("missingAttribute", .missingAttribute, .missing)
        /// An element follows one that must come after it.
        public static let order = Code("order", .order, .unexpected)
        /// An element occurs more than once where one is allowed; the first one counts.
        public static let duplicate = Code("duplicate", .duplicate, .duplicate)
        /// An element has the right local name in the wrong namespace, or an attribute is in its element's namespace
        /// instead of in none, or the reverse.
        public static let namespace = Code("namespace", .namespace, .unexpected)
        /// A text is not in the lexical space of its type; its property gets no value, or a placeholder value.
        public static let invalidValue = Code("invalidValue", .invalidValue, .invalidValue)
        /// An element is nil that must have a value, or an element is nil and not empty.
        public static let unexpectedNil = Code("unexpectedNil", .unexpectedNil, .invalidValue)
        /// An optional element is nil although it is not nillable; the reader treats it as absent.
        public static let nilForAbsent = Code("nilForAbsent", .nilForAbsent, .invalidValue)
        /// `xsi:type` names no type that is allowed there; the reader uses the declared type.
        public static let unknownType = Code("unknownType", .unknownType, .invalidValue)
        /// There is text where only elements are allowed; the reader skips it.
        public static let unexpectedText = Code("unexpectedText", .unexpectedText, .unexpected)

        public static func == (left: Self, right: Self) -> Bool { left.tolerance == right.tolerance }
        public func hash(into hasher: inout Hasher) { hasher.combine(tolerance) }
    }

    /// The kind of deviation. Two codes are equal when the same tolerance allows them.
    public var code: Code
    /// The open elements from the root, as written in the document.
    public var path: String
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted in characters (Unicode scalars) from 1.
    public var column: Int
    /// The position, counted in bytes from the start of the input.
    public var offset: Int
    /// A sentence for people, without the place. It repeats up to 40 bytes of a wrong value, but never the value of an
    /// attribute, or of an element whose name marks a secret.
    public var message: String

    package init(code: Code, path: String, line: Int, column: Int, offset: Int = 0, message: String) {
        self.code = code
        self.path = path
        self.line = line
        self.column = column
        self.offset = offset
        self.message = message
    }

    public var description: String { "line \(line), column \(column) (byte \(offset)), in \(path): \(message)" }

    /// The same without the byte, which is not known of every deviation.
    package var withoutOffset: String { "line \(line), column \(column), in \(path): \(message)" }
}

/// The deviations from a schema that a reader tolerates.
///
/// ``XMLReader/deviations`` lists all deviations, and the tolerance does not change which values are read. When a
/// deviation is not tolerated, reading a structure or a value throws after reading it to its end.
public struct XMLTolerance: OptionSet, Sendable, Hashable {
    // Narrow, because a reader, which has it, is passed to every value that it reads.
    private let bits: UInt16

    public var rawValue: Int { Int(bits) }
    /// Makes a set from bits. Those that no tolerance has mean nothing.
    public init(rawValue: Int) { bits = UInt16(truncatingIfNeeded: rawValue) }

    /// Skips elements that the type does not declare, with all their content.
    public static let unknownElement = XMLTolerance(rawValue: 1)
    /// Skips attributes that the type does not declare. Those of SOAP and of `xsi` need no tolerance.
    public static let unknownAttribute = XMLTolerance(rawValue: 1 << 1)
    /// Accepts the absence of a required element, if no unknown element is beside it.
    public static let missingElement = XMLTolerance(rawValue: 1 << 2)
    /// Accepts the absence of a required attribute, if no unknown attribute is beside it.
    public static let missingAttribute = XMLTolerance(rawValue: 1 << 3)
    /// Reads an element at the wrong place of a sequence as if it were at the right one.
    public static let order = XMLTolerance(rawValue: 1 << 4)
    /// Uses the first of several elements, and skips the others.
    public static let duplicate = XMLTolerance(rawValue: 1 << 5)
    /// Accepts names in the wrong namespace. Without this, an element of the wrong namespace counts as an unknown
    /// element if ``unknownElement`` is tolerated, and an attribute likewise with ``unknownAttribute``.
    public static let namespace = XMLTolerance(rawValue: 1 << 6)
    /// Accepts a text that is not a value of its type: the property is nil, an array has one item fewer, or a required
    /// property gets a placeholder value.
    public static let invalidValue = XMLTolerance(rawValue: 1 << 7)
    /// Accepts nil where a value is required: the property gets a placeholder value, or an array has one item fewer.
    /// Content of an element that is nil is skipped.
    public static let unexpectedNil = XMLTolerance(rawValue: 1 << 8)
    /// Reads an element with an unusable `xsi:type` as its declared type, and skips it if the declared type is
    /// abstract.
    public static let unknownType = XMLTolerance(rawValue: 1 << 9)
    /// Skips text between elements. White space there needs no tolerance.
    public static let unexpectedText = XMLTolerance(rawValue: 1 << 10)

    /// Treats an optional element that is nil as absent, although the schema does not declare it nillable.
    public static let nilForAbsent = XMLTolerance(rawValue: 1 << 11)

    /// Tolerates no deviation.
    public static let strict: XMLTolerance = []
    /// Tolerates what is common in services: unknown elements and attributes of a newer version, a different order, and
    /// nil for absent elements.
    public static let standard: XMLTolerance = [.unknownElement, .unknownAttribute, .order, .nilForAbsent]
    /// Tolerates all deviations.
    public static let lenient: XMLTolerance = [
        .unknownElement, .unknownAttribute, .missingElement, .missingAttribute, .order, .duplicate, .namespace,
        .invalidValue, .unexpectedNil, .unknownType, .unexpectedText, .nilForAbsent,
    ]
}
