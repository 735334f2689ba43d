extension Bool: XSDValue {
    public static var typeName: String { "xs:boolean" }
    public static var _placeholder: Bool { false }

    /// `true`, `false`, `1` or `0` (XML Schema Part 2 §3.2.2).
    public init?(lexical bytes: Span<UInt8>) {
        switch bytes.count {
        case 1 where bytes[0] == UInt8(ascii: "1"): self = true
        case 1 where bytes[0] == UInt8(ascii: "0"): self = false
        case 4 where bytes.equals("true"): self = true
        case 5 where bytes.equals("false"): self = false
        default: return nil
        }
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.raw(self ? "true" : "false") }
}

extension Span where Element == UInt8 {
    func equals(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        for i in 0..<count where self[i] != literal.utf8Start[i] { return false }
        return true
    }

    var string: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}
