/// A value of a simple type: text in, text out (XML Schema Part 2 §2).
public protocol XMLValue: Sendable, Hashable {
    /// Reads the lexical form; nil when it is not in the lexical space.
    ///
    /// The bytes are valid UTF-8. White space at both ends is gone where ``whiteSpace`` says `collapse`. A text that is refused
    /// is tried once more with all white space treated as ``whiteSpace`` says, when that changes it.
    init?(lexical bytes: Span<UInt8>)

    /// Reads a lexical form that means something only with the namespaces in scope, such as a qualified name.
    ///
    /// Values call ``XMLReader/namespaceURI(forValuePrefix:)`` on `scope`. Types without such need do not implement it.
    init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader)

    /// Writes the lexical form.
    func writeLexical(to writer: inout XMLWriter)

    /// What happens to white space before the value is read (Part 2 §4.3.6); `collapse` unless a type says otherwise.
    static var whiteSpace: XSDWhiteSpace { get }
    /// The type's name for messages, for example `xs:int`.
    static var typeName: String { get }
    /// Stands for the value until it is read; a reader reports a required value that never came.
    static var _placeholder: Self { get }
}

extension XMLValue {
    @inlinable public static var whiteSpace: XSDWhiteSpace { .collapse }

    @inlinable public init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) { self.init(lexical: bytes) }
}

/// An enumerated simple type whose generated cases are complete today and may grow tomorrow.
public protocol XMLEnumeration: XMLValue, RawRepresentable where RawValue == String {
    init(rawValue: String)
}

extension XMLEnumeration {
    public init?(lexical bytes: Span<UInt8>) {
        self.init(rawValue: bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.text(rawValue) }
    public static var typeName: String { "\(Self.self)" }
    public static var _placeholder: Self { Self(rawValue: "") }
}

/// A complex type. Generated code implements it; ``XMLReader`` and ``XMLWriter`` do the work.
public protocol XMLStructure: Sendable, Hashable {
    /// An empty value for the reader to fill; what is required and absent is reported before anyone sees it.
    init(_decoding: Void)
    /// The names of the fields.
    static var xmlTable: XMLTable { get }
    /// Reads the field with this index: elements first, then attributes, then the text of simple content.
    mutating func decodeField(_ index: Int, from reader: inout XMLReader)
    func encodeAttributes(to writer: inout XMLWriter)
    func encodeContent(to writer: inout XMLWriter)
}

extension XMLStructure {
    public func encodeAttributes(to writer: inout XMLWriter) {}
}

/// The value of an element that may be absent, present, or present and nil (`xsi:nil="true"`).
///
/// Used only where a schema allows all three, as `Nillable<T>?`.
public enum Nillable<Wrapped: Sendable & Hashable>: Sendable, Hashable {
    case null
    case value(Wrapped)

    /// The value, or nil for `xsi:nil`.
    public var value: Wrapped? {
        if case .value(let value) = self { return value }
        return nil
    }

    public init(_ value: Wrapped?) { self = value.map(Self.value) ?? .null }
}

extension Nillable: ExpressibleByUnicodeScalarLiteral where Wrapped == String {
    public init(unicodeScalarLiteral value: String) { self = .value(value) }
}

extension Nillable: ExpressibleByExtendedGraphemeClusterLiteral where Wrapped == String {
    public init(extendedGraphemeClusterLiteral value: String) { self = .value(value) }
}

extension Nillable: ExpressibleByStringLiteral where Wrapped == String {
    public init(stringLiteral value: String) { self = .value(value) }
}
