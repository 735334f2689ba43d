import Foundation
import SignetWSDL
import Testing

@testable import SignetCommand

@Suite struct TerminalTextTests {
    @Test func controlCharactersAreEscaped() {
        #expect(TerminalText.line("a\u{1B}[2Jb\u{9B}c\u{7F}\r\u{8}") == #"a\u{1B}[2Jb\u{9B}c\u{7F}\u{D}\u{8}"#)
        #expect(TerminalText.line("a\nb\tc") == "a b c")
        #expect(TerminalText.block("a\nb\tc\u{0}") == "a\nb\tc\\u{0}")
        #expect(
            TerminalText.line("user\u{202E}txt.exe\u{2066}\u{200B}\u{FEFF}")
                == #"user\u{202E}txt.exe\u{2066}\u{200B}\u{FEFF}"#)
        #expect(TerminalText.line("a\u{2028}b") == #"a\u{2028}b"#)
        // Characters without a look.
        #expect(
            TerminalText.line("\u{2800}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{34F}")
                == #"\u{2800}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{34F}"#)
        #expect(TerminalText.sentence("  a\n   b ") == "a b")
    }

    /// No line of a service looks like a line of the command, and every line has an end.
    @Test func linesBehindTheFirstAreIndented() {
        #expect(TerminalText.indented("boom\r\nsignet: all is well") == "boom\n    signet: all is well")
        #expect(TerminalText.indented("a\n\nb\tc\u{1B}") == "a\n    \n    b\tc\\u{1B}")
        #expect(TerminalText.indented("a\rb\r\r\nc\r") == "a\\u{D}b\\u{D}\n    c\\u{D}")
        #expect(TerminalText.indented("a\u{2028}* b") == "a\\u{2028}* b")
        #expect(TerminalText.indented("Grüße e\u{301} 👩‍👩‍👧") == "Grüße e\u{301} 👩‍👩‍👧")
        #expect(TerminalText.indented("abcd", limit: 4) == "abcd")
        #expect(TerminalText.indented("abcde", limit: 4) == "abcd… (1 more characters)")
        #expect(TerminalText.indented("a\u{301}\u{302}\u{303}", limit: 2) == "a\u{301}… (2 more characters)")
    }

    @Test func wordsOfAllLanguagesStay() {
        let text = "Grüße 👩‍👩‍👧 ❤\u{FE0F} می‌خواهم 日本語 葛\u{E0100} e\u{301}"
        #expect(TerminalText.line(text) == text)
        #expect(TerminalText.json(text) == text)
    }

    @Test func JSONKeepsItsMeaning() throws {
        let text = "a\u{7F}\u{9B}31m\u{202E}\u{E0041}😀"
        let made = TerminalText.json("[\n  \"\(text)\"\n]")
        #expect(made == "[\n  \"a\\u007f\\u009b31m\\u202e\\udb40\\udc41😀\"\n]")
        #expect(try JSONDecoder().decode([String].self, from: Data(made.utf8)) == [text])
    }
}
