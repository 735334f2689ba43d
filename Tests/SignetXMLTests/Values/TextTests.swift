import SignetXML
import Testing

/// Types derived from `xs:string`, `xs:anyURI`, and what happens to white space (XML Schema Part 2 §3.3.1 to §3.3.12,
/// §4.3.6).
@Suite struct TextTests {
    @Test func whiteSpace() {
        let text = " a\t b\n\nc "
        #expect(parse(text, as: String.self) == text)
        #expect(parse(text, as: XSDNormalizedString.self)?.description == " a  b  c ")
        #expect(parse(text, as: XSDToken.self)?.description == "a b c")
        #expect(parse("a b", as: XSDToken.self)?.description == "a b")
        #expect(parse("", as: XSDToken.self)?.description == "")
        #expect(parse(" \n", as: XSDToken.self)?.description == "")
        #expect(parse("&#9;a&#13;", as: XSDNormalizedString.self)?.description == " a ")
        #expect(XSDToken(" a") == nil)
        #expect(XSDToken("a  b") == nil)
        #expect(XSDNormalizedString("a\tb") == nil)
        #expect(XSDWhiteSpace.collapse.applied(to: text) == "a b c")
        #expect(XSDWhiteSpace.replace.applied(to: text) == " a  b  c ")
        #expect(XSDWhiteSpace.preserve.applied(to: text) == text)
    }

    private func accepted<Rule>(_ texts: [String], as type: XSDText<Rule>.Type) -> [String] {
        texts.filter { parse($0, as: type)?.description == $0 }
    }

    @Test func languages() {
        let good = ["en", "en-GB", "x-klingon", "i-navajo", "zh-Hant-TW", "abcdefgh-12345678"]
        let bad = ["", "e1", "en_GB", "en-", "-en", "abcdefghi", "en-123456789", "en--GB", "é"]
        #expect(accepted(good + bad, as: XSDLanguage.self) == good)
    }

    @Test func names() {
        let ncNames = ["a", "_a", "a-b.c", "é", "a·", "日本"]
        let names = [":a", "a:b", "a:"]
        let tokens = ["1", "-a", ".", "·", "1:2"]
        let bad = ["", "a b", "a/b", "a,b", "\u{2019}"]
        let all = ncNames + names + tokens + bad
        #expect(accepted(all, as: XSDNCName.self) == ncNames)
        #expect(accepted(all, as: XSDID.self) == ncNames)
        #expect(accepted(all, as: XSDIDREF.self) == ncNames)
        #expect(accepted(all, as: XSDENTITY.self) == ncNames)
        #expect(accepted(all, as: XSDName.self) == ncNames + names)
        #expect(accepted(all, as: XSDNMTOKEN.self) == ncNames + names + tokens)
    }

    @Test func references() {
        let good = [
            "", "http://example.org/", "http://example.org/a b?é#x", "urn:isbn:0-395-36341-1", "../a/b", "a", "#x",
            "?q", "//h/p",
            "mailto:a@example.org", "%41", "http://[::1]:80/", "http://[1080:0:0:0:8:800:200C:417A]/x", "C:\\a",
            "a/b:c", "http:///",
            "file:///a{b}", "http://h/?a[1]=2", "urn:x[1]", "./a:b", "_x/y:z",
        ]
        let bad = [
            "%", "%4", "%4G", "a#b#c", ":a", "1a:b", "http:", "a:", "_x:y", "http://h/[", "a]b", "http://[::1/", "[a]",
            "http://[h]/",
        ]
        #expect(accepted(good + bad, as: XSDAnyURI.self) == good)
    }

    @Test func equalityIsOfCharacters() {
        // Swift takes these two for equal.
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(XSDToken(composed) != XSDToken(decomposed))
        #expect(!XSDBuiltInType.string.areEqual(composed, decomposed))
        #expect(XSDToken(composed) == XSDToken(composed))
    }

    @Test func lists() {
        #expect(parse(" a\n b\tc ", as: XSDNMTOKENS.self)?.items.map(\.description) == ["a", "b", "c"])
        #expect(parse(" a\n b\tc ", as: XSDNMTOKENS.self)?.lexicalForm == "a b c")
        #expect(parse("", as: XSDNMTOKENS.self) == nil)
        #expect(parse(" ", as: XSDIDREFS.self) == nil)
        #expect(parse("a 1", as: XSDENTITIES.self) == nil)
        #expect(XSDIDREFS([]) == nil)
        #expect(parse("", as: XSDList<Int32>.self) == [])
        #expect(parse("1 +2\n03", as: XSDList<Int32>.self) == [1, 2, 3])
        #expect(parse("1 x", as: XSDList<Int32>.self) == nil)
        let floats: XSDList<Float> = [1, .nan]
        #expect(floats.compare(to: [1, .nan]) == .equal)
        #expect(floats.compare(to: [1]) == nil)
        #expect(floats.canonicalForm == "1.0E0 NaN")
    }
}
