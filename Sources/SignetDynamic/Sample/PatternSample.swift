/// Makes a text for a regular expression of XML Schema (Part 2, appendix F).
///
/// It supports characters, escapes, classes, groups, branches and quantifiers; it makes no text for a class with a
/// subtraction or an unknown category.
struct PatternSample: ~Copyable {
    /// How many more times than required a repeatable part is repeated.
    private let extra: Int
    private var rest: ArraySlice<Character>
    private var depth = 0
    /// The greatest length of a text; longer texts are abandoned.
    private static let longest = 4096

    private struct Unknown: Error {}

    private init(_ pattern: String, extra: Int) {
        rest = Array(pattern)[...]
        self.extra = extra
    }

    /// The shortest found text that `isWanted` accepts; nil when there is none.
    static func text(for pattern: String, isWanted: (String) -> Bool) -> String? {
        guard pattern.utf8.count <= 2000 else { return nil }
        for extra in 0...64 {
            var parser = PatternSample(pattern, extra: extra)
            guard let texts = try? parser.branches(), parser.rest.isEmpty else { return nil }
            if let text = texts.first(where: isWanted) { return text }
        }
        return nil
    }

    /// Makes a text for each branch of `a|b`.
    private mutating func branches() throws(Unknown) -> [String] {
        depth += 1
        defer { depth -= 1 }
        guard depth < 30 else { throw Unknown() }
        var texts = [try branch()]
        while rest.first == "|" {
            rest = rest.dropFirst()
            texts.append(try branch())
        }
        return texts
    }

    private mutating func branch() throws(Unknown) -> String {
        var text = ""
        while let next = rest.first, next != "|", next != ")" {
            let atom = try atom()
            let count = try quantity()
            guard count * atom.utf8.count + text.utf8.count <= Self.longest else { throw Unknown() }
            text += String(repeating: atom, count: count)
        }
        return text
    }

    private mutating func atom() throws(Unknown) -> String {
        guard let next = rest.popFirst() else { throw Unknown() }
        switch next {
        case "(":
            let texts = try branches()
            guard rest.popFirst() == ")", let first = texts.first(where: { !$0.isEmpty }) ?? texts.first else {
                throw Unknown()
            }
            return first
        case "[": return try characterClass()
        case "\\": return String(try escape().first)
        case ".": return "a"
        case "^", "$": return String(next)
        case "?", "*", "+", "{", "}", "]": throw Unknown()
        default: return String(next)
        }
    }

    /// The meaning of an escape: an example character, and whether other characters match it.
    private mutating func escape() throws(Unknown) -> (first: Character, contains: @Sendable (Character) -> Bool) {
        guard let next = rest.popFirst() else { throw Unknown() }
        switch next {
        case "d": return ("1", { $0.isASCII && $0.isNumber })
        case "w", "c": return ("a", { $0.isLetter || $0.isNumber })
        case "i": return ("a", { $0.isLetter })
        case "s": return (" ", { $0.isWhitespace })
        case "D", "S", "W", "C", "I": return (next == "W" ? "-" : "a", { _ in true })
        case "n": return ("\n", { $0 == "\n" })
        case "t": return ("\t", { $0 == "\t" })
        case "r": return ("\r", { $0 == "\r" })
        case "p":
            guard rest.popFirst() == "{", let close = rest.firstIndex(of: "}") else { throw Unknown() }
            let category = String(rest[..<close])
            rest = rest[(close + 1)...]
            switch category {
            case "L", "Ll", "IsBasicLatin": return ("a", { $0.isLetter })
            case "Lu": return ("A", { $0.isUppercase })
            case "N", "Nd": return ("1", { $0.isNumber })
            default: throw Unknown()
            }
        case "P": throw Unknown()
        default: return (next, { $0 == next })
        }
    }

    private mutating func characterClass() throws(Unknown) -> String {
        let isNegated = rest.first == "^"
        if isNegated { rest = rest.dropFirst() }
        var ranges: [ClosedRange<Character>] = []
        var classes: [@Sendable (Character) -> Bool] = []
        var first: Character?
        while let next = rest.popFirst(), next != "]" {
            var low = next
            if next == "[" { throw Unknown() }
            if next == "\\" {
                let escaped = try escape()
                low = escaped.first
                classes.append(escaped.contains)
            }
            first = first ?? low
            if rest.first == "-", let high = rest.dropFirst().first, high != "]" {
                rest = rest.dropFirst(2)
                let end = high == "\\" ? try escape().first : high
                guard high != "[", low <= end else { throw Unknown() }
                ranges.append(low...end)
            } else {
                ranges.append(low...low)
            }
        }
        if !isNegated, let first { return String(first) }
        let found = "aA1 _-.".first { candidate in
            !ranges.contains { $0.contains(candidate) } && !classes.contains { $0(candidate) }
        }
        guard isNegated, let found else { throw Unknown() }
        return String(found)
    }

    private mutating func quantity() throws(Unknown) -> Int {
        switch rest.first {
        case "?":
            rest = rest.dropFirst()
            return min(extra, 1)
        case "*":
            rest = rest.dropFirst()
            return extra
        case "+":
            rest = rest.dropFirst()
            return 1 + extra
        case "{":
            guard let close = rest.firstIndex(of: "}") else { throw Unknown() }
            let parts = String(rest[(rest.startIndex + 1)..<close]).split(
                separator: ",", omittingEmptySubsequences: false)
            rest = rest[(close + 1)...]
            guard let least = parts.first.flatMap({ Int($0) }), (0...Self.longest).contains(least) else {
                throw Unknown()
            }
            guard parts.count > 1 else { return least }
            return min(least + extra, Int(parts[1]).map { max($0, least) } ?? .max)
        default: return 1
        }
    }
}
