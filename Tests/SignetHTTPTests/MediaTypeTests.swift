import SignetHTTP
import Testing

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("text/xml", "text/xml", nil), ("Text/XML ; Charset=UTF-8", "text/xml", "utf-8"),
            ("text/xml;action=\"\";charset=\"utf-8\"", "text/xml", "utf-8"), ("", "", nil), (";", "", nil),
            ("text/xml; charset='UTF-8'", "text/xml", "utf-8"), ("text/xml; charset=\"'UTF-8'\"", "text/xml", "utf-8"),
            ("text/xml; charset='", "text/xml", "'"), ("text/xml; charset=''", "text/xml", ""),
            ("text/xml; charset=", "text/xml", ""), ("text/xml; charset = utf-8", "text/xml", "utf-8"),
            ("text/xml; charset=utf-8; charset='UTF-8'", "text/xml", "utf-8"),
            ("text/xml; charset=utf-8 (a comment)", "text/xml", "utf-8"),
            ("\u{212A}/xml; charset=\u{212A}oi8-r", "\u{212A}/xml", "\u{212A}oi8-r"),
        ] as [(String, String, String?)])
    func reading(_ value: String, _ essence: String, _ charset: String?) {
        let type = MediaType(value)
        #expect(type.essence == essence)
        #expect(type.charset == charset)
        #expect(type.defect == nil)
    }

    @Test(arguments: [
        "text/xml; charset=utf-8; charset=utf-16", "text/xml; charset=\"", "text/xml; charset=\"utf-8\" x",
    ])
    func ambiguousFieldsHaveNoType(_ value: String) {
        let type = MediaType(value)
        #expect(type.essence.isEmpty)
        #expect(type.charset == nil)
        #expect(type.defect?.essence == "text/xml")
    }

    /// Compares the short way, which knows whole values, with the parser, which the space at the end asks for.
    @Test(
        arguments: ["text/xml", "application/soap+xml"],
        ["; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8"])
    func theShortWayFindsTheSame(_ essence: String, _ charset: String) {
        let value = essence + charset
        #expect(MediaType(value) == MediaType(value + " "))
        #expect(MediaType(value).charset == "utf-8")
    }

    /// U+037E is canonically equivalent to a semicolon, and still another character.
    @Test func aGreekQuestionMarkIsNotASemicolon() {
        let type = MediaType("text/xml\u{37E} charset=utf-8")
        #expect(type.charset == nil)
        #expect(type.essence != "text/xml")
    }
}
