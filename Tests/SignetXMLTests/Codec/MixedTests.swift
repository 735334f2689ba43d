@_spi(Generated) import SignetXML
import Testing

/// What the generator writes for a mixed type: the text between the elements is one of the alternatives.
private struct Paragraph: XMLStructure {
    var language: String?
    var content: [Content]

    indirect enum Content: XMLChoice {
        case bold(Paragraph)
        case number(Int32)
        case other(XMLFragment)
        case text(String)

        static let xmlTable = XMLTable(choice: ["urn:mixed"], elements: "b n #other:0", mixed: true)

        static func decode(_ index: Int, from reader: inout XMLReader) -> Content? {
            switch index {
            case 0: reader.branch(Self.bold)
            case 1: reader.branch(Self.number)
            case 2: reader.branch(Self.other)
            case 3: reader.text(Self.text)
            default: nil
            }
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .bold(let value): writer.field(0, value)
            case .number(let value): writer.field(1, value)
            case .other(let value): writer.wildcard(value)
            case .text(let value): writer.text(value)
            }
        }

        static var _placeholder: Content { .text("") }
    }

    init(language: String? = nil, _ content: [Content]) { (self.language, self.content) = (language, content) }
    init(_decoding: Void) { content = [] }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:mixed"], elements: "{0}*", attributes: "language?", groups: [Content.xmlTable], mixed: true)
        fields.field(&x.content)
        fields.field(&x.language)
    }
}

@Suite struct MixedTests {
    private func read(_ content: String) throws(XMLError) -> Paragraph {
        try decode("<p xmlns='urn:mixed'>\(content)</p>")
    }

    @Test(
        arguments: [
            ("", []),
            ("a", [.text("a")]),
            (" a &amp; b ", [.text(" a & b ")]),
            ("a<n>1</n>b<n>2</n>", [.text("a"), .number(1), .text("b"), .number(2)]),
            ("<n>1</n> <n>2</n>\n", [.number(1), .text(" "), .number(2), .text("\n")]),
            ("a<!-- c -->b<![CDATA[<c>]]>d<?p i?>", [.text("ab<c>d")]),
            ("a<!-- c --><n k='&lt;'>1</n><![CDATA[]]>", [.text("a"), .number(1)]),
            (
                "<b language='en'>x<b>y<n>3</n></b></b>z",
                [
                    .bold(Paragraph(language: "en", [.text("x"), .bold(Paragraph([.text("y"), .number(3)]))])),
                    .text("z"),
                ]
            ),
            ("<b/>", [.bold(Paragraph([]))]),
        ] as [(String, [Paragraph.Content])])
    private func content(xml: String, content: [Paragraph.Content]) throws {
        let value = try read(xml)
        #expect(value == Paragraph(content))
        #expect(try decode(encode(value, as: XMLName("urn:mixed", "p"))) == value)
    }

    @Test func piecesAroundUnknownElementsAreJoined() throws {
        let value = try read("a<new>x</new>b<o:x xmlns:o='urn:o'>y</o:x>c")
        #expect(value.content.count == 4)
        #expect(value.content.first == .text("a") && value.content.last == .text("c"))
    }

    @Test func textIsBounded() {
        var limits = XMLLimits()
        limits.textBytes = 10
        #expect(throws: XMLError(.textTooLong, "")) {
            try decode(Paragraph.self, "<p xmlns='urn:mixed'>123456<!-- -->123456</p>", limits: limits)
        }
    }
}

/// Strings whose white space means nothing, in all forms.
private struct Strings: XMLStructure {
    var token = ""
    var maybe: String?
    var nillable: Nillable<String>?
    var list: [String] = []
    var lines: [Nillable<String>] = []
    var code: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:s"], elements: "token maybe? nillable? list* lines*", attributes: "code?")
        fields.collapsed(&x.token)
        fields.collapsed(&x.maybe)
        fields.collapsed(&x.nillable)
        fields.collapsed(&x.list)
        fields.replaced(&x.lines)
        fields.collapsed(&x.code)
    }
}

private enum Size: XMLEnumeration {
    case small
    case large
    case unrecognized(String)

    init(rawValue: String) {
        self = rawValue == "small" ? .small : rawValue == "large" ? .large : .unrecognized(rawValue)
    }

    var rawValue: String {
        switch self {
        case .small: "small"
        case .large: "large"
        case .unrecognized(let value): value
        }
    }
}

private enum Measure: XMLUnion {
    case int(Int32)
    case size(Size)
    case name(XSDQName)
    case sizes(XSDList<Size>)
    case unrecognized(String)

    init(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
        if let value = XMLUnionMember.read(Int32.self, bytes, scope) {
            self = .int(value)
        } else if let value = XMLUnionMember.read(Size.self, bytes, scope) {
            self = .size(value)
        } else if let value = XMLUnionMember.read(XSDQName.self, bytes, scope), value.namespaceURI == "urn:q" {
            self = .name(value)
        } else {
            self = .unrecognized(XMLUnionMember.text(bytes))
        }
    }

    func writeLexical(to writer: inout XMLWriter) {
        switch self {
        case .int(let value): value.writeLexical(to: &writer)
        case .size(let value): value.writeLexical(to: &writer)
        case .name(let value): value.writeLexical(to: &writer)
        case .sizes(let value): value.writeLexical(to: &writer)
        case .unrecognized(let value): writer.text(value)
        }
    }

    static var _placeholder: Measure { .unrecognized("") }
}

@Suite struct StringTests {
    @Test func whiteSpace() throws {
        let value = try decode(
            Strings.self,
            """
            <s xmlns='urn:s' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' code=' a&#10; b '><token>
              x \t y </token><maybe/><nillable i:nil='1'/><list>a</list><list> b  c</list><lines> a
            b\t</lines><lines i:nil='true'/></s>
            """)
        #expect(value.token == "x y")
        #expect(value.maybe == "")
        #expect(value.nillable == .null)
        #expect(value.list == ["a", "b c"])
        #expect(value.lines == [" a b ", .null])
        #expect(value.code == "a b")
    }

    private func measure(_ text: String) throws -> Measure {
        let document = "<m xmlns:q='urn:q'>\(text)</m>"
        return try XMLReader.read(Array(document.utf8)) { reader in
            try reader.root()
            return try reader.value(Measure.self)
        }
    }

    @Test func unions() throws {
        #expect(try measure(" 5\n") == .int(5))
        #expect(try measure(" small ") == .size(.small))
        #expect(try measure("medium") == .unrecognized("medium"))
        #expect(try measure(" 5 6 ") == .unrecognized(" 5 6 "))
        #expect(try measure("q:x") == .name(#require(XSDQName(namespaceURI: "urn:q", localName: "x"))))
        #expect(Measure(lexical: Array("12".utf8).span) == .int(12))
        #expect(Measure.int(3).lexicalForm == "3")
    }

    @Test func enumerationsMakeLists() {
        let list = XSDList<Size>(lexical: Array("small large huge".utf8).span)
        #expect(list?.items == [.small, .large, .unrecognized("huge")])
        #expect(list?.canonicalForm == "small large huge")
        #expect(Size.unrecognized("x").isRecognized == false && Size.small.isRecognized)
    }
}
