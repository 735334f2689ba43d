/// A union type (XML Schema Part 2 §2.5.1.3): an enumeration with a case for each member type, and
/// `unrecognized(String)` for a text that belongs to no member type.
///
/// Generated code tries the member types in their order:
///
/// ```swift
/// public init(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
///     if let value = XMLUnionMember.read(Int32.self, bytes, scope) {
///         self = .int(value)
///     } else {
///         self = .unrecognized(XMLUnionMember.text(bytes))
///     }
/// }
/// ```
public protocol XMLUnion: XSDValue {
    /// Reads a text whose white space is as it was written: each member type treats it in its own way.
    init(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader)
}

extension XMLUnion {
    public static var whiteSpace: XSDWhiteSpace { .preserve }
    public static var typeName: String { "\(Self.self)" }

    /// Without namespaces in scope.
    public init?(lexical bytes: Span<UInt8>) {
        let value = bytes.withUnsafeBufferPointer { bytes in
            XMLReader.read([]) { reader in Self(lexical: bytes.span, in: reader) }
        }
        self = value
    }
}

/// Reads the members of a union.
@_spi(Generated) public enum XMLUnionMember {
    /// The value of a member type; nil when the text is not in its lexical space. An enumeration accepts only the
    /// values that its schema names.
    @_spi(Generated) public static func read<T: XMLValue>(
        _ type: T.Type, _ bytes: Span<UInt8>, _ scope: borrowing XMLReader
    ) -> T? {
        let value: T?
        if let changed = T.whiteSpace.applied(to: bytes) {
            value = T(lexical: changed.span, in: scope)
        } else {
            value = T(lexical: bytes, in: scope)
        }
        if let enumeration = value as? any XMLEnumeration, !enumeration.isRecognized { return nil }
        return value
    }

    /// The text, for `unrecognized`.
    @_spi(Generated) public static func text(_ bytes: Span<UInt8>) -> String { bytes.string }
}
