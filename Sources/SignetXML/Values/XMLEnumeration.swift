/// An enumerated simple type whose generated cases are complete today and may grow in a later version of the schema.
/// Its values are always written as their raw values.
public protocol XMLEnumeration: XSDValue, RawRepresentable where RawValue == String {
    /// Never fails: for a text that the schema does not name, generated code has the case `unrecognized`.
    init(rawValue: String)
    /// Whether the schema names the value. By default this is true of every case except `unrecognized`.
    var isRecognized: Bool { get }
}

extension XMLEnumeration {
    /// Never nil: a text that the schema does not name is a value too, for which ``isRecognized`` is false.
    public init?(lexical bytes: Span<UInt8>) {
        self.init(rawValue: bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    // Any text is a value, so no attempt is necessary.
    public static func _read(_ x: inout Self, from reader: inout XMLReader) {
        if reader.takeNil() { return reader.failNil() }
        if let text = text(from: &reader) { x = Self(rawValue: text) }
    }

    public static func _read(optional x: inout Self?, from reader: inout XMLReader) {
        if reader.takeNil() { return reader.acceptNil() }
        if let text = text(from: &reader) { x = Self(rawValue: text) } else { x = nil }
    }

    public static func _read(next x: inout [Self], from reader: inout XMLReader) {
        if reader.takeNil() { return reader.failNil() }
        if let text = text(from: &reader) { x.append(Self(rawValue: text)) }
    }

    public static func _write(_ x: Self, _ index: Int, to writer: inout XMLWriter) {
        writer.value(index, x, as: x.rawValue)
    }

    private static func text(from reader: inout XMLReader) -> String? {
        guard let bytes = reader.leafBytes() else { return nil }
        return reader.text(of: whiteSpace == .collapse ? reader.trimmed(bytes) : bytes)
    }

    /// Writes the raw value, also one that the schema does not name; ``XMLFielded/violations()`` lists such a value.
    public func writeLexical(to writer: inout XMLWriter) {
        if let checker = writer.checker, !isRecognized { checker.hasUnnamedValue = true }
        writer.text(rawValue)
    }
    public static var typeName: String { "\(Self.self)" }
    public static var _placeholder: Self { Self(rawValue: "") }

    public var isRecognized: Bool { Mirror(reflecting: self).children.first?.label != "unrecognized" }
    /// The raw value, unchanged: a value can be written in one way only, and values have no order.
    public var canonicalForm: String { rawValue }
}
