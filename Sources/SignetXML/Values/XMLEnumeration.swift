/// An enumerated simple type whose generated cases are complete today and may grow tomorrow.
public protocol XMLEnumeration: XSDValue, RawRepresentable where RawValue == String {
    init(rawValue: String)
    /// Whether the schema names the value. By default every case counts but `unrecognized`.
    var isRecognized: Bool { get }
}

extension XMLEnumeration {
    public init?(lexical bytes: Span<UInt8>) {
        self.init(rawValue: bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    // Any text is a value, so that none need be tried.
    public static func _read(_ x: inout Self, from reader: inout XMLReader) {
        if reader.takeNil() { return reader.failNil() }
        guard let bytes = reader.leafBytes() else { return }
        let text = whiteSpace == .collapse ? reader.trimmed(bytes) : bytes
        x = Self(rawValue: String(decoding: text, as: UTF8.self))
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.text(rawValue) }
    public static var typeName: String { "\(Self.self)" }
    public static var _placeholder: Self { Self(rawValue: "") }

    public var isRecognized: Bool { Mirror(reflecting: self).children.first?.label != "unrecognized" }
    public var canonicalForm: String { rawValue }
}
