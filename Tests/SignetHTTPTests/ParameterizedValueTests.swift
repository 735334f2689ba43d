import SignetHTTP
import Testing

@Suite struct ParameterizedValueTests {
    @Test(
        arguments: [
            // Quotation marks that are missing, white space, case, empty parameters.
            ("A/B;Start=<a@b>", "start", "<a@b>"), ("a/b;type=text/xml", "type", "text/xml"),
            ("a/b;boundary=----=_Part_1_2.3", "boundary", "----=_Part_1_2.3"), ("a/b;boundary='b'", "boundary", "'b'"),
            ("a/b\t;\tboundary\t=\tb\t", "boundary", "b"), ("a/b;boundary = \"b\" ", "boundary", "b"),
            ("a/b;;; ;boundary=b;;", "boundary", "b"), ("a/b;=x;=y;boundary=b", "boundary", "b"),
            ("a/b;word;two words;boundary=b", "boundary", "b"), ("a/b;BOUNDARY=B", "boundary", "B"),
            ("a/b;boundary=", "boundary", ""), ("a/b;boundary=\"\"", "boundary", ""), ("a/b", "boundary", nil),
            ("a/b;boundary", "boundary", nil),
            // Quoted strings.
            ("a/b;boundary=\"x;y=z\"", "boundary", "x;y=z"), ("a/b;x=\";boundary=a\";boundary=b", "boundary", "b"),
            ("a/b;boundary=\"a\\\"b\\\\c\"", "boundary", "a\"b\\c"), ("a/b;boundary=\" b \"", "boundary", " b "),
            ("a/b;boundary=\"(b)\"", "boundary", "(b)"), ("a/b;boundary=\"é\"", "boundary", "é"),
            // The same said twice.
            ("a/b;boundary=b;boundary=\"b\"", "boundary", "b"), ("a/b;type=a/b;type=A/B", "type", "a/b"),
            ("a/b;charset=utf-8;charset='UTF-8'", "charset", "utf-8"),
            // Comments (RFC 2045 §5.1).
            ("a/b;charset=us-ascii (Plain text)", "charset", "us-ascii"), ("a/b;charset=\"x\"(c)", "charset", "x"),
            ("a/b (c);(d) charset (e (f)) = (g) x (h) (i) ; (j)", "charset", "x"),
            // Names of files decide nothing.
            ("x;filename=my file.pdf", "filename", "my file.pdf"), ("x;filename=a(1).pdf", "filename", "a(1).pdf"),
            ("x;filename=a (1).pdf", "filename", "a (1).pdf"), ("x;filename=\"C:\\a\\b\"", "filename", "C:\\a\\b"),
            ("x;filename*=utf-8''a%20b", "filename*", "utf-8''a%20b"),
        ] as [(String, String, String?)])
    func whatHasOneReadingIsTaken(_ text: String, _ name: String, _ value: String?) throws {
        let read = try ParameterizedValue(text)
        #expect(read[name] == value)
        #expect(read.essence == "a/b" || read.essence == "x")
    }

    @Test(arguments: [
        // Two values.
        "a/b;boundary=a;boundary=b", "a/b;boundary=b;boundary=B", "a/b;charset=utf-8;CHARSET=\"utf-16\"",
        "a/b;type=text/xml;type=text/html", "a/b;start=<a>;start=<b>", "x;filename=a;filename=b",
        // Quotation marks where some readers see one and some do not.
        "a/b;boundary=\"b", "a/b;boundary=\"b\\\"", "a/b;boundary=\"", "a/b;boundary=b\"", "a/b;boundary=a\"b;c\"",
        "a/b\";boundary=b", "a/b;x\";boundary=b", "a/b;x\"=y", "a/b;boundary=\"a\"b", "a/b;boundary=\"a\" b",
        "a/b;boundary=\"a\"\"b\"", "a/b;x=\"y\" boundary=b", "x;filename=\"a \"b\".pdf\"",
        // White space where a semicolon may be missing.
        "a/b;boundary=a type=text/xml", "a/b;charset=utf-8 x", "a/b;x=y boundary=b", "a/b;x boundary=b",
        "a/b;charset=utf-8, text/xml",
        // Escapes that some readers take away and some leave.
        "a/b;boundary=\"\\b\"", "a/b;charset=\"ut\\f-8\"",
        // Comments that some readers take for text.
        "a/b;boundary=a(b)", "a/b;boundary=a (;boundary=b)", "a/b;boundary=a (b", "a/b;boundary=(b",
        "a/b;boundary=a)", "a/b;boundary=(\\)b", "a/b(c);boundary=b", "a/b;boundary=a (\"b\")",
        // Parameters that some readers join and decode (RFC 2231).
        "a/b;boundary*=utf-8''b", "a/b;boundary*0=b", "a/b;charset*=us-ascii''utf-8",
        // What ends a line or a string.
        "a/b;x=\r\ny", "a/b;x=\0", "a/b;x=\u{7F}", "a/b;x=\u{85}", "a\u{1}/b",
    ])
    func whatTwoReadersCouldTakeForTwoThingsIsRefused(_ text: String) {
        #expect(throws: ParameterDefect.self) { try ParameterizedValue(text) }
        #expect(MediaType(text).defect != nil)
    }

    @Test func parametersAreCounted() throws {
        let most = (1...ParameterizedValue.maximumParameters).map { ";p\($0)=\($0)" }.joined()
        #expect(try ParameterizedValue("a/b\(most)")["p64"] == "64")
        #expect(throws: ParameterDefect.self) { try ParameterizedValue("a/b\(most);p=") }
    }

    @Test func aMillionBracketsAreReadOnce() {
        let brackets = String(repeating: "(", count: 1_000_000)
        #expect(throws: ParameterDefect.self) { try ParameterizedValue("a/b;boundary=\(brackets)") }
        #expect(throws: ParameterDefect.self) { try ParameterizedValue("a/b;boundary=b \(brackets))") }
    }
}
