import SignetXML
import Testing

@Suite struct PatternTests {
    /// Expressions with texts that match and texts that do not.
    @Test(arguments: [
        ("", [""], ["a"]),
        ("a", ["a"], ["", "aa", "b"]),
        ("abc|d", ["abc", "d"], ["ab", "abcd"]),
        ("a|", ["a", ""], ["b"]),
        ("a?b*c+", ["c", "abbcc", "bc"], ["", "ab", "aac"]),
        ("(ab){2}", ["abab"], ["ab", "ababab"]),
        ("a{2,}", ["aa", "aaaaa"], ["a", ""]),
        ("a{0,2}", ["", "a", "aa"], ["aaa"]),
        ("a{0}", [""], ["a"]),
        ("(a|b)*c", ["c", "abbac"], ["ab"]),
        ("((a*)*)*", ["", "aaaa"], ["b"]),
        ("[a-c]", ["a", "b", "c"], ["d", "-", ""]),
        ("[^a-c]", ["d", "é", "\n"], ["a", ""]),
        ("[-a]", ["-", "a"], ["b"]),
        ("[a-]", ["-", "a"], ["b"]),
        ("[^-a]", ["b"], ["-", "a"]),
        ("[a-z-[aeiou]]+", ["xyz"], ["a", "xay"]),
        ("[a-z-[b-y-[m]]]", ["a", "m", "z"], ["b", "n"]),
        ("[^a-z-[0-9]]", ["A", "-"], ["a", "5"]),
        ("[\\-\\]\\[\\\\^]", ["-", "]", "[", "\\", "^"], ["a"]),
        ("[\\t-\\r]", ["\t", "\n", "\r"], [" "]),
        (".", ["a", "\t", "𝄞"], ["\n", "\r", "", "ab"]),
        ("^a$", ["^a$"], ["a"]),
        ("\\.\\?\\*\\+\\(\\)\\{\\}\\|", [".?*+(){}|"], ["a"]),
        ("\\n\\r\\t", ["\n\r\t"], ["nrt"]),
        ("\\s+\\S", [" \t\n\ra"], ["\u{A0}a", "a"]),
        ("\\d{4}-\\d{2}", ["2026-02", "２０２６-０２"], ["202-02", "2026-0a"]),
        ("\\D", ["a", "½"], ["1", "٣"]),
        ("\\w+", ["aZ9", "é", "€", "+"], ["a b", "a-b", "a.b", "_"]),
        ("\\W", ["-", " ", "_", "\u{200B}"], ["a", "1"]),
        ("\\i\\c*", ["a", "_a-1.b", "x:y", ":a", "é·"], ["1a", "-a", "", "a b"]),
        ("\\I\\C", ["1 ", "- "], ["a ", "11"]),
        ("[\\i-[:]][\\c-[:]]*", ["a1", "_"], ["a:b", ":a"]),
        ("[\\d\\s]+", ["1 2"], ["a"]),
        ("\\p{Lu}\\p{Ll}+", ["Ab", "Éa"], ["ab", "AB"]),
        ("\\p{L}+", ["aÀǅʰ中"], ["1", "a1"]),
        ("\\P{L}+", ["1 ."], ["a"]),
        ("[^\\p{L}]", ["1"], ["a"]),
        ("[\\P{L}-[\\d]]", [".", " "], ["1", "a"]),
        ("\\p{Nd}\\p{Nl}\\p{No}", ["1Ⅷ²"], ["123"]),
        ("\\p{M}\\p{P}\\p{Z}\\p{S}\\p{C}", ["\u{301}! $\u{7}"], ["abcde"]),
        ("\\p{Pi}\\p{Pf}\\p{Pc}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Po}", ["«»_-()!"], ["!!!!!!!"]),
        ("\\p{Sm}\\p{Sc}\\p{Sk}\\p{So}", ["+€^©"], ["++++"]),
        ("\\p{Zs}\\p{Zl}\\p{Zp}", [" \u{2028}\u{2029}"], ["   "]),
        ("\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}", ["\u{7}\u{AD}\u{E000}\u{FFFF}"], ["aaaa"]),
        ("\\p{IsBasicLatin}+", ["aZ~"], ["é"]),
        ("\\P{IsBasicLatin}", ["é"], ["a"]),
        ("\\p{IsLatin-1Supplement}", ["é", "\u{80}"], ["a", "ā"]),
        ("\\p{IsGreek}\\p{IsCyrillic}", ["αж"], ["жα"]),
        ("\\p{IsCJKUnifiedIdeographs}", ["中"], ["あ"]),
        ("\\p{IsHiragana}\\p{IsKatakana}", ["あア"], ["アあ"]),
        ("\\p{IsPrivateUse}", ["\u{E000}", "\u{F0000}", "\u{10FFFD}"], ["a"]),
        ("\\p{IsMusicalSymbols}", ["𝄞"], ["a"]),
        ("[A-Z]{2}[0-9]{9}[A-Z]?", ["ES123456789", "ES123456789X"], ["E123456789", "ES123456789XX"]),
        ("([0-9]{3}-)?[0-9]{3}-[0-9]{4}", ["555-1234", "800-555-1234"], ["5551234"]),
        ("(\\+|-)?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)", ["1", "-1.5", "+.5", "3."], [".", "--1"]),
        ("[^@]+@[^\\.]+\\..+", ["a@b.c"], ["a@b", "@b.c"]),
    ])
    func matching(pattern: String, good: [String], bad: [String]) throws {
        let compiled = try XSDPattern(pattern)
        for text in good { #expect(compiled.matches(text), "\(pattern) must match \(text.debugDescription)") }
        for text in bad { #expect(!compiled.matches(text), "\(pattern) must not match \(text.debugDescription)") }
    }

    @Test(arguments: [
        "(", ")", "a)", "(a", "[", "[]", "[^]", "]", "[a", "*", "+a", "?", "a**", "a?+", "{1}", "a{", "a{}", "a{,2}",
        "a{2", "a{2,1}", "a{x}", "\\", "\\q", "\\u0041", "[z-a]", "[a-\\d]", "[a-c-e]", "[[a]]", "\\p", "\\p{", "\\p{L",
        "\\p{X}", "\\p{Lx}", "\\p{IsNowhere}", "\\p{isBasicLatin}", "[a-[b]", "[-[a]]", "a{99999999999999999999}",
        "(a{0,1000}){0,1000}", "((((a{99}){99}){99}){99}){99}", "((((){9999}){9999}){9999}){9999}", "}",
    ])
    func refuses(pattern: String) {
        #expect(throws: XSDPattern.Defect.self) { try XSDPattern(pattern) }
    }

    @Test func nestingIsBounded() {
        #expect(throws: XSDPattern.Defect.self) {
            try XSDPattern(String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000))
        }
        #expect(throws: XSDPattern.Defect.self) {
            try XSDPattern(String(repeating: "[a-", count: 100_000) + String(repeating: "]", count: 100_000))
        }
    }

    /// Expressions that make others go back and forth for ever.
    @Test(
        .timeLimit(.minutes(10)), arguments: ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)b", "(a?){30}a{30}b"])
    func timeGrowsWithTheText(pattern: String) throws {
        #expect(try !XSDPattern(pattern).matches(String(repeating: "a", count: 20_000)))
    }
}
