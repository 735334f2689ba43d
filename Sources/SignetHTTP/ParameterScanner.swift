/// Parses the value of a field with parameters, from its beginning to its end.
struct ParameterScanner {
    private let whole: Substring.UTF8View
    private var rest: Substring.UTF8View

    init(_ value: String) {
        whole = value[...].utf8
        rest = whole
    }

    /// Refuses control characters that could end a line or a string for another parser. A tab is allowed between words.
    func refuseControls() throws(ParameterDefect) {
        var previous: UInt8 = 0
        for byte in whole {
            // U+0080 to U+009F are C2 80 to C2 9F.
            if byte < 0x20 && byte != 0x09 || byte == 0x7F || previous == 0xC2 && byte < 0xA0 {
                throw ParameterDefect("A field holds a control character.")
            }
            previous = byte
        }
    }

    /// The text before the first semicolon.
    mutating func essence() throws(ParameterDefect) -> String {
        let text = rest.prefix { $0 != .semicolon }
        rest = rest[text.endIndex...]
        return try Self.withoutComments(text, isStrict: true).asciiLowercased
    }

    /// The next parameter; nil at the end. Parameters without a name or without `=` are skipped.
    mutating func parameter() throws(ParameterDefect) -> ParameterizedValue.Parameter? {
        while rest.popFirst() != nil {
            let text = rest.prefix { $0 != .semicolon && $0 != .equals }
            rest = rest[text.endIndex...]
            let name = try Self.withoutComments(text, isStrict: false).asciiLowercased
            guard rest.first == .equals else { continue }
            rest = rest.dropFirst()
            guard !name.utf8.contains(where: \.isBlank) else {
                throw ParameterDefect("A semicolon is missing before or in “\(name.prefix(64))”.", isCarelessness: true)
            }
            let plainName = name.prefix { $0 != "*" }
            let decides = ParameterizedValue.Parameter.decides(plainName)
            // Parsers that implement RFC 2231 §3 join or decode these, others skip them.
            guard !decides || plainName.endIndex == name.endIndex else {
                throw ParameterDefect("The parameter “\(name.prefix(64))” is split or encoded.")
            }
            let value = try value(of: name, decides)
            if !name.isEmpty { return .init(name: name, value: value) }
        }
        return nil
    }

    private mutating func value(of name: String, _ decides: Bool) throws(ParameterDefect) -> String {
        try skipBlanksAndComments()
        if rest.first == .quotationMark {
            rest = rest.dropFirst()
            let value = try quotation(decides)
            let remainder = rest.prefix { $0 != .semicolon }
            rest = rest[remainder.endIndex...]
            guard try Self.withoutComments(remainder, isStrict: true).isEmpty else {
                throw ParameterDefect("Text follows the quoted parameter “\(name.prefix(64))”.", isCarelessness: true)
            }
            return value
        }
        let text = rest.prefix { $0 != .semicolon }
        rest = rest[text.endIndex...]
        let value = try Self.withoutComments(text, isStrict: decides)
        if let blank = value.firstIndex(where: \.isBlank), decides || value[blank...].contains(.equals) {
            throw ParameterDefect(
                "The parameter “\(name.prefix(64))” holds white space and is not quoted.", isCarelessness: true)
        }
        return String(Substring(value))
    }

    /// The rest of a quoted string (RFC 9110 §5.6.4).
    private mutating func quotation(_ decides: Bool) throws(ParameterDefect) -> String {
        var text = ""
        while true {
            let plain = rest.prefix { $0 != .quotationMark && $0 != .backslash }
            text += Substring(plain)
            rest = rest[plain.endIndex...]
            guard let mark = rest.popFirst() else { throw ParameterDefect("A quoted parameter does not end.") }
            if mark == .quotationMark { return text }
            if let escaped = rest.first, escaped == .quotationMark || escaped == .backslash {
                rest = rest.dropFirst()
                text.unicodeScalars.append(Unicode.Scalar(escaped))
            } else {
                // File names may contain single backslashes, which stand for themselves.
                guard !decides else {
                    throw ParameterDefect("A backslash in a parameter escapes a character that needs no escape.")
                }
                text += "\\"
            }
        }
    }

    private mutating func skipBlanksAndComments() throws(ParameterDefect) {
        let text = rest.prefix { $0 != .semicolon && $0 != .quotationMark }
        let value = try Self.withoutLeadingComments(text)
        rest = rest[value.startIndex...]
    }
}

extension ParameterScanner {
    /// A text without quotation marks, without the white space and the comments at its ends (RFC 2045 §5.1, RFC 5322
    /// §3.2.2).
    ///
    /// White space before a comment distinguishes it from brackets in a value.
    ///
    /// - Parameter isStrict: whether brackets that stay in the text are refused.
    private static func withoutComments(
        _ text: Substring.UTF8View, isStrict: Bool
    ) throws(ParameterDefect) -> Substring.UTF8View {
        guard !text.contains(.quotationMark) else {
            throw ParameterDefect("A quotation mark stands in the middle of a field.", isCarelessness: true)
        }
        var text = try withoutLeadingComments(text)
        while text.last == .closingBracket, let opening = openingBracket(of: text) {
            let before = text[..<opening]
            guard let last = before.last, last.isBlank else { break }
            text = before.withoutBlanks
        }
        if isStrict, text.contains(where: { $0 == .openingBracket || $0 == .closingBracket }) {
            throw ParameterDefect("No white space separates a comment from the text before it.")
        }
        return text
    }

    private static func withoutLeadingComments(
        _ text: Substring.UTF8View
    ) throws(ParameterDefect) -> Substring.UTF8View {
        var text = text.withoutBlanks
        while text.first == .openingBracket {
            guard let end = endOfComment(text) else {
                throw ParameterDefect("A comment does not end, or holds a semicolon, a quotation mark or an escape.")
            }
            text = text[end...].withoutBlanks
        }
        return text
    }

    /// The index after the comment with which a text begins; nil when it does not end or contains an escape.
    private static func endOfComment(_ text: Substring.UTF8View) -> Substring.UTF8View.Index? {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case .openingBracket: depth += 1
            case .closingBracket: depth -= 1
            case .backslash: return nil
            default: break
            }
            if depth == 0 { return text.index(after: index) }
        }
        return nil
    }

    /// The bracket that the last bracket of a text closes.
    private static func openingBracket(of text: Substring.UTF8View) -> Substring.UTF8View.Index? {
        var depth = 0
        for index in text.indices.reversed() {
            switch text[index] {
            case .closingBracket: depth += 1
            case .openingBracket: depth -= 1
            case .backslash: return nil
            default: break
            }
            if depth == 0 { return index }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quotationMark = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let openingBracket = UInt8(ascii: "(")
    fileprivate static let closingBracket = UInt8(ascii: ")")
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension Substring.UTF8View {
    /// Without spaces and tabs at either end (RFC 9110 §5.6.3).
    fileprivate var withoutBlanks: Self {
        var result = drop(while: \.isBlank)
        while result.last?.isBlank == true { result = result.dropLast() }
        return result
    }

    /// The text with A to Z in lower case. Letters of other alphabets stay: some have an ASCII letter as their lower
    /// case.
    var asciiLowercased: String {
        let text = Substring(self)
        guard contains(where: { (0x41...0x5A).contains($0) }) else { return String(text) }
        if allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
                }))
    }
}
