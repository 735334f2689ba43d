@_spi(Generated) import SignetXML
import Testing

private struct Value: XMLStructure {
    var text: String?
    var number: XSDDecimal?
    var day: XSDDate?
    var words: XSDList<String> = []
    var bytes: XSDBase64Binary?
    var items: [String] = []
    var part: [Part] = []
    var pick: [Pick] = []
    var code: String?

    init(_decoding: Void) {}
    init(_ change: (inout Value) -> Void) {
        part = [Part(text: 1)]
        change(&self)
    }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:rules"], elements: "text? number? day? words? bytes? item* part* {0}*", attributes: "code?",
            groups: [Pick.xmlTable],
            rules: """
                0 type=string
                0 minLength=2
                0 maxLength=4
                0 pattern=[A-Z]+|&amp;&#10;
                1 type=decimal
                1 minExclusive=0
                1 maxInclusive=10.00
                1 totalDigits=3
                1 fractionDigits=2
                2 type=date
                2 minInclusive=2020-01-01
                2 maxExclusive=2030-01-01
                3 type=list
                3 maxLength=2
                3 item.type=token
                3 item.length=1
                4 type=base64Binary
                4 length=3
                5 occurs=0..2
                5 type=token
                5 enumeration=a b
                5 enumeration=c
                6 occurs=1..*
                7 occurs=0..1
                8 type=NMTOKEN
                8 pattern=[a-z]*
                8 pattern=.{3}
                """)
        fields.field(&x.text)
        fields.field(&x.number)
        fields.field(&x.day)
        fields.field(&x.words)
        fields.field(&x.bytes)
        fields.field(&x.items)
        fields.field(&x.part)
        fields.field(&x.pick)
        fields.field(&x.code)
    }
}

private struct Part: XMLStructure {
    var text: Int32
    init(_decoding: Void) { text = 0 }
    init(text: Int32) { self.text = text }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:rules"], text: true, rules: "0 type=int\n0 maxInclusive=5")
        fields.value(&x.text)
    }
}

private enum Pick: XMLChoice {
    case a(String)
    case part(Part)
    static let xmlTable = XMLTable(choice: ["urn:rules"], elements: "a part", rules: "0 length=1\n1 occurs=1..1")
    static func decode(_ index: Int, from reader: inout XMLReader) -> Pick? { nil }

    func encode(to writer: inout XMLWriter) {
        switch self {
        case .a(let value): writer.field(0, value)
        case .part(let value): writer.field(1, value)
        }
    }

    static var _placeholder: Pick { .a("") }
}

@Suite struct ViolationTests {
    @Test(arguments: [
        (Value { _ in }, []),
        (Value { $0.text = "AB" }, []),
        (Value { $0.text = "&\n" }, []),
        (Value { $0.text = "A" }, ["text minLength"]),
        (Value { $0.text = "ABCDE" }, ["text maxLength"]),
        (Value { $0.text = "a<c" }, ["text pattern"]),
        (Value { $0.text = "<" }, ["text minLength", "text pattern"]),
        (Value { $0.number = 10 }, []),
        (Value { $0.number = 0 }, ["number minExclusive"]),
        (Value { $0.number = XSDDecimal.init("10.01") }, ["number totalDigits", "number maxInclusive"]),
        (Value { $0.number = XSDDecimal.init("0.001") }, ["number fractionDigits"]),
        (Value { $0.number = XSDDecimal.init("0.25") }, []),
        (Value { $0.day = XSDDate.init("2020-01-01") }, []),
        (Value { $0.day = XSDDate.init("2019-12-31") }, ["day minInclusive"]),
        (Value { $0.day = XSDDate.init("2030-01-01") }, ["day maxExclusive"]),
        (Value { $0.words = ["a", "b"] }, []),
        (Value { $0.words = ["a", "bb", "c"] }, ["words maxLength", "words length"]),
        (Value { $0.bytes = XSDBase64Binary([1, 2, 3]) }, []),
        (Value { $0.bytes = XSDBase64Binary([1, 2]) }, ["bytes length"]),
        (Value { $0.items = ["a b", " c "] }, []),
        (Value { $0.items = ["d", "c"] }, ["item[1] enumeration"]),
        (Value { $0.items = ["c", "c", "c"] }, ["item occurs"]),
        (Value { $0.part = [] }, ["part occurs"]),
        (Value { $0.part = [Part(text: 5), Part(text: 6)] }, ["part[2] maxInclusive"]),
        (Value { $0.pick = [.a("x")] }, []),
        (Value { $0.pick = [.a("xy")] }, ["a length"]),
        (Value { $0.pick = [.part(Part(text: 6)), .a("x")] }, ["part maxInclusive", " occurs"]),
        (Value { $0.code = "abc" }, []),
        (Value { $0.code = "ab" }, ["@code pattern"]),
        (Value { $0.code = "AB" }, ["@code pattern", "@code pattern"]),
        (Value { $0.code = "a b" }, ["@code type", "@code pattern"]),
    ])
    private func rules(value: Value, found: [String]) {
        #expect(value.violations().map { "\($0.path) \($0.facet)" } == found)
    }

    private struct Words: XMLStructure {
        var language = ""
        var keywords: XSDList<String> = []
        /// What is empty means `en`.
        var preset = ""

        init(_ language: String, _ keywords: XSDList<String>) {
            self.language = language
            self.keywords = keywords
        }

        init(_decoding: Void) {}

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(
                ["urn:rules"], elements: "language keywords preset", presets: "2 en",
                rules: "0 type=language\n0 minInclusive=z\n1 type=NMTOKENS\n1 maxLength=2\n2 type=language")
            fields.field(&x.language)
            fields.field(&x.keywords)
            fields.field(&x.preset)
        }
    }

    /// The Swift types of these let in every text.
    @Test func builtInTypesThatRestrictStrings() {
        func found(_ language: String, _ keywords: XSDList<String>) -> [String] {
            Words(language, keywords).violations().map { "\($0.path) \($0.facet)" }
        }
        #expect(found("de-CH", ["a", "b"]) == [])
        #expect(found("de_CH", []) == ["language type", "keywords type"])
        #expect(found("", ["a/b"]) == ["language type", "keywords type"])
        #expect(found("de", ["a", "b", "c"]) == ["keywords maxLength"])
    }

    private struct Marked: XMLStructure {
        var mark = ""
        var note: String?
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:rules"], attributes: "mark note?")
            fields.field(&x.mark)
            fields.field(&x.note)
        }
    }

    private struct Holder: XMLStructure {
        var one: Marked?
        var other: Nillable<Marked>?
        var more: [Nillable<Marked>] = []
        var text: Nillable<String>?
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:rules"], elements: "one other? more* text?")
            fields.nillableField(&x.one)
            fields.field(&x.other)
            fields.field(&x.more)
            fields.field(&x.text)
        }
    }

    /// XML Schema Part 1 §3.3.4: an element that is nil is empty, but has the attributes of its type.
    @Test func nilValuesViolateRequiredAttributes() {
        var holder = Holder(_decoding: ())
        holder.text = .null
        let marked = Marked(_decoding: ())
        func found() -> [String] { holder.violations().map { "\($0.path) \($0.facet)" } }
        #expect(found() == ["one/@mark use"])
        holder.one = marked
        #expect(found() == [])
        holder.other = .null
        holder.more = [.value(marked), .null]
        #expect(found() == ["other/@mark use", "more[2]/@mark use"])
    }
}
