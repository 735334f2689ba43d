/// Where a document is well-formed, but not what its schema says.
public struct XMLDeviation: Sendable, Hashable, CustomStringConvertible {
    /// The kind of deviation. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        /// What tolerates it.
        public let tolerance: XMLTolerance
        /// How it is reported where it is not tolerated.
        let error: XMLError.Code

        private init(_ description: String, _ tolerance: XMLTolerance, _ error: XMLError.Code) {
            self.description = description
            self.tolerance = tolerance
            self.error = error
        }

        /// An element that the type does not name; it is passed over.
        public static let unknownElement = Code("unknownElement", .unknownElement, .unexpected)
        /// An attribute that the type does not name; it is passed over.
        public static let unknownAttribute = Code("unknownAttribute", .unknownAttribute, .unexpected)
        /// A required element is absent; its property has a value of no meaning. This is never taken where an element stands beside it
        /// that the type does not name: the value may be there under another name, and none is made up for it.
        public static let missingElement = Code("missingElement", .missingElement, .missing)
        /// A required attribute is absent; its property has a value of no meaning. The same holds beside an unknown attribute.
        public static let missingAttribute = Code("missingAttribute", .missingAttribute, .missing)
        /// An element stands behind one that must follow it.
        public static let order = Code("order", .order, .unexpected)
        /// An element stands more than once where one is allowed; the first one counts.
        public static let duplicate = Code("duplicate", .duplicate, .duplicate)
        /// An element has the right local name in another namespace, or an attribute is in its element's namespace or in none, where
        /// it should be the other way.
        public static let namespace = Code("namespace", .namespace, .unexpected)
        /// A text is not in the lexical space of its type; its property has no value, or one of no meaning.
        public static let invalidValue = Code("invalidValue", .invalidValue, .invalidValue)
        /// An element is nil that must have a value, or is nil and not empty.
        public static let unexpectedNil = Code("unexpectedNil", .unexpectedNil, .invalidValue)
        /// An element that might be absent is nil, although it is not nillable; it is read as absent.
        public static let nilForAbsent = Code("nilForAbsent", .nilForAbsent, .invalidValue)
        /// `xsi:type` names no type that may stand there; the element is read as of the declared type.
        public static let unknownType = Code("unknownType", .unknownType, .invalidValue)
        /// There is text where only elements are allowed; it is passed over.
        public static let unexpectedText = Code("unexpectedText", .unexpectedText, .unexpected)

        public static func == (left: Self, right: Self) -> Bool { left.tolerance == right.tolerance }
        public func hash(into hasher: inout Hasher) { hasher.combine(tolerance) }
    }

    /// Two codes are equal when the same tolerance takes them.
    public var code: Code
    /// The open elements from the root, as written in the document.
    public var path: String
    /// Counted from 1.
    public var line: Int
    /// Counted in characters (Unicode scalars) from 1.
    public var column: Int
    /// Counted in bytes from the start of what was given.
    public var offset: Int
    /// A sentence for people, without the place. A wrong value is repeated in it up to 40 bytes, but none of an
    /// attribute or in an element whose name marks a secret.
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
}

/// Which deviations from a schema a reader takes.
///
/// All are listed in ``XMLReader/deviations``, and what is read is the same, whatever is tolerated; with one that is not, reading a
/// structure or a value throws when it has been read to its end.
public struct XMLTolerance: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Elements that the type does not name are passed over, with all that is in them.
    public static let unknownElement = XMLTolerance(rawValue: 1)
    /// Attributes that the type does not name are passed over. Those of SOAP and of `xsi` need no tolerance.
    public static let unknownAttribute = XMLTolerance(rawValue: 1 << 1)
    /// Only where no unknown element stands beside it.
    public static let missingElement = XMLTolerance(rawValue: 1 << 2)
    /// Only where no unknown attribute stands beside it.
    public static let missingAttribute = XMLTolerance(rawValue: 1 << 3)
    /// An element in the wrong place of a sequence is read as if it stood in the right one.
    public static let order = XMLTolerance(rawValue: 1 << 4)
    /// The first of several elements counts, and those behind it are passed over.
    public static let duplicate = XMLTolerance(rawValue: 1 << 5)
    /// Without this, where ``unknownElement`` is tolerated, an element of another namespace is an unknown one, and so with
    /// ``unknownAttribute``.
    public static let namespace = XMLTolerance(rawValue: 1 << 6)
    /// A text that is no value of its type gives nil, an item fewer in an array, or a value of no meaning where one is
    /// required.
    public static let invalidValue = XMLTolerance(rawValue: 1 << 7)
    /// Nil where a value is required gives a value of no meaning, or an item fewer in an array. What stands in an
    /// element that is nil is passed over.
    public static let unexpectedNil = XMLTolerance(rawValue: 1 << 8)
    /// An element whose `xsi:type` is of no use is read as of its declared type, and not at all where that is abstract.
    public static let unknownType = XMLTolerance(rawValue: 1 << 9)
    /// Text between elements is passed over. White space there needs no tolerance.
    public static let unexpectedText = XMLTolerance(rawValue: 1 << 10)

    /// An optional element that is nil is read as absent, although the schema does not declare it nillable.
    public static let nilForAbsent = XMLTolerance(rawValue: 1 << 11)

    /// None.
    public static let strict: XMLTolerance = []
    /// What a service that has grown sends, one that mixes up the order, and one that says of what it has not that it is nil.
    public static let standard: XMLTolerance = [.unknownElement, .unknownAttribute, .order, .nilForAbsent]
    /// All.
    public static let lenient = XMLTolerance(rawValue: .max)
}
