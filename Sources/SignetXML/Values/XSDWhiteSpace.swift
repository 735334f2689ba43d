/// How the white space of a value is treated before it is read: the facet `whiteSpace` (XML Schema Part 2 §4.3.6).
public enum XSDWhiteSpace: String, Sendable, Hashable, CaseIterable {
    /// White space is kept.
    case preserve
    /// Tabs, line feeds and carriage returns become spaces.
    case replace
    /// Like `replace`; then runs of spaces become one space, and those at both ends are dropped.
    case collapse

    /// The text after the facet has been applied.
    public func applied(to text: String) -> String {
        var text = text
        return text.withUTF8 { applied(to: $0.span) }.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The bytes after the facet has been applied; nil when they do not change.
    func applied(to bytes: Span<UInt8>) -> [UInt8]? {
        switch self {
        case .preserve: nil
        case .replace: bytes.indices.contains { Self.isBreak(bytes[$0]) } ? Self.replaced(bytes) : nil
        case .collapse: Self.isCollapsed(bytes) ? nil : Self.collapsed(bytes)
        }
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private static func replaced(_ bytes: Span<UInt8>) -> [UInt8] {
        bytes.indices.map { isBreak(bytes[$0]) ? 0x20 : bytes[$0] }
    }

    /// Whether the only white space is single spaces between other characters: the lexical space of `token`.
    static func isCollapsed(_ bytes: Span<UInt8>) -> Bool {
        var wasSpace = true
        for i in bytes.indices {
            let byte = bytes[i]
            if byte > 0x20 {
                wasSpace = false
            } else if isBreak(byte) || wasSpace {
                return false
            } else {
                wasSpace = byte == 0x20
            }
        }
        return bytes.isEmpty || !wasSpace
    }

    /// The next run of bytes that are not white space, from `i` on; `i` is moved past it.
    static func nextWord(_ bytes: Span<UInt8>, _ i: inout Int) -> Range<Int>? {
        while i < bytes.count, XMLCharacters.isSpace(bytes[i]) { i += 1 }
        let first = i
        while i < bytes.count, !XMLCharacters.isSpace(bytes[i]) { i += 1 }
        return first < i ? first..<i : nil
    }

    private static func collapsed(_ bytes: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for i in bytes.indices {
            if !XMLCharacters.isSpace(bytes[i]) {
                result.append(bytes[i])
            } else if let last = result.last, last != 0x20 {
                result.append(0x20)
            }
        }
        if result.last == 0x20 { result.removeLast() }
        return result
    }
}
