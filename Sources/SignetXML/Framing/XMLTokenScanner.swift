/// Finds where tags, texts, comments, processing instructions and CDATA sections end, in bytes that arrive in pieces.
///
/// It never looks back across the border of a piece. It is right about every well-formed document; for any other it is
/// right up to the first token that breaks a rule, and ``XMLReader`` refuses that token. It therefore only delimits
/// tokens, and checks nothing.
struct XMLTokenScanner: Sendable {
    enum Token: Sendable {
        case text, startTag, emptyTag, endTag
        /// A comment, a processing instruction or a CDATA section.
        case other
        /// A broken token: it breaks a rule within the scanned bytes.
        case broken
    }

    private enum State: UInt8, Sendable {
        case text, open, startTag, doubleQuoted, singleQuoted, endTag, markup, comment, characterData, instruction
    }

    private var state = State.text
    /// How many bytes of a delimiter have been seen; in a text, whether it has begun.
    private var seen = 0
    /// Which of ``literals`` follows `<!`.
    private var literal = 0
    /// The byte of a start tag after which the last piece ended.
    private var last: UInt8 = 0
    /// The open elements of the document while tokens are scanned.
    var depth = 0
    /// The open elements of the repeated element while one is scanned, itself included.
    private var inner = 0

    /// Whether the next byte begins a token.
    var isBetweenTokens: Bool { state == .text && seen == 0 }

    /// Advances to the end of the next token; nil when more bytes are needed.
    mutating func token(
        in bytes: UnsafePointer<UInt8>, from begin: Int, to stop: Int
    ) -> (end: Int, token: Token)? {
        scan(bytes, begin, stop, element: false)
    }

    /// Prepares for ``element(in:from:to:)``; with `inside`, its start tag has been scanned.
    mutating func beginElement(inside: Bool) { inner = inside ? 1 : 0 }

    /// Advances to the end of the element that has begun; nil when more bytes are needed. The token is `broken` or the
    /// last tag.
    mutating func element(
        in bytes: UnsafePointer<UInt8>, from begin: Int, to stop: Int
    ) -> (end: Int, token: Token)? {
        scan(bytes, begin, stop, element: true)
    }

    private static let literals: [StaticString] = ["--", "[CDATA[", "DOCTYPE"]

    @inline(__always)
    private mutating func scan(
        _ p: UnsafePointer<UInt8>, _ begin: Int, _ stop: Int, element: Bool
    ) -> (end: Int, token: Token)? {
        var i = begin
        while i < stop {
            switch state {
            case .text:
                let found = XMLBytes.less(p, i, stop)
                if !element && (found > i || seen > 0) {
                    seen = found < stop ? 0 : 1
                    return found < stop ? (found, .text) : nil
                }
                guard found < stop else { return nil }
                i = found &+ 1
                state = .open
            case .open:
                switch p[i] {
                case UInt8(ascii: "/"):
                    i &+= 1
                    if element && inner > 1 {
                        // Nothing up to the next `<` matters.
                        inner &-= 1
                        state = .text
                    } else {
                        state = .endTag
                    }
                case UInt8(ascii: "!"):
                    i &+= 1
                    enter(.markup)
                case UInt8(ascii: "?"):
                    i &+= 1
                    enter(.instruction)
                default:
                    last = UInt8(ascii: "<")
                    state = .startTag
                }
            case .startTag:
                let found = XMLBytes.tagDelimiter(p, i, stop)
                guard found < stop else {
                    last = p[stop &- 1]
                    return nil
                }
                let before = found > begin ? p[found &- 1] : last
                i = found &+ 1
                switch p[found] {
                case UInt8(ascii: ">"):
                    state = .text
                    let isEmpty = before == UInt8(ascii: "/")
                    if element {
                        if !isEmpty { inner &+= 1 } else if inner == 0 { return (i, .emptyTag) }
                    } else {
                        if !isEmpty { depth &+= 1 }
                        return (i, isEmpty ? .emptyTag : .startTag)
                    }
                case UInt8(ascii: "\""): state = .doubleQuoted
                case UInt8(ascii: "'"): state = .singleQuoted
                default: return (i, .broken)
                }
            case .doubleQuoted, .singleQuoted:
                let quote = state == .doubleQuoted ? UInt8(ascii: "\"") : UInt8(ascii: "'")
                let found = XMLBytes.either(quote, UInt8(ascii: "<"), p, i, stop)
                guard found < stop else { return nil }
                i = found &+ 1
                guard p[found] == quote else { return (i, .broken) }
                last = quote
                state = .startTag
            case .endTag:
                let found = XMLBytes.either(UInt8(ascii: ">"), UInt8(ascii: "<"), p, i, stop)
                guard found < stop else { return nil }
                i = found &+ 1
                guard p[found] == UInt8(ascii: ">") else { return (i, .broken) }
                state = .text
                if !element { depth &-= 1 }
                return (i, .endTag)
            case .markup:
                let byte = p[i]
                if seen == 0 {
                    guard let index = Self.literals.firstIndex(where: { $0.utf8Start[0] == byte }) else {
                        return broken(i, byte)
                    }
                    literal = index
                }
                let wanted = Self.literals[literal]
                guard byte == wanted.utf8Start[seen] else { return broken(i, byte) }
                i &+= 1
                seen &+= 1
                if seen == wanted.utf8CodeUnitCount {
                    if literal == 2 { return (i, .broken) }
                    enter(literal == 0 ? .comment : .characterData)
                }
            case .comment:
                if seen == 2 {
                    guard p[i] == UInt8(ascii: ">") else { return broken(i, p[i]) }
                    i &+= 1
                    enter(.text)
                    if !element { return (i, .other) }
                } else if p[i] == UInt8(ascii: "-") {
                    seen &+= 1
                    i &+= 1
                } else {
                    seen = 0
                    i = XMLBytes.either(UInt8(ascii: "-"), UInt8(ascii: "-"), p, i, stop)
                }
            case .characterData, .instruction:
                let (mark, count) = state == .characterData ? (UInt8(ascii: "]"), 2) : (UInt8(ascii: "?"), 1)
                if p[i] == mark {
                    seen = min(seen &+ 1, count)
                    i &+= 1
                } else if seen == count && p[i] == UInt8(ascii: ">") {
                    i &+= 1
                    enter(.text)
                    if !element { return (i, .other) }
                } else {
                    seen = 0
                    i = XMLBytes.either(mark, mark, p, i, stop)
                }
            }
        }
        return nil
    }

    @inline(__always) private mutating func enter(_ next: State) {
        state = next
        seen = 0
    }

    /// Ends a token at a byte that is not allowed there; half of a longer character is excluded.
    private func broken(_ i: Int, _ byte: UInt8) -> (end: Int, token: Token) { (byte < 0x80 ? i &+ 1 : i, .broken) }
}

/// Searches eight bytes at a time.
enum XMLBytes {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Marks the bytes of a word that equal the one repeated in `pattern`; the lowest mark is exact.
    @inline(__always) private static func marks(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let x = word ^ pattern
        return (x &- ones) & ~x & highs
    }

    @inline(__always) private static func word(_ p: UnsafePointer<UInt8>, _ i: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p + i).loadUnaligned(as: UInt64.self))
    }

    /// The first `<` from `i` on, or `stop`.
    @inline(__always) static func less(_ p: UnsafePointer<UInt8>, _ i: Int, _ stop: Int) -> Int {
        either(UInt8(ascii: "<"), UInt8(ascii: "<"), p, i, stop)
    }

    /// The first of two bytes from `i` on, or `stop`.
    @inline(__always) static func either(
        _ a: UInt8, _ b: UInt8, _ p: UnsafePointer<UInt8>, _ begin: Int, _ stop: Int
    ) -> Int {
        let (first, second) = (ones &* UInt64(a), ones &* UInt64(b))
        var i = begin
        while stop &- i >= 8 {
            let x = word(p, i)
            let hit = a == b ? marks(x, first) : marks(x, first) | marks(x, second)
            if hit != 0 { return i &+ hit.trailingZeroBitCount >> 3 }
            i &+= 8
        }
        while i < stop && p[i] != a && p[i] != b { i &+= 1 }
        return i
    }

    /// The first `>`, `<`, `"` or `'` from `i` on, or `stop`.
    @inline(__always) static func tagDelimiter(_ p: UnsafePointer<UInt8>, _ begin: Int, _ stop: Int) -> Int {
        var i = begin
        while stop &- i >= 8 {
            let x = word(p, i)
            // `<` and `>` differ in one bit that is set in both patterns; so do the quotes in three, which stay apart.
            let hit =
                marks(x | ones &* 0x02, ones &* 0x3E) | marks(x, ones &* 0x22) | marks(x, ones &* 0x27)
            if hit != 0 { return i &+ hit.trailingZeroBitCount >> 3 }
            i &+= 8
        }
        while i < stop {
            switch p[i] {
            case 0x3E, 0x3C, 0x22, 0x27: return i
            default: i &+= 1
            }
        }
        return i
    }
}
