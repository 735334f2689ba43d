import Testing

@testable import SignetSOAP

@Suite struct MultipartReaderTests {
    // MARK: Parts

    @Test func partsStandBetweenBoundaries() {
        let read = ReadParts(
            "preamble\r\n--b\r\nContent-ID: <a@x>\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--b \t\r\n\r\n1\r\n2\r\n\r\n--b--\r\nepilogue\r\n--b\r\n"
        )
        #expect(read.error == nil)
        #expect(read.texts == ["<a/>", "1\r\n2\r\n"])
        #expect(read.parts.map(\.header.contentID) == ["a@x", nil])
        #expect(read.parts.map(\.header.contentType) == ["text/xml", "text/plain"])
        #expect(read.parts.map(\.header.offset) == [15, 73])
        #expect(read.parts.map(\.isComplete) == [true, true])
    }

    @Test(arguments: [
        ("--b\r\n\r\n--b--", [""]),  // the empty line's end is the boundary's beginning
        ("--b\r\n\r\n\r\n--b--", [""]),
        ("--b\r\nA: b\r\n\r\n--b\r\n\r\nx\r\n--b--", ["", "x"]),
        ("\r\n--b\r\n\r\nx\r\n--b--\r\n", ["x"]),
        ("--b\n\nx\n\n--b\nA: b\n\ny\n--b--\n", ["x\n", "y"]),
        ("--b--", []),
        ("--b\r\n\r\nx\r\n--b-- \t", ["x"]),
        ("--b\r\n\r\nx\r\n--b--\r", ["x"]),
    ])
    func shortest(text: String, contents: [String]) {
        let read = ReadParts(text)
        #expect(read.error == nil)
        #expect(read.texts == contents)
    }

    @Test(arguments: [
        "x--b", "\r\n--bx", "\r\n--b-", "\r\n--b-\r\n", "\r\n--b--x", "\r\n--b \tx", "\r\n-b", "\r\n--c", "\r\n--",
        "\r\n\r\n", "\r\r\n-", "\n\r", "\r", "\r\n--b\rx", "\r\n--b\r\rx", "\r\n --b", "\r\n--B\r\n", "\n\n\n\n-\n\n",
        "\r\n--b" + String(repeating: " ", count: 129) + "\r\n", "\r\n--b--\r\r\n", "--b",
    ])
    func textThatOnlyResemblesABoundaryIsContent(content: String) {
        let read = ReadParts("--b\r\nA: b\r\n\r\nx\(content)\r\n--b--\r\n")
        #expect(read.error == nil)
        #expect(read.texts == ["x" + content])
    }

    @Test func bareLineFeedsAreRefusedOnRequest() {
        let content = "1\n--b\n2\n--b--\n3"
        let read = ReadParts("--b\r\n\r\n\(content)\r\n--b--\n\r\n--b--\r\n", takesBareLineFeeds: false)
        #expect(read.error == nil)
        #expect(read.texts == [content + "\r\n--b--\n"])
        #expect(ReadParts("--b\r\nA: b\n\r\n\r\n--b--", takesBareLineFeeds: false).error?.code == .malformedHeader)
    }

    // MARK: Pieces

    static let messages = [
        "p\r\n--b\r\nContent-ID: <a>\r\n\r\nx\r\n--bx\r\n--b-\r\r\n--b\r\n\r\n\n--b \tz\r\n--b--\r\ne",
        "--b\n\n\n\n--b\nA: b\n c\n\n\r\n-\r\n--\r\n--b--",
        "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n/w==\r\n\r\n--b--\r\n",
        "--b\nContent-Transfer-Encoding: quoted-printable\n\na=3Db= \r\nc \t\r\n=C3=A9\r \r\n=\r\n--b--",
        "--b\r\nContent-ID: <a>\r\n\r\nx\r\n--b\r\nContent-ID: <a>\r\n\r\n\r\n--b--",
        "--b\r\nContent-ID: <a>\r\n\r\nx\r\n--b--x\r\n-",
        "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nAA=C\r\n--b--",
        "--b\r\nno field\r\n\r\n--b--",
    ]

    @Test(arguments: messages) func anyCutGivesTheSame(text: String) {
        let bytes = Array(text.utf8)
        let whole = ReadParts([bytes])
        #expect(ReadParts(bytes.map { [$0] }) == whole)
        for first in 0...bytes.count {
            #expect(ReadParts([Array(bytes[..<first]), Array(bytes[first...])]) == whole, "cut at \(first)")
            for second in first...bytes.count {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                if ReadParts(pieces) != whole { Issue.record("cut at \(first) and \(second)") }
            }
        }
    }

    @Test func randomContentIsFound() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("\r\n-b x".utf8)
        for _ in 0..<2000 {
            // Content of which none can be a boundary, among much that nearly is.
            let contents = (0..<3).map { _ in
                (0..<Int.random(in: 0..<60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            }.map { $0.filter { $0 != UInt8(ascii: "b") } + [UInt8(ascii: "x")] }
            let message =
                contents.reduce(into: [UInt8]()) { $0 += Array("\r\n--b\r\nA: b\r\n\r\n".utf8) + $1 }
                + Array("\r\n--b--".utf8)
            var pieces: [[UInt8]] = []
            var rest = message[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...20, using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(ReadParts(pieces).parts.map(\.content) == contents)
        }
    }

    // MARK: Headers

    @Test func headersOfPartsAreRead() throws {
        let read = ReadParts(
            "--b\r\nCONTENT-type:application/octet-stream;\r\n\tname=\"a\r\n b\"\r\ncontent-ID:  plain@id \r\nContent-Location: http://x/y\r\nContent-Disposition: attachment; filename=\"C:\\dir\\a \\\"b\\\".txt\"\r\nX : y\r\n\r\n\r\n--b--"
        )
        #expect(read.error == nil)
        let header = try #require(read.parts.first?.header)
        #expect(header.contentType == "application/octet-stream; name=\"a b\"")
        #expect(header.contentID == "plain@id")
        #expect(header.contentLocation == "http://x/y")
        #expect(header.fileName == "a \"b\".txt")
        #expect(header.fields.last?.name == "x")
    }

    @Test(arguments: [
        ("attachment; filename=../../etc/passwd", "passwd"), ("attachment; filename=..", nil), ("attachment", nil),
        ("attachment; filename*=UTF-8''%E2%82%AC%20rates.txt; filename=x", "€ rates.txt"),
        ("attachment; filename*=UTF-8''..%2Fa", "a"), ("attachment; filename*=UTF-8''a%00b", nil),
        ("inline;filename=\"\"", nil), ("inline;filename=a b ;x", "a b"),
        // Some senders write them like this; the name cannot be determined.
        ("attachment; filename=\"a \"b\".pdf\"", nil), ("attachment filename=\"x.pdf\"", nil),
        ("attachment; filename=\"x.pdf\" size=5", nil), ("attachment; filename=a b=c.pdf", nil),
    ])
    func fileNamesAreNamesOnly(disposition: String, name: String?) {
        let read = ReadParts("--b\r\nContent-Disposition: \(disposition)\r\n\r\n\r\n--b--")
        #expect(read.error == nil)
        #expect(read.parts.map(\.header.fileName) == [name])
    }

    @Test(arguments: [
        ("no colon", AttachmentError.Code.malformedHeader), (" folded: first", .malformedHeader),
        (": x", .malformedHeader), ("a b: x", .malformedHeader), ("ä: x", .malformedHeader),
        ("A: \0", .malformedHeader), ("A: x\ry", .malformedHeader), ("A: \u{1B}[2J", .malformedHeader),
        ("A: \u{85}", .malformedHeader), ("Content-ID: <>", .malformedHeader), ("Content-ID: a b", .malformedHeader),
        ("Content-ID: <a><b>", .malformedHeader), ("Content-ID: <a>\r\nContent-ID: <b>", .malformedHeader),
        ("Content-Type: a/b\r\nContent-Type: a/c", .malformedHeader),
        ("Content-Disposition: x; filename=a; filename=b", .malformedHeader),
        ("Content-Disposition: x; filename=\"a", .malformedHeader),
        ("Content-Transfer-Encoding: x-uuencode", .unsupportedEncoding),
    ])
    func badHeaders(field: String, code: AttachmentError.Code) {
        let read = ReadParts("pre\r\n--b\r\n\(field)\r\n\r\n\r\n--b--")
        #expect(read.error?.code == code)
        #expect(read.offset == 10)
        #expect(read.error?.description.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    @Test func latinIsNotMixedUp() {
        let read = ReadParts([Array("--b\r\nContent-ID: <".utf8) + [0xE4] + Array(">\r\n\r\n\r\n--b--".utf8)])
        #expect(read.parts.map(\.header.contentID) == ["ä"])
    }

    // MARK: Transfer encodings

    @Test(arguments: [
        ("base64", "AAEC\r\n A w==\r\n", [0, 1, 2, 3]), ("BASE64", "", []), ("base64", "AA==", [0]),
        ("Quoted-Printable", "a=3d=3D \t\r\nb=\r\nc= \t\nd=", Array("a==\r\nbcd".utf8)),
        ("quoted-printable", "a b\tc \r", Array("a b\tc \r".utf8)), ("quoted-printable", "a\rb", Array("a\rb".utf8)),
        ("quoted-printable", "a \r b", Array("a \r b".utf8)), ("7bit", "=3D", Array("=3D".utf8)),
        ("8BIT", "ä", Array("ä".utf8)), ("binary", "\0", [0]),
    ])
    func contentIsDecoded(encoding: String, text: String, content: [UInt8]) {
        let read = ReadParts("--b\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\n\(text)\r\n--b--")
        #expect(read.error == nil)
        #expect(read.parts.map(\.content) == [content])
    }

    @Test(arguments: [
        ("base64", "AAE"), ("base64", "A"), ("base64", "=AAA"), ("base64", "A==="), ("base64", "AA==" + "AAAA"),
        ("base64", "AA=A"), ("base64", "AA-_"), ("base64", "AA="), ("base64", "AAAA="),
        ("quoted-printable", "=G0"), ("quoted-printable", "=0G"), ("quoted-printable", "=0"),
        ("quoted-printable", "= x"), ("quoted-printable", "=\rx"), ("quoted-printable", "=\r\r\n"),
    ])
    func badContent(encoding: String, text: String) {
        let read = ReadParts("--b\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\n\(text)\r\n--b--")
        #expect(read.error?.code == .malformedContent)
        #expect(read.offset == 5)
    }

    // MARK: Limits and defects

    @Test(arguments: [
        "", "x", "--b", "--b\r\n", "--b\r\nA: b", "--b\r\n\r\nx", "--b\r\n\r\nx\r\n--b", "--b\r\n\r\nx\r\n--b-",
        "--c--",
    ])
    func theLastBoundaryMustBeThere(text: String) {
        let read = ReadParts(text)
        #expect(read.error?.code == .truncated)
        #expect(read.offset == text.utf8.count)
    }

    @Test(arguments: ["", String(repeating: "x", count: 71), "a ", "a\r\nb", "é", "a\0"])
    func badBoundaries(boundary: String) {
        #expect(ReadParts("", boundary: boundary).error?.code == .unusableContentType)
    }

    @Test func longBoundary() {
        let boundary = String(repeating: "'()+_,-./:=? x", count: 5)
        let read = ReadParts("--\(boundary)\r\n\r\nx\r\n--\(boundary)--", boundary: boundary)
        #expect(read.texts == ["x"])
    }

    @Test func equalIDsAreRefused() {
        let read = ReadParts("--b\r\nContent-ID: <a>\r\n\r\n\r\n--b\r\nContent-ID: a\r\n\r\n\r\n--b--")
        #expect(read.error?.code == .duplicateID)
    }

    @Test func theReaderEnforcesItsLimits() {
        let part = "--b\r\n\r\n\r\n"
        let many = ReadParts(String(repeating: part, count: 10_000) + "--b--")
        #expect(many.error?.code == .tooManyParts)
        #expect(many.parts.count == 1000)
        #expect(many.error?.code.isLimit == true)

        var limits = AttachmentLimits()
        limits.parts = 2
        #expect(ReadParts(part + part + "--b--", limits: limits).error == nil)
        #expect(ReadParts(part + part + part + "--b--", limits: limits).error?.code == .tooManyParts)

        limits.headerBytes = 10
        #expect(ReadParts("--b\r\nA: bcd\r\n\r\n\r\n--b--", limits: limits).error == nil)
        #expect(ReadParts("--b\r\nA: bcde\r\n\r\n\r\n--b--", limits: limits).error?.code == .headerTooLarge)
        limits.headerBytes = 1000
        limits.headerFields = 2
        #expect(ReadParts("--b\r\nA: b\r\n c\r\nC: d\r\n\r\n\r\n--b--", limits: limits).error == nil)
        #expect(ReadParts("--b\r\nA: b\r\nC: d\r\nE: f\r\n\r\n\r\n--b--", limits: limits).error?.code == .tooManyFields)

        limits.totalBytes = 14
        #expect(ReadParts("--b\r\n\r\n\r\n--b--", limits: limits).error == nil)
        let large = ReadParts("--b\r\n\r\nx\r\n--b--", limits: limits)
        #expect(large.error?.code == .tooLarge)
        #expect(large.offset == 14)
        #expect(ReadParts(Array("--b\r\n\r\nx\r\n--b--".utf8).map { [$0] }, limits: limits) == large)
    }

    @Test func headerBombsAreRefused() {
        let folded = "--b\r\nA: b\r\n" + String(repeating: " x\r\n", count: 100_000)
        #expect(ReadParts(folded).error?.code == .headerTooLarge)
        let fields = "--b\r\n" + String(repeating: "A:\r\n", count: 3000) + "\r\n\r\n--b--"
        #expect(ReadParts(fields).error?.code == .tooManyFields)
    }

    @Test func aDefectIsThrownAgain() throws {
        var reader = try MultipartReader(boundary: "b")
        let bytes = Array("--b\r\nx\r\n\r\n".utf8)
        for next in [bytes, [1]] {
            let error = #expect(throws: AttachmentError.self) { try reader.push(next) { _ in } }
            #expect(error?.code == .malformedHeader)
        }
        let error = #expect(throws: AttachmentError.self) { try reader.finish { _ in } }
        #expect(error?.code == .malformedHeader)
    }
}
