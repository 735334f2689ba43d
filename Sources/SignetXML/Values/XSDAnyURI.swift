/// Whether a text can be a reference to a resource (XML Schema Part 2 §3.2.17).
///
/// The standard requires that the text becomes a reference of RFC 2396 and RFC 2732 when all characters that these do
/// not allow, spaces and characters beyond ASCII among them, are escaped (XLink 1.0 §5.4). Only percent signs, number
/// signs, brackets and schemes can then be wrong.
public enum XSDAnyURIRule: XSDTextRule {
    public static var typeName: String { "xs:anyURI" }

    public static func allows(_ text: Span<UInt8>) -> Bool {
        guard XSDWhiteSpace.isCollapsed(text), hasProperEscapes(text) else { return false }
        var end = text.count
        for i in text.indices where text[i] == UInt8(ascii: "#") {
            guard end == text.count else { return false }
            end = i
        }
        guard let start = startOfPath(text, end) else { return false }
        return hasProperBrackets(text, start..<end)
    }

    /// Whether two hexadecimal digits follow every percent sign.
    private static func hasProperEscapes(_ text: Span<UInt8>) -> Bool {
        for i in text.indices where text[i] == UInt8(ascii: "%") {
            guard i + 2 < text.count, isHexadecimal(text[i + 1]), isHexadecimal(text[i + 2]) else { return false }
        }
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- 0x30 <= 9 || (byte | 0x20) &- UInt8(ascii: "a") <= 5
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") <= 25 }

    /// Where a scheme and its colon end; nil when the text before the first colon is not a scheme, or nothing follows
    /// it.
    private static func startOfPath(_ text: Span<UInt8>, _ end: Int) -> Int? {
        for i in 0..<end {
            switch text[i] {
            case UInt8(ascii: "/"), UInt8(ascii: "?"): return 0
            case UInt8(ascii: ":"): return i > 0 && isLetter(text[0]) && i + 1 < end ? i + 1 : nil
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: continue
            case let byte where isLetter(byte): continue
            default:
                // No scheme has this character, and a path's first segment has no colon (RFC 2396 §5).
                for k in i..<end {
                    if text[k] == UInt8(ascii: "/") || text[k] == UInt8(ascii: "?") { return 0 }
                    if text[k] == UInt8(ascii: ":") { return nil }
                }
                return 0
            }
        }
        return 0
    }

    /// Whether brackets are only around an address in an authority (RFC 2732 §3), in a query, and in text without a
    /// hierarchy; not in a path.
    private static func hasProperBrackets(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var i = range.lowerBound
        let end = range.upperBound
        let slash = UInt8(ascii: "/")
        if i > 0 && i < end && text[i] != slash { return true }
        var isAuthority = i + 1 < end && text[i] == slash && text[i + 1] == slash
        if isAuthority { i += 2 }
        var isOpen = false
        while i < end {
            switch text[i] {
            case slash where !isOpen: isAuthority = false
            case UInt8(ascii: "?"): return !isOpen
            case UInt8(ascii: "["):
                guard isAuthority, !isOpen else { return false }
                isOpen = true
            case UInt8(ascii: "]"):
                guard isOpen else { return false }
                isOpen = false
            case UInt8(ascii: ":"), UInt8(ascii: "."): break
            case let byte: if isOpen && !isHexadecimal(byte) { return false }
            }
            i += 1
        }
        return !isOpen
    }
}
