import Testing

@_spi(Generated) @testable import SignetXML

/// What patterns leave of the forms in which a value can be written.
@Suite struct FormTests {
    @Test(arguments: [
        (["0|1"], "1|0"), (["[01]"], "1|0"), (["true|false"], nil), (["true|0"], "true|0"), ([".*"], nil),
        (["1"], "1|false"), (["x"], nil), (["true|1|0|false", "\\d"], "1|0"),
    ])
    func booleans(patterns: [String], form: String?) throws {
        #expect(try XMLForm.boolean(patterns.map { try XSDPattern($0) })?.text == form)
    }

    /// The first of them are those of invoices and of tax returns.
    @Test(arguments: [
        ("[\\-]?[0-9]{1,11}\\.[0-9]{2}", "1.2.2"), ("[\\-]?[0-9]{1,11}\\.[0-9]{2,8}", "1.2.2"),
        ("\\d+(\\.\\d{2})?", "1.0.2"), ("\\d{3}", "3.0.0"), ("\\d{3}\\.\\d", "3.1.1"), ("-\\d+\\.\\d\\d", "1.2.2"),
        ("0\\.\\d{3}", "1.3.3"), ("\\d+", nil), ("\\d+(\\.\\d+)?", nil), ("[1-9]\\d{2}", nil), ("100|200", nil),
        ("[A-Z]+", nil), ("0[1-9]|1[0-2]", "2.0.0"), (".*", nil), ("\\d{40}", nil),
    ])
    func numbers(pattern: String, form: String?) throws {
        let patterns = [try XSDPattern(pattern)]
        #expect(XMLForm.digits(patterns, hasFraction: true)?.text == form)
        // An integer cannot have what only a fraction could give.
        let integer = XMLForm.digits(patterns, hasFraction: false)?.text
        #expect(integer == (["3.0.0", "2.0.0"].contains(form) ? form : nil))
    }

    @Test(arguments: [
        ("1.2.2", "10", "10.00"), ("1.2.2", "-0.5", "-0.50"), ("1.2.2", "1.234", "1.234"), ("1.0.2", "7", "7"),
        ("1.0.2", "7.5", "7.50"), ("3.0.0", "7", "007"), ("3.0.0", "5.0", "005"), ("3.0.0", "-12", "-012"),
        ("3.0.0", "1234", "1234"), ("1|0", "true", "1"), ("1|0", "false", "0"), ("true|0", "true", "true"),
        ("3.0.0", "INF", nil), ("3.0.0", "1.0E5", nil), ("1|0", "yes", nil),
    ])
    func values(form: String, value: String, written: String?) throws {
        let bytes = Array(value.utf8)
        let result = try #require(XMLForm(form)).applied(to: bytes.span)
        #expect(result.map { String(decoding: $0, as: UTF8.self) } == written)
    }

    @Test(arguments: ["", "1", "1.2", "1.2.3.4", "-1.0.0", "1.2.99", "x.y.z", "1|2|3"])
    func invalidTextsAreNoForms(text: String) { #expect(XMLForm(text) == nil) }

    private struct Invoice: XMLStructure {
        var isPaid = false
        var amounts: [XSDDecimal] = []
        var month: Int32?
        var rate: Double?
        var pick: Pick = .number(0)
        var code: Int32?
        var number: XMLDecimalText

        init(_decoding: Void) { number = XMLDecimalText(_decoding: ()) }

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(
                ["urn:forms"], elements: "isPaid amounts* month? rate? {0} number", attributes: "code?",
                groups: [Pick.xmlTable], forms: "0 1|0\n1 1.2.2\n2 2.0.0\n6 3.0.0\n4 9.9.9")
            fields.value(&x.isPaid)
            fields.values(&x.amounts)
            fields.optionalValue(&x.month)
            fields.optionalValue(&x.rate)
            fields.choice(&x.pick)
            fields.structure(&x.number)
            fields.optionalValue(&x.code)
        }
    }

    private enum Pick: XMLChoice {
        case number(Int32), text(String)

        static let xmlTable = XMLTable(choice: ["urn:forms"], elements: "pick text", forms: "0 4.0.0")
        static var _placeholder: Self { .text("") }

        static func decode(_ index: Int, from reader: inout XMLReader) -> Self? {
            index == 0 ? reader.branch(Self.number) : reader.branch(Self.text)
        }

        func encode(to writer: inout XMLWriter) {
            switch self {
            case .number(let value): writer.value(0, value)
            case .text(let value): writer.value(1, value)
            }
        }
    }

    private struct XMLDecimalText: XMLStructure {
        var value: XSDDecimal = 0
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:forms"], text: true, forms: "0 1.1.1")
            fields.value(&x.value)
        }
    }

    @Test func aWriterUsesThemEverywhere() throws {
        var invoice = Invoice(_decoding: ())
        invoice.isPaid = true
        invoice.amounts = [10, 1, -3]
        invoice.month = 7
        invoice.rate = 2
        invoice.pick = .number(12)
        invoice.code = 5
        invoice.number.value = 4
        var writer = XMLWriter()
        writer.element(XMLName(XMLNamespace("urn:forms"), "Invoice"), invoice)
        let bytes = try writer.finish()
        let text = String(decoding: bytes, as: UTF8.self)
        for part in [
            " code=\"005\"", "isPaid>1<", "amounts>10.00<", "amounts>1.00<", "amounts>-3.00<", "month>07<", "rate>2.0<",
            "pick>0012<", "number>4.0<",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let read = try XMLReader.read(bytes) { reader in
            try reader.root()
            return try reader.structure() as Invoice
        }
        #expect(read == invoice)
    }
}
