import SignetHTTP
import Testing

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("text/xml", "text/xml", nil), ("Text/XML ; Charset=UTF-8", "text/xml", "utf-8"),
            ("text/xml;action=\"\";charset=\"utf-8\"", "text/xml", "utf-8"), ("", "", nil), (";", "", nil),
            ("text/xml; charset='UTF-8'", "text/xml", "utf-8"), ("text/xml; charset=\"'UTF-8'\"", "text/xml", "utf-8"),
            ("text/xml; charset='", "text/xml", "'"), ("text/xml; charset=''", "text/xml", ""),
            ("text/xml; charset=", "text/xml", ""), ("text/xml; charset=\"", "text/xml", "\""),
        ] as [(String, String, String?)])
    func reading(_ value: String, _ essence: String, _ charset: String?) {
        let type = MediaType(value)
        #expect(type.essence == essence)
        #expect(type.charset == charset)
    }
}
